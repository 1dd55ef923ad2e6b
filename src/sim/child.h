/* child.h -- work that may abort, hang or spoil its process runs in a child of its own.
 *
 * SimGrid takes one platform per process and answers bad input with abort(). The child computes
 * bytes, which come back over a pipe; when it dies instead, its death becomes one message with
 * the first line that it wrote to stderr. Nothing that the child changes in memory is seen by
 * the parent.
 */
#ifndef DTS_SIM_CHILD_H
#define DTS_SIM_CHILD_H

#include <stddef.h>

#include "base/error.h"

/* What the child does. On success it sets *result (allocated) and *size. */
typedef bool (*dts_child_fn)(void *argument, void **result, size_t *size,
                             struct dts_error *err);

struct dts_child {
    const char *what;     // begins the messages about its death: "platforms/x.xml"
    enum dts_cause blame; // their cause
    double limit_s;       // it is killed after this time; 0: never
    dts_child_fn run;
    void *argument;
};

/* Fork, run, wait. *result is what the child set, to be released with free(). */
bool dts_child_run(const struct dts_child *child, void **result, size_t *size,
                   struct dts_error *err);

#endif
