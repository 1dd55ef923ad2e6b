/* calibrate.c -- patterns of messages, each timed again and again; the median counts. All sizes
 * are gone through three times, so that a program that runs for some seconds beside this one
 * spoils a third of the batches of each and not all of one.
 *
 * Where a rank is alone on its node, "within" is not measured, and "between" not where all are
 * on one node.
 */
#include "live/calibrate.h"

#include <math.h>

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

/* Who measures. */
struct bench {
    struct dts_traffic_patterns patterns;
    const struct dts_wire *wire;
    MPI_Comm comm;
    int rank, size;
    int node, in_node, nodes, per_node;
};

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

static void time_links(struct bench *b, int partner, struct dts_traffic_pattern all,
                       struct dts_link_seconds *link)
{
    const struct dts_traffic_pattern both = pair_part(b, 0, partner, true);
    struct dts_traffic_pattern adds = all;
    struct dts_traffic_times one_way[DTS_CALIBRATE_SIZES] = {0};
    struct dts_traffic_times two_way[DTS_CALIBRATE_SIZES] = {0};
    struct dts_traffic_times every[DTS_CALIBRATE_SIZES] = {0};
    struct dts_traffic_times added[DTS_CALIBRATE_SIZES] = {0};
    double added_s[DTS_CALIBRATE_SIZES] = {0};
    adds.adds = true;
    for (int sweep = 0; sweep < DTS_TRAFFIC_SWEEPS; sweep++)
        for (int i = 0; i < DTS_CALIBRATE_SIZES; i++) {
            int bytes = (int)dts_calibrate_bytes[i];
            add_one_way(b, 0, partner, bytes, &one_way[i]);
            dts_traffic_time(&b->patterns, &both, bytes, &two_way[i]);
            dts_traffic_time(&b->patterns, &all, bytes, &every[i]);
            if (bytes >= SUM_BYTES)
                dts_traffic_time(&b->patterns, &adds, bytes, &added[i]);
        }
    link->measured = true;
    for (int i = 0; i < DTS_CALIBRATE_SIZES; i++) {
        link->one_way_s[i] = from_rank(b, 0, dts_traffic_median(&one_way[i]));
        link->two_way_s[i] = dts_traffic_median(&two_way[i]);
        link->all_s[i] = dts_traffic_median(&every[i]);
        if (added[i].count > 0)
            added_s[i] = dts_traffic_median(&added[i]);
    }
    link->sum_s_per_byte = sum_s_per_byte(added_s, link->all_s);
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
    for (int sweep = 0; sweep < DTS_TRAFFIC_SWEEPS; sweep++)
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
        struct dts_traffic_pattern all = {.to = first + (b->in_node + 1) % b->per_node,
                                          .from = first +
                                                  (b->in_node + b->per_node - 1) % b->per_node};
        time_links(b, 1, all, &out->within);
        if (b->nodes == 1)
            out->within.star_bytes_per_s = time_incast(b, true);
    }
    if (b->nodes > 1) {
        tell(b, say, "messages between nodes");
        struct dts_traffic_pattern all = {.to = (b->rank + b->per_node) % b->size,
                                          .from = (b->rank + b->size - b->per_node) % b->size};
        time_links(b, b->per_node, all, &out->between);
        out->between.incast_bytes_per_s = time_incast(b, false);
    }
    tell(b, say, "sums and copies");
    dts_wire_barrier(b->wire);
    out->sum_bytes_per_s = from_rank(b, 0, b->rank == 0 ? dts_calibrate_sums() : 0);
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
    dts_traffic_open(&b.patterns, wire, (size_t)dts_calibrate_bytes[DTS_CALIBRATE_SIZES - 1]);
    measure(&b, say, out);
    dts_traffic_close(&b.patterns);
    out->ranks = b.size;
    out->nodes = b.nodes;
    out->per_node = b.per_node;
    return true;
}
