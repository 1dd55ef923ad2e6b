/* data.c -- the table of formats. */
#include "train/network/data/data.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

extern const struct dts_data_format dts_data_idx;
extern const struct dts_data_format dts_data_made;
const struct dts_data_format *const dts_data_formats[] = {
    &dts_data_idx,
    &dts_data_made,
    NULL,
};

struct dts_data {
    const struct dts_data_format *format;
    void *self;
    uint64_t samples[DTS_DATA_PARTS];
};

bool dts_data_open(struct dts_data **out, const struct dts_data_request *request,
                   struct dts_error *err)
{
    const struct dts_data_format *const *format = dts_data_formats;
    while (*format != NULL && strcmp((*format)->name, request->format) != 0)
        format++;
    if (*format == NULL)
        return dts_fail(err, DTS_UNSUPPORTED, "live.data.format: this build has no \"%s\"",
                        request->format);
    struct dts_data *data = dts_alloc(1, sizeof(*data));
    data->format = *format;
    if (!data->format->open(request, &data->self, data->samples, err)) {
        free(data);
        return false;
    }
    *out = data;
    return true;
}

void dts_data_close(struct dts_data *data)
{
    if (data == NULL)
        return;
    data->format->close(data->self);
    free(data);
}

uint64_t dts_data_samples(const struct dts_data *data, enum dts_data_part part)
{
    return data->samples[part];
}

void dts_data_fill(const struct dts_data *data, enum dts_data_part part,
                   struct dts_network *network, const uint64_t *numbers, int batch)
{
    bool tokens;
    if (dts_network_input(network, &tokens) !=
        NULL) // a stage in the middle has nothing to fill
        data->format->fill(data->self, part, network, numbers, batch);
}
