/* piece.c -- pushes are merged in the order in which they are taken. */
#include "train/live/kernels/tables/piece.h"

#include <stdlib.h>

#include "train/live/kernels/tables/asked.h"

void dts_live_piece_free(struct dts_live_piece *p)
{
    dts_sparse_free(&p->sum);
    dts_sparse_free(&p->more);
}

void dts_live_piece_take(struct dts_live_piece *p, const float *message, float factor,
                         bool first)
{
    struct dts_sparse list = dts_live_rows_read(&p->part.table->row, message, p->floats);
    for (size_t r = 0; r < list.count; r++)
        list.rows[r] -= (int32_t)p->part.first;
    if (factor < 1 || factor > 1)
        dts_sparse_scale(&list, factor, NULL);
    if (first)
        p->sum.count = 0;
    p->sum.features = p->part.table->width;
    dts_sparse_merge(&p->more, &p->sum, &list, NULL);
    const struct dts_sparse keep = p->sum;
    p->sum = p->more;
    p->more = keep;
    dts_sparse_free(&list);
}

void dts_live_piece_give(const struct dts_live_piece *p, const struct dts_live_served *served,
                         const float *weights, int worker, int step, float *message)
{
    const struct dts_live_table *table = p->part.table;
    const float *rows = weights + table->offset;
    int32_t *asked;
    const size_t count = dts_live_asked_rows(served, &p->part, worker, step, &asked);
    for (size_t i = 0; i < count; i++)
        dts_live_row_put(&table->row, message, i, asked[i],
                         rows + (size_t)asked[i] * table->width);
    dts_live_rows_end(&table->row, message, p->floats, count);
    free(asked);
}
