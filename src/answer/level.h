/* level.h -- a result whose step takes longer than it was predicted, by what was measured. */
#ifndef DTS_ANSWER_LEVEL_H
#define DTS_ANSWER_LEVEL_H

#include "answer/result.h"

/* All seconds of the step times `level`, and rates over it. Of a training the steps take
 * longer, its evaluations do not. */
void dts_level_result(struct dts_result *result, double level);

#endif
