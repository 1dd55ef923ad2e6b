/* serve.c -- whom servers answer, and when. */
#include "plan/serve.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* ---- rules ------------------------------------------------------------------------------- */

static void answer_peer(struct dts_server *s, int item, int peer,
                        struct dts_serve_answer *answer)
{
    const int at = item * s->peers + peer;
    s->held[at] = false;
    s->seen[at] = s->version[item];
    s->answered[answer->count++] = peer;
}

static void update(struct dts_server *s, int item, struct dts_serve_answer *answer)
{
    answer->update = true;
    s->version[item]++;
    s->summed[item] = 0;
}

static void asynchronous(struct dts_server *s, int item, int peer,
                         struct dts_serve_answer *answer)
{
    answer->used = true;
    answer->summed = 1;
    update(s, item, answer);
    answer_peer(s, item, peer, answer);
}

/* The fewest requests of an item that a peer has made which still makes some. */
static int slowest(const struct dts_server *s, int item)
{
    int least = s->clock[item * s->peers];
    for (int p = 1; p < s->peers; p++)
        if (s->clock[item * s->peers + p] < least)
            least = s->clock[item * s->peers + p];
    return least;
}

static void bounded(struct dts_server *s, int item, int peer, struct dts_serve_answer *answer)
{
    answer->used = true;
    answer->summed = 1;
    update(s, item, answer);
    (void)peer;
    const int least = slowest(s, item);
    for (int p = 0; p < s->peers; p++)
        if (s->held[item * s->peers + p] && s->clock[item * s->peers + p] - least <= s->amount)
            answer_peer(s, item, p, answer);
}

/* Peers whose next request of an item is still to come. */
static int coming(const struct dts_server *s, int item)
{
    int count = 0;
    for (int p = 0; p < s->peers; p++)
        count += !s->held[item * s->peers + p] && s->clock[item * s->peers + p] < s->steps;
    return count;
}

static void backup(struct dts_server *s, int item, int peer, struct dts_serve_answer *answer)
{
    if (answer->stale > 0) {
        answer_peer(s, item, peer, answer);
    } else {
        answer->used = true;
        s->summed[item]++;
    }
    answer->summed = s->summed[item];
    const int wanted = s->peers - s->amount;
    if (s->summed[item] == 0 || (s->summed[item] < wanted && coming(s, item) > 0))
        return;
    update(s, item, answer);
    for (int p = 0; p < s->peers; p++)
        if (s->held[item * s->peers + p])
            answer_peer(s, item, p, answer);
}

const struct dts_serve_rule dts_serve_asynchronous = {
    .name = "asynchronous",
    .summary = "each gradient is an update, and its sender is answered at once",
    .take = asynchronous,
};

const struct dts_serve_rule dts_serve_bounded = {
    .name = "bounded",
    .summary = "asynchronous, but nobody is further ahead of the slowest than a bound",
    .take = bounded,
};

const struct dts_serve_rule dts_serve_backup = {
    .name = "backup",
    .summary = "an update takes the first gradients of it; the last ones are thrown away",
    .sums = true,
    .take = backup,
};

static double one(long stale)
{
    (void)stale;
    return 1;
}

static double by_staleness(long stale)
{
    return 1 / (1 + (double)stale);
}

const struct dts_late_rule dts_late_fixed = {
    .name = "fixed",
    .summary = "as large as any",
    .factor = one,
};

const struct dts_late_rule dts_late_adapted = {
    .name = "adapted",
    .summary = "divided by one plus the updates that it is late by",
    .factor = by_staleness,
};

const struct dts_late_rule *const dts_late_rules[] = {
    &dts_late_fixed,
    &dts_late_adapted,
    NULL,
};

const char *dts_late_rule_name(int i)
{
    return dts_late_rules[i] != NULL ? dts_late_rules[i]->name : NULL;
}

static double usual_momentum(double usual, long stale)
{
    (void)stale;
    return usual;
}

static double less_what_lateness_has(double usual, long stale)
{
    return fmax(0, usual - (double)stale / (1 + (double)stale));
}

const struct dts_late_momentum dts_late_momentum_fixed = {
    .name = "fixed",
    .summary = "the optimizer's",
    .momentum = usual_momentum,
};

const struct dts_late_momentum dts_late_momentum_lowered = {
    .name = "lowered",
    .summary = "less by that which late gradients have by themselves",
    .momentum = less_what_lateness_has,
};

const struct dts_late_momentum *const dts_late_momentums[] = {
    &dts_late_momentum_fixed,
    &dts_late_momentum_lowered,
    NULL,
};

const char *dts_late_momentum_name(int i)
{
    return dts_late_momentums[i] != NULL ? dts_late_momentums[i]->name : NULL;
}

double dts_serve_momentum(const struct dts_serve *serve, double usual, long stale)
{
    return serve->momentum != NULL ? serve->momentum->momentum(usual, stale) : usual;
}

/* ---- servers ----------------------------------------------------------------------------- */

void dts_server_open(struct dts_server *s, const struct dts_serve *serve, int peers, int items,
                     int steps)
{
    const size_t places = (size_t)items * (size_t)peers + 1;
    *s = (struct dts_server){.rule = serve->rule,
                             .amount = serve->amount,
                             .late = serve->late != NULL ? serve->late : &dts_late_fixed,
                             .peers = peers,
                             .items = items,
                             .steps = steps};
    s->clock = dts_alloc(places, sizeof(*s->clock));
    s->seen = dts_alloc(places, sizeof(*s->seen));
    s->held = dts_alloc(places, sizeof(*s->held));
    s->version = dts_alloc((size_t)items + 1, sizeof(*s->version));
    s->summed = dts_alloc((size_t)items + 1, sizeof(*s->summed));
    s->ending = dts_alloc((size_t)items + 1, sizeof(*s->ending));
    s->answered = dts_alloc((size_t)peers + 1, sizeof(*s->answered));
}

void dts_server_free(struct dts_server *s)
{
    free(s->clock);
    free(s->seen);
    free(s->held);
    free(s->version);
    free(s->summed);
    free(s->ending);
    free(s->answered);
    *s = (struct dts_server){0};
}

/* Take back the answers to last requests, and give them when the last one of all is in. */
static void join(struct dts_server *s, int item, struct dts_serve_answer *answer)
{
    int kept = 0;
    bool over = true;
    for (int i = 0; i < answer->count; i++) {
        const int peer = answer->peers[i], at = item * s->peers + peer;
        if (s->clock[at] < s->steps)
            s->answered[kept++] = peer;
        else
            s->held[at] = true;
    }
    answer->count = kept;
    for (int p = 0; p < s->peers; p++)
        over = over && s->clock[item * s->peers + p] == s->steps;
    for (int p = 0; over && p < s->peers; p++)
        answer_peer(s, item, p, answer);
}

void dts_server_take(struct dts_server *s, int item, int peer, struct dts_serve_answer *answer)
{
    const int at = item * s->peers + peer;
    *answer = (struct dts_serve_answer){.stale = s->version[item] - s->seen[at],
                                        .peers = s->answered};
    answer->factor = s->late->factor(answer->stale);
    s->clock[at]++;
    s->ending[item] = s->ending[item] || (s->clock[at] == s->steps && s->steps > 2);
    answer->counts = s->clock[at] > 1 && !s->ending[item];
    s->held[at] = true;
    s->rule->take(s, item, peer, answer);
    if (s->joins)
        join(s, item, answer);
}

/* ---- staleness --------------------------------------------------------------------------- */

void dts_stale_counts_add(struct dts_stale_counts *all, const struct dts_serve_answer *answer)
{
    const int bin =
        answer->stale < DTS_STALENESS_BINS ? (int)answer->stale : DTS_STALENESS_BINS - 1;
    all->requests += 1;
    all->used += answer->used;
    all->sum += (double)answer->stale;
    all->most = fmax(all->most, (double)answer->stale);
    all->bins[bin] += 1;
}

void dts_stale_counts_join(struct dts_stale_counts *all, const struct dts_stale_counts *more)
{
    all->requests += more->requests;
    all->used += more->used;
    all->sum += more->sum;
    all->most = fmax(all->most, more->most);
    for (int b = 0; b < DTS_STALENESS_BINS; b++)
        all->bins[b] += more->bins[b];
}

double dts_stale_counts_quantile(const struct dts_stale_counts *staleness, double part)
{
    double below = 0;
    for (int b = 0; b < DTS_STALENESS_BINS; b++) {
        below += staleness->bins[b];
        if (below >= part * staleness->requests)
            return b;
    }
    return staleness->most;
}
