/* scatter.h -- predicted over published: what `dtsim validate` draws. */
#ifndef DTS_CLI_PICTURE_SCATTER_H
#define DTS_CLI_PICTURE_SCATTER_H

#include "cli/picture/draw.h"
#include "cli/print/validation.h"

/* How many cases it has points for: those that were predicted, from the smallest of their
 * system.
 */
int dts_scatter_count(const struct dts_validation *all);

/* A point for each of these, in the unit of its family, by class. There must be one. */
void dts_scatter(const struct dts_validation *all, struct dts_draw *draw);

#endif
