/* calibrate_pattern.c -- a pattern is repeated until a batch takes long enough for the clock;
 * all ranks begin a batch together, and the slowest rank's time is the batch's.
 */
#include "live/calibrate_pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/stats.h"
#include "live/values.h"

enum { TAG = 2, MOST_REPEATS = 2000, LINE = 64 };
static const double BATCH_S = 0.01; // a batch takes about so long, or one repetition
static const double LIMIT_S = 0.35; // of the batches of one size in one sweep

/* Each repetition sends and receives the next parts of so much memory, as collectives do with
 * gradients: always the same place would stay in a cache. On one machine messages count where
 * networks are small, and then their gradients lie in the last cache. ASSUMED, by
 * docs/log/2026-11-comments.md. */
static const size_t ROOM = 8 << 20;

/* Zeros, since their sums stay zeros. They are written, since all pages that were never written
 * are one page. */
static char *zeros(size_t bytes)
{
    char *memory = dts_alloc(bytes, 1);
    memset(memory, 0, bytes);
    return memory;
}

void dts_traffic_open(struct dts_traffic_patterns *patterns, const struct dts_wire *wire,
                      size_t most_bytes)
{
    *patterns = (struct dts_traffic_patterns){.wire = wire,
                                              .comm = dts_wire_all(wire),
                                              .rank = dts_wire_rank(wire),
                                              .size = dts_wire_size(wire)};
    const size_t ranks = (size_t)patterns->size;
    patterns->out = zeros(ROOM + most_bytes);
    patterns->in = zeros(ROOM + most_bytes * ranks);
    patterns->messages = dts_alloc(2 * ranks, sizeof(*patterns->messages));
}

void dts_traffic_close(struct dts_traffic_patterns *patterns)
{
    free(patterns->out);
    free(patterns->in);
    free(patterns->messages);
    dts_pieces_free(&patterns->pieces);
}

static void add_piece(void *sum, int message, size_t first, void *piece, size_t bytes)
{
    (void)message;
    dts_values_add_floats((float *)((char *)sum + first), piece, bytes / sizeof(float));
}

void dts_traffic_once(struct dts_traffic_patterns *patterns,
                      const struct dts_traffic_pattern *part, int bytes)
{
    struct dts_traffic_patterns *p = patterns;
    const size_t size = (size_t)bytes;
    int count = 0;
    const bool back = part->to < 0 && part->from >= 0; // there and back: to where it came from
    const size_t next = (size + LINE - 1) / LINE * LINE; // numbers stay aligned
    p->at = back ? p->at : (p->at + next) % ROOM;
    char *apart = p->out + (back || part->answers ? p->at : (p->at + ROOM / 2) % ROOM);
    const struct dts_carrier carrier = {add_piece, apart};
    for (int r = 0; r < p->size; r++)
        if (r != p->rank && (r == part->from || part->collects))
            p->messages[count++] = (struct dts_wire_message){
                .peer = r,
                .tag = TAG,
                .bytes = size,
                .data = part->adds       ? NULL
                        : part->collects ? p->in + p->at + (size_t)r * size
                                         : apart};
    if (part->answers) {
        dts_pieces_carry(&p->pieces, p->comm, p->messages, count, &carrier);
        count = 0;
    }
    for (int r = 0; r < p->size; r++)
        if (r != p->rank && (r == part->to || part->serves))
            p->messages[count++] = (struct dts_wire_message){
                .send = true, .peer = r, .tag = TAG, .bytes = size, .data = p->out + p->at};
    if (count > 0)
        dts_pieces_carry(&p->pieces, p->comm, p->messages, count, &carrier);
}

/* Seconds of one repetition, of the slowest rank. */
static double time_batch(struct dts_traffic_patterns *patterns,
                         const struct dts_traffic_pattern *part, int bytes, int repeats)
{
    dts_wire_barrier(patterns->wire);
    const double begin_s = dts_now_s();
    for (int i = 0; i < repeats; i++)
        dts_traffic_once(patterns, part, bytes);
    double mine_s = (dts_now_s() - begin_s) / repeats, slowest_s;
    DTS_MPI(MPI_Allreduce(&mine_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, patterns->comm));
    return slowest_s;
}

void dts_traffic_time(struct dts_traffic_patterns *patterns,
                      const struct dts_traffic_pattern *part, int bytes,
                      struct dts_traffic_times *times)
{
    double first_s = time_batch(patterns, part, bytes, 2), spent_s = 0;
    int repeats = first_s > 0 ? (int)(BATCH_S / first_s) : MOST_REPEATS;
    repeats = repeats < 1 ? 1 : repeats > MOST_REPEATS ? MOST_REPEATS : repeats;
    for (int i = 0; i < DTS_TRAFFIC_BATCHES && (i == 0 || spent_s < LIMIT_S); i++) {
        const double each_s = time_batch(patterns, part, bytes, repeats);
        times->seconds[times->count++] = each_s;
        spent_s += each_s * repeats;
    }
}

void dts_traffic_end_sweep(struct dts_traffic_times *times)
{
    times->ends[times->sweeps++] = times->count;
}

/* Of batches `first` up to `end`. */
static double median_of(const struct dts_traffic_times *times, int first, int end)
{
    double seconds[DTS_TRAFFIC_SWEEPS * DTS_TRAFFIC_BATCHES];
    memcpy(seconds, times->seconds + first, (size_t)(end - first) * sizeof(*seconds));
    return dts_median(seconds, end - first);
}

double dts_traffic_median(const struct dts_traffic_times *times)
{
    return median_of(times, 0, times->count);
}

double dts_traffic_spread(const struct dts_traffic_times *times)
{
    const double normal = 1.4826; // standard deviation of a normal distribution over its MAD
    const double median = 1.2533; // standard error of its median over that of its mean
    double medians[DTS_TRAFFIC_SWEEPS];
    for (int s = 0; s < times->sweeps; s++)
        medians[s] = median_of(times, s > 0 ? times->ends[s - 1] : 0, times->ends[s]);
    const double middle = dts_median(medians, times->sweeps);
    return 2 * median * normal * dts_mad(medians, times->sweeps) / sqrt(times->sweeps) / middle;
}
