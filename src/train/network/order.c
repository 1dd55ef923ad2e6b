/* order.c -- a shuffle by counters: a network of Feistel's (Black and Rogaway 2002,
 * doi:10.1007/3-540-45760-7_9) permutes the next power of four, and what falls outside of the
 * samples goes through it again until it is inside, at most four times on average. */
#include "train/network/order.h"

#include <assert.h>

#include "base/rng.h"

enum { ROUNDS = 6 };

static uint64_t permute(uint64_t seed, uint64_t epoch, int half_bits, uint64_t place)
{
    const uint64_t mask = ((uint64_t)1 << half_bits) - 1;
    uint64_t left = place >> half_bits, right = place & mask;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const uint64_t drawn = dts_random(seed, epoch << 3 | round, right) & mask;
        const uint64_t next = left ^ drawn;
        left = right;
        right = next;
    }
    return left << half_bits | right;
}

uint64_t dts_order_shuffled(uint64_t seed, uint64_t epoch, uint64_t count, uint64_t place)
{
    int half_bits = 1;
    assert(place < count && count <= (uint64_t)1 << 62);
    while (((uint64_t)1 << (2 * half_bits)) < count)
        half_bits++;
    do
        place = permute(seed, epoch, half_bits, place);
    while (place >= count);
    return place;
}

uint64_t dts_order_epoch_steps(const struct dts_order *order)
{
    return order->samples / order->step_samples;
}

uint64_t dts_order_sample(const struct dts_order *order, uint64_t position)
{
    const uint64_t used = dts_order_epoch_steps(order) * order->step_samples;
    return dts_order_shuffled(order->seed, position / used, order->samples, position % used);
}
