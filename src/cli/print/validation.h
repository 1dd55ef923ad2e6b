/* validation.h -- what `dtsim validate` answers, as text, JSON and CSV. */
#ifndef DTS_CLI_PRINT_VALIDATION_H
#define DTS_CLI_PRINT_VALIDATION_H

#include <stdio.h>

#include "answer/result.h"
#include "answer/validate/folds.h"

struct dts_validation {
    const struct dts_case_set *set;
    const struct dts_judged *judged;
    const struct dts_class_score *scores;
    int score_count;
    int constants;                 // that were chosen on published points
    const struct dts_folds *folds; // NULL: not asked
    bool each;                     // every case is shown, not the worst alone
};

/* Text: scores, then the worst cases, or each. JSON ("dtsim-validation/1"): scores and cases.
 * CSV: a row for each case. */
void dts_validation_print(const struct dts_validation *all, const struct dts_format *format,
                          FILE *out);

#endif
