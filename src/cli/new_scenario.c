/* new_scenario.c -- `dtsim new scenario`: a commented scenario file that asks ring or parameter
 * servers, to be changed. It is read as a scenario before it is written, so that it can be
 * asked.
 */
#include <stdlib.h>
#include <string.h>

#include "answer/open.h"
#include "answer/scene.h"
#include "base/json/library.h"
#include "base/os/file.h"
#include "cli/new.h"

static const char *const names[] = {"model", "platform",  "stack", "devices",
                                    "batch", "precision", NULL};

static const char *option(int i)
{
    return names[i];
}

static const char *given(const struct dts_options *options, const char *name)
{
    const char *value = NULL;
    for (int i = 0; i < options->answer_count; i++)
        if (strcmp(options->answers[i].path, name) == 0)
            value = options->answers[i].value;
    return value;
}

static bool need(const struct dts_options *options, const char *name, const char *what,
                 struct dts_error *err)
{
    return given(options, name) != NULL ||
           dts_fail(err, DTS_BAD_INPUT, "new scenario: needs --%s (%s)", name, what);
}

/* Whole numbers, with single commas between them where there may be several. */
static bool check_numbers(const struct dts_options *options, const char *name, bool several,
                          struct dts_error *err)
{
    const char *value = given(options, name);
    bool good = value == NULL || *value != '\0';
    for (const char *at = value; good && at != NULL && *at != '\0'; at++) {
        const bool comma =
            several && *at == ',' && at > value && at[-1] != ',' && at[1] != '\0';
        good = (*at >= '0' && *at <= '9') || comma;
    }
    return good ||
           dts_fail(err, DTS_BAD_INPUT, "--%s: must be %s", name,
                    several ? "whole numbers with commas between them" : "a whole number");
}

/* A word as JSON: names and paths, which the library or the file system has to know. */
static void add_word(struct dts_text *text, const char *key, const char *word, const char *end)
{
    dts_text_add(text, "    \"%s\": \"", key);
    for (; *word != '\0'; word++)
        dts_text_add(text, *word == '"' || *word == '\\' ? "\\%c" : "%c", *word);
    dts_text_add(text, "\"%s\n", end);
}

static int steps_below(long from, long end, long factor)
{
    int steps = 0;
    for (; from < end; from *= factor)
        steps++;
    return steps;
}

/* From one node to the machine, twice as many each time; on a large machine 4, 8, ... times. */
static void add_devices(struct dts_text *text, const struct dts_platform *platform)
{
    enum { MOST = 10 }; // points
    const long node = platform->devices_per_node, all = node * platform->nodes;
    long factor = 2;
    while (steps_below(node, all, factor) >= MOST)
        factor *= 2;
    dts_text_add(text, "[");
    for (long devices = node; devices < all; devices *= factor)
        dts_text_add(text, "%ld, ", devices);
    dts_text_add(text, "%ld]", all);
}

/* `platform` NULL: it is not known yet, and one device is asked for; `precision` NULL: fp32. */
static void write_text(const struct dts_options *options, const struct dts_platform *platform,
                       const char *precision, struct dts_text *text)
{
    const char *stack = given(options, "stack"), *batch = given(options, "batch"),
               *devices = given(options, "devices");
    dts_text_add(
        text,
        "{\n    \"//\": \"Written by `dtsim new scenario`. `dtsim help scenario` has every "
        "key.\",\n    \"summary\": \"a ring, or parameter servers?\",\n");
    add_word(text, "model", given(options, "model"), ",");
    add_word(text, "platform", given(options, "platform"), ",");
    dts_text_add(text,
                 "    \"// stack\": \"what the framework adds: buckets, transports, published "
                 "times (`dtsim list stacks`)\",\n");
    add_word(text, "stack", stack != NULL ? stack : "pytorch_ddp", ",");
    add_word(text, "precision", precision, ",");
    dts_text_add(
        text, "    \"// devices\": \"one point of the answer for each\",\n    \"devices\": ");
    if (devices != NULL)
        dts_text_add(text, "[%s]", devices);
    else if (platform != NULL)
        add_devices(text, platform);
    else
        dts_text_add(text, "[1]");
    dts_text_add(
        text,
        ",\n    \"// batch\": \"samples of each device; \\\"global\\\" in its place: of "
        "all\",\n"
        "    \"batch\": {\"per_device\": %s},\n"
        "    \"// strategies\": \"compared side by side (`dtsim list strategies "
        "collectives`)\",\n"
        "    \"strategies\": [\n"
        "        {\"name\": \"ring\", \"kind\": \"allreduce\", \"algorithm\": \"ring\"},\n"
        "        {\"name\": \"servers\", \"kind\": \"ps\", \"servers\": 0}\n"
        "    ]\n}\n",
        batch != NULL ? batch : "32");
}

/* Read the text as the scenario that it is to be. */
static bool try_out(const struct dts_text *text, struct dts_scene *scene, struct dts_error *err)
{
    struct dts_changes none = {0};
    struct dts_doc *doc;
    return dts_doc_parse(&doc, "new scenario", dts_text_string(text), err) &&
           dts_scene_read(&none, doc, 0, scene, err);
}

/* What the device computes in, unless it is said: fp32, or the first that it has. */
static const char *precision_of(const struct dts_device *device)
{
    int p = 0;
    while (dts_precision_name(p + 1) != NULL &&
           !dts_device_supports(device, (enum dts_precision)p))
        p++;
    return dts_precision_name(p);
}

static bool run(const struct dts_options *options, const char *name, struct dts_error *err)
{
    struct dts_text text = {0};
    struct dts_scene scene = {0};
    struct dts_output out;
    (void)name; // that of the file, which `dtsim` prints
    const char *precision = given(options, "precision");
    if (!need(options, "model", "the network: `dtsim list models`, or a file", err) ||
        !need(options, "platform", "the machine: `dtsim list platforms`, or a file", err) ||
        !check_numbers(options, "devices", true, err) ||
        !check_numbers(options, "batch", false, err))
        return false;
    write_text(options, NULL, precision != NULL ? precision : "fp32", &text);
    bool good = try_out(&text, &scene, err);
    dts_text_free(&text);
    if (good) {
        write_text(options, &scene.platform,
                   precision != NULL ? precision : precision_of(&scene.device), &text);
        dts_scene_close(&scene);
        good = try_out(&text, &scene, err) && dts_output_open(&out, options->output, err);
        dts_scene_close(&scene);
    }
    if (good) {
        fputs(dts_text_string(&text), out.stream);
        good = dts_output_close(&out, err);
    }
    if (good && strcmp(options->output, "-") != 0)
        fprintf(stderr, "dtsim: wrote %s; ask it with dtsim %s\n", options->output,
                options->output);
    dts_text_free(&text);
    return good;
}

const struct dts_new_kind dts_new_scenario = {
    .name = "scenario",
    .option = option,
    .run = run,
};
