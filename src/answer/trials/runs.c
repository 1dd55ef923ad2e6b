/* runs.c -- a process for each run, and its end from a file. */
#include "answer/trials/runs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json/library.h"
#include "base/mem.h"
#include "base/os/program.h"
#include "base/os/scratch.h"
#include "base/text.h"

/* Runs that are not over yet. */
struct wave {
    struct dts_target_runner *runner;
    const struct dts_target_run *runs; // all of them
    struct dts_target_end *ends;
    int *numbers;       // of those that run; owned
    char ***words;      // of each; owned, as are the words that are written here
    const char **files; // that the ends come in
    int count;
    struct dts_scratch *scratch; // owned
    char *program;               // owned
};

static char *run_text(const struct dts_target_run *run)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    struct dts_json json = {.out = out};
    dts_target_run_print(run, NULL, &json);
    fclose(out);
    return text;
}

static const char *file_of(struct dts_scratch *scratch, int number)
{
    char name[32];
    snprintf(name, sizeof(name), "end%d.json", number);
    return dts_scratch_file(scratch, name);
}

/* The words of a run: the scenario as it was read here, the changes among them. */
static char **words_of(const struct wave *w, const struct dts_target_run *run, const char *file)
{
    enum { FIXED = 6 };
    static char verb[] = "train", none[] = "-";
    const struct dts_changes *changes = w->runner->changes;
    char **words = dts_alloc(FIXED + 2 * (size_t)changes->set_count + 1, sizeof(*words));
    words[0] = w->program;
    words[1] = verb;
    words[2] = run_text(run);
    words[3] = (char *)file;
    words[4] = (char *)w->runner->word;
    words[5] = changes->seed != NULL ? (char *)changes->seed : none;
    for (int i = 0; i < changes->set_count; i++) {
        words[FIXED + 2 * i] = (char *)changes->sets[i].path;
        words[FIXED + 2 * i + 1] = (char *)changes->sets[i].value;
    }
    return words;
}

static void add(struct wave *w, int number)
{
    w->files[w->count] = file_of(w->scratch, number);
    w->words[w->count] = words_of(w, &w->runs[number], w->files[w->count]);
    w->numbers[w->count++] = number;
}

static bool read_end(const char *path, struct dts_target_end *end, struct dts_error *err)
{
    struct dts_doc *doc;
    if (!dts_doc_load(&doc, path, err))
        return false;
    const struct dts_cfg top = dts_doc_top(doc);
    const bool good = dts_target_end_read(&top, end, err);
    dts_doc_free(doc);
    return good;
}

/* A run is over: it is kept, and whoever waits is told. */
static bool finish(struct dts_target_runner *runner, const struct dts_target_kept *kept,
                   struct dts_error *err)
{
    if (!dts_target_store_add(runner->store, kept, err))
        return false;
    runner->done++;
    if (runner->tell != NULL)
        runner->tell(runner->self, kept, runner->done);
    return true;
}

static bool take(void *self, int i, struct dts_error *err)
{
    struct wave *w = self;
    const int number = w->numbers[i];
    struct dts_target_kept kept = {.run = w->runs[number]};
    if (!read_end(w->files[i], &kept.end, err))
        return false;
    w->ends[number] = kept.end;
    return finish(w->runner, &kept, err);
}

static bool carry_out(struct wave *w, struct dts_error *err)
{
    const struct dts_programs programs = {
        .count = w->count,
        .at_once = w->runner->at_once,
        .words = (char *const *const *)w->words,
        .said = dts_scratch_file(w->scratch, "said"),
        .ended = take,
        .self = w,
    };
    return (access(w->program, X_OK) == 0 ||
            dts_fail(err, DTS_UNSUPPORTED, "converge: this build has no OpenBLAS")) &&
           dts_programs_ask(&programs, err);
}

static void free_wave(struct wave *w)
{
    for (int i = 0; i < w->count; i++) {
        free(w->words[i][2]);
        free(w->words[i]);
    }
    free(w->words);
    free(w->files);
    free(w->numbers);
    free(w->program);
}

static bool run_here(struct dts_target_runner *runner, const struct dts_target_run *runs,
                     struct dts_target_end *ends, int count, struct dts_error *err)
{
    for (int i = 0; i < count; i++) {
        struct dts_target_kept kept = {.run = runs[i]};
        runner->run_here(runner->self, &runs[i], &kept.end);
        ends[i] = kept.end;
        if (!finish(runner, &kept, err))
            return false;
    }
    return true;
}

bool dts_target_runs(struct dts_target_runner *runner, const struct dts_target_run *runs,
                     struct dts_target_end *ends, int count, struct dts_error *err)
{
    struct wave w = {.runner = runner, .runs = runs, .ends = ends};
    if (runner->run_here != NULL)
        return run_here(runner, runs, ends, count, err);
    if (!dts_scratch_open(&w.scratch, "converge", err))
        return false;
    w.program = dts_library_program("dtsim-measure");
    w.numbers = dts_alloc((size_t)count, sizeof(*w.numbers));
    w.words = dts_alloc((size_t)count, sizeof(*w.words));
    w.files = dts_alloc((size_t)count, sizeof(*w.files));
    for (int i = 0; i < count; i++) {
        const struct dts_target_end *end = dts_target_store_find(runner->store, &runs[i]);
        if (end != NULL)
            ends[i] = *end;
        else
            add(&w, i);
    }
    const bool good = w.count == 0 || carry_out(&w, err);
    free_wave(&w);
    dts_scratch_close(w.scratch);
    return good;
}
