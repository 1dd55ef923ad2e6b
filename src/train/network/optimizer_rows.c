/* optimizer_rows.c -- rows are copied together, updated by the rule, and copied back; where the
 * host cannot see which they are, they stay in their places among others. */
#include "train/network/optimizer_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sizes.h"
#include "kernels/embedding/table_rows.h"
#include "kernels/place.h"

enum { BLOCK_VALUES = 1 << 16 }; // that are copied at once, if rows are not longer: in caches

struct block {
    size_t *numbers;         // of its rows; owned
    const float **gradients; // of each; the array is owned
    float *w, *g, *state;    // owned
    size_t rows, room;
};

static struct block new_block(const struct dts_rows_update *to)
{
    const size_t fit = BLOCK_VALUES / to->row, room = fit > 0 ? fit : 1;
    const size_t states = (size_t)to->update->optimizer->state_values;
    return (struct block){
        .numbers = dts_alloc(room, sizeof(size_t)),
        .gradients = dts_alloc(room, sizeof(float *)),
        .w = dts_alloc(room * to->row, sizeof(float)),
        .g = dts_alloc(room * to->row, sizeof(float)),
        .state = dts_alloc(room * to->row * states + 1, sizeof(float)),
        .room = room,
    };
}

static void free_block(struct block *b)
{
    free(b->numbers);
    free(b->gradients);
    free(b->w);
    free(b->g);
    free(b->state);
}

/* The block's rows of weights and states out of the table, or back into it. */
static void copy(const struct dts_rows_update *to, const struct block *b, bool back)
{
    const size_t bytes = to->row * sizeof(float);
    for (size_t i = 0; i < b->rows; i++) {
        const size_t from = b->numbers[i] * to->row;
        float *w = to->weights + from, *mine = b->w + i * to->row;
        memcpy(back ? w : mine, back ? mine : w, bytes);
        for (size_t s = 0; s < (size_t)to->update->optimizer->state_values; s++) {
            float *state = to->state + s * to->count + from;
            float *kept = b->state + (s * b->rows + i) * to->row;
            memcpy(back ? state : kept, back ? kept : state, bytes);
        }
    }
}

static void finish(const struct dts_rows_update *to, struct block *b,
                   const struct dts_place *place)
{
    const struct dts_update_arrays arrays = {
        .count = b->rows * to->row, .w = b->w, .g = b->g, .state = b->state};
    for (size_t i = 0; i < b->rows; i++)
        memcpy(b->g + i * to->row, b->gradients[i], to->row * sizeof(float));
    copy(to, b, false);
    to->update->host(to->settings, &arrays, place);
    copy(to, b, true);
    b->rows = 0;
}

void dts_rows_update(const struct dts_rows_update *to, const struct dts_sparse *list,
                     const float *dense, struct dts_workers *workers)
{
    const struct dts_place place = {.workers = workers};
    const size_t count = list != NULL ? list->count : to->count / to->row;
    const float *gradients = list != NULL ? list->values : dense;
    struct block b = new_block(to);
    for (size_t i = 0; i < count; i++) {
        const float *gradient = gradients + i * to->row;
        if (!dts_row_has_gradient(gradient, to->row))
            continue;
        b.numbers[b.rows] = list != NULL ? (size_t)list->rows[i] : i;
        b.gradients[b.rows++] = gradient;
        if (b.rows == b.room)
            finish(to, &b, &place);
    }
    if (b.rows > 0)
        finish(to, &b, &place);
    free_block(&b);
}

/* Rows of a part of a table that goes through scratch at once: few starts of kernels, and
 * little memory beside a table's. */
static size_t rows_of_part(size_t count, size_t row)
{
    enum { PART_VALUES = 1 << 22 };
    const size_t fit = PART_VALUES / row;
    return dts_least(count / row, fit > 0 ? fit : 1);
}

size_t dts_rows_scratch_bytes(const struct dts_update *update, size_t count, size_t row)
{
    const size_t arrays = 1 + (size_t)update->optimizer->state_values;
    return arrays * rows_of_part(count, row) * row * sizeof(float);
}

/* Weights and states of the part that begins at `first`, into scratch or back. */
static void copy_part(const struct dts_rows_update *to, const struct dts_table_rows *part,
                      size_t first, float *scratch, bool back, const struct dts_place *place)
{
    const size_t values = part->rows * part->row;
    for (size_t s = 0; s <= (size_t)to->update->optimizer->state_values; s++) {
        float *table = (s == 0 ? to->weights : to->state + (s - 1) * to->count) + first;
        float *mine = scratch + s * values;
        struct dts_table_rows rows = *part;
        rows.from = back ? mine : table;
        rows.to = back ? table : mine;
        dts_table_rows_copy(&rows, place);
    }
}

void dts_rows_update_there(const struct dts_rows_update *to, const float *dense, float *scratch,
                           const struct dts_place *place)
{
    const size_t most = rows_of_part(to->count, to->row), all = to->count / to->row;
    for (size_t r = 0; r < all; r += most) {
        const size_t first = r * to->row;
        const struct dts_table_rows part = {
            .rows = dts_least(most, all - r), .row = to->row, .gradient = dense + first};
        const size_t values = part.rows * part.row;
        const struct dts_update_arrays arrays = {
            .count = values, .w = scratch, .g = part.gradient, .state = scratch + values};
        copy_part(to, &part, first, scratch, false, place);
        dts_place_update(place, to->update)(to->settings, &arrays, place);
        copy_part(to, &part, first, scratch, true, place);
    }
}
