/* list.c -- `dtsim list`: what can be chosen. It reads the tables and the library, so that a
 * new row or file shows up here by itself. */
#include <stdlib.h>
#include <string.h>

#include "base/json/cfg.h"
#include "base/json/library.h"
#include "base/os/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/list_platforms.h"
#include "cli/names.h"
#include "cli/picture/plot.h"
#include "device/here.h"
#include "sim/engine.h"
#include "sim/net/fabric/fabric.h"
#include "sim/net/platform/platform.h"
#include "sim/net/topology/topology.h"
#include "train/model/model.h"
#include "train/strategy/strategy.h"

struct row {
    const char *name, *summary; // NULL: nothing to say beyond the name
};

/* Each of these reads row i of one table; false beyond the last. */
static bool collective(int i, struct row *row)
{
    const struct dts_coll *coll = dts_colls[i];
    if (coll != NULL)
        *row = (struct row){coll->name, coll->summary};
    return coll != NULL;
}

static bool topology(int i, struct row *row)
{
    const struct dts_topology *topology = dts_topologies[i];
    if (topology != NULL)
        *row = (struct row){topology->name, topology->summary};
    return topology != NULL;
}

static bool fabric(int i, struct row *row)
{
    const struct dts_fabric *fabric = dts_fabrics[i];
    if (fabric != NULL)
        *row = (struct row){fabric->name, fabric->summary};
    return fabric != NULL;
}

static bool transport(int i, struct row *row)
{
    const struct dts_transport *transport = dts_transports[i];
    if (transport != NULL)
        *row = (struct row){transport->name, transport->summary};
    return transport != NULL;
}

static bool layer(int i, struct row *row)
{
    const struct dts_layer_kind *kind = dts_layer_kinds[i];
    if (kind != NULL)
        *row = (struct row){kind->name, kind->summary};
    return kind != NULL;
}

static bool optimizer(int i, struct row *row)
{
    const struct dts_optimizer *optimizer = dts_optimizers[i];
    if (optimizer != NULL)
        *row = (struct row){optimizer->name, optimizer->summary};
    return optimizer != NULL;
}

static bool strategy(int i, struct row *row)
{
    const struct dts_strategy_kind *kind = dts_strategies[i];
    if (kind != NULL)
        *row = (struct row){kind->name, kind->summary};
    return kind != NULL;
}

static bool engine(int i, struct row *row)
{
    const char *name = dts_engine_name(i);
    if (name == NULL)
        return false;
    const struct dts_engine *engine = dts_engine_find(name);
    *row = (struct row){name, engine != NULL ? engine->summary
                                             : "flow where messages are few, else fluid"};
    return true;
}

static bool format(int i, struct row *row)
{
    const struct dts_format *format = dts_formats[i];
    if (format != NULL)
        *row = (struct row){format->name, format->summary};
    return format != NULL;
}

static bool plot(int i, struct row *row)
{
    const struct dts_plot *plot = dts_plots[i];
    if (plot != NULL)
        *row = (struct row){plot->name, plot->summary};
    return plot != NULL;
}

static bool placement(int i, struct row *row)
{
    *row = (struct row){dts_placement_name(i), NULL};
    return row->name != NULL;
}

static bool precision(int i, struct row *row)
{
    *row = (struct row){dts_precision_name(i), NULL};
    return row->name != NULL;
}

/* What can be listed: the rows of a table, or the files in a folder of the library. */
static const struct subject {
    const char *name;
    bool (*row)(int i, struct row *row); // NULL: a folder of that name
    const char *about;
} subjects[] = {
    {"scenarios", NULL, "questions that come with the program: dtsim NAME"},
    {"models", NULL, "networks to train; scenario key \"model\""},
    {"platforms", NULL, "machines; scenario key \"platform\""},
    {"devices", NULL, "accelerators and processors of the platforms"},
    {"stacks", NULL, "frameworks with their versions; scenario key \"stack\""},
    {"convergence", NULL,
     "what published runs needed to reach a target; scenario key \"training.target.profile\""},
    {"accuracy", NULL,
     "what published runs reached in a number of epochs; scenario key "
     "\"training.accuracy.table\""},
    {"strategies", strategy, "ways to train in parallel; scenario key \"strategies[].kind\""},
    {"collectives", collective,
     "algorithms of all-reduce, reduce-scatter, all-gather, broadcast"},
    {"optimizers", optimizer, "scenario key \"optimizer\""},
    {"precisions", precision, "scenario key \"precision\""},
    {"placements", placement, "where ranks sit; scenario key \"placement\""},
    {"engines", engine, "how a plan is simulated; option --engine"},
    {"topologies", topology, "networks between nodes; in platform files"},
    {"fabrics", fabric, "what connects the devices of a node; in platform files"},
    {"transports", transport, "how software moves a message; in platform and stack files"},
    {"layers", layer, "kinds of layer; in model files"},
    {"formats", format, "of the result; option --format"},
    {"plots", plot, "kinds of picture; option --plot"},
};

enum { SUBJECTS = sizeof(subjects) / sizeof(subjects[0]) };

static const char *subject_name(int i)
{
    return i < SUBJECTS ? subjects[i].name : NULL;
}

static void print_row(const char *name, const char *summary, FILE *out)
{
    if (summary != NULL && *summary != '\0') {
        char lead[80];
        snprintf(lead, sizeof(lead), "  %-24s ", name);
        dts_text_wrap(out, lead, 27, DTS_HELP_WIDTH, summary);
    } else
        fprintf(out, "  %s\n", name);
}

/* One file of the library, with the summary that it gives of itself. */
static void print_file(const char *folder, const char *name, FILE *out)
{
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    char *path = NULL;
    const char *summary = NULL;
    bool good =
        dts_library_find(&path, folder, name, NULL, &err) && dts_doc_load(&doc, path, &err);
    if (good) {
        struct dts_cfg top = dts_doc_top(doc), at = dts_cfg_member(&top, "summary");
        good = !dts_cfg_exists(&at) || dts_cfg_string(&at, &summary, &err);
    }
    print_row(name, good ? summary : err.text, out);
    dts_doc_free(doc);
    free(path);
}

static void print_subject(const struct subject *subject, FILE *out)
{
    fprintf(out, "%s: %s\n", subject->name, subject->about);
    if (subject->row != NULL) {
        struct row row;
        for (int i = 0; subject->row(i, &row); i++)
            print_row(row.name, row.summary, out);
        return;
    }
    char **names = dts_library_names(subject->name);
    for (int i = 0; names[i] != NULL; i++) {
        print_file(subject->name, names[i], out);
        free(names[i]);
    }
    free(names);
    if (strcmp(subject->name, "devices") == 0)
        print_row(DTS_HERE, "this machine's CPU, measured at first use", out);
}

static bool is_subject(const char *word)
{
    int i = 0;
    while (subject_name(i) != NULL && strcmp(subject_name(i), word) != 0)
        i++;
    return subject_name(i) != NULL;
}

/* Behind "platforms" a word that is no subject is a platform: `dtsim list platforms theta`. */
static bool names_platforms(const char *const *words, int count)
{
    return count > 1 && strcmp(words[0], "platforms") == 0 && !is_subject(words[1]);
}

static bool check(const struct dts_options *options, const char *const *words, int count,
                  struct dts_error *err)
{
    for (int i = 0; i < count; i++)
        if (!dts_known("list of", words[i], subject_name, err))
            return false;
    return !options->format_given || strcmp(options->format->name, "text") == 0 ||
           dts_fail(err, DTS_BAD_INPUT,
                    "--format: of lists must be text, got %s; of `dtsim list platforms NAME` "
                    "also json",
                    options->format->name);
}

static bool run(const struct dts_options *options, struct dts_error *err)
{
    const char *const *words;
    int count = dts_command_words(&dts_list_command, options, &words);
    if (names_platforms(words, count))
        return dts_list_platforms(options, words + 1, count - 1, err);
    if (!check(options, words, count, err))
        return false;
    struct dts_output out;
    if (!dts_output_open(&out, options->output, err))
        return false;
    bool first = true;
    for (int i = 0; i < SUBJECTS; i++) {
        bool wanted = count == 0;
        for (int j = 0; j < count; j++)
            wanted = wanted || strcmp(words[j], subjects[i].name) == 0;
        if (!wanted)
            continue;
        if (!first)
            fprintf(out.stream, "\n");
        first = false;
        print_subject(&subjects[i], out.stream);
    }
    return dts_output_close(&out, err);
}

const struct dts_command dts_list_command = {
    .name = "list",
    .word = subject_name,
    .arguments = "[WHAT...]",
    .summary = "what can be chosen: models, platforms, strategies, collectives, ...",
    .help = "WHAT: scenarios, models, platforms, devices, stacks, convergence, accuracy,\n"
            "strategies, collectives, optimizers, precisions, placements, engines,\n"
            "topologies, fabrics, transports, layers, formats, plots. Without it: all.\n"
            "\n"
            "`dtsim list platforms NAME...` computes what these machines are: nodes,\n"
            "links, injection and bisection bandwidth, diameter, latency. NAME is one of\n"
            "the library, or a file. --format json: schema \"dtsim-platforms/1\".\n",
    .run = run,
};
