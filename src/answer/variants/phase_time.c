/* phase_time.c -- predicts the phases of a training, and adds up their time. */
#include "answer/variants/phase_time.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer/target/target.h"
#include "answer/variants/phases.h"

static_assert((int)DTS_MOST_PHASES == (int)DTS_RESULT_PHASES, "a result holds all phases");

/* The strategy of a phase that the question is of. */
static struct dts_question question_of(const struct dts_question *asked, int phase)
{
    const int strategy = (int)(asked->strategy - asked->scenario->strategies);
    struct dts_question one = dts_question_of(&asked->phases[phase], strategy, asked->devices);
    one.speed = asked->speed;
    one.quick = asked->quick;
    one.check = asked->check;
    one.step_only = true;
    one.progress = asked->progress;
    one.known = asked->known;
    one.known_count = asked->known_count;
    return one;
}

/* What is hard to believe of a phase is of the whole, once. */
static void say_doubt(int phase, const struct dts_result *part, struct dts_result *result)
{
    if (part->doubt[0] != '\0' && strstr(result->doubt, part->doubt) == NULL)
        dts_result_doubt(result, "phase %d: %s", phase, part->doubt);
}

/* What is kept of a phase. `part` is its answer, and becomes that of all its steps. */
static struct dts_result_phase phase_of(const struct dts_question *question,
                                        const struct dts_phase *phase, struct dts_result *part)
{
    const double samples = question->scenario->dataset.samples, batch = part->global_batch;
    struct dts_result_phase one = {
        .global_batch = part->global_batch,
        .steps = phase->steps > 0 ? phase->steps : phase->epochs * ceil(samples / batch),
        .step_s = part->step.total_s,
        .memory_bytes = part->memory.total_bytes,
        .level_kernels = part->level_kernels,
        .level_step = part->level_step,
    };
    one.epochs = phase->steps > 0 ? one.steps * batch / samples : phase->epochs;
    one.time_s = one.steps * one.step_s;
    part->training.time_s = one.time_s;
    part->training.energy_kwh = part->training.cost = NAN;
    dts_spending_fill(question->platform, part);
    one.energy_kwh = part->training.energy_kwh;
    return one;
}

void dts_phase_time_fill(const struct dts_question *question, dts_estimator *estimate,
                         struct dts_result *result)
{
    double epochs = 0, steps = 0, time_s = 0, energy_kwh = 0, cost = 0;
    result->phase_count = 0;
    for (int i = 0; i < question->phase_count; i++) {
        const struct dts_question one = question_of(question, i);
        struct dts_result part;
        estimate(&one, &part);
        if (dts_result_refused(&part)) {
            dts_phase_name_error(question->scenario, i, &part.error, &result->error);
            return;
        }
        const struct dts_result_phase phase =
            phase_of(&one, &question->scenario->training.phases[i], &part);
        result->phases[result->phase_count++] = phase;
        epochs += phase.epochs;
        steps += phase.steps;
        time_s += phase.time_s;
        energy_kwh += phase.energy_kwh;
        cost += part.training.cost;
        say_doubt(i, &part, result);
    }
    result->training.epochs = epochs;
    result->training.steps = steps;
    result->training.time_s = time_s;
    result->training.energy_kwh = energy_kwh;
    result->training.cost = cost;
}
