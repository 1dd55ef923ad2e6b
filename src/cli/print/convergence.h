/* convergence.h -- what `dtsim validate convergence` answers, as text, JSON and CSV. */
#ifndef DTS_CLI_PRINT_CONVERGENCE_H
#define DTS_CLI_PRINT_CONVERGENCE_H

#include "answer/result.h"
#include "converge/leave_out.h"

/* One profile with each of its batches left out. */
struct dts_convergence_series {
    const char *name, *unit;
    bool law; // else it is a constant, and apart from the totals
    struct dts_left_out points[DTS_FIT_BATCHES];
    int count;
};

/* Text: a row for each profile, then all; one profile alone batch by batch, too. JSON
 * ("dtsim-convergence/1"): both. CSV: a row for each batch. `whole`: of the library, and whole
 * benchmarks left out behind it (noise_left_out.h), but in CSV. */
void dts_convergence_series_print(const struct dts_convergence_series *all, int count,
                                  bool whole, const struct dts_format *format, FILE *out);

#endif
