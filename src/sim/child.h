/* child.h -- work that may abort, hang or spoil its process runs in a child of its own.
 *
 * SimGrid takes one platform per process and answers bad input with abort(). The child computes
 * bytes, which come back over a pipe. When it dies instead, the parent gets an error with the
 * first line that the child wrote to stderr. The parent sees nothing of what the child changes
 * in memory.
 */
#ifndef DTS_SIM_CHILD_H
#define DTS_SIM_CHILD_H

#include <stddef.h>

#include "base/error.h"

/* Runs in the child. On success it sets *result (allocated) and *size. */
typedef bool (*dts_child_fn)(void *argument, void **result, size_t *size,
                             struct dts_error *err);

struct dts_child {
    const char *what;     // errors about its death begin with this: "platforms/x.xml"
    enum dts_cause blame; // the cause of these errors
    double limit_s;       // the child is killed after this time; 0: never
    dts_child_fn run;
    void *argument;
};

/* Forks, runs and waits. *result is what the child set; the caller releases it with free(). */
bool dts_child_run(const struct dts_child *child, void **result, size_t *size,
                   struct dts_error *err);

#endif
