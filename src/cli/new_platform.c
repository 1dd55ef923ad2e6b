/* new_platform.c -- `dtsim new platform`: a commented platform file for a person's own cluster,
 * from a few options or answers. What the file needs beyond them follows from the tables of the
 * fabric and the topology that were chosen, and from what the device's file says of its links.
 */
#include <string.h>

#include "base/os/file.h"
#include "cli/draft.h"
#include "cli/new.h"
#include "cli/platform_parts.h"
#include "sim/net/platform/platform.h"

/* --like, and those whose answers are values of the file. */
static const char *option(int i)
{
    return i == 0 ? "like" : dts_platform_option(i - 1);
}

static bool write_file(struct dts_draft *draft, const char *name, struct dts_error *err)
{
    char summary[DTS_DRAFT_VALUE];
    struct dts_device device = {.name = NULL};
    dts_draft_begin(draft, NULL);
    dts_draft_word(
        draft, "//",
        "Written by `dtsim new platform`. Values in \"source\" that say ASSUMED were "
        "not given: put your own, with where they are from. docs/platforms.md has "
        "every key.");
    dts_draft_word(draft, "name", name);
    snprintf(summary, sizeof(summary), "%s, as described to `dtsim new platform`", name);
    dts_draft_word(draft, "summary", summary);
    bool good = dts_platform_parts(draft, &device, err);
    dts_device_free(&device);
    if (!good)
        return false;
    dts_draft_end(draft);
    return dts_draft_all_used(draft, err);
}

/* Read the text as a platform, so that what is written can be used. note: what is odd in it. */
static bool try_out(const struct dts_text *text, struct dts_error *note, struct dts_error *err)
{
    struct dts_doc *doc;
    struct dts_platform platform;
    if (!dts_doc_parse(&doc, "new platform", dts_text_string(text), err) ||
        !dts_platform_read(&platform, doc, NULL, err))
        return false;
    dts_platform_slow_slot(&platform, note);
    dts_platform_free(&platform);
    return true;
}

/* Where the file is, and what is odd in it. */
static void tell(const char *output, const struct dts_error *note)
{
    struct dts_text shown = {0};
    dts_text_add_line(&shown, output);
    if (strcmp(output, "-") != 0)
        fprintf(stderr, "dtsim: wrote %s; use it with --set platform=%s\n",
                dts_text_string(&shown), dts_text_string(&shown));
    if (note->text[0] != '\0')
        fprintf(stderr, "dtsim: note: %s\n", note->text);
    dts_text_free(&shown);
}

static bool run(const struct dts_options *options, const char *name, struct dts_error *err)
{
    struct dts_draft draft;
    struct dts_output out;
    struct dts_error note = {0};
    bool good = dts_draft_open(&draft, options, err) && write_file(&draft, name, err) &&
                try_out(&draft.text, &note, err) && dts_output_open(&out, options->output, err);
    if (good) {
        fputs(dts_text_string(&draft.text), out.stream);
        good = dts_output_close(&out, err);
    }
    if (good)
        tell(options->output, &note);
    dts_draft_free(&draft);
    return good;
}

const struct dts_new_kind dts_new_platform = {
    .name = "platform",
    .option = option,
    .run = run,
};
