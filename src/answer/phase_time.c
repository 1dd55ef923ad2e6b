/* phase_time.c -- adds up the time of the phases of a training. */
#include "answer/phase_time.h"

#include <math.h>

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

void dts_phase_time_fill(const struct dts_question *question, struct dts_result *result)
{
    double epochs = 0, steps = 0, time_s = 0;
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
    }
    result->training.epochs = epochs;
    result->training.steps = steps;
    result->training.time_s = time_s;
    dts_spending_fill(question->platform, result);
}
