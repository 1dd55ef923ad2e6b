/* coll.h -- collective algorithms: who sends which chunk to whom, step by step.
 *
 * An algorithm is a set of pure functions of the group's shape, the member and the step. The
 * walker (run.h) turns them into messages, live and simulated; the fluid engine loads links
 * with them; tests run them on sets. Nothing else knows an algorithm.
 *
 * The data of a collective is cut into chunks(shape) chunks of equal size (dts_coll_span()).
 * In a step a member sends and receives a set of messages that are in flight together; each
 * message carries neighbouring chunks. What a member sends in a step is what it held before the
 * step, also of a chunk that it receives in this step. Message `send to p` of member m meets
 * `receive from m` of member p in the same step and lane, with the same chunks; between a pair
 * of members there is at most one message per direction, lane and step. Most algorithms need
 * one lane.
 */
#ifndef DTS_PLAN_COLL_COLL_H
#define DTS_PLAN_COLL_COLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dts_coll_kind {
    DTS_ALLREDUCE,      // all members end with the sum of all
    DTS_REDUCE_SCATTER, // member m ends with the sum of all in its share (dts_coll_share)
    DTS_ALLGATHER,      // member m begins with its share; all end with all of it
    DTS_BROADCAST,      // all end with what member 0 began with
    DTS_ALLTOALL,       // each member has a part for each, which goes there (dts_coll_part)
    DTS_SHIFT,          // member m + 1 ends with what m began with, member 0 with the last's
    DTS_HALO,           // the first half goes to m + 1, the second to m - 1, where these are
    DTS_HALO_BEHIND,    // all of it to m + 1, where that is: of halos, what goes one way
    DTS_HALO_BEFORE,    // all of it to m - 1
    DTS_COLL_KINDS
};

struct dts_coll;

/* Bus bandwidth over algorithm bandwidth, as nccl-tests define them (its doc/PERFORMANCE.md):
 * what each member's port needs at least to send of the data, as a part of it. 2 (n - 1) / n of
 * an all-reduce, (n - 1) / n of a reduce-scatter, an all-gather and an all-to-all, whose data
 * is all of it, 1 of a broadcast, of a shift, and of a halo, 1/2 of one of two members, each of
 * which has one neighbour; 0 of one member. */
double dts_coll_bus_factor(enum dts_coll_kind kind, int size);

/* Everything that an algorithm may depend on. */
struct dts_coll_shape {
    enum dts_coll_kind kind;
    int size;     // members, >= 1
    int per_node; // members on one node, neighbours in number; divides size. 1: not known
    int shards;   // hierarchical: owners on each node, 1 .. per_node, divides per_node
    int pieces;   // pipelined algorithms: pieces that each part is cut into, >= 1
    const struct dts_coll *between; // hierarchical: the algorithm between nodes
};

/* How messages go where the library that sends them is known: in place of what the transports
 * say (sim/net/transport.h). [0] within a node, [1] between nodes. Sums are part of it. */
struct dts_coll_pace {
    double hop_s[2]; // latency of a message
    double path[2];  // and so much of the latency of its path
    double share[2]; // of a link's bandwidth, that the data gets; both 0: not known
};

static inline bool dts_coll_pace_known(const struct dts_coll_pace *pace)
{
    return pace->share[0] > 0;
}

static inline bool dts_coll_pace_same(const struct dts_coll_pace *a,
                                      const struct dts_coll_pace *b)
{
    return a->hop_s[0] == b->hop_s[0] && a->hop_s[1] == b->hop_s[1] &&
           a->path[0] == b->path[0] && a->path[1] == b->path[1] && a->share[0] == b->share[0] &&
           a->share[1] == b->share[1];
}

/* One message of one member in one step. */
struct dts_coll_message {
    int peer;         // a member
    int first, count; // chunks; count >= 1
    bool send;        // else receive
    bool add;         // receive: add to what is there; else overwrite it
    int lane;         // tells the messages of one pair and direction apart, 0 ..
};

enum {
    DTS_COLL_MESSAGES = 64, // the most messages of a member in a step
    DTS_COLL_LANES = 32,    // lanes are below this
};

struct dts_coll {
    const char *name;    // as in scenarios: "ring"
    const char *summary; // one line for `dtsim list`
    bool by_library;     // a back end with a library of collectives calls that instead of steps
    bool pipelined;      // its all-reduce uses shape->pieces (a broadcast may in any case)

    /* Bits 1 << kind of the kinds that it does. 0: all before all-to-all. */
    unsigned kinds;

    /* Can it do this? NULL: any shape of its kinds. Sets *why to a clause for the message
     * ("needs members of one node to be neighbours") when it cannot. Callers ask
     * dts_coll_fits(), which checks the shape itself, too. */
    bool (*fits)(const struct dts_coll_shape *shape, const char **why);

    /* A multiple of size for reduce-scatter and all-gather, size for all-to-all. */
    int (*chunks)(const struct dts_coll_shape *shape);
    int (*steps)(const struct dts_coll_shape *shape); // 0 for size 1

    /* Fills `messages` (room for DTS_COLL_MESSAGES) with those of `member` in step i; returns
     * how many. Cost O(messages), not O(size): 27,648 members call it. */
    int (*step)(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages);

    /* The lowest step with the same traffic as step i: the same pairs of members, the same
     * number of chunks in each message, the same adds; only which chunks differ. So a ring has
     * two classes of steps instead of 2 (n - 1). May return i. Steps of one class are counted
     * by the fluid engine as repetitions of one. */
    int (*like)(const struct dts_coll_shape *shape, int i);

    /* A number for what is under way in step i, the same for any number of pieces: two shapes
     * that differ in nothing else have, in steps of the same number, the same messages up to
     * one factor on all their chunks. It may be 0, "not known", as if the algorithm had NULL
     * here. */
    uint64_t (*state)(const struct dts_coll_shape *shape, int i);
};

/* All algorithms, ended by NULL. To add one: write its file, add its row in coll.c. */
extern const struct dts_coll *const dts_colls[];

const struct dts_coll *dts_coll_find(const char *name); // NULL: none such
const char *dts_coll_name(int i); // the i-th name, NULL at the end: for choices

/* NULL: it does this kind, in some shape. Else a clause as struct dts_coll.fits() has it. */
const char *dts_coll_lacks(const struct dts_coll *coll, enum dts_coll_kind kind);

/* Is the shape sound, and can the algorithm do it? Sets *why when not. */
bool dts_coll_fits(const struct dts_coll *coll, const struct dts_coll_shape *shape,
                   const char **why);

/* The elements that chunks stand for: count elements are cut into `chunks` parts that differ by
 * at most one element, the larger ones first. */
void dts_coll_span(size_t elements, int chunks, int first, int count, size_t *span_first,
                   size_t *span_count);

/* The chunks that member m owns after a reduce-scatter, and before an all-gather. Every chunk
 * belongs to one member: the shares are consecutive in m, for every algorithm the same. */
void dts_coll_share(const struct dts_coll *coll, const struct dts_coll_shape *shape, int member,
                    int *first, int *count);

/* The chunk of an all-to-all that member `from` has for member `to`, and in which it arrives.
 *
 * The data of a member is a chunk for each member, in the order in which they are ahead of it.
 * Chunk k goes to the member that is k ahead, and what comes from the one k behind takes its
 * place; chunk 0 is the member's own and stays. With D = shape->per_node members on a node, k
 * ahead is k / D nodes ahead and then k % D places ahead in that node, both cyclic:
 *
 *     4 members, D = 2; "ij" is what i has for j
 *
 *     chunk            0   1   2   3               0   1   2   3
 *     member 0        00  01  02  03     ends     00  10  20  30
 *     member 1        11  10  13  12     with     11  01  31  21
 *     member 2        22  23  20  21              22  32  02  12
 *     member 3        33  32  31  30              33  23  13  03
 *
 * So a message has one chunk number at both ends: parts may differ in size by an element, and
 * in a step a member sends the very chunk that it receives. Nothing is overwritten that has yet
 * to leave, with no second buffer and for any number of members. */
int dts_coll_part(const struct dts_coll_shape *shape, int from, int to);

/* The member that is k ahead of another in this order, and the one that is k behind. */
int dts_coll_ahead(const struct dts_coll_shape *shape, int member, int k);
int dts_coll_behind(const struct dts_coll_shape *shape, int member, int k);

/* How many pieces make a pipelined algorithm fast: the data over piece_bytes, at least 1, at
 * most 64, of which more would only cost steps. */
int dts_coll_pieces(double bytes, double piece_bytes);

/* The smallest number of chunks that can be cut into a parts and into b. */
int dts_coll_common_multiple(int a, int b);

#endif
