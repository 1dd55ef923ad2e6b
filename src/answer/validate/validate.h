/* validate.h -- every published case predicted, once from the smallest point of its system
 * alone, once from all points of the system but itself.
 *
 * An error is that of the throughput: (predicted - published) / published of samples a second,
 * or published / predicted - 1 of seconds. Positive: dtsim is too fast. Of memory it is
 * predicted / published - 1, positive is too much.
 */
#ifndef DTS_ANSWER_VALIDATE_VALIDATE_H
#define DTS_ANSWER_VALIDATE_VALIDATE_H

#include "answer/validate/cases.h"

/* What a prediction knows of its system. */
enum dts_case_known { DTS_KNOWS_ANCHOR, DTS_KNOWS_OTHERS, DTS_CASE_KNOWN };

/* What became of a case. Errors are shares, 0.05 is five percent too fast; NAN: absent. */
struct dts_judged {
    /* The step, the latter with kernels levelled; of memory the GiB. */
    double published_s, physics_s;
    double predicted[DTS_CASE_KNOWN]; // in the unit of the family
    double error[DTS_CASE_KNOWN];

    /* The three who know the same points and no physics (naive.h). */
    double linear, nearest, power;

    double batch; // samples of a device in a step
    double
        sample_flops; // operations of the network for a sample, as MFU counts them; 0: unknown
    char basis[256];
    char platform[128], stack[128]; // names
};

/* Fills judged[0 .. set->count - 1]. A case that cannot be predicted is an error: its file, its
 * row and the reason. */
bool dts_validate(const struct dts_case_set *set, int jobs, struct dts_judged *judged,
                  struct dts_error *err);

#endif
