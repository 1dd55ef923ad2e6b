/* table_rows.c -- the host's version, and who takes which. */
#include "kernels/embedding/table_rows.h"

#include <string.h>

#include "kernels/place.h"

bool dts_row_has_gradient(const float *gradient, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(gradient[i] == 0)) // not a number is not zero
            return true;
    return false;
}

static void copy_share(void *argument, int worker, int workers)
{
    const struct dts_table_rows *t = argument;
    size_t first;
    const size_t count = dts_share_of(t->rows, worker, workers, &first);
    for (size_t r = first; r < first + count; r++) {
        const size_t at = r * t->row;
        if (dts_row_has_gradient(t->gradient + at, t->row))
            memcpy(t->to + at, t->from + at, t->row * sizeof(float));
    }
}

static void copy_host(const struct dts_table_rows *rows, const struct dts_place *place)
{
    struct dts_table_rows job = *rows;
    dts_workers_run(place->workers, copy_share, &job);
}

void dts_table_rows_copy(const struct dts_table_rows *rows, const struct dts_place *place)
{
    dts_table_rows_fn *there = DTS_CUDA_FUNCTION(dts_table_rows_copy_cuda);
    (dts_place_is_gpu(place) ? there : copy_host)(rows, place);
}
