/* calibrate.c -- patterns of messages, each timed again and again; the median counts. All sizes
 * are gone through several times, so that a program that runs for some seconds beside this one
 * spoils some of the batches of each and not all of one: until the medians are sure, or there
 * is no more patience.
 *
 * Where a rank is alone on its node, "within" is not measured, and "between" not where all are
 * on one node.
 */
#include "live/calibrate.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/stats.h"
#include "base/text.h"
#include "live/calibrate_compute.h"
#include "live/calibrate_pattern.h"
#include "live/mpi_call.h"

const double dts_calibrate_bytes[DTS_CALIBRATE_SIZES] = {
    1, 256, 1024, 4096, 16384, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304,
};

const double dts_calibrate_star_bytes = 512 << 10;

/* From this size on arrivals are added, too: less is a matter of latency. */
enum { SUM_BYTES = 64 << 10 };

/* Few sweeps tell nothing of how they scatter; after so long none begins any more. */
enum { FEW_SWEEPS = 4, STAR_SWEEPS = 3 };
static const double LIMIT_S = 30;

/* Who measures. */
struct bench {
    const struct dts_calibrate_listener *listener;
    struct dts_traffic_patterns patterns;
    const struct dts_wire *wire;
    MPI_Comm comm;
    int rank, size;
    int node, in_node, nodes, per_node;
};

static void tell(const struct bench *b, const char *what, int number)
{
    if (b->rank == 0)
        b->listener->say(b->listener->self, what, number);
}

/* Two ranks talk, all others look on. */
static struct dts_traffic_pattern pair_part(const struct bench *b, int first, int second,
                                            bool both)
{
    struct dts_traffic_pattern part = {.to = -1, .from = -1};
    if (b->rank == first || b->rank == second) {
        part.to = part.from = b->rank == first ? second : first;
        part.answers = !both && b->rank == second;
    }
    return part;
}

/* There and back: the first sends, and only then awaits the answer. */
static void add_one_way(struct bench *b, int first, int second, int bytes,
                        struct dts_traffic_times *series)
{
    const struct dts_traffic_pattern send = {.to = second, .from = -1},
                                     receive = {.to = -1, .from = second};
    const struct dts_traffic_pattern answer = pair_part(b, first, second, false);
    const int repeats = bytes <= 4096 ? 50 : bytes <= 262144 ? 8 : 4;
    for (int i = 0; i < DTS_TRAFFIC_BATCHES; i++) {
        dts_wire_barrier(b->wire);
        double begin_s = dts_now_s();
        for (int k = 0; k < repeats; k++) {
            if (b->rank == second)
                dts_traffic_once(&b->patterns, &answer, bytes);
            if (b->rank != first)
                continue;
            dts_traffic_once(&b->patterns, &send, bytes);
            dts_traffic_once(&b->patterns, &receive, bytes);
        }
        series->seconds[series->count++] = (dts_now_s() - begin_s) / repeats / 2;
    }
}

static double from_rank(const struct bench *b, int rank, double value)
{
    DTS_MPI(MPI_Bcast(&value, 1, MPI_DOUBLE, rank, b->comm));
    return value;
}

/* What sums add to the time of a byte, where exchanges whose arrivals are added and exchanges
 * whose arrivals are not took so long; at least a hundredth of it. */
static double sum_s_per_byte(const double *added_s, const double *plain_s)
{
    double sums[DTS_CALIBRATE_SIZES];
    int count = 0;
    for (int i = 0; i < DTS_CALIBRATE_SIZES; i++)
        if (dts_calibrate_bytes[i] >= SUM_BYTES)
            sums[count++] =
                fmax(added_s[i] - plain_s[i], 0.01 * plain_s[i]) / dts_calibrate_bytes[i];
    return dts_median(sums, count);
}

/* What is timed of one link, by size. */
struct link_times {
    struct dts_traffic_times one_way[DTS_CALIBRATE_SIZES], two_way[DTS_CALIBRATE_SIZES];
    struct dts_traffic_times all[DTS_CALIBRATE_SIZES], added[DTS_CALIBRATE_SIZES];
};

static void sweep(struct bench *b, int partner, const struct dts_traffic_pattern *all,
                  struct link_times *times)
{
    const struct dts_traffic_pattern both = pair_part(b, 0, partner, true);
    struct dts_traffic_pattern adds = *all;
    adds.adds = true;
    for (int i = 0; i < DTS_CALIBRATE_SIZES; i++) {
        const int bytes = (int)dts_calibrate_bytes[i];
        add_one_way(b, 0, partner, bytes, &times->one_way[i]);
        dts_traffic_time(&b->patterns, &both, bytes, &times->two_way[i]);
        dts_traffic_time(&b->patterns, all, bytes, &times->all[i]);
        dts_traffic_end_sweep(&times->all[i]);
        if (bytes >= SUM_BYTES)
            dts_traffic_time(&b->patterns, &adds, bytes, &times->added[i]);
    }
}

/* Of small messages and of large ones the median over sizes. The same on all ranks. */
static double spread_of(const struct link_times *times)
{
    double small[DTS_CALIBRATE_SIZES], large[DTS_CALIBRATE_SIZES];
    int smalls = 0, larges = 0;
    for (int i = 0; i < DTS_CALIBRATE_SIZES; i++) {
        const double spread = dts_traffic_spread(&times->all[i]);
        if (dts_calibrate_bytes[i] < SUM_BYTES)
            small[smalls++] = spread;
        else
            large[larges++] = spread;
    }
    return fmax(dts_median(small, smalls), dts_median(large, larges));
}

/* Rank 0's clock and spread decide for all. */
static bool is_enough(const struct bench *b, const struct dts_link_seconds *link,
                      double begin_s)
{
    bool enough = link->sweeps >= FEW_SWEEPS &&
                  (link->spread < DTS_CALIBRATE_SPREAD || link->sweeps == DTS_TRAFFIC_SWEEPS ||
                   dts_now_s() > begin_s + LIMIT_S);
    dts_wire_share(b->wire, &enough, sizeof(enough));
    return enough;
}

static void time_links(struct bench *b, const char *what, int partner,
                       struct dts_traffic_pattern all, struct dts_link_seconds *link)
{
    struct link_times *times = dts_alloc(1, sizeof(*times));
    const double begin_s = dts_now_s();
    double added_s[DTS_CALIBRATE_SIZES] = {0};
    do {
        tell(b, what, ++link->sweeps);
        sweep(b, partner, &all, times);
        link->spread = spread_of(times);
    } while (!is_enough(b, link, begin_s));
    link->measured = true;
    for (int i = 0; i < DTS_CALIBRATE_SIZES; i++) {
        link->one_way_s[i] = from_rank(b, 0, dts_traffic_median(&times->one_way[i]));
        link->two_way_s[i] = dts_traffic_median(&times->two_way[i]);
        link->all_s[i] = dts_traffic_median(&times->all[i]);
        if (times->added[i].count > 0)
            added_s[i] = dts_traffic_median(&times->added[i]);
    }
    link->sum_s_per_byte = sum_s_per_byte(added_s, link->all_s);
    free(times);
}

/* Into rank 0 from all others; both: and from it to all of them at once. Bytes a second, one
 * way; 0: there are no others. */
static double time_incast(struct bench *b, bool both)
{
    struct dts_traffic_pattern part = {.to = -1, .from = -1};
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
    struct dts_traffic_times series = {0};
    for (int i = 0; i < STAR_SWEEPS; i++)
        dts_traffic_time(&b->patterns, &part, bytes, &series);
    return (double)bytes * (b->size - 1) / dts_traffic_median(&series);
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
                 "calibrate: %d ranks on %d node%s: start as many on every node", b->size,
                 b->nodes, dts_plural(b->nodes));
    else if (b->in_node != b->rank % b->per_node)
        dts_fail(err, DTS_BAD_INPUT,
                 "calibrate: ranks of a node must be neighbours (mpirun --map-by slot)");
    return dts_wire_agree(b->wire, err);
}

static void measure(struct bench *b, struct dts_calibration *out)
{
    int first = b->node * b->per_node;
    if (b->per_node > 1) {
        struct dts_traffic_pattern all = {.to = first + (b->in_node + 1) % b->per_node,
                                          .from = first +
                                                  (b->in_node + b->per_node - 1) % b->per_node};
        time_links(b, "messages on one node", 1, all, &out->within);
        if (b->nodes == 1)
            out->within.star_bytes_per_s = time_incast(b, true);
    }
    if (b->nodes > 1) {
        struct dts_traffic_pattern all = {.to = (b->rank + b->per_node) % b->size,
                                          .from = (b->rank + b->size - b->per_node) % b->size};
        time_links(b, "messages between nodes", b->per_node, all, &out->between);
        out->between.incast_bytes_per_s = time_incast(b, false);
    }
    tell(b, "sums and copies", 0);
    dts_wire_barrier(b->wire);
    out->sum_bytes_per_s = from_rank(b, 0, b->rank == 0 ? dts_calibrate_sums() : 0);
    out->copy_bytes_per_s = from_rank(b, 0, b->rank == 0 ? dts_calibrate_copies() : 0);
    tell(b, "kernels beside others", 0);
    dts_calibrate_compute(b->wire, b->in_node, b->per_node, out);
}

bool dts_calibrate(const struct dts_wire *wire, const struct dts_calibrate_listener *listener,
                   struct dts_calibration *out, struct dts_error *err)
{
    struct bench b = {.listener = listener,
                      .wire = wire,
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
    dts_traffic_open(&b.patterns, wire, (size_t)dts_calibrate_bytes[DTS_CALIBRATE_SIZES - 1]);
    measure(&b, out);
    dts_traffic_close(&b.patterns);
    out->ranks = b.size;
    out->nodes = b.nodes;
    out->per_node = b.per_node;
    return true;
}
