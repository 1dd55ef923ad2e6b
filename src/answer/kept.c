/* kept.c -- a file of records, each as it lies in memory: it is read by the program that wrote
 * it, on the machine that did, or not at all. What a kill cut off is left out.
 */
#include "answer/kept.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/version.h"

/* What begins the file: another version, or another layout of a result, is not read. */
struct head {
    char magic[16], version[32];
    uint64_t record_bytes;
};

static struct head head_of_today(void)
{
    struct head head;
    memset(&head, 0, sizeof(head));
    snprintf(head.magic, sizeof(head.magic), "dtsim points");
    snprintf(head.version, sizeof(head.version), "%s", dts_version());
    head.record_bytes = sizeof(struct dts_kept_point);
    return head;
}

static bool is_file(const char *path)
{
    struct stat s;
    return strcmp(path, "-") != 0 && (stat(path, &s) != 0 || S_ISREG(s.st_mode));
}

static void read_points(struct dts_kept *kept)
{
    const struct head today = head_of_today();
    struct head head;
    struct dts_kept_point point;
    if (fread(&head, sizeof(head), 1, kept->file) != 1 ||
        memcmp(&head, &today, sizeof(head)) != 0)
        return;
    while (fread(&point, sizeof(point), 1, kept->file) == 1) {
        dts_result_seal(&point.result);
        kept->points =
            dts_grow(kept->points, &kept->room, kept->count + 1, sizeof(*kept->points));
        kept->points[kept->count++] = point;
    }
}

/* Begin anew with what was read, so that no half record stands in the middle. Whoever has
 * nothing to keep yet makes no file. */
static void begin(struct dts_kept *kept)
{
    const struct head today = head_of_today();
    kept->file = fopen(kept->path, "wb");
    kept->begun = true;
    if (kept->file == NULL)
        return;
    fwrite(&today, sizeof(today), 1, kept->file);
    fwrite(kept->points, sizeof(*kept->points), kept->count, kept->file);
    fflush(kept->file);
}

void dts_kept_open(struct dts_kept *kept, const char *output)
{
    *kept = (struct dts_kept){0};
    if (!is_file(output))
        return;
    struct dts_text path = {0};
    dts_text_add(&path, "%s.points", output);
    kept->path = dts_text_take(&path);
    kept->file = fopen(kept->path, "rb");
    if (kept->file != NULL) {
        read_points(kept);
        fclose(kept->file);
        kept->file = NULL;
    }
}

uint64_t dts_kept_key(uint64_t scene, const char *strategy, int number, int devices)
{
    const int numbers[] = {number, devices};
    uint64_t hash = scene;
    for (const char *at = strategy; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    for (size_t i = 0; i < sizeof(numbers); i++)
        hash = (hash ^ ((const unsigned char *)numbers)[i]) * 1099511628211u;
    return hash;
}

const struct dts_result *dts_kept_find(const struct dts_kept *kept, uint64_t key)
{
    for (size_t i = 0; i < kept->count; i++)
        if (kept->points[i].key == key)
            return &kept->points[i].result;
    return NULL;
}

/* There is no room: what is cut off helps nobody. */
static void give_up(struct dts_kept *kept)
{
    fclose(kept->file);
    unlink(kept->path);
    kept->file = NULL;
}

void dts_kept_add(struct dts_kept *kept, uint64_t key, const struct dts_result *result)
{
    if (kept->path == NULL || result->error.cause == DTS_SYSTEM)
        return;
    if (!kept->begun)
        begin(kept);
    if (kept->file == NULL)
        return;
    struct dts_kept_point *point = dts_alloc(1, sizeof(*point));
    point->key = key;
    point->result = *result;
    if (fwrite(point, sizeof(*point), 1, kept->file) != 1 || fflush(kept->file) != 0)
        give_up(kept);
    free(point);
}

void dts_kept_close(struct dts_kept *kept, bool done)
{
    if (kept->file != NULL)
        fclose(kept->file);
    if (done && kept->path != NULL)
        unlink(kept->path);
    free(kept->path);
    free(kept->points);
    *kept = (struct dts_kept){0};
}
