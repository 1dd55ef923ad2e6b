/* trace.h -- the timeline of one step as Chrome trace JSON, for ui.perfetto.dev. */
#ifndef DTS_ANSWER_TRACE_H
#define DTS_ANSWER_TRACE_H

#include "sim/engine.h"

/* Writes `path` ("-": standard output): a process for each role, a thread for each stream, an
 * event for each operation with its label, in microseconds since the step began. A file holds
 * one point; the next point that is written replaces it. */
bool dts_trace_write(const char *path, const struct dts_job *job,
                     const struct dts_timing *timing, struct dts_error *err);

#endif
