/* calibrate_compute.c -- a small kernel runs again and again for a while, on one rank of each
 * node, on two, ... on all, and on all while they exchange messages.
 *
 * Other programs may be running. What ranks take from one another in a processor (caches,
 * memory, the other thread of a core) is therefore measured by the time that each rank had a
 * core, and what they take by waiting for a core follows from how many there are. Who does not
 * compute sleeps: a barrier of MPI's own would use the core that is measured.
 *
 * What messages and kernels take from each other is measured by the clock, each alone and both
 * at once in short turns, so that others who come and go meet all alike; the medians count.
 */
#include "live/calibrate_compute.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/stats.h"
#include "live/pieces.h"
#include "live/values.h"

enum { ROUNDS = 9, TURNS = 40, FEW_TURNS = 9, TAG = 4, MESSAGE_BYTES = 1 << 20 };
static const double ROUND_S = 0.03, TURN_S = 0.02; // some time slices of the system's scheduler
static const double LIMIT_S = 4;                   // of all turns

/* Products of small matrices, and sums of vectors that the last cache holds: half of the time
 * each. Sums in memory would slow two ranks far more than steps of networks do: measured,
 * docs/log/2026-11-comments.md. */
enum { SIDE = 64, SUM = 32 << 10, VECTOR = 512 << 10 };

struct kernel {
    float *a, *b, *c; // SIDE x SIDE; owned
    float *x, *y;     // VECTOR; owned
    size_t at;
    atomic_bool stop;
    double rate;      // repetitions a second
    double core_rate; // repetitions in a second of having a core
};

static float *numbers(size_t count)
{
    float *values = dts_alloc(count, sizeof(*values));
    for (size_t i = 0; i < count; i++)
        values[i] = 1e-3f * (float)(i % 7);
    return values;
}

static void once(struct kernel *k)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            const float factor = k->a[i * SIDE + j];
            for (int e = 0; e < SIDE; e++)
                k->c[i * SIDE + e] = 0.5f * k->c[i * SIDE + e] + factor * k->b[j * SIDE + e];
        }
    dts_values_add_floats(k->x + k->at, k->y + k->at, SUM);
    k->at = (k->at + SUM) % VECTOR;
}

static double core_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Until `while_s` is over, or until it is stopped where that is 0. */
static void repeat(struct kernel *k, double while_s)
{
    const double begin_s = dts_now_s(), begin_core_s = core_s();
    double now_s = begin_s;
    int times = 0;
    for (; while_s > 0 ? now_s < begin_s + while_s : !atomic_load(&k->stop); times++) {
        once(k);
        now_s = dts_now_s();
    }
    const double used_s = core_s() - begin_core_s;
    k->rate = now_s > begin_s ? times / (now_s - begin_s) : 0;
    k->core_rate = used_s > 0 ? times / used_s : 0;
}

static void *repeat_until_stopped(void *kernel)
{
    repeat(kernel, 0);
    return NULL;
}

struct bench {
    const struct dts_wire *wire;
    MPI_Comm comm;
    int rank, size;
    struct kernel kernel;
    float *out, *sum; // a message, and what others are added to; owned
    struct dts_pieces pieces;
    int exchanges; // that take about TURN_S
};

static void meet(const struct bench *b)
{
    MPI_Request request;
    DTS_MPI(MPI_Ibarrier(b->comm, &request));
    dts_pieces_wait(&request);
}

static void add_piece(void *self, int message, size_t first, void *piece, size_t bytes)
{
    struct bench *b = self;
    (void)message;
    dts_values_add_floats(b->sum + first / sizeof(float), piece, bytes / sizeof(float));
}

/* As a ring does it: send to one, take from another, add. */
static void exchange(struct bench *b, int times)
{
    const int to = (b->rank + 1) % b->size, from = (b->rank + b->size - 1) % b->size;
    const struct dts_carrier carrier = {add_piece, b};
    for (int i = 0; i < times; i++) {
        struct dts_wire_message messages[] = {
            {.peer = from, .tag = TAG, .bytes = MESSAGE_BYTES},
            {.send = true, .peer = to, .tag = TAG, .bytes = MESSAGE_BYTES, .data = b->out}};
        dts_pieces_carry(&b->pieces, b->comm, messages, 2, &carrier);
    }
}

/* Rank 0's clock decides for all. */
static void find_exchanges(struct bench *b)
{
    exchange(b, 1);
    meet(b);
    const double begin_s = dts_now_s();
    exchange(b, 2);
    const double each_s = (dts_now_s() - begin_s) / 2;
    b->exchanges = (int)fmin(1 + TURN_S / each_s, 10000);
    dts_wire_share(b->wire, &b->exchanges, sizeof(b->exchanges));
}

/* The mean over ranks. */
static double mean_rate(const struct bench *b, double rate)
{
    double all;
    MPI_Request request;
    DTS_MPI(MPI_Iallreduce(&rate, &all, 1, MPI_DOUBLE, MPI_SUM, b->comm, &request));
    dts_pieces_wait(&request);
    return all / b->size;
}

static double slowest(const struct bench *b, double mine_s)
{
    double slowest_s;
    MPI_Request request;
    DTS_MPI(MPI_Iallreduce(&mine_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, b->comm, &request));
    dts_pieces_wait(&request);
    return slowest_s;
}

/* Of the slowest rank that computes: in training all wait for it. */
static double core_rate_of(struct bench *b, bool computes)
{
    meet(b);
    if (computes)
        repeat(&b->kernel, ROUND_S);
    return 1 / slowest(b, computes ? 1 / b->kernel.core_rate : 0);
}

static double rate_alone(struct bench *b)
{
    meet(b);
    repeat(&b->kernel, TURN_S);
    return mean_rate(b, b->kernel.rate);
}

/* Seconds of an exchange with nothing beside it; the slowest rank's. */
static double exchange_alone_s(struct bench *b)
{
    meet(b);
    const double begin_s = dts_now_s();
    exchange(b, b->exchanges);
    return slowest(b, dts_now_s() - begin_s) / b->exchanges;
}

/* Both at once. *exchange_s: the same beside kernels. */
static double rate_beside_messages(struct bench *b, double *exchange_s)
{
    pthread_t thread;
    atomic_store(&b->kernel.stop, false);
    meet(b);
    int code = pthread_create(&thread, NULL, repeat_until_stopped, &b->kernel);
    if (code != 0)
        dts_wire_abort(b->wire, strerror(code));
    const double begin_s = dts_now_s();
    exchange(b, b->exchanges);
    const double mine_s = dts_now_s() - begin_s;
    atomic_store(&b->kernel.stop, true);
    pthread_join(thread, NULL);
    *exchange_s = slowest(b, mine_s) / b->exchanges;
    return mean_rate(b, b->kernel.rate);
}

/* Processors that the ranks of this node may use, all together. */
static int cores(const struct bench *b)
{
    cpu_set_t mine, all;
    MPI_Comm node;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof(mine), &mine) != 0)
        return b->size;
    DTS_MPI(MPI_Comm_split_type(b->comm, MPI_COMM_TYPE_SHARED, b->rank, MPI_INFO_NULL, &node));
    DTS_MPI(MPI_Allreduce(&mine, &all, (int)sizeof(all), MPI_BYTE, MPI_BOR, node));
    MPI_Comm_free(&node);
    return CPU_COUNT(&all);
}

static void open_bench(struct bench *b, const struct dts_wire *wire)
{
    *b = (struct bench){.wire = wire, .comm = dts_wire_all(wire)};
    b->rank = dts_wire_rank(wire);
    b->size = dts_wire_size(wire);
    b->kernel.a = numbers(SIDE * SIDE);
    b->kernel.b = numbers(SIDE * SIDE);
    b->kernel.c = numbers(SIDE * SIDE);
    b->kernel.x = numbers(VECTOR);
    b->kernel.y = numbers(VECTOR);
    b->out = numbers(MESSAGE_BYTES / sizeof(float));
    b->sum = numbers(MESSAGE_BYTES / sizeof(float));
}

static void close_bench(struct bench *b)
{
    float *const owned[] = {b->kernel.a, b->kernel.b, b->kernel.c, b->kernel.x,
                            b->kernel.y, b->out,      b->sum};
    for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++)
        free(owned[i]);
    dts_pieces_free(&b->pieces);
}

/* alone[k]: of the slowest of ranks 0 .. k of a node, each computing alone. */
static void rates_alone(struct bench *b, int in_node, double *alone, int ranks)
{
    for (int k = 0; k < ranks; k++)
        alone[k] = fmin(core_rate_of(b, in_node == k), k > 0 ? alone[k - 1] : INFINITY);
}

/* The slowest is held against the slowest: where cores change their speed for seconds, the
 * slower of two is slower than one in any case. */
static void find_together(struct bench *b, int in_node, struct dts_calibration *out)
{
    double factors[DTS_CALIBRATE_TOGETHER][ROUNDS], alone[DTS_CALIBRATE_TOGETHER];
    const int most = out->together_count, available = cores(b);
    for (int r = 0; r < ROUNDS; r++) {
        rates_alone(b, in_node, alone, most);
        for (int k = 1; k < most; k++)
            factors[k][r] = alone[k] / core_rate_of(b, in_node <= k);
    }
    out->together[0] = 1;
    for (int k = 1; k < most; k++)
        out->together[k] =
            fmax(1, dts_median(factors[k], ROUNDS)) * fmax(1, (double)(k + 1) / available);
    dts_wire_share(b->wire, out->together, sizeof(out->together));
}

/* Enough turns, or enough time: rank 0's clock decides for all. */
static bool goes_on(const struct bench *b, int turns, double begin_s)
{
    bool more = turns < FEW_TURNS || (turns < TURNS && dts_now_s() < begin_s + LIMIT_S);
    dts_wire_share(b->wire, &more, sizeof(more));
    return more;
}

static void find_communicating(struct bench *b, struct dts_calibration *out)
{
    double kernels[TURNS], messages[TURNS], begin_s = dts_now_s();
    int turns = 0;
    find_exchanges(b);
    for (; goes_on(b, turns, begin_s); turns++) {
        double both_s;
        const double before = rate_alone(b), before_s = exchange_alone_s(b);
        const double beside = rate_beside_messages(b, &both_s);
        messages[turns] = both_s / ((before_s + exchange_alone_s(b)) / 2);
        kernels[turns] = (before + rate_alone(b)) / 2 / beside;
    }
    out->communicating = fmax(0, dts_median(kernels, turns) - 1);
    out->messages = fmax(0, dts_median(messages, turns) - 1);
}

void dts_calibrate_compute(const struct dts_wire *wire, int in_node, int per_node,
                           struct dts_calibration *out)
{
    struct bench b;
    out->together_count = per_node < DTS_CALIBRATE_TOGETHER ? per_node : DTS_CALIBRATE_TOGETHER;
    open_bench(&b, wire);
    find_together(&b, in_node, out);
    find_communicating(&b, out);
    close_bench(&b);
}
