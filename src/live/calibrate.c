/* calibrate.c -- patterns of messages, each timed again and again; the median counts. All sizes
 * are gone through three times, so that a program that runs for some seconds beside this one
 * spoils a third of the batches of each and not all of one.
 *
 * A pattern is repeated until a batch takes long enough for the clock; all ranks begin a batch
 * together, and the slowest rank's time is the batch's. Where a rank is alone on its node,
 * "within" is not measured, and "between" not where all are on one node.
 */
#include "live/calibrate.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/stats.h"
#include "live/calibrate_compute.h"
#include "live/lane.h"
#include "live/pieces.h"

enum { TAG = 2, SWEEPS = 3, BATCHES = 3, TIMES = SWEEPS * BATCHES, MOST_REPEATS = 2000 };
static const double BATCH_S = 0.01; // a batch takes about so long, or one repetition
static const double LIMIT_S = 0.35; // of the batches of one size in one sweep

const double dts_calibrate_bytes[DTS_CALIBRATE_SIZES] = {
    1, 256, 1024, 4096, 16384, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304,
};

const double dts_calibrate_star_bytes = 1 << 20;

/* A rank's part in a pattern: whom it sends to and whom it receives from; -1: nobody. */
struct part {
    int to, from;
    bool answers;  // receive first, then send: there and back
    bool collects; // receive from all others
    bool serves;   // send to all others
};

struct bench {
    const struct dts_wire *wire;
    MPI_Comm comm;
    int rank, size;
    int node, in_node, nodes, per_node;
    char *out; // ROOM bytes and a largest message: what is sent, and what one rank receives
    char *in;  // ROOM bytes and a largest message for every rank: what arrives from all
    size_t at; // where the next message lies
    MPI_Request *requests;
};

/* Each repetition sends and receives the next parts of so much memory, as collectives do with
 * gradients: received always into the same place messages of 256 KiB among four ranks took 2/3
 * of the time. On one machine messages count where networks are small, and then their gradients
 * lie in the last cache: with 32 MiB here a ring on 8 MB of gradients was predicted to take 1.3
 * times as long as it took. ASSUMED */
static const size_t ROOM = 8 << 20;

static void repeat_once(struct bench *b, const struct part *part, int bytes)
{
    size_t size = (size_t)bytes;
    int each = dts_pieces(size), count = 0;
    const bool back = part->to < 0 && part->from >= 0; // there and back: to where it came from
    b->at = back ? b->at : (b->at + size) % ROOM;
    char *apart = b->out + (back || part->answers ? b->at : (b->at + ROOM / 2) % ROOM);
    for (int r = 0; r < b->size; r++) {
        if (r == b->rank || (r != part->from && !part->collects))
            continue;
        char *in = part->collects ? b->in + b->at + (size_t)r * size : apart;
        dts_pieces_receive(b->comm, in, size, r, TAG, b->requests + count);
        count += each;
    }
    if (part->answers) {
        dts_pieces_wait(b->requests, count);
        count = 0;
    }
    for (int r = 0; r < b->size; r++) {
        if (r == b->rank || (r != part->to && !part->serves))
            continue;
        dts_pieces_send(b->comm, b->out + b->at, size, r, TAG, b->requests + count);
        count += each;
    }
    dts_pieces_wait(b->requests, count);
}

/* Seconds of one repetition, of the slowest rank. */
static double time_batch(struct bench *b, const struct part *part, int bytes, int repeats)
{
    dts_wire_barrier(b->wire);
    double begin_s = dts_now_s();
    for (int i = 0; i < repeats; i++)
        repeat_once(b, part, bytes);
    double mine_s = (dts_now_s() - begin_s) / repeats, slowest_s;
    DTS_MPI(MPI_Allreduce(&mine_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, b->comm));
    return slowest_s;
}

/* Seconds of one pattern and size. */
struct series {
    double times[TIMES];
    int count;
};

static void add_times(struct bench *b, const struct part *part, int bytes,
                      struct series *series)
{
    double first_s = time_batch(b, part, bytes, 2), spent_s = 0;
    int repeats = first_s > 0 ? (int)(BATCH_S / first_s) : MOST_REPEATS;
    repeats = repeats < 1 ? 1 : repeats > MOST_REPEATS ? MOST_REPEATS : repeats;
    for (int i = 0; i < BATCHES && (i == 0 || spent_s < LIMIT_S); i++) {
        double each_s = time_batch(b, part, bytes, repeats);
        series->times[series->count++] = each_s;
        spent_s += each_s * repeats;
    }
}

static double median_of(struct series *series)
{
    return dts_median(series->times, series->count);
}

/* Two ranks talk, all others look on. */
static struct part pair_part(const struct bench *b, int first, int second, bool both)
{
    struct part part = {-1, -1, false, false};
    if (b->rank == first || b->rank == second) {
        part.to = part.from = b->rank == first ? second : first;
        part.answers = !both && b->rank == second;
    }
    return part;
}

/* There and back: the first sends, and only then awaits the answer. */
static void add_one_way(struct bench *b, int first, int second, int bytes,
                        struct series *series)
{
    const struct part send = {second, -1, false, false}, receive = {-1, second, false, false};
    const struct part answer = pair_part(b, first, second, false);
    const int repeats = bytes <= 4096 ? 50 : bytes <= 262144 ? 8 : 4;
    for (int i = 0; i < BATCHES; i++) {
        dts_wire_barrier(b->wire);
        double begin_s = dts_now_s();
        for (int k = 0; k < repeats; k++) {
            if (b->rank == second)
                repeat_once(b, &answer, bytes);
            if (b->rank != first)
                continue;
            repeat_once(b, &send, bytes);
            repeat_once(b, &receive, bytes);
        }
        series->times[series->count++] = (dts_now_s() - begin_s) / repeats / 2;
    }
}

static double from_rank(const struct bench *b, int rank, double value)
{
    DTS_MPI(MPI_Bcast(&value, 1, MPI_DOUBLE, rank, b->comm));
    return value;
}

static void time_links(struct bench *b, int partner, struct part all,
                       struct dts_link_seconds *link)
{
    const struct part both = pair_part(b, 0, partner, true);
    struct series one_way[DTS_CALIBRATE_SIZES] = {0}, two_way[DTS_CALIBRATE_SIZES] = {0};
    struct series every[DTS_CALIBRATE_SIZES] = {0};
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < DTS_CALIBRATE_SIZES; i++) {
            int bytes = (int)dts_calibrate_bytes[i];
            add_one_way(b, 0, partner, bytes, &one_way[i]);
            add_times(b, &both, bytes, &two_way[i]);
            add_times(b, &all, bytes, &every[i]);
        }
    link->measured = true;
    for (int i = 0; i < DTS_CALIBRATE_SIZES; i++) {
        link->one_way_s[i] = from_rank(b, 0, median_of(&one_way[i]));
        link->two_way_s[i] = median_of(&two_way[i]);
        link->all_s[i] = median_of(&every[i]);
    }
}

/* Into rank 0 from all others; both: and from it to all of them at once. Bytes a second, one
 * way; 0: there are no others. */
static double time_incast(struct bench *b, bool both)
{
    struct part part = {-1, -1, false, false};
    const int bytes = (int)dts_calibrate_star_bytes;
    if (b->size < 3)
        return 0;
    if (b->rank == 0) {
        part.collects = true;
        part.serves = both;
    } else {
        part.to = 0;
        part.from = both ? 0 : -1;
    }
    struct series series = {0};
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        add_times(b, &part, bytes, &series);
    return (double)bytes * (b->size - 1) / median_of(&series);
}

/* Sums on all ranks at once: a core that two of them share adds for each at half of its rate.
 * The slowest counts, as others wait for it. */
static double time_sums(const struct bench *b)
{
    dts_wire_barrier(b->wire);
    double mine = dts_calibrate_arrivals(), slowest;
    DTS_MPI(MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MIN, b->comm));
    return slowest;
}

/* Which ranks are on one node, as MPI sees it. */
static void find_nodes(struct bench *b)
{
    MPI_Comm node;
    int in_node, largest, smallest, leaders;
    DTS_MPI(MPI_Comm_split_type(b->comm, MPI_COMM_TYPE_SHARED, b->rank, MPI_INFO_NULL, &node));
    DTS_MPI(MPI_Comm_rank(node, &b->in_node));
    DTS_MPI(MPI_Comm_size(node, &in_node));
    MPI_Comm_free(&node);
    int leader = b->in_node == 0;
    DTS_MPI(MPI_Allreduce(&in_node, &largest, 1, MPI_INT, MPI_MAX, b->comm));
    DTS_MPI(MPI_Allreduce(&in_node, &smallest, 1, MPI_INT, MPI_MIN, b->comm));
    DTS_MPI(MPI_Allreduce(&leader, &leaders, 1, MPI_INT, MPI_SUM, b->comm));
    b->nodes = leaders;
    b->per_node = largest == smallest ? largest : 1;
    b->node = b->rank / b->per_node;
}

/* Are neighbouring ranks on one node? */
static bool check_nodes(const struct bench *b, struct dts_error *err)
{
    if (b->nodes * b->per_node != b->size)
        dts_fail(err, DTS_BAD_INPUT,
                 "calibrate: %d ranks on %d nodes: start as many on every node", b->size,
                 b->nodes);
    else if (b->in_node != b->rank % b->per_node)
        dts_fail(err, DTS_BAD_INPUT,
                 "calibrate: ranks of a node must be neighbours (mpirun --map-by slot)");
    return dts_wire_agree(b->wire, err);
}

static void tell(const struct bench *b, void (*say)(const char *what), const char *what)
{
    if (b->rank == 0 && say != NULL)
        say(what);
}

static void measure(struct bench *b, void (*say)(const char *what), struct dts_calibration *out)
{
    int first = b->node * b->per_node;
    if (b->per_node > 1) {
        tell(b, say, "messages on one node");
        struct part all = {first + (b->in_node + 1) % b->per_node,
                           first + (b->in_node + b->per_node - 1) % b->per_node, false, false};
        time_links(b, 1, all, &out->within);
        if (b->nodes == 1)
            out->within.star_bytes_per_s = time_incast(b, true);
    }
    if (b->nodes > 1) {
        tell(b, say, "messages between nodes");
        struct part all = {(b->rank + b->per_node) % b->size,
                           (b->rank + b->size - b->per_node) % b->size, false, false};
        time_links(b, b->per_node, all, &out->between);
        out->between.incast_bytes_per_s = time_incast(b, false);
    }
    tell(b, say, "sums and copies");
    dts_wire_barrier(b->wire);
    out->sum_bytes_per_s = from_rank(b, 0, b->rank == 0 ? dts_calibrate_sums() : 0);
    out->together_sum_bytes_per_s = time_sums(b);
    out->copy_bytes_per_s = from_rank(b, 0, b->rank == 0 ? dts_calibrate_copies() : 0);
    tell(b, say, "kernels beside others");
    dts_calibrate_compute(b->wire, b->in_node, b->per_node, out);
}

bool dts_calibrate(const struct dts_wire *wire, void (*say)(const char *what),
                   struct dts_calibration *out, struct dts_error *err)
{
    struct bench b = {.wire = wire,
                      .comm = dts_wire_all(wire),
                      .rank = dts_wire_rank(wire),
                      .size = dts_wire_size(wire)};
    *out = (struct dts_calibration){0};
    if (b.size < 2)
        return dts_fail(err, DTS_BAD_INPUT,
                        "calibrate: needs at least 2 ranks: mpirun -n 2 dtsim calibrate");
    find_nodes(&b);
    if (!check_nodes(&b, err))
        return false;
    const size_t most = (size_t)dts_calibrate_bytes[DTS_CALIBRATE_SIZES - 1];
    b.out = dts_alloc(ROOM + most, 1);
    b.in = dts_alloc(ROOM + most * (size_t)b.size, 1);
    memset(b.out, 1, ROOM + most); // pages that nobody touched are all one page of zeros
    memset(b.in, 1, ROOM + most * (size_t)b.size);
    b.requests = dts_alloc(2 * (size_t)b.size * (size_t)dts_pieces(most), sizeof(MPI_Request));
    measure(&b, say, out);
    out->ranks = b.size;
    out->nodes = b.nodes;
    out->per_node = b.per_node;
    free(b.out);
    free(b.in);
    free(b.requests);
    return true;
}
