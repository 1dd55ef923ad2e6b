/* known.h -- points of which the step was measured level the prediction of others.
 *
 * Physics gives the shape, what is known the level:
 *
 * 1. Of the known points the one on the fewest devices levels the kernels: all of them take so
 *    many times as long that its whole predicted step is the measured one. Of several on as
 * many devices it is the one with the nearest batch. The factor is at least DTS_LEAST_FACTOR,
 * so that a step that messages alone exceed leaves kernels.
 * 2. What then remains between measured and predicted at each known point, their quotient, is
 *    drawn as straight lines over the logarithm of the number of devices; outside the known
 *    points the nearest counts. The predicted step, and each of its parts, is multiplied by it.
 */
#ifndef DTS_ANSWER_KNOWN_H
#define DTS_ANSWER_KNOWN_H

#include "answer/estimate.h"

#define DTS_LEAST_FACTOR 0.05

/* A point that was measured; everything is borrowed. */
struct dts_known {
    struct dts_question question; // asked of the engine that it names
    double step_s;                // 0: one of those below is given
    double train_s;               // of all steps of the training
    double throughput_samples_per_s;
};

/* How many times as long kernels take, so that the step of this point is the measured one.
 * `result` gets the point as it is then predicted. */
bool dts_known_factor(const struct dts_known *anchor, double *factor,
                      struct dts_result *result);

/* Samples of a device in a step. */
double dts_known_batch(const struct dts_scenario *scenario, int devices);

/* What is left at a known point once kernels are levelled. */
struct dts_rest {
    double devices, batch; // batch: samples of a device in a step
    double quotient;       // measured step / predicted step
};

/* The quotient for a point, as said above. count >= 1; `rests` are sorted and thinned out. */
double dts_rest_level(struct dts_rest *rests, int count, double devices, double batch);

/* As dts_estimate(), levelled by question->known; phases are levelled each by its own batch
 * (phase_time.h). Without known points, and where only plans
 * are checked, it is dts_estimate(). A known point that cannot be predicted is the error of
 * all. */
void dts_estimate_levelled(const struct dts_question *question, struct dts_result *result);

/* As dts_estimate(), phases too, with kernels that take so many times as long and a step that
 * does: a level that was found (result->level_kernels, level_step). */
void dts_estimate_at_level(const struct dts_question *question, double kernels, double step,
                           struct dts_result *result);

/* The points that a scenario's "measurements" name; without any, the one that an anchor of the
 * stack is of, where several devices or microbatches are in it. */
struct dts_known_set {
    struct dts_scene *scenes; // owned
    struct dts_scene *others; // with the strategies of the changes, where one of them is not in
                              // the file, else empty; of measurements; owned
    struct dts_known *known;  // one for each scene; owned
    int count;
    bool of_anchor; // of the stack: the point levels all strategies
};

/* Opens the scenario once more for each measurement: as it stands in the file, without the
 * changes of the command line but for seed, and with what the measurement's "when" says; with
 * the strategies of combination k of the changes, too, where those are not in the file. For an
 * anchor: with its platform, devices and batch, the stack's own all-reduce, and the model,
 * precision, optimizer and stack of that combination. */
bool dts_known_open(const struct dts_changes *changes, int k, const char *word,
                    const struct dts_scene *asked, struct dts_known_set *set,
                    struct dts_error *err);

/* Those that speak of a strategy, into `known` with room for set->count. Returns how many. */
int dts_known_of(const struct dts_known_set *set, const struct dts_scenario *scenario,
                 const char *strategy, struct dts_known *known);

/* Those of the same network as a phase of the training, whose samples may be others than the
 * scenario's: they say more of it. All, where there is none. `like` has room for count. */
int dts_known_like(const struct dts_known *known, int count, const struct dts_model *model,
                   struct dts_known *like);
void dts_known_close(struct dts_known_set *set); // leaves it empty

#endif
