/* tokens.h -- tokens/s, model FLOP/s, MFU and HFU of a point whose samples are sequences. */
#ifndef DTS_ANSWER_TOKENS_H
#define DTS_ANSWER_TOKENS_H

#include "answer/built.h"
#include "answer/result.h"

/* From the throughput, which is there. Leaves all absent where a sample is no sequence. */
void dts_tokens_fill(const struct dts_question *question, const struct dts_built *built,
                     struct dts_result *result);

#endif
