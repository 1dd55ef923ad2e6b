/* samples.c -- a step's samples, microbatch after microbatch, and in each rank after rank. */
#include "train/live/kernels/samples.h"

uint64_t dts_live_samples(struct dts_live_kernels *k, struct dts_network *network, int replica,
                          long step, int microbatch)
{
    const struct dts_point *point = k->point;
    const uint64_t batch = (uint64_t)point->batch, replicas = (uint64_t)point->replicas;
    const uint64_t before = (uint64_t)step * (uint64_t)point->microbatches;
    const uint64_t first =
        ((before + (uint64_t)microbatch) * replicas + (uint64_t)replica) * batch;
    for (uint64_t i = 0; i < batch; i++)
        k->numbers[i] = dts_order_sample(&k->order, first + i);
    dts_data_fill(k->data, DTS_DATA_TRAIN, network, k->numbers, (int)batch);
    return first;
}
