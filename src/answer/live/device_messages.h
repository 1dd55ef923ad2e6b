/* device_messages.h -- how the messages of devices travelled in a run (docs/live.md, "GPUs").
 */
#ifndef DTS_ANSWER_LIVE_DEVICE_MESSAGES_H
#define DTS_ANSWER_LIVE_DEVICE_MESSAGES_H

#include <stdio.h>

#include "base/json/json_out.h"

struct dts_device_messages {
    const char *way;     // "direct" or "staged"; NULL: no rank has a device
    const char *why;     // staged: what rank 0 lacks for "direct"; NULL: nothing
    double copied_bytes; // between devices and hosts for messages, by all ranks in all steps
};

/* Both print nothing where there is nothing to say. */
void dts_device_messages_text(const struct dts_device_messages *messages, FILE *out);
void dts_device_messages_json(const struct dts_device_messages *messages,
                              struct dts_json *json);

#endif
