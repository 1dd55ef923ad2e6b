/* calibrate_pattern.h -- messages that ranks exchange in a pattern, again and again, timed.
 * Private to the room.
 */
#ifndef DTS_LIVE_CALIBRATE_PATTERN_H
#define DTS_LIVE_CALIBRATE_PATTERN_H

#include "live/mpi_call.h"
#include "live/pieces.h"
#include "live/wire.h"

enum { DTS_TRAFFIC_SWEEPS = 16, DTS_TRAFFIC_BATCHES = 3 }; // at the most

/* The part of one rank in a pattern of messages: to whom it sends, from whom it receives; -1:
 * nobody. */
struct dts_traffic_pattern {
    int to, from;
    bool answers;  // it receives first, then sends: there and back
    bool collects; // it receives from all others
    bool serves;   // it sends to all others
    bool adds;     // arrivals are added to values here, as in collectives
};

/* The ranks, and the memory where their messages leave and arrive. */
struct dts_traffic_patterns {
    const struct dts_wire *wire;
    MPI_Comm comm;
    int rank, size;
    char *out; // messages to others, and from one rank; owned
    char *in;  // messages from all others; owned
    size_t at; // offset of the next message
    struct dts_pieces pieces;
    struct dts_wire_message *messages; // to and from all others; owned
};

void dts_traffic_open(struct dts_traffic_patterns *patterns, const struct dts_wire *wire,
                      size_t most_bytes);
void dts_traffic_close(struct dts_traffic_patterns *patterns);

/* Sends and receives once, messages of so many bytes. */
void dts_traffic_once(struct dts_traffic_patterns *patterns,
                      const struct dts_traffic_pattern *part, int bytes);

/* Seconds of one pattern and size, in batches. */
struct dts_traffic_times {
    double seconds[DTS_TRAFFIC_SWEEPS * DTS_TRAFFIC_BATCHES];
    int count;
    int ends[DTS_TRAFFIC_SWEEPS]; // how many there were when each sweep ended
    int sweeps;
};

/* Adds the batches of another sweep. Every rank calls it with its part and gets the times of
 * the slowest. */
void dts_traffic_time(struct dts_traffic_patterns *patterns,
                      const struct dts_traffic_pattern *part, int bytes,
                      struct dts_traffic_times *times);

void dts_traffic_end_sweep(struct dts_traffic_times *times);

double dts_traffic_median(const struct dts_traffic_times *times);

/* How sure the median is, as a share of it: twice its standard error, by how the sweeps'
 * medians scatter. What comes and goes between sweeps counts, what differs within one does not.
 */
double dts_traffic_spread(const struct dts_traffic_times *times);

#endif
