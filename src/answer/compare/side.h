/* side.h -- one of two results that are compared, read. */
#ifndef DTS_ANSWER_COMPARE_SIDE_H
#define DTS_ANSWER_COMPARE_SIDE_H

#include "answer/compare/compare.h"
#include "base/json/cfg.h"

bool dts_compare_read(struct dts_compare_side *side, const char *path, struct dts_error *err);

/* Where a point stands in the document: places are on the stack of the caller, and hold one
 * another. */
struct dts_compare_place {
    struct dts_cfg top, report, points, point;
};
void dts_compare_place(const struct dts_compare_side *side,
                       const struct dts_compare_point *point, struct dts_compare_place *place);

#endif
