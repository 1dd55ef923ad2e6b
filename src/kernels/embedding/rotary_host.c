/* rotary_host.c -- rotary.c on a CPU: cosines and sines of all positions are found once for all
 * heads and samples, in double, since an angle has as many radians as the last position. */
#include <math.h>

#include "kernels/embedding/rotary.h"
#include "kernels/ranges.h"

/* Of each position: cosines, then sines. */
size_t dts_rotary_scratch_host(const struct dts_op_call *call, int batch, int workers)
{
    (void)batch, (void)workers;
    const struct dts_rotary r = dts_rotary_of(call);
    return r.positions * r.pairs * 2 * sizeof(float);
}

/* A range of positions. */
static void find_angles(const struct dts_op_call *call, const struct dts_arrays *a,
                        struct dts_range range)
{
    const struct dts_rotary r = dts_rotary_of(call);
    for (size_t i = 0; i < r.pairs; i++) {
        const double speed = pow(call->base, -(double)i / (double)r.pairs);
        for (size_t p = range.first; p < range.first + range.count; p++) {
            float *cosines = (float *)a->scratch + p * 2 * r.pairs;
            const double angle = (double)(a->first + p) * speed;
            cosines[i] = (float)cos(angle);
            cosines[r.pairs + i] = (float)sin(angle);
        }
    }
}

/* A range of positions of all samples. */
static void turn(const struct dts_op_call *call, const struct dts_arrays *a,
                 struct dts_range range, const float *x, float *y, float sign)
{
    const struct dts_rotary r = dts_rotary_of(call);
    for (size_t row = range.first; row < range.first + range.count; row++) {
        const float *c = (const float *)a->scratch + row % r.positions * 2 * r.pairs;
        const float *s = c + r.pairs;
        for (size_t head = 0; head < r.heads; head++) {
            const size_t at = (row * r.heads + head) * 2 * r.pairs;
#pragma omp simd
            for (size_t i = 0; i < r.pairs; i++) {
                const float one = x[at + i], two = x[at + r.pairs + i];
                y[at + i] = one * c[i] - sign * two * s[i];
                y[at + r.pairs + i] = sign * one * s[i] + two * c[i];
            }
        }
    }
}

static void forward_rows(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    turn(call, a, range, a->x[0], a->y, 1);
}

static void backward_rows(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    turn(call, a, range, a->dy, a->dx[0], -1);
}

static void run(dts_range_fn *rows, const struct dts_op_call *call, const struct dts_arrays *a,
                const struct dts_place *place)
{
    const size_t positions = dts_rotary_of(call).positions;
    dts_ranges(find_angles, positions, call, a, place);
    dts_ranges(rows, (size_t)a->batch * positions, call, a, place);
}

void dts_rotary_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                             const struct dts_place *place)
{
    run(forward_rows, call, a, place);
}

void dts_rotary_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                              const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        run(backward_rows, call, a, place);
}
