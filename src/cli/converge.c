/* converge.c -- `dtsim converge`: trains a scenario's network at several batches, and writes a
 * convergence profile. The runs are carried out by dtsim-measure, which holds the kernels. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer/notes/unused.h"
#include "answer/scene.h"
#include "answer/trials/answer.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/file.h"
#include "base/os/processor.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/names.h"
#include "cli/outputs.h"
#include "cli/print/trials.h"
#include "train/scenario/scaling.h"

static const char *const names[] = {
    // the target, and when it is looked for
    "accuracy",
    "every",
    "test-samples",
    "epochs",
    // the runs
    "batches",
    "seeds",
    "rate",
    "microbatch",
    "delay",
    "local-steps",
    "outer-rate",
};

static const char *option(int i)
{
    return i < (int)(sizeof(names) / sizeof(names[0])) ? names[i] : NULL;
}

/* The last answer wins. */
static const char *answer(const struct dts_options *options, const char *name,
                          const char *usual)
{
    for (int i = options->answer_count - 1; i >= 0; i--)
        if (strcmp(options->answers[i].path, name) == 0)
            return options->answers[i].value;
    return usual;
}

static bool read_int(const struct dts_options *options, const char *name, const char *usual,
                     long most, int *out, struct dts_error *err)
{
    const char *word = answer(options, name, usual);
    char *end;
    errno = 0;
    const long value = strtol(word, &end, 10);
    if (end == word || *end != '\0' || errno != 0 || value < 1 || value > most)
        return dts_fail(err, DTS_BAD_INPUT,
                        "--%s: must be a whole number from 1 to %ld, got \"%s\"", name, most,
                        word);
    *out = (int)value;
    return true;
}

static bool read_real(const struct dts_options *options, const char *name, const char *usual,
                      double above, double most, double *out, struct dts_error *err)
{
    const char *word = answer(options, name, usual);
    char *end;
    *out = strtod(word, &end);
    return (end != word && *end == '\0' && *out > above && *out <= most) ||
           dts_fail(err, DTS_BAD_INPUT,
                    "--%s: must be a number above %g and up to %g, got \"%s\"", name, above,
                    most, word);
}

/* All of a command. */
struct command {
    const struct dts_options *options;
    struct dts_changes changes; // those of the options, for a live run; owns nothing
    const char *word;
    struct dts_scene scene;
    struct dts_target_request request;
    int batches[DTS_FIT_BATCHES];
    struct dts_text kept; // the path of the runs that are over
    struct dts_target_store store;
    double begin_s;
};

static bool read_batches(struct command *c, struct dts_error *err)
{
    const char *list = answer(c->options, "batches", "16,32,64,128,256,512,1024,2048");
    c->request.batches = c->batches;
    for (const char *at = list; at != NULL;) {
        char *end;
        const int count = c->request.batch_count;
        errno = 0;
        const long value = strtol(at, &end, 10);
        if (end == at || (*end != '\0' && *end != ',') || errno != 0 || value < 1 ||
            value > 1 << 24)
            return dts_fail(err, DTS_BAD_INPUT,
                            "--batches: must be whole numbers from 1 to %d with commas "
                            "between, got \"%s\"",
                            1 << 24, list);
        if (count == DTS_FIT_BATCHES)
            return dts_fail(err, DTS_BAD_INPUT, "--batches: more than %d", DTS_FIT_BATCHES);
        if (count > 0 && value <= c->batches[count - 1])
            return dts_fail(err, DTS_BAD_INPUT, "--batches: must ascend, got %ld after %d",
                            value, c->batches[count - 1]);
        c->batches[c->request.batch_count++] = (int)value;
        at = *end == ',' ? end + 1 : NULL;
    }
    return c->request.batch_count >= 2 ||
           dts_fail(err, DTS_BAD_INPUT, "--batches: a law needs two or more, got \"%s\"", list);
}

static const char *rule_name(int i)
{
    return i == 0 ? DTS_TARGET_SEARCH : dts_scaling_name(i - 1);
}

static bool read_answers(struct command *c, struct dts_error *err)
{
    struct dts_target_request *r = &c->request;
    double epochs;
    r->rule = answer(c->options, "rate", DTS_TARGET_SEARCH);
    if (!dts_known("rate", r->rule, rule_name, err) || !read_batches(c, err) ||
        !read_real(c->options, "accuracy", "0.8", 0, 1, &r->accuracy, err) ||
        !read_int(c->options, "every", "1024", 1 << 30, &r->every, err) ||
        !read_int(c->options, "test-samples", "2000", 1 << 30, &r->test_samples, err) ||
        !read_int(c->options, "seeds", "3", 1000, &r->seeds, err) ||
        !read_int(c->options, "microbatch", "32", 1 << 20, &r->microbatch, err) ||
        !read_real(c->options, "epochs", "10", 0, 1e6, &epochs, err))
        return false;
    if (answer(c->options, "delay", NULL) != NULL &&
        !read_int(c->options, "delay", NULL, DTS_TARGET_DELAY_MOST, &r->delay, err))
        return false;
    if ((answer(c->options, "local-steps", NULL) != NULL &&
         !read_int(c->options, "local-steps", NULL, 1000000, &r->local_steps, err)) ||
        (answer(c->options, "outer-rate", NULL) != NULL &&
         !read_real(c->options, "outer-rate", NULL, 0, 100, &r->outer_rate, err)))
        return false;
    if (r->outer_rate > 0 && r->local_steps == 0)
        return dts_fail(err, DTS_BAD_INPUT,
                        "--outer-rate: has no effect without --local-steps");
    if (r->delay > 0 && r->local_steps > 0)
        return dts_fail(err, DTS_BAD_INPUT, "--delay: has no effect with --local-steps");
    r->most_samples = epochs * c->scene.scenario.dataset.samples;
    for (int b = 0; b < r->batch_count; b++)
        if (c->batches[b] > r->microbatch && c->batches[b] % r->microbatch != 0)
            return dts_fail(err, DTS_BAD_INPUT,
                            "--batches: %d is above the microbatch, %d, and no multiple of it",
                            c->batches[b], r->microbatch);
    return true;
}

static bool refuse(const struct command *c, const char *key, const char *why,
                   struct dts_error *err)
{
    return dts_doc_fail(c->scene.scenario.doc, key, DTS_BAD_INPUT, err, "converge: %s", why);
}

/* What one process can train, to an end that nobody knows. */
static bool check_scenario(const struct command *c, struct dts_error *err)
{
    const struct dts_scenario *s = &c->scene.scenario;
    const struct dts_live_settings *live = &s->live;
    const int largest = c->batches[c->request.batch_count - 1];
    if (strcmp(live->compute, "kernels") != 0)
        return refuse(c, "live.compute", "must be kernels", err);
    if (strcmp(live->device, "cpu") != 0)
        return refuse(c, "live.device", "must be cpu", err);
    if (s->precision == DTS_FP16)
        return refuse(c, "precision", "must be bf16 or fp32: nothing scales the loss", err);
    if ((c->request.delay > 0 || c->request.local_steps > 0) && s->precision != DTS_FP32)
        return refuse(c, "precision", "must be fp32 with --delay or --local-steps", err);
    if (s->synchronized)
        return refuse(c, "batch_norm", "must be local: it is by --microbatch samples", err);
    if (strcmp(live->data.format, "idx") == 0 && live->data.folder == NULL)
        return refuse(c, "live.data.folder", "missing (\"idx\" needs it)", err);
    if (live->scaling.rule != NULL)
        return refuse(c, "live.scaling", "--rate says how the rate follows the batch", err);
    if (dts_schedule_ends(&live->schedule))
        return refuse(c, "live.schedule.kind",
                      "must not depend on the end of the training, which is the target", err);
    return largest <= s->dataset.samples ||
           refuse(c, "dataset.samples", "must be as many as the largest of --batches", err);
}

static void tell(void *self, const struct dts_target_kept *kept, int done)
{
    const struct command *c = self;
    struct dts_text text = {0};
    dts_text_add(&text, "converge: run %d, %.0f s: batch %d, rate %.4g, seed %d: ", done,
                 dts_now_s() - c->begin_s, kept->run.batch, kept->run.rate, kept->run.seed);
    if (kept->end.reached)
        dts_text_add(&text, "%.0f samples", kept->end.samples);
    else
        dts_text_add(&text, "not reached in %.0f samples, %.1f %%", kept->end.samples,
                     100 * kept->end.accuracy);
    fprintf(stderr, "%s\n", dts_text_string(&text));
    dts_text_free(&text);
}

static void add_title(const struct command *c, struct dts_text *title)
{
    const struct dts_scenario *s = &c->scene.scenario;
    const struct dts_target_request *r = &c->request;
    dts_text_add(title, "%s: %s on %s by %s to %g %% of %d test samples, ", s->name,
                 s->model.name, s->dataset.name, s->optimizer->name, 100 * r->accuracy,
                 r->test_samples);
    dts_text_add(title, "%d seed%s a rate; dtsim %s, seed %" PRIu64 ", hash %016" PRIx64,
                 r->seeds, dts_plural(r->seeds), dts_version(), s->seed,
                 dts_doc_hash(s->doc, 0));
}

static bool write_profile(const struct dts_target_answer *answer, const char *path,
                          struct dts_error *err)
{
    struct dts_output out;
    if (!dts_output_open(&out, path, err))
        return false;
    dts_doc_print(answer->profile.doc, out.stream);
    return dts_output_close(&out, err);
}

/* The suffix of the output is the profile's. */
static const struct dts_format *format_of(const struct dts_options *options)
{
    return options->format_given ? options->format : dts_formats[0];
}

static bool conclude(const struct command *c, const struct dts_target_point *points,
                     struct dts_error *err)
{
    struct dts_target_answer answer;
    struct dts_text title = {0};
    add_title(c, &title);
    const bool good =
        dts_target_answer(&c->request, points, dts_text_string(&title), &answer, err) &&
        write_profile(&answer, c->options->output, err);
    if (good)
        dts_target_print(&answer, dts_text_string(&title), format_of(c->options), stdout);
    dts_target_answer_free(&answer);
    dts_text_free(&title);
    return good;
}

static bool train(struct command *c, struct dts_error *err)
{
    const int jobs = c->options->jobs > 0 ? c->options->jobs : dts_processor_count();
    struct dts_target_point points[DTS_FIT_BATCHES];
    const char *kept = dts_text_string(&c->kept);
    struct dts_target_runner runner = {.changes = &c->changes,
                                       .word = c->word,
                                       .at_once = jobs > 0 ? jobs : 1,
                                       .store = &c->store,
                                       .tell = tell,
                                       .self = c};
    c->begin_s = dts_now_s();
    bool good =
        dts_target_store_open(&c->store, kept, dts_doc_hash(c->scene.scenario.doc, 0), err);
    if (good && c->store.count > 0)
        fprintf(stderr, "converge: %s: %zu run%s over already\n", kept, c->store.count,
                c->store.count == 1 ? " is" : "s are");
    good = good && dts_target_search(&c->request, &runner, points, err) &&
           conclude(c, points, err);
    dts_target_store_close(&c->store);
    return good;
}

/* Who trains for minutes wants to keep it. */
static bool check_outputs(struct command *c, struct dts_error *err)
{
    dts_text_add(&c->kept, "%s.runs", c->options->output);
    const struct dts_named_output outputs[] = {
        {"--output", c->options->output},
        {"the runs of --output", dts_text_string(&c->kept)},
    };
    return dts_outputs_check(outputs, sizeof(outputs) / sizeof(outputs[0]), &c->scene, 1, err);
}

static bool check_options(const struct dts_options *options, int words, struct dts_error *err)
{
    if (words != 1)
        return dts_fail(err, DTS_BAD_INPUT, "converge: trains one scenario, got %d", words);
    if (options->changes.sweep_count > 0)
        return dts_fail(err, DTS_BAD_INPUT, "converge: has no --sweep (see --batches)");
    if (options->trace != NULL)
        return dts_fail(err, DTS_BAD_INPUT, "converge: has no --trace");
    return strcmp(options->output, "-") != 0 ||
           dts_fail(err, DTS_BAD_INPUT, "converge: needs -o FILE, for the profile");
}

static bool run(const struct dts_options *options, struct dts_error *err)
{
    const char *const *words;
    const int count = dts_command_words(&dts_converge_command, options, &words);
    if (!check_options(options, count, err))
        return false;
    struct command c = {.options = options, .changes = options->changes, .word = words[0]};
    c.changes.live = true;
    if (!dts_scene_open(&c.changes, c.word, 0, &c.scene, err))
        return false;
    c.request.scenario = &c.scene.scenario;
    dts_unused_tell(c.word, &c.scene.unused);
    const bool good = read_answers(&c, err) && check_scenario(&c, err) &&
                      check_outputs(&c, err) && train(&c, err);
    dts_text_free(&c.kept);
    dts_scene_close(&c.scene);
    return good;
}

const struct dts_command dts_converge_command = {
    .name = "converge",
    .arguments = "SCENARIO -o FILE",
    .summary = "train at several batches to a target: a convergence profile, measured here",
    .help = "Trains the network of a scenario with live.compute kernels in processes on this\n"
            "machine, at each batch with several seeds, until enough test samples are right.\n"
            "The law of samples against the batch is fitted, and its points written as a\n"
            "profile; the gradient noise scale stands beside it (docs/convergence.md).\n"
            "\n"
            "  --accuracy X           the target, a share of the test samples (default: 0.8)\n"
            "  --batches N,N          samples of a step, ascending (default: 16 to 2048)\n"
            "  --seeds N              runs at each rate (default: 3)\n"
            "  --rate NAME            search: for each batch, rates a factor of 2 apart;\n"
            "                         linear, square_root, constant: live.learning_rate is\n"
            "                         that of the smallest batch (default: search)\n"
            "  --every N              samples between evaluations (default: 1024)\n"
            "  --test-samples N       first ones of the test part (default: 2000)\n"
            "  --epochs X             a run ends there at the latest (default: 10)\n"
            "  --microbatch N         samples that are computed at once, by which batch\n"
            "                         normalization goes (default: 32); larger batches add\n"
            "                         up gradients\n"
            "  --delay N              gradients of weights that are N updates old, as of\n"
            "                         workers that wait for nobody (default: none)\n"
            "  --local-steps N        updates of a rank for each microbatch, before all\n"
            "                         take the mean of their weights (default: none)\n"
            "  --outer-rate X         with it: an outer update of that rate (DiLoCo)\n"
            "  -j, --jobs N           runs at once (default: one for each core)\n"
            "  -o, --output FILE      the profile; FILE.runs keeps the runs that are over,\n"
            "                         and the same command goes on with them\n",
    .option = option,
    .run = run,
};
