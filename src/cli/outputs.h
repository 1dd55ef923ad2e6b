/* outputs.h -- the files that a command will write, tried before its work: nobody wants to hear
 * after hours that the answer cannot be written. */
#ifndef DTS_CLI_OUTPUTS_H
#define DTS_CLI_OUTPUTS_H

#include "answer/scene.h"
#include "base/error.h"

struct dts_named_output {
    const char *name; // what asked for it: "--output", "live.weights"
    const char *path; // NULL: nothing is asked for; "-": standard output
};

/* Is it another file than that one, which is read? */
bool dts_output_spares(const struct dts_named_output *output, const char *read,
                       struct dts_error *err);

/* Can each be written, and is each another file than those before it, and than those that the
 * scenes were read from? (What is no file, such as /dev/null, may be named twice.) All files
 * stay as they are. */
bool dts_outputs_check(const struct dts_named_output *outputs, int count,
                       const struct dts_scene *scenes, int scene_count, struct dts_error *err);

#endif
