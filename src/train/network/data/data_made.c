/* data_made.c -- samples that are made (made_task.h). The test part has a tenth as many as the
 * training part, at most 10,000, made as those that would follow. */
#include <stdlib.h>

#include "base/mem.h"
#include "train/network/data/data.h"
#include "train/network/data/made_task.h"

struct made {
    struct dts_made_task *task; // owned
    uint64_t training;
};

static bool open(const struct dts_data_request *request, void **self,
                 uint64_t samples[DTS_DATA_PARTS], struct dts_error *err)
{
    (void)err;
    struct made *made = dts_alloc(1, sizeof(*made));
    made->task = dts_made_task_new(request->model, request->seed);
    made->training = samples[DTS_DATA_TRAIN] = request->samples;
    const uint64_t tenth = (request->samples + 9) / 10;
    samples[DTS_DATA_TEST] = tenth < 10000 ? tenth : 10000;
    *self = made;
    return true;
}

static void fill(const void *self, enum dts_data_part part, struct dts_network *network,
                 const uint64_t *numbers, int batch)
{
    const struct made *made = self;
    dts_made_task_fill(made->task, network, part == DTS_DATA_TEST ? made->training : 0, numbers,
                       batch);
}

static void close(void *self)
{
    struct made *made = self;
    dts_made_task_free(made->task);
    free(made);
}

const struct dts_data_format dts_data_made = {
    .name = "made",
    .summary = "made of random numbers, for any network; it can be learned",
    .open = open,
    .fill = fill,
    .close = close,
};
