/* reduce_host.c -- reductions on a place, and workers that share the values of one. */
#include "kernels/reduce/reduce_host.h"

#include "kernels/place.h"

void dts_reduce_run(const struct dts_reduction *reduction,
                    const struct dts_reduce_arrays *arrays, const struct dts_place *place)
{
    dts_place_reduction(place, reduction)(arrays, place);
}

struct each {
    dts_reduce_part *part;
    const struct dts_reduce_arrays *arrays;
};

static void run_share(void *argument, int worker, int workers)
{
    const struct each *each = argument;
    size_t first;
    const size_t count = dts_share_of(each->arrays->count, worker, workers, &first);
    each->part(each->arrays, first, first + count);
}

void dts_reduce_each(dts_reduce_part *part, const struct dts_reduce_arrays *arrays,
                     struct dts_workers *workers)
{
    struct each each = {part, arrays};
    dts_workers_run(workers, run_share, &each);
}
