/* told.c -- lines of a profile that takes minutes. */
#include "cli/measure/told.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/file.h"
#include "base/text.h"
#include "cli/measure/words.h"

/* The second line comes after so long, each further one after twice the time. */
static const double quiet_s = 60;

/* "21 calls of mlp, lstm at batches 8, 16". */
static void add_what(const struct dts_measure_told *told, struct dts_text *text)
{
    const struct dts_profile_request *request = told->request;
    dts_text_add(text, "%d call%s of", told->calls, dts_plural(told->calls));
    for (int m = 0; m < request->model_count; m++)
        dts_text_add(text, "%s %s", m > 0 ? "," : "", request->models[m].name);
    dts_text_add(text, " at batch%s", request->batch_count > 1 ? "es" : "");
    for (int b = 0; b < request->batch_count; b++)
        dts_text_add(text, "%s %d", b > 0 ? "," : "", request->batches[b]);
}

/* All that runs of a call may take, forward and backward, with what lies between them, in all
 * sweeps but the first, which is short; and what they may wait. A call whose runs are longer
 * than the limit takes longer: a few runs are made in any case. */
static double most_s(const struct dts_measure_told *told)
{
    const struct dts_profile_request *request = told->request;
    const double of_a_call_s = 2 * 4 * request->meter.limit_s;
    return told->measurements * of_a_call_s * (request->sweeps - 1) / request->sweeps +
           request->patience_s;
}

static void tell_begin(const struct dts_measure_told *told)
{
    struct dts_text what = {0};
    add_what(told, &what);
    const double s = most_s(told);
    const bool minutes = s >= 100;
    fprintf(stderr,
            "dtsim: measuring %s, in %d sweeps: up to about %.0f %s, longer where one run "
            "takes more than %.2g s ...\n",
            dts_text_string(&what), told->request->sweeps, minutes ? s / 60 : s,
            minutes ? "min" : "s", told->request->meter.limit_s);
    dts_text_free(&what);
}

void dts_measure_tell(void *self, int done, int total, const char *what)
{
    struct dts_measure_told *told = self;
    const struct dts_profile_request *request = told->request;
    const bool begins = told->measurements == 0, terminal = isatty(STDERR_FILENO);
    const double spent_s = dts_now_s() - told->begin_s;
    if (begins) {
        told->measurements = total;
        told->calls = total / (request->sweeps * request->batch_count);
        told->next_s = quiet_s;
    }
    if (terminal) {
        dts_measure_progress(&told->begin_s, done, total, what);
    } else if (begins) {
        tell_begin(told);
    } else if (total == told->measurements && spent_s >= told->next_s) {
        fprintf(stderr, "dtsim: measured %d of %d, %.0f s ...\n", done, total, spent_s);
        while (told->next_s <= spent_s)
            told->next_s *= 2;
    }
}

void dts_measure_tell_end(const struct dts_measure_told *told)
{
    struct dts_text what = {0};
    add_what(told, &what);
    fprintf(stderr, "dtsim: measured %s in %.0f s: %s\n", dts_text_string(&what),
            dts_now_s() - told->begin_s,
            strcmp(told->path, "-") == 0 ? "on standard output" : told->path);
    dts_text_free(&what);
}
