/* result.c -- the numbers of a result, by name. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "answer/result.h"

#define AT(member) offsetof(struct dts_result, member)

const struct dts_metric dts_metrics[] = {
    {"step", "total", "s", AT(step.total_s), "step_s"},
    {"step", "compute", "s", AT(step.compute_s), NULL},
    {"step", "comm", "s", AT(step.comm_s), NULL},
    {"step", "exposed_comm", "s", AT(step.exposed_comm_s), "exposed_comm_s"},
    {"step", "input", "s", AT(step.input_s), NULL},
    {"step", "bubble", "s", AT(step.bubble_s), NULL},
    {"step", "straggler", "s", AT(step.straggler_s), NULL},
    {"step", "overlap_slowdown", "s", AT(step.overlap_slowdown_s), NULL},
    {"step", "bare_total", "s", AT(bare_total_s), NULL},
    {"step", "before_local", "s", AT(before_s), NULL, .rare = true},
    {NULL, "throughput", "samples_per_s", AT(throughput_samples_per_s),
     "throughput_samples_per_s"},
    {NULL, "throughput", "tokens_per_s", AT(throughput_tokens_per_s), "throughput_tokens_per_s",
     .rare = true},
    {NULL, "tokens", "per_s_device", AT(tokens_per_s_device), "tokens_per_s_device",
     .rare = true},
    {NULL, "model_flops", "per_s_device", AT(model_flops_per_s_device),
     "model_flops_per_s_device", .rare = true},
    {NULL, "mfu", NULL, AT(mfu), "mfu", .rare = true},
    {NULL, "hfu", NULL, AT(hfu), "hfu", .rare = true},
    {NULL, "scaling_efficiency", NULL, AT(scaling_efficiency), "scaling_efficiency"},
    {NULL, "scaling_efficiency_one_device", NULL, AT(scaling_efficiency_one_device),
     "scaling_efficiency_one_device"},
    {"memory", "total", "bytes", AT(memory.total_bytes), NULL},
    {"memory", "weights", "bytes", AT(memory.weights_bytes), NULL},
    {"memory", "gradients", "bytes", AT(memory.gradients_bytes), NULL},
    {"memory", "optimizer", "bytes", AT(memory.optimizer_bytes), NULL},
    {"memory", "activations", "bytes", AT(memory.activations_bytes), NULL},
    {"memory", "framework", "bytes", AT(memory.framework_bytes), NULL, .rare = true},
    {"memory", "unsharded", "bytes", AT(memory.unsharded_bytes), NULL, .rare = true},
    {"memory", "host", "bytes", AT(memory.host_bytes), NULL, .rare = true},
    {"memory", "first_stage", "bytes", AT(memory.first_stage_bytes), NULL, .rare = true},
    {"training", "epochs", NULL, AT(training.epochs), NULL},
    {"training", "steps", NULL, AT(training.steps), NULL},
    {"training", "time", "s", AT(training.time_s), "time_s"},
    {"training", "samples", NULL, AT(training.samples), "samples_to_target", .rare = true},
    {"training", "steps_low", NULL, AT(training.steps_low), NULL, .rare = true},
    {"training", "steps_high", NULL, AT(training.steps_high), NULL, .rare = true},
    {"training", "time_low", "s", AT(training.time_low_s), NULL, .rare = true},
    {"training", "time_high", "s", AT(training.time_high_s), NULL, .rare = true},
    {"training", "device_hours", NULL, AT(training.device_hours), NULL, .rare = true},
    {"training", "evaluations", NULL, AT(training.evaluations), NULL, .rare = true},
    {"training", "evaluation", "s", AT(training.evaluation_s), NULL, .rare = true},
    {"training", "energy", "kwh", AT(training.energy_kwh), NULL, .rare = true},
    {"training", "cost", NULL, AT(training.cost), NULL, .rare = true},
    {"training", "accuracy", "percent", AT(training.accuracy_percent), "accuracy_percent",
     .rare = true},
    {"training", "accuracy_low", "percent", AT(training.accuracy_low_percent), NULL,
     .rare = true},
    {"training", "accuracy_high", "percent", AT(training.accuracy_high_percent), NULL,
     .rare = true},
    {"training", "accuracy_lost", "points", AT(training.accuracy_lost_points), NULL,
     .rare = true},
    {"staleness", "mean", "updates", AT(staleness.mean), "staleness_mean_updates",
     .rare = true},
    {"staleness", "median", "updates", AT(staleness.median), NULL, .rare = true},
    {"staleness", "p95", "updates", AT(staleness.p95), "staleness_p95_updates", .rare = true},
    {"staleness", "most", "updates", AT(staleness.most), NULL, .rare = true},
    {"staleness", "used_share", NULL, AT(staleness.used), NULL, .rare = true},
    {"staleness", "steps", "factor", AT(staleness_steps), NULL, .rare = true},
    {NULL, "algbw", "bytes_s", AT(algbw_bytes_s), "algbw_bytes_s"},
    {NULL, "busbw", "bytes_s", AT(busbw_bytes_s), "busbw_bytes_s"},
    {"beside", "alone", "s", AT(beside.alone_s), NULL, .rare = true},
    {"beside", "slowdown", NULL, AT(beside.slowdown), "slowdown", .rare = true},
    {"jobs", "alike", NULL, AT(jobs.alike), NULL, .rare = true},
    {"jobs", "step_mean", "s", AT(jobs.step_mean_s), NULL, .rare = true},
    {"jobs", "step_worst", "s", AT(jobs.step_worst_s), NULL, .rare = true},
    {"jobs", "throughput", "samples_per_s", AT(jobs.throughput_samples_per_s),
     "jobs_throughput_samples_per_s", .rare = true},
    {"level", "kernels", NULL, AT(level_kernels), NULL},
    {"level", "step", NULL, AT(level_step), NULL},
    {"level", "physics", "s", AT(level_physics_s), NULL},
    {0},
};

void dts_result_doubt(struct dts_result *result, const char *format, ...)
{
    char *const at = result->doubt + strlen(result->doubt);
    const size_t room = sizeof(result->doubt) - (size_t)(at - result->doubt);
    const int lead = snprintf(at, room, "%s", at > result->doubt ? "; " : "");
    va_list args;
    va_start(args, format);
    if ((size_t)lead < room)
        vsnprintf(at + lead, room - (size_t)lead, format, args);
    va_end(args);
}

static double *number(const struct dts_metric *metric, struct dts_result *result)
{
    return (double *)((char *)result + metric->offset);
}

#define SEAL(word) (word)[sizeof(word) - 1] = '\0'

void dts_result_seal(struct dts_result *r)
{
    SEAL(r->strategy), SEAL(r->model), SEAL(r->platform), SEAL(r->stack), SEAL(r->engine);
    SEAL(r->limits), SEAL(r->basis), SEAL(r->outside), SEAL(r->doubt), SEAL(r->unlike),
        SEAL(r->slowdown_source);
    SEAL(r->noise_source), SEAL(r->transports), SEAL(r->setting), SEAL(r->why),
        SEAL(r->error.text);
    SEAL(r->chosen), SEAL(r->chosen_why), SEAL(r->axes), SEAL(r->class);
    SEAL(r->target.goal), SEAL(r->target.profile), SEAL(r->target.law), SEAL(r->target.rule),
        SEAL(r->target.region), SEAL(r->target.doubt), SEAL(r->target.late);
    SEAL(r->accuracy.table), SEAL(r->accuracy.rule), SEAL(r->accuracy.doubt);
    SEAL(r->reference.metric), SEAL(r->reference.source);
    for (int i = 0; i < DTS_RESULT_ASSUMED; i++)
        SEAL(r->assumed[i]);
    for (int i = 0; i < DTS_RESULT_BESIDES; i++)
        SEAL(r->besides[i].name);
    for (int i = 0; i < DTS_RESULT_MORE; i++)
        SEAL(r->more[i].metric), SEAL(r->more[i].source);
    if (r->assumed_count < 0 || r->assumed_count > DTS_RESULT_ASSUMED)
        r->assumed_count = 0;
    if (r->staleness.bin_width < 0)
        r->staleness.bin_width = 0;
    if (r->more_count < 0 || r->more_count > DTS_RESULT_MORE)
        r->more_count = 0;
    if (r->phase_count < 0 || r->phase_count > DTS_RESULT_PHASES)
        r->phase_count = 0;
    if (r->beside_count < 0 || r->beside_count > DTS_RESULT_BESIDES)
        r->beside_count = 0;
    if (r->error.cause < DTS_NO_ERROR || r->error.cause > DTS_UNSUPPORTED)
        r->error.cause = DTS_NO_ERROR;
    r->live = NULL;
}

#undef SEAL

double dts_metric_value(const struct dts_metric *metric, const struct dts_result *result)
{
    double value;
    if (dts_result_refused(result))
        return NAN; // refused: nothing is known of it
    memcpy(&value, (const char *)result + metric->offset, sizeof(value));
    return value;
}

void dts_result_init(struct dts_result *result)
{
    memset(result, 0, sizeof(*result)); // padding, too: its bytes travel through a pipe
    for (const struct dts_metric *metric = dts_metrics; metric->name != NULL; metric++)
        *number(metric, result) = NAN;
    result->low_s = result->high_s = result->error_p90_percent = NAN;
    result->reference.value = result->reference.predicted = NAN;
    result->reference.error_percent = NAN;
}

const struct dts_metric *dts_metric_find(const char *reference)
{
    for (const struct dts_metric *metric = dts_metrics; metric->name != NULL; metric++)
        if (metric->reference != NULL && strcmp(metric->reference, reference) == 0)
            return metric;
    return NULL;
}

const char *dts_metric_reference(int i)
{
    for (const struct dts_metric *metric = dts_metrics; metric->name != NULL; metric++)
        if (metric->reference != NULL && i-- == 0)
            return metric->reference;
    return NULL;
}

bool dts_result_refer(struct dts_result *result, const char *metric, double value,
                      const char *source)
{
    const struct dts_metric *row = dts_metric_find(metric);
    bool first = result->reference.metric[0] == '\0';
    const double predicted = row != NULL ? dts_metric_value(row, result) : NAN;
    if (isnan(predicted))
        return false;
    if (!first && result->more_count == DTS_RESULT_MORE)
        return true;
    struct dts_held *held = first ? &result->reference : &result->more[result->more_count++];
    snprintf(held->metric, sizeof(held->metric), "%s", metric);
    snprintf(held->source, sizeof(held->source), "%s", source);
    held->value = value;
    held->predicted = predicted;
    held->error_percent = 100 * (predicted - value) / value;
    return true;
}
