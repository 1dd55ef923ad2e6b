/* test_op_table_rows.c -- rows with a gradient, where the host cannot see which they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "gpu_here.h"
#include "kernels/embedding/table_rows.h"
#include "kernels/place.h"
#include "train/network/optimizer_rows.h"

enum { ROWS = 7, ROW = 3, VALUES = ROWS * ROW };

/* Row 1 has one value, row 4 a NaN, row 6 the last value of all. */
static void fill(float *gradient, float *from, float *to)
{
    for (int i = 0; i < VALUES; i++) {
        gradient[i] = i % 2 == 0 ? 0.0f : -0.0f;
        from[i] = (float)(100 + i);
        to[i] = (float)i;
    }
    gradient[1 * ROW] = 1e-30f;
    gradient[4 * ROW + 1] = NAN;
    gradient[VALUES - 1] = -2;
}

static void check_copied(const float *to)
{
    for (int i = 0; i < VALUES; i++) {
        const int row = i / ROW;
        CHECK_NEAR(to[i], (row == 1 || row == 4 || row == 6 ? 100 : 0) + i, 0);
    }
}

static void rows_with_a_gradient_are_copied(void)
{
    for (int workers = 1; workers <= 3; workers++) {
        float gradient[VALUES], from[VALUES], to[VALUES];
        struct dts_workers *team = dts_workers_new(workers);
        fill(gradient, from, to);
        dts_table_rows_copy(&(struct dts_table_rows){ROWS, ROW, gradient, from, to},
                            &(struct dts_place){.workers = team});
        check_copied(to);
        dts_workers_free(team);
    }
}

static void gpus_copy_the_same_rows(void)
{
    float arrays[3][VALUES];
    void *there[3] = {NULL};
    struct dts_gpu *gpu;
    struct dts_error err = {0};
    OP_GPU_OPEN(&gpu);
    fill(arrays[0], arrays[1], arrays[2]);
    for (int i = 0; i < 3; i++)
        CHECK(dts_gpu_alloc(&there[i], sizeof(arrays[i]), &err) &&
              dts_gpu_write(gpu, there[i], arrays[i], sizeof(arrays[i]), &err));
    dts_table_rows_copy(&(struct dts_table_rows){ROWS, ROW, there[0], there[1], there[2]},
                        dts_gpu_place(gpu));
    CHECK(dts_gpu_wait(gpu, &err) &&
          dts_gpu_read(gpu, arrays[2], there[2], sizeof(arrays[2]), &err));
    check_copied(arrays[2]);
    for (int i = 0; i < 3; i++)
        dts_gpu_free(there[i]);
    dts_gpu_close(gpu);
}

/* A table that goes through scratch in two parts, one row in a thousand with a gradient: the
 * same bits as where rows are picked. */
static void check_update(const char *name)
{
    enum { TABLE_ROWS = 5000, WIDTH = 1000, STEPS = 3 };
    const size_t count = (size_t)TABLE_ROWS * WIDTH;
    const struct dts_update *update = dts_update_find(name);
    const size_t states = (size_t)update->optimizer->state_values * count;
    float *w[2], *state[2], *gradient = dts_alloc(count, sizeof(*gradient));
    float *scratch = dts_alloc(dts_rows_scratch_bytes(update, count, WIDTH), 1);
    const struct dts_place place = {.workers = dts_workers_new(2)};
    CHECK(dts_rows_scratch_bytes(update, count, WIDTH) < (count + states) * sizeof(float));
    for (int k = 0; k < 2; k++) {
        w[k] = dts_alloc(count, sizeof(**w));
        state[k] = dts_alloc(states, sizeof(**state));
        for (size_t i = 0; i < count; i++)
            w[k][i] = (float)(i % 1000);
    }
    for (int s = 0; s < STEPS; s++) {
        struct dts_update_settings settings = update->usual;
        settings.rate = 0.1;
        settings.step = s + 1;
        memset(gradient, 0, count * sizeof(*gradient));
        for (size_t r = (size_t)s; r < TABLE_ROWS; r += 1000)
            for (size_t i = 0; i < WIDTH; i++)
                gradient[r * WIDTH + i] = (float)dts_normal(1, (uint64_t)s, i);
        struct dts_rows_update to = {update, &settings, w[0], state[0], count, WIDTH};
        dts_rows_update(&to, NULL, gradient, place.workers);
        to.weights = w[1];
        to.state = state[1];
        dts_rows_update_there(&to, gradient, scratch, &place);
    }
    CHECK(memcmp(w[0], w[1], count * sizeof(**w)) == 0);
    CHECK(memcmp(state[0], state[1], states * sizeof(**state)) == 0);
    CHECK(w[1][0] < 0 || w[1][0] > 0); // row 0 moved
    CHECK_NEAR(w[1][(size_t)3 * WIDTH + 5], 5, 0);
    for (int k = 0; k < 2; k++) {
        free(w[k]);
        free(state[k]);
    }
    free(gradient);
    free(scratch);
    dts_workers_free(place.workers);
}

static void a_table_in_parts_is_updated_as_rows_are(void)
{
    check_update("momentum");
    check_update("adam");
}

TESTS(TEST(rows_with_a_gradient_are_copied), TEST(gpus_copy_the_same_rows),
      TEST(a_table_in_parts_is_updated_as_rows_are))
