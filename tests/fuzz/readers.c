/* readers.c -- bytes go to the readers of files; the first byte says to which.
 *
 * Left out: what only the writer of the same build reads (answer/kept.c,
 * train/live/predicted.c), and SimGrid, which runs in a process of its own on what
 * dts_simgrid_file_read() lets through.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "answer/scene.h"
#include "fuzz.h"
#include "sim/net/nccl_tests.h"
#include "sim/net/simgrid_file/simgrid_file.h"
#include "train/network/checkpoint.h"
#include "train/network/data/idx_file.h"

static bool read_document(const char *path, struct dts_error *err)
{
    struct dts_doc *doc;
    if (!dts_doc_load(&doc, path, err))
        return false;
    char *printed = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&printed, &length);
    dts_doc_print(doc, out);
    fclose(out);
    struct dts_doc *again;
    struct dts_error none = {0};
    FUZZ_CHECK(dts_doc_parse(&again, "again", printed, &none));
    FUZZ_CHECK(dts_doc_hash(doc, 0) == dts_doc_hash(again, 0));
    dts_doc_free(again);
    dts_doc_free(doc);
    free(printed);
    return true;
}

/* "path=value", a line each, and a document behind an empty line. */
static bool change_document(char *text, struct dts_error *err)
{
    char *rest = text, *line;
    char *json = strstr(text, "\n\n");
    struct dts_doc *doc;
    if (json != NULL)
        *json = '\0';
    if (!dts_doc_parse(&doc, "document", json != NULL ? json + 2 : "{\"a\": [{\"b\": 1}]}",
                       err))
        return false;
    bool good = true;
    while (good && (line = strsep(&rest, "\n")) != NULL) {
        char *value = strchr(line, '=');
        if (value != NULL)
            *value++ = '\0';
        good = dts_doc_set(doc, line, value != NULL ? value : "", "--set ", err);
    }
    dts_doc_free(doc);
    return good;
}

static bool read_changes(const char *path, struct dts_error *err)
{
    char text[4096] = "";
    FILE *file = fopen(path, "rb");
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return change_document(text, err);
}

static bool read_scene(const char *path, struct dts_error *err)
{
    const struct dts_changes none = {0};
    struct dts_scene scene;
    struct dts_doc *doc;
    if (!dts_doc_load(&doc, path, err) || !dts_scene_read(&none, doc, 0, &scene, err))
        return false;
    dts_scene_close(&scene);
    return true;
}

static bool read_model(const char *path, struct dts_error *err)
{
    struct dts_model model;
    const bool good = dts_model_load(&model, path, err);
    if (good)
        dts_model_free(&model);
    return good;
}

static bool read_platform(const char *path, struct dts_error *err)
{
    struct dts_platform platform;
    const bool good = dts_platform_load(&platform, path, NULL, err);
    if (good)
        dts_platform_free(&platform);
    return good;
}

static bool read_device(const char *path, struct dts_error *err)
{
    struct dts_device device;
    const bool good = dts_device_load(&device, path, err);
    if (good)
        dts_device_free(&device);
    return good;
}

static bool read_stack(const char *path, struct dts_error *err)
{
    struct dts_stack stack;
    const bool good = dts_stack_load(&stack, path, err);
    if (good)
        dts_stack_free(&stack);
    return good;
}

static bool read_nccl_tests(const char *path, struct dts_error *err)
{
    struct dts_nccl_tests tests;
    return dts_nccl_tests_read(path, 8, &tests, err);
}

static bool read_simgrid(const char *path, struct dts_error *err)
{
    struct dts_error note = {0};
    char *text;
    if (!dts_simgrid_file_read(path, &text, &note, err))
        return false;
    if (note.cause != DTS_NO_ERROR)
        fuzz_check_answer(false, &note);
    free(text);
    return true;
}

static bool read_images(const char *path, struct dts_error *err)
{
    struct dts_idx idx;
    const bool good = dts_idx_read(&idx, path, DTS_IDX_IMAGES, err);
    if (good)
        dts_idx_free(&idx);
    return good;
}

static bool read_labels(const char *path, struct dts_error *err)
{
    struct dts_idx idx;
    if (!dts_idx_read(&idx, path, DTS_IDX_LABELS, err))
        return false;
    for (size_t i = 0; i < idx.size[0]; i++)
        dts_idx_label(&idx, i);
    dts_idx_free(&idx);
    return true;
}

static bool read_checkpoint(const char *path, struct dts_error *err)
{
    float weights[4], state[2];
    struct dts_checkpoint checkpoint = {
        .identity = "model small\nseed 1\n",
        .parts = {{weights, sizeof(weights)}, {state, sizeof(state)}},
        .part_count = 2,
    };
    bool there;
    return dts_checkpoint_read(&checkpoint, path, &there, err);
}

static const struct reader {
    char letter; // what begins an input; run.py knows it, too
    bool (*read)(const char *path, struct dts_error *err);
    bool summed; // its last four bytes are the sum of all before: chance does not find that
} readers[] = {
    {'j', read_document}, {'w', read_changes},  {'s', read_scene},
    {'m', read_model},    {'p', read_platform}, {'d', read_device},
    {'k', read_stack},    {'x', read_simgrid},  {'n', read_nccl_tests},
    {'i', read_images},   {'l', read_labels},   {'c', read_checkpoint, .summed = true},
};

static const struct reader *find_reader(char letter)
{
    const size_t count = sizeof(readers) / sizeof(readers[0]);
    for (size_t i = 0; i < count; i++)
        if (readers[i].letter == letter)
            return &readers[i];
    return &readers[(unsigned char)letter % count];
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct fuzz_file file;
    if (size < 1)
        return 0;
    const struct reader *reader = find_reader((char)bytes[0]);
    struct dts_error err = {0};
    uint8_t *content = malloc(size);
    memcpy(content, bytes + 1, size - 1);
    if (reader->summed && size > 5) {
        const uint32_t sum = (uint32_t)crc32_z(0, content, size - 5);
        memcpy(content + size - 5, &sum, sizeof(sum));
    }
    fuzz_file_fill(&file, content, size - 1);
    free(content);
    const bool good = reader->read(file.path, &err);
    fuzz_check_answer(good, &err);
    return 0;
}
