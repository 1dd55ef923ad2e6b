/* conditions.h -- a published figure answers the question that its file asks, and no other:
 * where the command line asks something else, the figure is left out, unless its own "when"
 * says that it holds there.
 *
 * `left_out` gets the first path that the command line changed and for which one went, "model".
 * References that the command line names itself are for its question; their "when" counts all
 * the same.
 */
#ifndef DTS_ANSWER_CONDITIONS_H
#define DTS_ANSWER_CONDITIONS_H

#include "answer/changes.h"
#include "base/text.h"
#include "train/scenario/scenario.h"

/* Remove the references of a scenario's document that do not hold for its values, as they were
 * changed. Before the document is read: references may name strategies that are gone. */
void dts_conditions_of_scenario(const struct dts_changes *changes, struct dts_doc *doc,
                                struct dts_text *left_out);

/* The same for the values of the platform, when both are read. */
void dts_conditions_of_platform(const struct dts_changes *changes,
                                struct dts_scenario *scenario, struct dts_doc *platform,
                                struct dts_text *left_out);

#endif
