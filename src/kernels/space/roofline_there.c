/* roofline_there.c -- the peaks of a device with memory of its own: matrix products by its own
 * library, sums of vectors and the time of a call by its kernels. */
#include <math.h>
#include <stdlib.h>

#include "base/measure/measure.h"
#include "base/mem.h"
#include "kernels/reduce/reduce.h"
#include "kernels/space/roofline.h"
#include "kernels/space/space.h"

enum { TINY = 4, FIRST_SIDE = 512, MOST_SIDE = 1 << 15, WORDS = 1 << 18, ARRAYS = 3 };

/* The start of a call and the wait for it cost some 10 us, ASSUMED: of so long a run half a
 * percent. */
static const double long_s = 2e-3;

/* Three square matrices, and what is done with them. */
struct trial {
    struct dts_space *space;
    enum dts_precision precision;
    size_t side;
    void *arrays[ARRAYS];
    void (*run)(struct trial *trial);
    bool can;
};

static void product(struct trial *t)
{
    t->can = dts_space_multiply(t->space, t->precision, t->side, t->arrays[0], t->arrays[1],
                                t->arrays[2]);
}

static void sum_of_vectors(struct trial *t)
{
    const struct dts_place *place = dts_space_place(t->space);
    dts_reduce_add(t->arrays[0], t->arrays[1], t->side * t->side, place);
    t->can = true;
}

static void run(void *argument)
{
    struct trial *t = argument;
    dts_space_enter(t->space);
    t->run(t);
    dts_space_leave(t->space);
    dts_space_wait(t->space);
}

static size_t bytes_of(const struct trial *t)
{
    return t->side * t->side * dts_precision_bytes(t->precision);
}

/* No zeros, which take less power than numbers do, and so run at higher clocks: words whose
 * upper byte is 0x3c are part of positive numbers up to 1.25 in every format. */
static bool make(struct trial *t, struct dts_error *err)
{
    uint16_t *words = dts_alloc(WORDS, sizeof(*words));
    bool good = true;
    for (size_t i = 0; i < WORDS; i++)
        words[i] = (uint16_t)(0x3c00 | (i * 97 & 0xff));
    for (int i = 0; i < ARRAYS && good; i++) {
        good = dts_space_get(t->space, bytes_of(t), &t->arrays[i], err);
        if (good)
            dts_space_fill(t->space, t->arrays[i], bytes_of(t), words, WORDS * sizeof(*words));
    }
    free(words);
    return good;
}

static void give_back(struct trial *t)
{
    for (int i = 0; i < ARRAYS; i++) {
        dts_space_give_back(t->space, t->arrays[i]);
        t->arrays[i] = NULL;
    }
}

/* May it be twice as large? */
static bool grows(const struct trial *t)
{
    const double times = 4; // the bytes
    struct dts_space_facts facts;
    dts_space_facts(t->space, &facts);
    return 2 * t->side <= MOST_SIDE && times * ARRAYS * (double)bytes_of(t) < facts.spare_bytes;
}

/* The median, at the side from which on a run is long; t->side is that. False: no memory. */
static bool measure(struct trial *t, double budget_s, double *seconds, struct dts_error *err)
{
    const struct dts_meter once = {.limit_s = 0, .least = 1};
    const struct dts_meter meter = {.limit_s = budget_s, .least = 7, .spread = 0.01};
    struct dts_measured time = {.count = 0};
    bool good = make(t, err);
    if (good)
        dts_measure(&once, run, t, &time);
    while (good && t->can && time.median_s < long_s && grows(t)) {
        give_back(t);
        t->side *= 2;
        good = make(t, err);
        if (good)
            dts_measure(&once, run, t, &time);
    }
    if (good && t->can)
        dts_measure(&meter, run, t, &time);
    give_back(t);
    *seconds = good ? time.median_s : 0;
    return good;
}

static bool measure_products(struct dts_space *space, double budget_s, double *flops_per_s,
                             struct dts_error *err)
{
    for (int p = 0; p < DTS_PRECISIONS; p++) {
        struct trial t = {.space = space, .precision = p, .side = FIRST_SIDE, .run = product};
        double seconds;
        if (!measure(&t, budget_s, &seconds, err))
            return false;
        flops_per_s[p] = t.can ? 2 * pow((double)t.side, 3) / seconds : 0;
    }
    return true;
}

/* Vectors of eight times the last cache, at the least: what of them is still there from the run
 * before is little. */
static bool measure_memory(struct dts_space *space, double cache_bytes, double budget_s,
                           double *bytes_per_s, struct dts_error *err)
{
    struct trial t = {
        .space = space, .precision = DTS_FP32, .side = FIRST_SIDE, .run = sum_of_vectors};
    double seconds;
    while ((double)bytes_of(&t) < 8 * cache_bytes && grows(&t))
        t.side *= 2;
    if (!measure(&t, budget_s, &seconds, err))
        return false;
    *bytes_per_s = ARRAYS * (double)bytes_of(&t) / seconds; // two are read, one is written
    return true;
}

/* With the wait for it: as kernels are timed, and as they run in training (docs/live.md). */
static bool measure_call(struct dts_space *space, double budget_s, double *call_s,
                         struct dts_error *err)
{
    const struct dts_meter meter = {.limit_s = budget_s, .least = 100, .spread = 0.01};
    struct trial t = {.space = space, .precision = DTS_FP32, .side = TINY, .run = product};
    struct dts_measured time = {.count = 0};
    const bool good = make(&t, err);
    if (good)
        dts_measure(&meter, run, &t, &time);
    give_back(&t);
    *call_s = good ? time.median_s : 0;
    return good;
}

bool dts_roofline_there(struct dts_space *space, double budget_s, struct dts_roofline *out,
                        struct dts_roofline_words *words, struct dts_error *err)
{
    struct dts_space_facts facts;
    dts_space_facts(space, &facts);
    snprintf(words->name, sizeof(words->name), "%s", facts.name);
    snprintf(words->library, sizeof(words->library), "%s", facts.library);
    *out = (struct dts_roofline){
        .memory_bytes = facts.memory_bytes,
        .kind = "gpu",
        .name = words->name,
        .library = words->library,
        .products = "median of square matrix products by its library; 16 bits: operands and "
                    "result, summed in 32",
        .memory = "bytes: all that the device has. Rate: median of y += x over vectors larger "
                  "than its last cache, 12 bytes an element",
        .call = "a product of 4 x 4 matrices and the wait for it",
    };
    return measure_products(space, budget_s, out->flops_per_s, err) &&
           measure_memory(space, facts.cache_bytes, budget_s, &out->memory_bytes_per_s, err) &&
           measure_call(space, budget_s, &out->call_s, err);
}
