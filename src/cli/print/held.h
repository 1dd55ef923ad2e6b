/* held.h -- a predicted figure beside the published one, in words. */
#ifndef DTS_CLI_PRINT_HELD_H
#define DTS_CLI_PRINT_HELD_H

#include "answer/result.h"
#include "base/text.h"

/* "time 30.46 h, published 29 h: +5.0 %. Who published it". */
void dts_text_add_held(struct dts_text *text, const struct dts_held *held);

#endif
