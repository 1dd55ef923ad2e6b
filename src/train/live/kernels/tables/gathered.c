/* gathered.c -- a message is what a rank owns of all channels, one behind the other. */
#include "train/live/kernels/tables/gathered.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/run.h"

size_t dts_live_gathered_room(const struct dts_collective *c)
{
    return c->data.count / (size_t)c->group.size;
}

/* To or from `values`. */
static void move(const struct dts_live_kernels *k, const struct dts_collective *c, int rank,
                 float *values, bool out)
{
    size_t at = 0;
    for (int channel = 0; channel < c->channels; channel++) {
        const struct dts_span part = dts_collective_share(k->rank.role, c, rank, channel);
        float *there = k->rank.buffers[part.buffer] + part.first;
        memcpy(out ? there : values + at, out ? values + at : there,
               part.count * sizeof(float));
        at += part.count;
    }
}

void dts_live_gathered_give(const struct dts_live_kernels *k, const struct dts_collective *c,
                            const struct dts_live_row *row, const struct dts_sparse *list,
                            size_t first, size_t end)
{
    const size_t room = dts_live_gathered_room(c);
    float *message = dts_alloc(room, sizeof(float));
    dts_live_rows_put(row, message, room, list, first, end);
    move(k, c, k->rank.rank, message, true);
    free(message);
}

/* The first rank of this one's group. */
static int first_of(const struct dts_live_kernels *k, const struct dts_group *group)
{
    const int member = k->rank.rank / group->stride % group->size;
    return k->rank.rank - member * group->stride;
}

struct dts_sparse dts_live_gathered_sum(const struct dts_live_kernels *k,
                                        const struct dts_collective *c,
                                        const struct dts_live_row *row)
{
    const size_t room = dts_live_gathered_room(c);
    float *message = dts_alloc(room, sizeof(float));
    struct dts_sparse sum = {.features = row->all - row->number}, more = {0};
    for (int i = 0; i < c->group.size; i++) {
        move(k, c, first_of(k, &c->group) + i * c->group.stride, message, false);
        struct dts_sparse list = dts_live_rows_read(row, message, room);
        dts_sparse_merge(&more, &sum, &list, NULL);
        const struct dts_sparse keep = sum;
        sum = more;
        more = keep;
        dts_sparse_free(&list);
    }
    dts_sparse_free(&more);
    free(message);
    return sum;
}
