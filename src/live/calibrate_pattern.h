/* calibrate_pattern.h -- messages that ranks exchange in a pattern, again and again, timed.
 * Private to the module.
 */
#ifndef DTS_LIVE_CALIBRATE_PATTERN_H
#define DTS_LIVE_CALIBRATE_PATTERN_H

#include "live/mpi_call.h"
#include "live/pieces.h"
#include "live/wire.h"

enum { DTS_PATTERN_SWEEPS = 3, DTS_PATTERN_BATCHES = 3 };

/* A rank's part in a pattern: whom it sends to and whom it receives from; -1: nobody. */
struct dts_pattern {
    int to, from;
    bool answers;  // receive first, then send: there and back
    bool collects; // receive from all others
    bool serves;   // send to all others
    bool adds;     // what arrives is added to what is there, as collectives do it
};

/* Ranks, and the memory that their messages leave from and arrive in. */
struct dts_patterns {
    const struct dts_wire *wire;
    MPI_Comm comm;
    int rank, size;
    char *out; // what is sent, and what one rank receives; owned
    char *in;  // what arrives from all; owned
    size_t at; // where the next message lies
    struct dts_pieces pieces;
    struct dts_parcel *parcels; // to and from all others; owned
};

void dts_patterns_open(struct dts_patterns *patterns, const struct dts_wire *wire,
                       size_t most_bytes);
void dts_patterns_close(struct dts_patterns *patterns);

/* Send and receive once, messages of so many bytes. */
void dts_pattern_once(struct dts_patterns *patterns, const struct dts_pattern *part, int bytes);

/* Seconds of one pattern and size, in batches. */
struct dts_pattern_times {
    double seconds[DTS_PATTERN_SWEEPS * DTS_PATTERN_BATCHES];
    int count;
};

/* Another sweep's batches. Every rank calls it with its part; the slowest counts, on all. */
void dts_pattern_time(struct dts_patterns *patterns, const struct dts_pattern *part, int bytes,
                      struct dts_pattern_times *times);

double dts_pattern_median(struct dts_pattern_times *times);

#endif
