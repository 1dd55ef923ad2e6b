/* error.h -- how a function says that it failed.
 *
 * A function that can fail returns bool, true when it did its work, and takes a
 * struct dts_error as its last argument. Whoever first knows what is wrong writes the message:
 *
 *     if (servers > ranks)
 *         return dts_fail(err, DTS_BAD_INPUT, "servers: must be <= %d, got %d", ranks,
 * servers);
 *
 * The callers above hand it on unchanged; main() alone prints it and picks the exit status.
 * Only where a process of one of many points died, and the others go on, is it said at once.
 * What a programmer got wrong is asserted, never reported, and a small allocation that fails
 * ends the program (mem.h).
 */
#ifndef DTS_BASE_ERROR_H
#define DTS_BASE_ERROR_H

#include <stdbool.h>

/* What the reader of the message can mend. The values are the exit statuses of the program. */
enum dts_cause {
    DTS_NO_ERROR = 0,
    DTS_SYSTEM = 1,      // no such file, no memory, no device: the machine
    DTS_BAD_INPUT = 2,   // the command line or a file
    DTS_UNSUPPORTED = 3, // right, but this build or this machine cannot do it
};

struct dts_error {
    enum dts_cause cause;
    bool died;       // a process of it did
    bool told;       // stands on standard error already: main() says it no more
    char text[1024]; // one line without its newline: "file: path.to.value: what is wrong"
};

/* Record a failure and return false. The first message stays. */
bool dts_fail(struct dts_error *err, enum dts_cause cause, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
