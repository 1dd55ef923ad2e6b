/* device_messages.c -- how the messages of devices travelled, for people and as JSON. */
#include "answer/live/device_messages.h"

#include <math.h>

void dts_device_messages_text(const struct dts_device_messages *m, FILE *out)
{
    if (m->way == NULL)
        return;
    fprintf(out, "  Messages of devices: %s, %.4g MB copied for them between devices and hosts",
            m->way, 1e-6 * m->copied_bytes);
    if (m->why != NULL)
        fprintf(out, "\n  (this MPI: %s)", m->why);
    fprintf(out, ".\n");
}

void dts_device_messages_json(const struct dts_device_messages *m, struct dts_json *json)
{
    dts_json_string(json, "device_messages", m->way);
    dts_json_number(json, "device_message_copied_bytes",
                    m->way != NULL ? m->copied_bytes : NAN);
}
