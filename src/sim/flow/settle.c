/* settle.c -- which links and messages a change touches, until the rates of all others hold. */
#include <math.h>

#include "sim/flow/wire.h"

enum { MOST_ATTEMPTS = 12 }; // then all that is tied together by any link is settled at once

#define FULL (1 + 1e-11)

static void meet(struct dts_flow *f, int number)
{
    struct dts_flow_wire *w = f->wire;
    if (f->messages[number].mark == w->mark)
        return;
    f->messages[number].mark = w->mark;
    dts_flow_wire_list_add(&w->met, number);
}

/* A link, and whom it limits. */
static void meet_link(struct dts_flow *f, int number)
{
    struct dts_flow_wire *w = f->wire;
    struct dts_flow_wire_link *link = &w->links[number];
    if (link->mark == w->mark)
        return;
    link->mark = w->mark;
    dts_flow_clock_clear(f, number);
    dts_flow_wire_list_add(&w->met_links, number);
    if (link->bound == 0)
        return;
    for (int i = 0; i < link->count; i++)
        if (f->messages[link->flows[2 * i]].bound == number)
            meet(f, link->flows[2 * i]);
}

static void graze(struct dts_flow_wire *w, int number, double bytes_per_s)
{
    struct dts_flow_wire_link *link = &w->links[number];
    if (link->delta_mark != w->delta_mark) {
        link->delta_mark = w->delta_mark;
        link->delta = 0;
        dts_flow_wire_list_add(&w->grazed, number);
    }
    link->delta += bytes_per_s;
}

static void graze_none(struct dts_flow_wire *w)
{
    w->delta_mark++;
    w->grazed.count = 0;
}

static void meet_too_full(struct dts_flow *f)
{
    const struct dts_flow_wire *w = f->wire;
    for (int i = 0; i < w->grazed.count; i++) {
        const struct dts_flow_wire_link *link = &w->links[w->grazed.of[i]];
        if (link->load + link->delta > link->bytes_per_s * FULL)
            meet_link(f, w->grazed.of[i]);
    }
}

/* Links where somebody has left whom they limited, and messages that have no rate yet. */
static void meet_first(struct dts_flow *f)
{
    struct dts_flow_wire *w = f->wire;
    w->mark++;
    w->met.count = w->met_links.count = 0;
    graze_none(w);
    for (int i = 0; i < w->dirty.count; i++) {
        w->links[w->dirty.of[i]].dirty = false;
        dts_flow_clock_take(f, w->dirty.of[i]);
        if (w->links[w->dirty.of[i]].bound > 0)
            meet_link(f, w->dirty.of[i]);
    }
    w->dirty.count = 0;
    for (int i = 0; i < w->fresh.count; i++) {
        const struct dts_flow_wire_path *path =
            dts_flow_wire_path_of(w, &f->messages[w->fresh.of[i]]);
        meet(f, w->fresh.of[i]);
        for (int h = path->first; h < path->first + path->count; h++)
            if (w->links[w->hops[h].link].clock != NULL)
                meet_link(f, w->hops[h].link);
            else
                graze(w, w->hops[h].link, (double)w->hops[h].part * path->most_bytes_per_s);
    }
    w->fresh.count = 0;
    meet_too_full(f);
}

static bool changed(const struct dts_flow_message *m)
{
    return fabs(m->new_rate - m->rate) > 1e-13 * m->rate;
}

/* Links that a message of another rate crosses. */
static void look_along(struct dts_flow *f, const struct dts_flow_message *m)
{
    struct dts_flow_wire *w = f->wire;
    const struct dts_flow_wire_path *path = dts_flow_wire_path_of(w, m);
    for (int h = path->first; h < path->first + path->count; h++) {
        const int number = w->hops[h].link;
        if (w->links[number].mark == w->mark)
            continue;
        if (w->links[number].bound > 0)
            meet_link(f, number);
        else
            graze(w, number, (double)w->hops[h].part * (m->new_rate - m->rate));
    }
}

/* Who else must be settled, now that new rates are known. Returns false for nobody. */
static bool meet_more(struct dts_flow *f)
{
    struct dts_flow_wire *w = f->wire;
    const int flows = w->met.count, links = w->met_links.count;
    graze_none(w);
    for (int i = 0; i < flows; i++)
        if (changed(&f->messages[w->met.of[i]]))
            look_along(f, &f->messages[w->met.of[i]]);
    meet_too_full(f);
    for (int i = 0; i < links; i++) {
        const struct dts_flow_wire_link *link = &w->links[w->met_links.of[i]];
        for (int k = 0; k < link->count && !isinf(link->level); k++) {
            const struct dts_flow_message *m = &f->messages[link->flows[2 * k]];
            if (m->mark != w->mark && m->rate > link->level * FULL)
                meet(f, link->flows[2 * k]);
        }
    }
    return w->met.count > flows || w->met_links.count > links;
}

/* All that any link ties to what was met. */
static void meet_all(struct dts_flow *f)
{
    const struct dts_flow_wire *w = f->wire;
    for (int i = 0, l = 0; i < w->met.count || l < w->met_links.count;) {
        for (; i < w->met.count; i++) {
            const struct dts_flow_wire_path *path =
                dts_flow_wire_path_of(w, &f->messages[w->met.of[i]]);
            for (int h = path->first; h < path->first + path->count; h++)
                meet_link(f, w->hops[h].link);
        }
        for (; l < w->met_links.count; l++) {
            const struct dts_flow_wire_link *link = &w->links[w->met_links.of[l]];
            for (int k = 0; k < link->count; k++)
                meet(f, link->flows[2 * k]);
        }
    }
}

/* The new rate of a message holds. */
static void take_over(struct dts_flow *f, int number)
{
    struct dts_flow_wire *w = f->wire;
    struct dts_flow_message *m = &f->messages[number];
    if (m->bound != DTS_FLOW_NONE)
        w->links[m->bound].bound--;
    m->bound = m->new_bound;
    if (m->bound != DTS_FLOW_NONE)
        w->links[m->bound].bound++;
    if (!changed(m))
        return;
    const struct dts_flow_wire_path *path = dts_flow_wire_path_of(w, m);
    for (int h = path->first; h < path->first + path->count; h++)
        w->links[w->hops[h].link].load += (double)w->hops[h].part * (m->new_rate - m->rate);
    dts_flow_wire_move_on(f, number, m->new_rate, m->slow);
}

/* Sums that are only changed drift. */
static void sum_anew(const struct dts_flow *f, struct dts_flow_wire_link *link)
{
    const struct dts_flow_wire *w = f->wire;
    link->load = 0;
    for (int k = 0; k < link->count; k++) {
        const struct dts_flow_message *m = &f->messages[link->flows[2 * k]];
        const struct dts_flow_wire_path *path = dts_flow_wire_path_of(w, m);
        link->load += m->rate * (double)w->hops[path->first + link->flows[2 * k + 1]].part;
    }
}

void dts_flow_wire_settle(struct dts_flow *f)
{
    struct dts_flow_wire *w = f->wire;
    if (w->dirty.count == 0 && w->fresh.count == 0)
        return;
    meet_first(f);
    if (w->met.count == 0)
        return;
    dts_flow_wire_fill(f);
    for (int attempt = 1; meet_more(f); attempt++) {
        if (attempt == MOST_ATTEMPTS)
            meet_all(f);
        dts_flow_wire_fill(f);
        if (attempt == MOST_ATTEMPTS)
            break;
    }
    for (int i = 0; i < w->met.count; i++)
        take_over(f, w->met.of[i]);
    for (int i = 0; i < w->met_links.count; i++)
        sum_anew(f, &w->links[w->met_links.of[i]]);
    for (int i = 0; i < w->met_links.count; i++)
        dts_flow_clock_set(f, w->met_links.of[i]);
}
