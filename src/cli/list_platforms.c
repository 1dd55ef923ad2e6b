/* list_platforms.c -- what a machine is: numbers that follow from its platform file. */
#include "cli/list_platforms.h"

#include <stdlib.h>
#include <string.h>

#include "base/json/json_out.h"
#include "base/json/library.h"
#include "base/mem.h"
#include "base/os/file.h"
#include "cli/print/machines.h"

struct machine {
    struct dts_platform platform;
    struct dts_platform_figures figures;
};

static bool open_machine(struct machine *machine, const char *name, struct dts_error *err)
{
    char *path = NULL;
    bool good = dts_library_find(&path, "platforms", name, NULL, err) &&
                dts_platform_load(&machine->platform, path, NULL, err);
    if (good && !dts_platform_figures(&machine->platform, &machine->figures)) {
        good = dts_fail(err, DTS_BAD_INPUT,
                        "%s: network: must be a topology to be counted, and this one is a file "
                        "of routes",
                        path);
        dts_platform_free(&machine->platform);
    }
    free(path);
    return good;
}

static void print_text(const struct machine *machines, int count, FILE *out)
{
    for (int i = 0; i < count; i++) {
        if (i > 0)
            fprintf(out, "\n");
        dts_machine_text(&machines[i].platform, &machines[i].figures, out);
    }
    dts_machine_text_notes(out);
}

static void print_json(const struct machine *machines, int count, FILE *out)
{
    struct dts_json json = {.out = out, .lines = 3};
    dts_json_object(&json, NULL);
    dts_json_string(&json, "schema", "dtsim-platforms/1");
    dts_json_list(&json, "platforms");
    for (int i = 0; i < count; i++)
        dts_machine_json(&machines[i].platform, &machines[i].figures, &json);
    dts_json_end(&json);
    dts_json_end(&json);
}

static bool print(const struct dts_options *options, const struct machine *machines, int count,
                  struct dts_error *err)
{
    struct dts_output out;
    if (!dts_output_open(&out, options->output, err))
        return false;
    if (strcmp(options->format->name, "json") == 0)
        print_json(machines, count, out.stream);
    else
        print_text(machines, count, out.stream);
    return dts_output_close(&out, err);
}

bool dts_list_platforms(const struct dts_options *options, const char *const *names, int count,
                        struct dts_error *err)
{
    const char *format = options->format->name;
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
        return dts_fail(err, DTS_BAD_INPUT,
                        "--format: of `dtsim list platforms NAME` must be text or json, got %s",
                        format);
    struct machine *machines = dts_alloc((size_t)count, sizeof(*machines));
    int opened = 0;
    while (opened < count && open_machine(&machines[opened], names[opened], err))
        opened++;
    const bool good = opened == count && print(options, machines, count, err);
    for (int i = 0; i < opened; i++)
        dts_platform_free(&machines[i].platform);
    free(machines);
    return good;
}
