/* serve.h -- servers that answer in an order that no plan writes down.
 *
 * The plan of a role of servers lists, for each item (a bucket of gradients, or a server's part
 * of it), an exchange that receives it from all peers, a call that sums it and updates the
 * weights, and an exchange that sends these to all peers. Synchronous servers walk that list.
 * A role with a rule (role.serve) does not: a request is one peer's message of one item, it is
 * worked on when it is there, first come, first served, and the rule says whom to answer. The
 * call's seconds are then those of one request.
 *
 * The rules are used by the simulators and by ranks that train, so that both take the same
 * decisions in the same order of requests.
 */
#ifndef DTS_PLAN_SERVE_H
#define DTS_PLAN_SERVE_H

#include <stdbool.h>
#include <stddef.h>

/* What a rule keeps of the peers of one server. Arrays are by item and peer:
 * [item * peers + peer]. */
struct dts_server {
    const struct dts_serve_rule *rule;
    const struct dts_late_rule *late;
    int amount; // of the rule: its bound, its spare workers
    int peers, items;
    int steps;  // requests of each item that each peer makes; INT_MAX: nobody knows
    bool joins; // the last answers wait for all requests: in the end all have the same weights
    int *clock; // requests that were taken; owned, as all below
    long *seen; // the version that the peer was sent last
    bool *held; // the peer waits for its answer
    long *version; // of each item: how often its weights were updated
    int *summed;   // of each item: gradients since the last update
    bool *ending;  // of each item: some peer has made its last request of it
    int *answered; // peers of the last decision
};

/* What follows from a request. */
struct dts_serve_answer {
    long stale;  // updates of the item since its weights were sent to this peer
    bool counts; // for staleness (dts_stale_counts)
    bool used;   // its gradient counts; else it is thrown away
    bool update; // the weights change now, by the gradients that were used since they last did
    double factor;    // of its gradient, as it is late
    int summed;       // gradients in the sum, this one included
    const int *peers; // who is answered now, this peer or others; of the server
    int count;
};

/* How servers answer: one row each. */
struct dts_serve_rule {
    const char *name, *summary;

    /* An update takes several gradients, and is as large as if all peers had sent theirs; else
     * each is an update by itself, of one in so many of that size. */
    bool sums;
    void (*take)(struct dts_server *server, int item, int peer,
                 struct dts_serve_answer *answer);
};

/* Each gradient is an update, and its sender is answered at once (Dean et al. 2012, "Large
 * Scale Distributed Deep Networks": Downpour SGD). Staleness of n equal peers is n - 1. */
extern const struct dts_serve_rule dts_serve_asynchronous;

/* The same, but nobody is answered who is more than `amount` requests of an item ahead of the
 * peer that made fewest (Ho et al. 2013, "More Effective Distributed ML via a Stale Synchronous
 * Parallel Parameter Server"). 0: all wait for all. */
extern const struct dts_serve_rule dts_serve_bounded;

/* An update takes the gradients of the first peers - `amount` that have seen the newest
 * weights; all that wait are answered then. Who comes later has seen old weights: its gradient
 * is thrown away, and it is answered at once (Chen et al. 2016, "Revisiting Distributed
 * Synchronous SGD": backup workers). */
extern const struct dts_serve_rule dts_serve_backup;

/* By how much a gradient that is late is made smaller: one row each. */
struct dts_late_rule {
    const char *name, *summary;
    double (*factor)(long stale); // of the learning rate, by updates
};

/* Not at all; and by one plus its staleness (Zhang et al. 2016, "Staleness-aware Async-SGD for
 * Distributed Deep Learning"). */
extern const struct dts_late_rule dts_late_fixed, dts_late_adapted;
extern const struct dts_late_rule *const dts_late_rules[]; // ended by NULL
const char *dts_late_rule_name(int i);

/* The momentum of an update by a gradient that is late: one row each. */
struct dts_late_momentum {
    const char *name, *summary;
    double (*momentum)(double usual, long stale); // stale by updates
};

/* The usual one, m; and max(0, m - s / (1 + s)): gradients that are s updates late make weights
 * move as a momentum of s / (1 + s) does, 1 - 1/n of n equal workers, and what the rule adds to
 * it is that much less (Mitliagkas et al. 2016, arXiv:1605.09774, "Asynchrony begets
 * Momentum").
 */
extern const struct dts_late_momentum dts_late_momentum_fixed, dts_late_momentum_lowered;
extern const struct dts_late_momentum *const dts_late_momentums[]; // ended by NULL
const char *dts_late_momentum_name(int i);

/* How a role of servers answers. */
struct dts_serve {
    const struct dts_serve_rule *rule; // NULL: in the order of its plan
    int amount;
    const struct dts_late_rule *late;         // NULL: dts_late_fixed
    const struct dts_late_momentum *momentum; // NULL: dts_late_momentum_fixed

    /* lambda of DC-ASGD (Zheng et al. 2017, arXiv:1609.08326): a gradient g of weights that
     * were sent, for those of now, is g + lambda g g (those of now - those that were sent),
     * value by value: g g stands for the second derivative. 0: it stays g. */
    double compensation;
};

/* `g` is one of so many parts of a mean over all peers, as they are pushed: peers times it is
 * the gradient of the formula. */
static inline float dts_late_compensated(float g, double compensation, int peers, float moved)
{
    return g + (float)compensation * (float)peers * g * g * moved;
}

/* That of an update by a gradient which is so late. */
double dts_serve_momentum(const struct dts_serve *serve, double usual, long stale);

/* Nothing was asked yet; each peer makes `steps` requests of each item. */
void dts_server_open(struct dts_server *server, const struct dts_serve *serve, int peers,
                     int items, int steps);
void dts_server_free(struct dts_server *server);

/* A request has been worked on. */
void dts_server_take(struct dts_server *server, int item, int peer,
                     struct dts_serve_answer *answer);

/* How many updates of its weights a request was behind, over all requests while all peers go
 * on, as their steps are counted, but for the first of each, which began with the weights of
 * all; in whole rounds, without the one that ends (of two steps the second counts). Who is slow
 * would else be alone in the end, and behind nobody. */
enum { DTS_STALENESS_BINS = 4096 };

struct dts_stale_counts {
    double requests, used;           // of all; whose gradients were not thrown away
    double sum, most;                // of updates
    double bins[DTS_STALENESS_BINS]; // requests by updates; the last one: so many or more
};

void dts_stale_counts_add(struct dts_stale_counts *staleness,
                          const struct dts_serve_answer *answer);
void dts_stale_counts_join(struct dts_stale_counts *all, const struct dts_stale_counts *more);

/* The number of updates that a part of 0 to 1 of all requests was behind at most. */
double dts_stale_counts_quantile(const struct dts_stale_counts *staleness, double part);

#endif
