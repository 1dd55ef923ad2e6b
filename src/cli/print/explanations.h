/* explanations.h -- what `dtsim explain` answers, as text, JSON and CSV. */
#ifndef DTS_CLI_PRINT_EXPLANATIONS_H
#define DTS_CLI_PRINT_EXPLANATIONS_H

#include <stdio.h>

#include "answer/inverse/inverse.h"

/* A measurement, and what explains it. */
struct dts_explanations {
    const struct dts_scene *scene;
    const struct dts_result *predicted;
    bool step;       // measured in seconds of a step; false: in samples a second
    double measured; // in that unit
    const struct dts_explained *rows;
    int count;
};

/* The predicted or any other step in the unit of the measurement. */
double dts_explanations_in_unit(const struct dts_explanations *all, double step_s);

void dts_explanations_print(const struct dts_explanations *all, const struct dts_format *format,
                            FILE *out);

#endif
