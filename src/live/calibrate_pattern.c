/* calibrate_pattern.c -- a pattern is repeated until a batch takes long enough for the clock;
 * all ranks begin a batch together, and the slowest rank's time is the batch's.
 */
#include "live/calibrate_pattern.h"

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
 * gradients: received always into the same place messages of 256 KiB among four ranks took 2/3
 * of the time. On one machine messages count where networks are small, and then their gradients
 * lie in the last cache: with 32 MiB here a ring on 8 MB of gradients was predicted to take 1.3
 * times as long as it took. ASSUMED */
static const size_t ROOM = 8 << 20;

/* Written, for pages that nobody touched are all one page; and zeros, whose sums stay zeros. */
static char *zeros(size_t bytes)
{
    char *memory = dts_alloc(bytes, 1);
    memset(memory, 0, bytes);
    return memory;
}

void dts_patterns_open(struct dts_patterns *patterns, const struct dts_wire *wire,
                       size_t most_bytes)
{
    *patterns = (struct dts_patterns){.wire = wire,
                                      .comm = dts_wire_all(wire),
                                      .rank = dts_wire_rank(wire),
                                      .size = dts_wire_size(wire)};
    const size_t ranks = (size_t)patterns->size;
    patterns->out = zeros(ROOM + most_bytes);
    patterns->in = zeros(ROOM + most_bytes * ranks);
    patterns->parcels = dts_alloc(2 * ranks, sizeof(*patterns->parcels));
}

void dts_patterns_close(struct dts_patterns *patterns)
{
    free(patterns->out);
    free(patterns->in);
    free(patterns->parcels);
    dts_pieces_free(&patterns->pieces);
}

static void add_piece(void *sum, int parcel, size_t first, void *piece, size_t bytes)
{
    (void)parcel;
    dts_values_add_floats((float *)((char *)sum + first), piece, bytes / sizeof(float));
}

void dts_pattern_once(struct dts_patterns *patterns, const struct dts_pattern *part, int bytes)
{
    struct dts_patterns *p = patterns;
    const size_t size = (size_t)bytes;
    int count = 0;
    const bool back = part->to < 0 && part->from >= 0; // there and back: to where it came from
    const size_t next = (size + LINE - 1) / LINE * LINE; // numbers stay aligned
    p->at = back ? p->at : (p->at + next) % ROOM;
    char *apart = p->out + (back || part->answers ? p->at : (p->at + ROOM / 2) % ROOM);
    const struct dts_carrier carrier = {add_piece, apart};
    for (int r = 0; r < p->size; r++)
        if (r != p->rank && (r == part->from || part->collects))
            p->parcels[count++] =
                (struct dts_parcel){.peer = r,
                                    .tag = TAG,
                                    .bytes = size,
                                    .data = part->adds       ? NULL
                                            : part->collects ? p->in + p->at + (size_t)r * size
                                                             : apart};
    if (part->answers) {
        dts_pieces_carry(&p->pieces, p->comm, p->parcels, count, &carrier);
        count = 0;
    }
    for (int r = 0; r < p->size; r++)
        if (r != p->rank && (r == part->to || part->serves))
            p->parcels[count++] = (struct dts_parcel){
                .send = true, .peer = r, .tag = TAG, .bytes = size, .data = p->out + p->at};
    if (count > 0)
        dts_pieces_carry(&p->pieces, p->comm, p->parcels, count, &carrier);
}

/* Seconds of one repetition, of the slowest rank. */
static double time_batch(struct dts_patterns *patterns, const struct dts_pattern *part,
                         int bytes, int repeats)
{
    dts_wire_barrier(patterns->wire);
    const double begin_s = dts_now_s();
    for (int i = 0; i < repeats; i++)
        dts_pattern_once(patterns, part, bytes);
    double mine_s = (dts_now_s() - begin_s) / repeats, slowest_s;
    DTS_MPI(MPI_Allreduce(&mine_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, patterns->comm));
    return slowest_s;
}

void dts_pattern_time(struct dts_patterns *patterns, const struct dts_pattern *part, int bytes,
                      struct dts_pattern_times *times)
{
    double first_s = time_batch(patterns, part, bytes, 2), spent_s = 0;
    int repeats = first_s > 0 ? (int)(BATCH_S / first_s) : MOST_REPEATS;
    repeats = repeats < 1 ? 1 : repeats > MOST_REPEATS ? MOST_REPEATS : repeats;
    for (int i = 0; i < DTS_PATTERN_BATCHES && (i == 0 || spent_s < LIMIT_S); i++) {
        const double each_s = time_batch(patterns, part, bytes, repeats);
        times->seconds[times->count++] = each_s;
        spent_s += each_s * repeats;
    }
}

double dts_pattern_median(struct dts_pattern_times *times)
{
    return dts_median(times->seconds, times->count);
}
