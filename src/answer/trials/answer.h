/* answer.h -- what runs to a target say of a network: a convergence profile, its law, how well
 * it predicts a batch that it does not know, and the noise scale beside it.
 */
#ifndef DTS_ANSWER_TRIALS_ANSWER_H
#define DTS_ANSWER_TRIALS_ANSWER_H

#include "answer/trials/search.h"
#include "converge/profile.h"

struct dts_target_row {
    struct dts_target_point point;
    double interval; // samples between evaluations: of whole steps

    /* By the other batches' law, of a mean over as many seeds; NAN: the others do not tell it
     * within a factor of 10. */
    struct dts_forecast left_out;
    bool held; // the mean lies between its ends
};

struct dts_target_answer {
    struct dts_target_row *rows;             // of all batches; owned
    int count, held, foretold;               // rows; held of those that were foretold
    struct dts_convergence profile;          // its fit; owned
    double e_min[3], b_c[3], s_min[3], g[3]; // value, ends of the 80 % interval

    /* Of the batch nearest to b_c that has one, in ln: value and ends; NAN: none has. */
    double noise[3];
    int noise_batch;
};

/* Fails where fewer than two batches reached the target (DTS_BAD_INPUT). `what` names the
 * request in the profile, "dtsim 0.5.0, seed 1, hash ...". */
bool dts_target_answer(const struct dts_target_request *request,
                       const struct dts_target_point *points, const char *what,
                       struct dts_target_answer *answer, struct dts_error *err);
void dts_target_answer_free(struct dts_target_answer *answer);

/* Noise scale of a point and the ends of its 80 % interval; NAN: not measured. */
void dts_target_noise_of(const struct dts_target_point *point, double noise[3]);

#endif
