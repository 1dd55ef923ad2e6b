/* fill.c -- fills links with messages: all get faster together, until their path or a full link
 * stops them.
 */
#include <math.h>

#include "sim/flow/wire.h"

#define NEARLY (1 + 1e-12)

/* The rate at which the next one stops. */
static double next_rate(const struct dts_flow *f, int flows)
{
    const struct dts_flow_wire *w = f->wire;
    double rate = INFINITY;
    for (int i = 0; i < w->filled.count; i++) {
        const struct dts_flow_wire_link *link = &w->links[w->filled.of[i]];
        rate = fmin(rate, link->left / link->weight);
    }
    for (int i = 0; i < flows; i++)
        rate =
            fmin(rate, dts_flow_wire_path_of(w, &f->messages[w->met.of[i]])->most_bytes_per_s);
    return rate;
}

static bool stops(struct dts_flow_wire *w, struct dts_flow_message *m, double rate)
{
    const struct dts_flow_wire_path *path = dts_flow_wire_path_of(w, m);
    m->new_bound = DTS_FLOW_NONE;
    if (path->most_bytes_per_s <= rate * NEARLY)
        return true;
    for (int h = path->first; h < path->first + path->count; h++) {
        struct dts_flow_wire_link *link = &w->links[w->hops[h].link];
        if (link->mark == w->mark && link->left <= rate * link->weight * NEARLY) {
            link->level = rate;
            m->new_bound = w->hops[h].link;
            return true;
        }
    }
    return false;
}

/* What a message takes of the links that are filled is no longer there for others. */
static void take_room(struct dts_flow_wire *w, const struct dts_flow_message *m)
{
    const struct dts_flow_wire_path *path = dts_flow_wire_path_of(w, m);
    for (int h = path->first; h < path->first + path->count; h++) {
        struct dts_flow_wire_link *link = &w->links[w->hops[h].link];
        if (link->mark != w->mark)
            continue;
        const double part = (double)w->hops[h].part;
        link->left = fmax(0, link->left - m->new_rate * part);
        link->weight -= part;
    }
}

/* Who stops at this rate has it; returns how many go on, the first of the list. */
static int give(struct dts_flow *f, int flows, double rate)
{
    struct dts_flow_wire *w = f->wire;
    int left = flows;
    for (int i = 0; i < left;) {
        const int number = w->met.of[i];
        if (!stops(w, &f->messages[number], rate)) {
            i++;
            continue;
        }
        f->messages[number].new_rate = rate;
        w->met.of[i] = w->met.of[--left];
        w->met.of[left] = number;
    }
    for (int i = left; i < flows; i++)
        take_room(w, &f->messages[w->met.of[i]]);
    return left;
}

/* The room that a link has beside those who keep their rates, and the parts of the others. */
static void empty(const struct dts_flow *f, struct dts_flow_wire_link *link)
{
    const struct dts_flow_wire *w = f->wire;
    link->left = link->bytes_per_s;
    link->weight = 0;
    link->level = INFINITY;
    for (int k = 0; k < link->count; k++) {
        const struct dts_flow_message *m = &f->messages[link->flows[2 * k]];
        const struct dts_flow_wire_path *path = dts_flow_wire_path_of(w, m);
        const double part = (double)w->hops[path->first + link->flows[2 * k + 1]].part;
        if (m->mark == w->mark)
            link->weight += part;
        else
            link->left -= part * m->rate;
    }
    link->left = fmax(0, link->left);
}

void dts_flow_wire_fill(struct dts_flow *f)
{
    struct dts_flow_wire *w = f->wire;
    w->filled.count = 0;
    for (int i = 0; i < w->met_links.count; i++) {
        empty(f, &w->links[w->met_links.of[i]]);
        dts_flow_wire_list_add(&w->filled, w->met_links.of[i]);
    }
    for (int flows = w->met.count; flows > 0;) {
        int kept = 0;
        for (int i = 0; i < w->filled.count; i++)
            if (w->links[w->filled.of[i]].weight > 1e-9)
                w->filled.of[kept++] = w->filled.of[i];
        w->filled.count = kept;
        flows = give(f, flows, next_rate(f, flows));
    }
}
