/* new_platform.c -- `dtsim new platform`: a commented platform file for a person's own cluster,
 * from a few options or answers. What the file needs beyond them follows from the tables of the
 * fabric and the topology that were chosen, and from what the device's file says of its links.
 */
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "base/os/file.h"
#include "cli/commands.h"
#include "cli/draft.h"
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
        !dts_platform_read(&platform, doc, NULL, NULL, err))
        return false;
    dts_platform_slow_slot(&platform, note);
    dts_platform_free(&platform);
    return true;
}

static bool check_words(const struct dts_options *options, const char *const *words, int count,
                        struct dts_error *err)
{
    if (count != 2 || strcmp(words[0], "platform") != 0)
        return dts_fail(err, DTS_BAD_INPUT,
                        "new: must be `dtsim new platform NAME`, with one name");
    for (const char *c = words[1]; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
            return dts_fail(err, DTS_BAD_INPUT,
                            "new platform: the name must be letters, digits, _ and -");
    if (strcmp(options->output, "-") != 0 && access(options->output, F_OK) == 0)
        return dts_fail(err, DTS_BAD_INPUT, "%s: is there already", options->output);
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

static bool run(const struct dts_options *options, struct dts_error *err)
{
    const char *const *words;
    int count = dts_command_words(&dts_new_command, options, &words);
    if (!check_words(options, words, count, err))
        return false;
    struct dts_draft draft;
    struct dts_output out;
    struct dts_error note = {0};
    bool good = dts_draft_open(&draft, options, err) && write_file(&draft, words[1], err) &&
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

const struct dts_command dts_new_command = {
    .name = "new",
    .arguments = "platform NAME",
    .summary = "write a commented platform file for your own cluster",
    .help = "Options; on a terminal, what is missing is asked:\n"
            "  --like PLATFORM               begin with its values (`dtsim list platforms`)\n"
            "  --nodes N                     nodes of the machine\n"
            "  --device NAME                 what they compute with (`dtsim list devices`)\n"
            "  --devices-per-node N          default: 1\n"
            "  --fabric KIND                 between devices of a node; default: the device's\n"
            "  --nics N                      network interfaces in a node; default: 1\n"
            "  --nic-gbit R                  rate of one, in Gbit/s\n"
            "  --nic-latency-us T            of one and its cable; default: 0.5, assumed\n"
            "  --topology KIND               between nodes; default: star\n"
            "  --transport NAME              between nodes; default: tcp\n"
            "  --transport-within NAME       in a node; default: the fabric's\n"
            "  --host-memory-gb N            default: 256, assumed\n"
            "  --host-memory-gbyte-per-s R   default: 100, assumed\n"
            "  --set PATH=VALUE              any other key: --set network.latency_us=1\n"
            "  -o, --output FILE             where to write; default: standard output\n"
            "\n"
            "NVLinks, PCIe and the fabric of a node follow from the device (\"links\" of its\n"
            "file). The inside of PLATFORM's nodes is taken over where device and devices of\n"
            "a node are the same; sizes of its network, where it has ports for all nodes.\n"
            "\n"
            "Examples:\n"
            "  dtsim new platform my_cluster --nodes 16 --device v100 --devices-per-node 8 \\\n"
            "      --nic-gbit 100 --transport verbs -o my_cluster.json\n"
            "  dtsim new platform ours --like dgx_a100 --nodes 32 -o ours.json\n",
    .option = option,
    .run = run,
};
