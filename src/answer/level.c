/* level.c -- a step that takes longer by a factor, and all that follows from it. */
#include "answer/level.h"

#include <math.h>

/* Steps take longer, and evaluations do not. */
static void multiply_training(struct dts_result *result, double level)
{
    const double before_s = result->training.time_s;
    const double evaluation_s =
        isnan(result->training.evaluation_s) ? 0 : result->training.evaluation_s;
    double *const times[] = {&result->training.time_s, &result->training.time_low_s,
                             &result->training.time_high_s};
    const double steps[] = {result->training.steps, result->training.steps_low,
                            result->training.steps_high};
    for (int i = 0; i < 3; i++) {
        const double fixed_s = evaluation_s > 0 ? evaluation_s * steps[i] / steps[0] : 0;
        *times[i] = (*times[i] - fixed_s) * level + fixed_s;
    }
    double *const by_time[] = {&result->training.device_hours, &result->training.energy_kwh,
                               &result->training.cost};
    for (int i = 0; i < 3; i++)
        *by_time[i] *= result->training.time_s / before_s;
}

void dts_level_result(struct dts_result *result, double level)
{
    struct dts_step *step = &result->step;
    double *const seconds[] = {&step->total_s,
                               &step->compute_s,
                               &step->comm_s,
                               &step->exposed_comm_s,
                               &step->input_s,
                               &step->bubble_s,
                               &step->straggler_s,
                               &step->overlap_slowdown_s,
                               &result->bare_total_s,
                               &result->low_s,
                               &result->high_s,
                               &result->beside.alone_s,
                               &result->jobs.step_mean_s,
                               &result->jobs.step_worst_s};
    double *const rates[] = {&result->throughput_samples_per_s,
                             &result->jobs.throughput_samples_per_s,
                             &result->algbw_bytes_s,
                             &result->busbw_bytes_s,
                             &result->scaling_efficiency_one_device,
                             &result->throughput_tokens_per_s,
                             &result->tokens_per_s_device,
                             &result->model_flops_per_s_device,
                             &result->mfu,
                             &result->hfu};
    for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
        *seconds[i] *= level;
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
        *rates[i] /= level;
    for (int n = 0; n < result->beside_count; n++) {
        result->besides[n].step_mean_s *= level;
        result->besides[n].step_worst_s *= level;
        result->besides[n].throughput_samples_per_s /= level;
    }
    multiply_training(result, level);
}
