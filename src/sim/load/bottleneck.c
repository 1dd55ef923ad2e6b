/* bottleneck.c -- seconds on the wire, by the kind of the narrowest link. */
#include "sim/load/bottleneck.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 16 }; // of links in one job; a machine has fewer

struct sums {
    struct dts_bottleneck of[KINDS];
    int count;
    double total_s;
};

/* Do two names differ in numbers alone? */
static bool alike(const char *a, const char *b)
{
    for (;;) {
        while (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            a += strspn(a, "0123456789");
            b += strspn(b, "0123456789");
        }
        if (*a != *b)
            return false;
        if (*a == '\0')
            return true;
        a++;
        b++;
    }
}

static void add(const struct dts_net *net, int link, double seconds, struct sums *sums)
{
    char name[sizeof(sums->of[0].link)] = "";
    if (link >= 0)
        net->ops->link_name(net->self, link, name, sizeof(name));
    int i = 0;
    while (i < sums->count && !alike(sums->of[i].link, name))
        i++;
    if (i == KINDS || seconds <= 0)
        return;
    if (i == sums->count) {
        memcpy(sums->of[i].link, name, sizeof(name));
        sums->count++;
    }
    sums->of[i].seconds += seconds;
    sums->total_s += seconds;
}

/* In a step, of an operation that acts in this share of all. */
static double wire_s(double share, const struct dts_step_cost *cost)
{
    return share * cost->repeat * fmax(cost->load_s[0], cost->load_s[1]);
}

/* Steps of a collective follow one another; the messages of an exchange are under way at once.
 */
static void add_op(const struct dts_net *net, const struct dts_op *op,
                   const struct dts_load *load, struct sums *sums)
{
    const double share = dts_when_share(&op->when);
    int longest = -1;
    for (int i = 0; i < load->cost_count; i++) {
        if (op->kind == DTS_OP_COLLECTIVE)
            add(net, load->costs[i].worst_link, wire_s(share, &load->costs[i]), sums);
        else if (longest < 0 ||
                 wire_s(share, &load->costs[i]) > wire_s(share, &load->costs[longest]))
            longest = i;
    }
    if (longest >= 0)
        add(net, load->costs[longest].worst_link, wire_s(share, &load->costs[longest]), sums);
}

static int by_seconds(const void *a, const void *b)
{
    const struct dts_bottleneck *x = a, *y = b;
    const int order = (x->seconds < y->seconds) - (x->seconds > y->seconds);
    return order != 0 ? order : strcmp(x->link, y->link);
}

int dts_bottlenecks_find(const struct dts_simulation *simulation, struct dts_loader *loader,
                         struct dts_bottleneck *found, int room)
{
    const struct dts_cohorts *cohorts = dts_loader_cohorts(loader);
    struct sums longest = {.count = 0};
    for (int c = 0; c < cohorts->count; c++) {
        const struct dts_role *role = cohorts->all[c].role;
        struct sums sums = {.count = 0};
        for (int o = 0; o < role->plan.op_count && role->kind == DTS_WORKER; o++)
            if (role->plan.ops[o].kind != DTS_OP_CALL)
                add_op(simulation->net, &role->plan.ops[o], dts_loader_count(loader, c, o),
                       &sums);
        if (sums.total_s > longest.total_s)
            longest = sums;
    }
    qsort(longest.of, (size_t)longest.count, sizeof(longest.of[0]), by_seconds);
    const int count = longest.count < room ? longest.count : room;
    memcpy(found, longest.of, (size_t)count * sizeof(*found));
    return count;
}
