/* ask.h -- one question to the person at the terminal. */
#ifndef DTS_CLI_ASK_H
#define DTS_CLI_ASK_H

#include "cli/answer.h"

/* What an answer in the unit of the option is times, in the unit of the file. */
double dts_wanted_scale(const struct dts_wanted *wanted);

/* Ask until the answer is good; an empty one means the usual value, if there is one, and then
 * *usual. value has DTS_DRAFT_VALUE bytes. */
bool dts_ask(const struct dts_wanted *wanted, const char *path, char *value, bool *usual,
             struct dts_error *err);

#endif
