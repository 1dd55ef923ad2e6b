/* message.c -- numbers are the bits of a float, or of the first of two. */
#include "train/live/kernels/tables/message.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

struct dts_live_row dts_live_row_of(size_t width, int index_bytes)
{
    const size_t number = (size_t)index_bytes / sizeof(float);
    return (struct dts_live_row){number, number + width};
}

void dts_live_row_put(const struct dts_live_row *row, float *message, size_t place,
                      int32_t number, const float *values)
{
    float *to = message + place * row->all;
    memcpy(to, &number, sizeof(number));
    memset(to + 1, 0, (row->number - 1) * sizeof(*to));
    memcpy(to + row->number, values, (row->all - row->number) * sizeof(*values));
}

void dts_live_rows_end(const struct dts_live_row *row, float *message, size_t floats,
                       size_t count)
{
    const int32_t nothing = -1;
    const size_t end = count * row->all;
    if (floats > end)
        memset(message + end, 0, (floats - end) * sizeof(*message));
    if (floats > end)
        memcpy(message + end, &nothing, sizeof(nothing));
}

void dts_live_rows_put(const struct dts_live_row *row, float *message, size_t floats,
                       const struct dts_sparse *list, size_t first, size_t end)
{
    size_t count = 0;
    for (size_t r = 0; r < list->count; r++)
        if ((size_t)list->rows[r] >= first && (size_t)list->rows[r] < end) {
            assert((count + 1) * row->all <= floats); // room.h
            dts_live_row_put(row, message, count++, list->rows[r],
                             list->values + r * list->features);
        }
    dts_live_rows_end(row, message, floats, count);
}

struct dts_sparse dts_live_rows_read(const struct dts_live_row *row, const float *message,
                                     size_t floats)
{
    const size_t room = floats / row->all, width = row->all - row->number;
    struct dts_sparse list = {.features = width,
                              .rows = dts_alloc(room + 1, sizeof(*list.rows)),
                              .values = dts_alloc(room * width + 1, sizeof(*list.values)),
                              .row_room = room + 1,
                              .value_room = room * width + 1};
    for (size_t r = 0; r < room; r++) {
        memcpy(&list.rows[r], message + r * row->all, sizeof(*list.rows));
        if (list.rows[r] < 0)
            break;
        memcpy(list.values + r * width, message + r * row->all + row->number,
               width * sizeof(float));
        list.count++;
    }
    return list;
}
