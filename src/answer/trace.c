/* trace.c -- Chrome trace events: "X" is an event with begin and duration, "M" names a process
 * or a thread. The format is that of the Trace Event Format document of the Chromium project.
 *
 * Operations of one stream are drawn on one line. An operation in which only some ranks of the
 * role take part may start before its predecessor ends on another (times are the latest of
 * those that take part): then it is drawn on a second line of that stream, since events of a
 * line must nest.
 */
#include <math.h>
#include <stdio.h>

#include "answer/trace.h"
#include "base/json/json_out.h"
#include "base/os/file.h"
#include "base/text.h"

enum { LINES = 8 }; // of one stream at once; what does not fit shares the last

static void name(struct dts_json *json, const char *what, int process, int thread,
                 const char *text)
{
    dts_json_object(json, NULL);
    dts_json_string(json, "ph", "M");
    dts_json_string(json, "name", what);
    dts_json_integer(json, "pid", process);
    dts_json_integer(json, "tid", thread);
    dts_json_object(json, "args");
    dts_json_string(json, "name", text);
    dts_json_end(json);
    dts_json_end(json);
}

/* What an operation is, for the colours of the viewer. */
static const char *category(const struct dts_op *op)
{
    switch (op->kind) {
    case DTS_OP_CALL:
        return dts_pass_name(op->call.pass);
    case DTS_OP_EXCHANGE:
        return op->exchange.send ? "send" : "receive";
    case DTS_OP_COLLECTIVE:
        return op->collective.algorithm->name;
    }
    return "";
}

/* To the nanosecond: what is beyond is rounding. */
static double microseconds(double seconds)
{
    return round(1e9 * seconds) / 1e3;
}

static void event(struct dts_json *json, const struct dts_op *op, struct dts_op_time time,
                  int process, int thread)
{
    dts_json_object(json, NULL);
    dts_json_string(json, "ph", "X");
    dts_json_string(json, "name", op->label);
    dts_json_string(json, "cat", category(op));
    dts_json_integer(json, "pid", process);
    dts_json_integer(json, "tid", thread);
    dts_json_number(json, "ts", microseconds(time.start_s));
    dts_json_number(json, "dur", microseconds(time.end_s - time.start_s));
    if (op->bucket >= 0) {
        dts_json_object(json, "args");
        dts_json_integer(json, "bucket", op->bucket);
        dts_json_end(json);
    }
    dts_json_end(json);
}

/* The events of one stream. */
static void stream(struct dts_json *json, const struct dts_plan *plan,
                   const struct dts_op_time *times, enum dts_stream s, int process)
{
    double busy_until[LINES] = {0};
    int used = 0;
    for (int i = 0; i < plan->op_count; i++) {
        if (plan->ops[i].stream != s || !isfinite(times[i].end_s))
            continue;
        int line = 0;
        while (line < LINES - 1 && line < used && busy_until[line] > times[i].start_s)
            line++;
        if (line >= used) {
            name(json, "thread_name", process, (int)s * LINES + line, dts_stream_name(s));
            used = line + 1;
        }
        if (times[i].end_s > busy_until[line])
            busy_until[line] = times[i].end_s;
        event(json, &plan->ops[i], times[i], process, (int)s * LINES + line);
    }
}

bool dts_trace_write(const char *path, const struct dts_job *job,
                     const struct dts_timing *timing, int most, struct dts_error *err)
{
    struct dts_output out;
    int64_t written = 0;
    if (!dts_output_open(&out, path, err))
        return false;
    struct dts_json json = {.out = out.stream, .lines = 2};
    dts_json_object(&json, NULL);
    dts_json_string(&json, "displayTimeUnit", "ms");
    dts_json_list(&json, "traceEvents");
    for (int r = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        char text[128];
        written += role->plan.op_count;
        if (most > 0 && written > most && r > 0)
            break;
        snprintf(text, sizeof(text), "%s (%d rank%s)", role->name, role->count,
                 dts_plural(role->count));
        name(&json, "process_name", r, 0, text);
        for (int s = 0; s < DTS_STREAMS; s++)
            stream(&json, &role->plan, timing->ops + timing->first_op[r], (enum dts_stream)s,
                   r);
    }
    dts_json_end(&json);
    dts_json_end(&json);
    return dts_output_close(&out, err);
}
