/* trace.h -- the timeline of one step as Chrome trace JSON, for ui.perfetto.dev. */
#ifndef DTS_ANSWER_TRACE_H
#define DTS_ANSWER_TRACE_H

#include "sim/engine.h"

/* Writes `path` ("-": standard output): a process for each role, a thread for each stream, an
 * event for each operation with its label, in microseconds since the step began. A file holds
 * one point; the next point that is written replaces it. Where all roles have more than `most`
 * operations, the last ones are left out, but for the first role; 0: none is. */
bool dts_trace_write(const char *path, const struct dts_job *job,
                     const struct dts_timing *timing, int most, struct dts_error *err);

#endif
