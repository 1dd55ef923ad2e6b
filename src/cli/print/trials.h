/* trials.h -- what `dtsim converge` answers, as text, JSON and CSV. */
#ifndef DTS_CLI_PRINT_TRIALS_H
#define DTS_CLI_PRINT_TRIALS_H

#include <stdio.h>

#include "answer/result.h"
#include "answer/trials/answer.h"

/* Text: a row for each batch, then the law and the noise scale. JSON ("dtsim-converge/1"): the
 * same. CSV: the rows. `title` names the scenario and what was changed. */
void dts_target_print(const struct dts_target_answer *answer, const char *title,
                      const struct dts_format *format, FILE *out);

#endif
