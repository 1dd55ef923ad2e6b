/* question.h -- which question an answer is for: version, seed, inputs, and what the command
 * line changed. */
#ifndef DTS_CLI_PRINT_QUESTION_H
#define DTS_CLI_PRINT_QUESTION_H

#include <stdio.h>

#include "answer/result.h"
#include "base/json/json_out.h"

/* One line, with its newline, under the head of a report; the answer to the same line is the
 * same. */
void dts_question_text(const struct dts_report *report, FILE *out);

/* The members "dtsim" and "question" of a report. */
void dts_question_json(const struct dts_report *report, struct dts_json *json);

#endif
