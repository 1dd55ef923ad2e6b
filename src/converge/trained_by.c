/* trained_by.c -- the key "trained" of profiles and tables. */
#include "converge/trained_by.h"

#include <math.h>

const struct dts_field dts_trained_by_fields[] = {
    {DTS_KEY(struct dts_trained_by, scaling), .type = DTS_STRING, .missing = "null",
     .help = "how the learning rate follows the batch, as live.scaling.rule"},
    {DTS_KEY(struct dts_trained_by, warm_up), .type = DTS_STRING, .missing = "null",
     .help = "none, or as live.schedule.warm_up"},
    {DTS_KEY(struct dts_trained_by, decay), .type = DTS_STRING, .missing = "null",
     .help = "how the rate falls, as live.schedule.kind"},
    {DTS_KEY(struct dts_trained_by, batch_norm_samples), .type = DTS_REAL, .min = 1, .max = 1e9,
     .missing = "null",
     .help = "samples that batch normalization spans: of a device, or of ghost batches"},
    {0},
};

void dts_trained_by_print(const struct dts_trained_by *trained, struct dts_json *json)
{
    if (trained->scaling == NULL && trained->warm_up == NULL && trained->decay == NULL &&
        trained->batch_norm_samples <= 0)
        return;
    dts_json_object(json, "trained");
    dts_json_string(json, "scaling", trained->scaling);
    dts_json_string(json, "warm_up", trained->warm_up);
    dts_json_string(json, "decay", trained->decay);
    dts_json_number(json, "batch_norm_samples",
                    trained->batch_norm_samples > 0 ? trained->batch_norm_samples : NAN);
    dts_json_end(json);
}
