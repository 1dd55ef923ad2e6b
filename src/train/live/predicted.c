/* predicted.c -- runs `dtsim SCENARIO --format json --trace` on one strategy with the
 * number of devices that was run, and reads what it says.
 */
#include "train/live/predicted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/notes/waiting.h"
#include "base/json/library.h"
#include "base/mem.h"
#include "base/os/program.h"
#include "base/os/scratch.h"
#include "base/text.h"
#include "train/live/measured.h"

/* The words of the child's command line. */
struct command {
    char **words; // ended by NULL; owned, and what they point to
    size_t count, room;
};

static void add(struct command *command, char *word)
{
    command->words =
        dts_grow(command->words, &command->room, command->count + 2, sizeof(*command->words));
    command->words[command->count++] = word;
    command->words[command->count] = NULL;
}

static void add_option(struct command *command, const char *option, const char *value)
{
    add(command, dts_copy(option));
    add(command, dts_copy(value));
}

static void add_setting(struct command *command, const char *path, const char *value)
{
    struct dts_text text = {0};
    dts_text_add(&text, "%s=%s", path, value);
    add_option(command, "--set", dts_text_string(&text));
    dts_text_free(&text);
}

/* The strategy alone, as it was read. */
static void add_strategy(struct command *command, const struct dts_question *q)
{
    struct dts_cfg top = dts_doc_top(q->scenario->doc);
    struct dts_cfg list = dts_cfg_member(&top, "strategies");
    struct dts_cfg at = dts_cfg_item(&list, (size_t)(q->strategy - q->scenario->strategies));
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputc('[', out);
    dts_cfg_print(&at, out);
    fputc(']', out);
    fclose(out);
    add_setting(command, "strategies", text);
    free(text);
}

/* Workers that drift apart are predicted over as many steps as they make here: a bound acts
 * only after some. */
static void add_steps(struct command *command, const struct dts_live_point *point)
{
    const struct dts_live_settings *live = &point->question.scenario->live;
    char steps[32];
    const int most = 10000; // of the key
    const int made = live->warm_up + live->steps;
    snprintf(steps, sizeof(steps), "%d", made < most ? made : most);
    if (dts_job_drifts(&point->built.job) && made > 1)
        add_setting(command, "steps", steps);
}

static void fill(struct command *command, const struct dts_changes *changes, const char *word,
                 const struct dts_live_point *point, const char *result, const char *trace)
{
    const struct dts_question *q = &point->question;
    char devices[32];
    snprintf(devices, sizeof(devices), "[%d]", q->devices);
    add(command, dts_library_program("dtsim"));
    add(command, dts_copy(word));
    for (int i = 0; i < changes->set_count; i++)
        add_setting(command, changes->sets[i].path, changes->sets[i].value);
    add_setting(command, "devices", devices);
    add_setting(command, "references", "null");
    if (strcmp(q->scenario->live.compute, "timed") == 0) { // who waits does not slow
        if (q->platform->communicating > 0)
            add_setting(command, "platform.node.compute.communicating", "0");
        if (q->platform->messages > 0)
            add_setting(command, "platform.node.compute.messages", "0");
    }
    add_strategy(command, q);
    add_steps(command, point);
    if (changes->engine != NULL)
        add_option(command, "--engine", changes->engine);
    if (changes->seed != NULL)
        add_option(command, "--seed", changes->seed);
    add_option(command, "--format", "json");
    add_option(command, "--output", result);
    add_option(command, "--trace", trace);
}

static double number_of(const struct dts_cfg *at, const char *key)
{
    struct dts_error ignored = {0};
    struct dts_cfg member = dts_cfg_member(at, key);
    double value = 0; // absent: there is none of it
    if (dts_cfg_exists(&member))
        dts_cfg_real(&member, 0, 0, &value, &ignored);
    return value;
}

static const char *word_of(const struct dts_cfg *at, const char *key)
{
    struct dts_error ignored = {0};
    struct dts_cfg member = dts_cfg_member(at, key);
    const char *word = "";
    if (dts_cfg_exists(&member))
        dts_cfg_string(&member, &word, &ignored);
    return word;
}

/* What the answer says of servers that answer as requests come; nothing: there are none. */
static void read_staleness(const struct dts_cfg *point, struct dts_stale *stale)
{
    const struct dts_cfg numbers = dts_cfg_member(point, "staleness"),
                         histogram = dts_cfg_member(point, "staleness_histogram");
    if (!dts_cfg_exists(&numbers) || !dts_cfg_exists(&histogram))
        return;
    *stale = (struct dts_stale){.mean = number_of(&numbers, "mean_updates"),
                                .median = number_of(&numbers, "median_updates"),
                                .p95 = number_of(&numbers, "p95_updates"),
                                .most = number_of(&numbers, "most_updates"),
                                .used = number_of(&numbers, "used_share"),
                                .bin_width = (int)number_of(&histogram, "bin_updates")};
    const struct dts_cfg shares = dts_cfg_member(&histogram, "share");
    for (size_t b = 0; b < dts_cfg_length(&shares) && b < DTS_RESULT_BINS; b++) {
        const struct dts_cfg share = dts_cfg_item(&shares, b);
        struct dts_error ignored = {0};
        dts_cfg_real(&share, 0, 1, &stale->share[b], &ignored);
    }
}

static bool read_result(const char *path, struct dts_comparison *c, struct dts_error *err)
{
    struct dts_doc *doc;
    if (!dts_doc_load(&doc, path, err))
        return false;
    struct dts_cfg top = dts_doc_top(doc), points = dts_cfg_member(&top, "points");
    struct dts_cfg point = dts_cfg_item(&points, 0), step = dts_cfg_member(&point, "step");
    c->predicted = (struct dts_step){
        .total_s = number_of(&step, "total_s"),
        .compute_s = number_of(&step, "compute_s"),
        .comm_s = number_of(&step, "comm_s"),
        .exposed_comm_s = number_of(&step, "exposed_comm_s"),
        .input_s = number_of(&step, "input_s"),
        .bubble_s = number_of(&step, "bubble_s"),
        .straggler_s = number_of(&step, "straggler_s"),
        .overlap_slowdown_s = number_of(&step, "overlap_slowdown_s"),
    };
    // nobody measures what a run would be with free messages: both wait, and that is compared
    c->predicted.exposed_comm_s += c->predicted.bubble_s;
    c->predicted.bubble_s = 0;
    read_staleness(&point, &c->predicted_staleness);
    snprintf(c->engine, sizeof(c->engine), "%s", word_of(&point, "engine"));
    dts_doc_free(doc);
    return true;
}

/* Events of role 0 that say their bucket. */
static bool read_trace(const char *path, struct dts_comparison *c, struct dts_error *err)
{
    struct dts_doc *doc;
    if (!dts_doc_load(&doc, path, err))
        return false;
    for (int b = 0; b < c->bucket_count; b++)
        c->buckets[b].predicted = (struct dts_bucket_times){INFINITY, -INFINITY};
    struct dts_cfg top = dts_doc_top(doc), events = dts_cfg_member(&top, "traceEvents");
    for (size_t i = 0; i < dts_cfg_length(&events); i++) {
        struct dts_cfg event = dts_cfg_item(&events, i), args = dts_cfg_member(&event, "args");
        struct dts_cfg number = dts_cfg_member(&args, "bucket");
        if (!dts_cfg_is_number(&number) || number_of(&event, "pid") != 0)
            continue;
        int b = (int)number_of(&args, "bucket");
        if (b < 0 || b >= c->bucket_count)
            continue;
        struct dts_bucket_times *times = &c->buckets[b].predicted;
        double start_s = 1e-6 * number_of(&event, "ts");
        times->start_s = fmin(times->start_s, start_s);
        times->end_s = fmax(times->end_s, start_s + 1e-6 * number_of(&event, "dur"));
    }
    dts_doc_free(doc);
    return true;
}

/* Standard error may be a pipe to mpirun: whole lines, each after twice the time. */
struct progress {
    const struct dts_question *question;
    double next_s;
};

static void tell(void *self, double seconds)
{
    struct progress *progress = self;
    if (seconds < progress->next_s)
        return;
    fprintf(stderr, "predicting %s, %d device%s, %.0f s ...\n",
            progress->question->strategy->name, progress->question->devices,
            dts_plural(progress->question->devices), seconds);
    progress->next_s *= 2;
}

/* Notes of a prediction that went well. */
static void hand_on(const char *said)
{
    char line[1024];
    FILE *in = fopen(said, "re");
    while (in != NULL && fgets(line, sizeof(line), in) != NULL)
        fputs(line, stderr);
    if (in != NULL)
        fclose(in);
}

static bool ask(const struct dts_changes *changes, const char *word,
                struct dts_scratch *scratch, const char *trace, struct dts_live_point *point,
                struct dts_error *err)
{
    struct command command = {0};
    struct progress progress = {&point->question, DTS_SILENT_S};
    const struct dts_program_wait wait = {tell, &progress};
    const char *result = dts_scratch_file(scratch, "result.json");
    const char *timeline = trace != NULL ? trace : dts_scratch_file(scratch, "trace.json");
    const char *said = dts_scratch_file(scratch, "said");
    fill(&command, changes, word, point, result, timeline);
    const bool good = dts_program_ask(command.words, said, &wait, err) &&
                      read_result(result, &point->comparison, err) &&
                      read_trace(timeline, &point->comparison, err);
    if (good)
        hand_on(said);
    for (size_t i = 0; i < command.count; i++)
        free(command.words[i]);
    free(command.words);
    return good;
}

static bool predict(const struct dts_changes *changes, const char *word, const char *trace,
                    struct dts_live_point *point, struct dts_error *err)
{
    struct dts_scratch *scratch;
    struct dts_comparison *c = &point->comparison;
    c->bucket_count = dts_live_bucket_count(&point->built.job);
    c->buckets = dts_alloc((size_t)c->bucket_count, sizeof(*c->buckets));
    if (!dts_scratch_open(&scratch, "live", err))
        return false;
    const bool good = ask(changes, word, scratch, trace, point, err);
    dts_scratch_close(scratch);
    return good;
}

bool dts_live_predict(const struct dts_changes *changes, const char *word, const char *timeline,
                      struct dts_live_set *set, struct dts_error *err)
{
    // From the last on: who comes first then, and is not refused, has the timeline.
    for (int i = set->count - 1; i >= 0; i--) {
        struct dts_live_point *point = &set->points[i];
        const char *trace = i == dts_live_set_last(set) ? timeline : NULL;
        if (point->error.cause != DTS_NO_ERROR)
            continue;
        if (predict(changes, word, trace, point, &point->error))
            continue;
        if (point->error.cause == DTS_SYSTEM) {
            *err = point->error;
            return false;
        }
    }
    return dts_live_set_any(set, err);
}
