/* phase_time.c -- adds up the time of the phases of a training. */
#include "answer/phase_time.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer/estimate.h"
#include "answer/target/target.h"

/* The strategy of a phase that the question is of. */
static struct dts_question question_of(const struct dts_question *asked, int phase)
{
    const int strategy = (int)(asked->strategy - asked->scenario->strategies);
    struct dts_question one = dts_question_of(&asked->phases[phase], strategy, asked->devices);
    one.speed = asked->speed;
    one.step_only = true;
    one.progress = asked->progress;
    return one;
}

/* What is hard to believe of a phase is of the whole. */
static void say_doubt(int phase, const struct dts_result *part, struct dts_result *result)
{
    const size_t length = strlen(result->doubt);
    if (part->doubt[0] != '\0')
        snprintf(result->doubt + length, sizeof(result->doubt) - length, "%sphase %d: %s",
                 length > 0 ? "; " : "", phase, part->doubt);
}

void dts_phase_time_fill(const struct dts_question *question, struct dts_result *result)
{
    double epochs = 0, steps = 0, time_s = 0, energy_kwh = 0, cost = 0;
    for (int i = 0; i < question->phase_count; i++) {
        const struct dts_phase *phase = &question->scenario->training.phases[i];
        const struct dts_question one = question_of(question, i);
        const double samples = one.scenario->dataset.samples;
        struct dts_result part;
        dts_estimate(&one, &part);
        if (dts_result_refused(&part)) {
            result->error = part.error;
            return;
        }
        const double taken =
            phase->steps > 0 ? phase->steps : phase->epochs * ceil(samples / part.global_batch);
        steps += taken;
        epochs += phase->steps > 0 ? taken * part.global_batch / samples : phase->epochs;
        time_s += taken * part.step.total_s;
        part.training.time_s = taken * part.step.total_s;
        part.training.energy_kwh = part.training.cost = NAN;
        dts_spending_fill(one.platform, &part);
        energy_kwh += part.training.energy_kwh;
        cost += part.training.cost;
        say_doubt(i, &part, result);
    }
    result->training.epochs = epochs;
    result->training.steps = steps;
    result->training.time_s = time_s;
    result->training.energy_kwh = energy_kwh;
    result->training.cost = cost;
}
