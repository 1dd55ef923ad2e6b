/* conditions.h -- a published figure answers the question that its file asks, and no other:
 * where the command line asks something else, the figure is left out, unless its own "when"
 * says that it holds there.
 */
#ifndef DTS_ANSWER_CONDITIONS_H
#define DTS_ANSWER_CONDITIONS_H

#include "answer/changes.h"
#include "base/json/cfg.h"
#include "base/text.h"

/* Remove the references of a scenario that do not hold in combination k of the changes, which
 * are made in the document already. `left_out` gets the first path for which one went, "--set
 * model"; it stays empty where all hold. References that the command line names itself are left
 * alone. */
void dts_conditions_apply(const struct dts_changes *changes, int k, struct dts_doc *doc,
                          struct dts_text *left_out);

#endif
