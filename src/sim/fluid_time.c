/* fluid_time.c -- how time passes: speeds, and the next completion. */
#include <math.h>

#include "sim/fluid.h"

static double call_speed(const struct fluid *f, const struct lane *lane)
{
    bool slow = lane->state == CALLING && dts_fluid_is_kernel(dts_fluid_op(lane)) &&
                f->talking[lane->cohort] > 0;
    return slow ? 1 / (1 + f->simulation->slowdown) : 1;
}

static bool is_under_way(const struct transfer *t)
{
    return t->state == PAYING || t->state == UNDER_WAY;
}

static double transfer_left_s(const struct transfer *t)
{
    if (t->state == PAYING)
        return t->pays_s * t->repetition_s;
    return t->phase < t->phase_count ? t->left * t->repetition_s : 0;
}

/* Seconds until something completes; INFINITY: nothing is under way. */
static double next_completion(struct fluid *f)
{
    double least = INFINITY;
    for (int i = 0; i < f->lane_count; i++) {
        const struct lane *lane = &f->lanes[i];
        bool timed = lane->state == CALLING || lane->state == ARRIVING;
        f->left_s[i] = timed ? lane->left_s / call_speed(f, lane) : INFINITY;
        least = fmin(least, f->left_s[i]);
    }
    for (size_t i = 0; i < f->transfer_count; i++)
        if (is_under_way(&f->transfers[i]))
            least = fmin(least, transfer_left_s(&f->transfers[i]));
    for (size_t i = 0; i < f->tail_count; i++)
        least = fmin(least, f->tails[i].left_s);
    return least;
}

static void advance_transfer(struct fluid *f, size_t number, double elapsed, double nearly)
{
    struct transfer *t = &f->transfers[number];
    double *left = t->state == PAYING ? &t->pays_s : &t->left;
    if (transfer_left_s(t) > nearly)
        *left -= elapsed / t->repetition_s;
    else if (t->state == PAYING)
        t->state = UNDER_WAY;
    else if (++t->phase < t->phase_count)
        t->left = t->phases[t->phase].repeat;
    else
        dts_fluid_end_transfer(f, number);
}

/* Let time pass. What completes within rounding of `elapsed` completes now, so that equal times
 * stay equal. Speeds are those from before any of it completed. */
static void advance(struct fluid *f, double elapsed)
{
    size_t tails = f->tail_count; // those of now; what begins a tail now waits in full
    double nearly = elapsed * (1 + 1e-12) + 1e-15;
    for (int i = 0; i < f->lane_count; i++)
        f->lanes[i].left_s -= elapsed * call_speed(f, &f->lanes[i]);
    f->now += elapsed;
    for (int i = 0; i < f->lane_count; i++)
        if (f->left_s[i] <= nearly)
            dts_fluid_end_timed(f, &f->lanes[i]);
    for (size_t i = 0; i < f->transfer_count; i++)
        if (is_under_way(&f->transfers[i]))
            advance_transfer(f, i, elapsed, nearly);
    for (size_t i = 0, kept = 0; i < tails; i++) {
        bool over = f->tails[kept].left_s <= nearly;
        f->tails[kept].left_s -= elapsed;
        if (over)
            dts_fluid_end_tail(f, kept);
        else
            kept++;
    }
    dts_fluid_forget_transfers(f);
}

bool dts_fluid_advance(struct fluid *f)
{
    dts_fluid_set_rates(f);
    double elapsed = next_completion(f);
    if (isinf(elapsed))
        return false;
    advance(f, elapsed);
    return true;
}
