/* optimizer_rows.c -- rows are copied together, updated by the rule, and copied back. */
#include "exec/optimizer_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

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

static bool is_zero(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(values[i] == 0)) // not a number is not zero
            return false;
    return true;
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
        if (is_zero(gradient, to->row))
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
