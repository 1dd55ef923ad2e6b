/* measured.h -- a note on measurements that are taken for runs of several kinds of strategies.
 */
#ifndef DTS_ANSWER_NOTES_MEASURED_H
#define DTS_ANSWER_NOTES_MEASURED_H

#include "train/scenario/scenario.h"

/* Says on stderr which measurement of several devices names no strategy where strategies are of
 * several kinds: each is levelled until it meets the figure, though one software gave it. What
 * one device did is kernels alone, and is taken for all. */
void dts_measured_tell(const struct dts_scenario *scenario);

#endif
