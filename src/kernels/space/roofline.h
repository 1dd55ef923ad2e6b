/* roofline.h -- measures this machine's CPU with OpenBLAS. Only in dtsim-measure. */
#ifndef DTS_KERNELS_SPACE_ROOFLINE_H
#define DTS_KERNELS_SPACE_ROOFLINE_H

#include "device/here.h"

/* threads 0: as many as the library takes. `begins`, unless NULL, is told what is measured
 * next. About `budget_s` for each of six measurements.
 * The strings of *out are constant or in `words`. */
struct dts_roofline_words {
    char name[200], library[160];
};
bool dts_roofline_measure(struct dts_roofline *out, struct dts_roofline_words *words,
                          int threads, double budget_s, void (*begins)(const char *what),
                          struct dts_error *err);

#endif
