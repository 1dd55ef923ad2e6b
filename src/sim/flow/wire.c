/* wire.c -- messages enter links, move on them, and leave them. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/flow/wire.h"

/* A load that rounding alone makes too large is none. */
#define FULL (1 + 1e-11)

const struct dts_flow_wire_path *dts_flow_wire_path_of(const struct dts_flow_wire *wire,
                                                       const struct dts_flow_message *message)
{
    return &wire->paths[message->hops];
}

static int new_back(struct dts_flow_wire *w, int hops)
{
    if (hops < DTS_FLOW_WIRE_HOPS && w->free_back[hops] != DTS_FLOW_NONE) {
        const int first = w->free_back[hops];
        w->free_back[hops] = w->backs[first];
        return first;
    }
    const int first = (int)w->back_count;
    w->back_count += (size_t)hops;
    w->backs = dts_grow(w->backs, &w->back_room, w->back_count, sizeof(*w->backs));
    return first;
}

static void free_back(struct dts_flow_wire *w, int hops, int first)
{
    if (hops == 0 || hops >= DTS_FLOW_WIRE_HOPS)
        return;
    w->backs[first] = w->free_back[hops];
    w->free_back[hops] = first;
}

static double slowness(const struct dts_flow *f, const struct dts_flow_message *m)
{
    const double by = f->simulation->message_slowdown;
    return by > 0 && (f->ranks[m->src].computing || f->ranks[m->dst].computing) ? 1 + by : 1;
}

/* Put a message into the list of a link: hop h of its path. */
static void cross(struct dts_flow_wire *w, const struct dts_flow_message *m, int number, int h,
                  struct dts_flow_wire_link *link)
{
    if (link->count == link->room) {
        size_t room = (size_t)link->room;
        link->flows = dts_grow(link->flows, &room, room + 1, 2 * sizeof(*link->flows));
        link->room = (int)room;
    }
    w->backs[m->first_back + h] = link->count;
    link->flows[2 * link->count] = number;
    link->flows[2 * link->count + 1] = h;
    link->count++;
}

/* Where all its links have room, a message gets its most at once, and nobody else changes. Else
 * it has no rate and no date before all is settled. */
static void enter(struct dts_flow *f, int number)
{
    struct dts_flow_wire *w = f->wire;
    struct dts_flow_message *m = &f->messages[number];
    m->hops = dts_flow_wire_path_find(f, m->pair, m->path);
    const struct dts_flow_wire_path *path = dts_flow_wire_path_of(w, m);
    m->slow = slowness(f, m);
    m->left_bytes = m->wire_bytes;
    m->since_s = f->now_s;
    m->rate = path->most_bytes_per_s;
    m->bound = DTS_FLOW_NONE;
    m->first_back = new_back(w, path->count);
    bool fits = true;
    int clocked = DTS_FLOW_NONE;
    for (int h = 0; h < path->count; h++) {
        const struct dts_flow_wire_hop hop = w->hops[path->first + h];
        struct dts_flow_wire_link *link = &w->links[hop.link];
        cross(w, m, number, h, link);
        clocked = link->clock != NULL ? hop.link : clocked;
        fits &= link->load + (double)hop.part * m->rate <= link->bytes_per_s * FULL;
    }
    if (clocked != DTS_FLOW_NONE && dts_flow_clock_enter(f, clocked, number))
        return;
    if (!fits || clocked != DTS_FLOW_NONE) {
        m->rate = 0;
        dts_flow_wire_list_add(&w->fresh, number);
        return;
    }
    for (int h = path->first; h < path->first + path->count; h++)
        w->links[w->hops[h].link].load += (double)w->hops[h].part * m->rate;
    dts_flow_date_set(f, ~number,
                      isinf(m->rate) ? f->now_s : f->now_s + m->left_bytes * m->slow / m->rate);
}

/* Take a message out of the list of a link; the last one takes its place. */
static void uncross(struct dts_flow *f, struct dts_flow_wire_link *link, int place)
{
    const int last = --link->count;
    if (place == last)
        return;
    const int moved = link->flows[2 * last], its = link->flows[2 * last + 1];
    struct dts_flow_wire *w = f->wire;
    link->flows[2 * place] = moved;
    link->flows[2 * place + 1] = its;
    w->backs[f->messages[moved].first_back + its] = place;
}

static void due(struct dts_flow *f, int number)
{
    struct dts_flow_wire *w = f->wire;
    const struct dts_flow_message *m = &f->messages[number];
    const struct dts_flow_wire_path *path = dts_flow_wire_path_of(w, m);
    const bool clocked = m->bound != DTS_FLOW_NONE && w->links[m->bound].clock != NULL;
    const int kept =
        clocked && dts_flow_clock_leave(f, m->bound, number) ? m->bound : DTS_FLOW_NONE;
    if (m->bound != DTS_FLOW_NONE)
        w->links[m->bound].bound--;
    for (int h = 0; h < path->count; h++) {
        const struct dts_flow_wire_hop hop = w->hops[path->first + h];
        struct dts_flow_wire_link *link = &w->links[hop.link];
        uncross(f, link, w->backs[m->first_back + h]);
        link->load -= clocked ? 0 : (double)hop.part * m->rate;
        link->load = link->count == 0 ? 0 : link->load;
        if ((link->bound > 0 || link->clock != NULL) && hop.link != kept && !link->dirty) {
            link->dirty = true;
            dts_flow_wire_list_add(&w->dirty, hop.link);
        }
    }
    free_back(w, path->count, m->first_back);
    dts_flow_arrived(f, number);
}

void dts_flow_wire_move_on(struct dts_flow *f, int number, double rate, double slow)
{
    struct dts_flow_message *m = &f->messages[number];
    m->left_bytes = fmax(0, m->left_bytes - m->rate / m->slow * (f->now_s - m->since_s));
    m->since_s = f->now_s;
    m->rate = rate;
    m->slow = slow;
    dts_flow_date_set(f, ~number, f->now_s + m->left_bytes * slow / rate);
}

/* Looks at all messages: few devices share their memory with their messages. */
static void slow(struct dts_flow *f, int rank)
{
    for (int number = 0; number < (int)f->message_count; number++) {
        const struct dts_flow_message *m = &f->messages[number];
        const bool on_wire = m->state == DTS_FLOW_ON_WIRE;
        const bool clocked =
            on_wire && m->bound != DTS_FLOW_NONE &&
            ((const struct dts_flow_wire *)f->wire)->links[m->bound].clock != NULL;
        if (!on_wire || (m->place == DTS_FLOW_NONE && !clocked) ||
            (m->src != rank && m->dst != rank) || isinf(m->rate))
            continue;
        const double now = slowness(f, m);
        if (now != m->slow && clocked)
            dts_flow_clock_slow(f, m->bound, number, now);
        else if (now != m->slow)
            dts_flow_wire_move_on(f, number, m->rate, now);
    }
}

void dts_flow_wire_open(struct dts_flow_wire *w)
{
    *w = (struct dts_flow_wire){0};
    for (int i = 0; i < DTS_FLOW_WIRE_HOPS; i++)
        w->free_back[i] = DTS_FLOW_NONE;
}

void dts_flow_wire_free(struct dts_flow_wire *w)
{
    for (size_t l = 0; l < w->link_count; l++) {
        free(w->links[l].flows);
        dts_flow_clock_free(w->links[l].clock);
    }
    free(w->links);
    free(w->paths);
    free(w->hops);
    free(w->first_path);
    free(w->backs);
    dts_map_free(&w->link_numbers);
    struct dts_flow_wire_list *lists[] = {&w->dirty, &w->fresh,  &w->met_links,
                                          &w->met,   &w->grazed, &w->filled};
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
        free(lists[i]->of);
}

const struct dts_flow_wire_ops dts_flow_wire_ops = {.enter = enter, .due = due, .slow = slow};
