/* folds.h -- would other cases have chosen the same constants?
 *
 * Systems are dealt into two halves, the 1st, 3rd, ... and the 2nd, 4th, ... of each class. On
 * each half the free constants (constants.h) are chosen anew, one after the other, so that the
 * median absolute error of its predicted cases is least; then the other half is scored with
 * them. A constant is looked for between a third and three times its value, by golden sections
 * of the logarithm; one that moves the median by less than a hundredth of it stays as it is.
 */
#ifndef DTS_ANSWER_VALIDATE_FOLDS_H
#define DTS_ANSWER_VALIDATE_FOLDS_H

#include "answer/validate/constants.h"
#include "answer/validate/score.h"

enum { DTS_FOLDS = 2, DTS_FOLD_CONSTANTS = 32 };

struct dts_folds {
    struct dts_constant *constants; // owned
    int constant_count;
    double chosen[DTS_FOLDS][DTS_FOLD_CONSTANTS]; // by each half
    double
        whole; // median absolute error of all predicted cases, with the constants as they are
    double others; // the same, each case with the constants that the other half chose
};

/* `judged`: what dts_validate() found with the constants as they are. Takes minutes, and says
 * on standard error how far it is. */
bool dts_folds_find(const struct dts_case_set *set, const struct dts_judged *judged, int jobs,
                    struct dts_folds *folds, struct dts_error *err);
void dts_folds_free(struct dts_folds *folds); // leaves it empty

#endif
