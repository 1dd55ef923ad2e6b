/* validate_convergence.h -- `dtsim validate convergence [PROFILE...]`. */
#ifndef DTS_CLI_VALIDATE_CONVERGENCE_H
#define DTS_CLI_VALIDATE_CONVERGENCE_H

#include "answer/result.h"

/* Leaves each batch of these profiles out, of all in the library where count is 0, and prints
 * into `path` (NULL: standard output). A profile of fewer than three batches is passed over,
 * but refused where it is the only one. */
bool dts_validate_convergence(const char *const *names, int count,
                              const struct dts_format *format, const char *path,
                              struct dts_error *err);

#endif
