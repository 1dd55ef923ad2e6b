/* torus.c -- a torus in any number of dimensions: Blue Gene/Q (5), TPU pods (2, 3).
 *
 * Each port has a router of its own, with two links in each dimension. Node n has coordinates
 * n % d0, n / d0 % d1, ... Messages go through the dimensions in order, the shorter way around;
 * where both are equally long, nodes with an odd sum of coordinates go backwards, so that both
 * directions carry the same. In a dimension of 2 both links lead to the same neighbour, as on
 * Blue Gene/Q.
 *
 * Links: (2 * dimensions) n + 2 dimension + (0 forwards, 1 backwards); dimensions of 1 have
 * none.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/net/topology/topology.h"

enum { DIMENSIONS = 8 };

struct torus {
    struct dts_cfg dims;
    double link_bytes_per_s, hop_latency_us;
    int nodes, count;     // by prepare, without dimensions of 1
    int size[DIMENSIONS]; // of each dimension
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct torus, dims), .type = DTS_OTHER, .forms = DTS_FORM_NUMBERS,
     .help = "nodes in each dimension, the first varies fastest: [4, 4, 2]"},
    {DTS_KEY(struct torus, link_bytes_per_s), .type = DTS_REAL, .min = 1e3, .max = 1e15,
     .help = "of one link, each way"},
    {DTS_KEY(struct torus, hop_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "of one link and router, in us"},
    {0},
};

static bool prepare(void *self, int ports, const struct dts_cfg *at, struct dts_error *err)
{
    struct torus *torus = self;
    struct dts_cfg dims = dts_cfg_member(at, "dims");
    int *sizes;
    size_t count;
    if (!dts_cfg_ints(&dims, 1, 1000000, DIMENSIONS, &sizes, &count, err))
        return false;
    long long nodes = 1, hops = 0;
    for (size_t i = 0; i < count && nodes <= INT_MAX; i++) {
        nodes *= sizes[i];
        hops += sizes[i] / 2;
        if (sizes[i] > 1)
            torus->size[torus->count++] = sizes[i];
    }
    free(sizes);
    if (!dts_topology_check_links((double)nodes * 2 * torus->count, &dims, NULL, err))
        return false;
    if (nodes < ports)
        return dts_cfg_fail(&dims, NULL, err,
                            "must have a product >= %d for all nodes, got %lld", ports, nodes);
    if (hops > DTS_MAX_TOPOLOGY_ROUTE)
        return dts_cfg_fail(&dims, NULL, err,
                            "must have a sum of at most %d, which are routes of %d links, got "
                            "%lld links: more dimensions have shorter routes",
                            2 * DTS_MAX_TOPOLOGY_ROUTE, DTS_MAX_TOPOLOGY_ROUTE, hops);
    torus->nodes = (int)nodes;
    return true;
}

static int ports(const void *self)
{
    return ((const struct torus *)self)->nodes;
}

static int links(const void *self)
{
    const struct torus *torus = self;
    return torus->nodes * 2 * torus->count;
}

static double capacity(const void *self, int link)
{
    (void)link;
    return ((const struct torus *)self)->link_bytes_per_s;
}

static void link_name(const void *self, int link, char *name, size_t room)
{
    const struct torus *torus = self;
    int way = link % (2 * torus->count);
    snprintf(name, room, "torus%d.%c%d", link / (2 * torus->count), way % 2 == 0 ? '+' : '-',
             way / 2);
}

static int place_of(const void *self, int port)
{
    (void)self;
    return port;
}

static void ends(const void *self, int link, int *from, int *to)
{
    const struct torus *torus = self;
    int way = link % (2 * torus->count), stride = 1;
    for (int i = 0; i < way / 2; i++)
        stride *= torus->size[i];
    int size = torus->size[way / 2];
    *from = link / (2 * torus->count);
    int at = *from / stride % size;
    *to = *from + ((way % 2 == 1 ? at + size - 1 : at + 1) % size - at) * stride;
}

static int paths(const void *self, int src, int dst)
{
    (void)self, (void)src, (void)dst;
    return 1;
}

static int parity(const struct torus *torus, int node)
{
    int sum = 0;
    for (int i = 0; i < torus->count; i++) {
        sum += node % torus->size[i];
        node /= torus->size[i];
    }
    return sum % 2;
}

static int route(const void *self, int src, int dst, int path, int *links)
{
    (void)path;
    const struct torus *torus = self;
    int count = 0, stride = 1, node = src, odd = parity(torus, src);
    for (int i = 0; i < torus->count; i++) {
        int size = torus->size[i];
        int ahead = (dst / stride % size - src / stride % size + size) % size;
        bool backwards = 2 * ahead > size || (2 * ahead == size && odd);
        int at = node / stride % size;
        for (int hops = backwards ? size - ahead : ahead; hops > 0; hops--) {
            links[count++] = 2 * torus->count * node + 2 * i + backwards;
            int next = backwards ? (at > 0 ? at : size) - 1 : (at + 1 < size ? at + 1 : 0);
            node += (next - at) * stride;
            at = next;
        }
        stride *= size;
    }
    return count;
}

static double latency(const void *self, int src, int dst, int path)
{
    (void)path;
    const struct torus *torus = self;
    int hops = 0;
    for (int i = 0; i < torus->count; i++) {
        int size = torus->size[i];
        int ahead = abs(dst % size - src % size);
        hops += ahead < size - ahead ? ahead : size - ahead;
        src /= size;
        dst /= size;
    }
    return hops * torus->hop_latency_us * 1e-6;
}

static int longest_dimension(const struct torus *torus)
{
    int longest = 1;
    for (int i = 0; i < torus->count; i++)
        if (torus->size[i] > longest)
            longest = torus->size[i];
    return longest;
}

/* Across the longest dimension: a ring is cut in two places. */
static double bisection(const void *self)
{
    const struct torus *torus = self;
    int across = longest_dimension(torus);
    return across == 1 ? 0 : 2.0 * (torus->nodes / across) * torus->link_bytes_per_s;
}

/* An even longest dimension: Dally and Towles 2004, Principles and Practices of Interconnection
 * Networks, 5.1. */
static enum dts_surely surely(const void *self)
{
    return longest_dimension(self) % 2 == 0 ? DTS_EXACT : DTS_ONE_CUT;
}

/* Half around each dimension. */
static void longest(const void *self, int *links, double *latency_s)
{
    const struct torus *torus = self;
    *links = 0;
    for (int i = 0; i < torus->count; i++)
        *links += torus->size[i] / 2;
    *latency_s = *links * torus->hop_latency_us * 1e-6;
}

const struct dts_topology dts_topology_torus = {
    .name = "torus",
    .summary = "a torus in any number of dimensions, dimension order",
    .fields = fields,
    .size = sizeof(struct torus),
    .prepare = prepare,
    .ports = ports,
    .links = links,
    .capacity = capacity,
    .link_name = link_name,
    .called = "routers",
    .places = ports,
    .place_of = place_of,
    .ends = ends,
    .paths = paths,
    .route = route,
    .latency = latency,
    .bisection = bisection,
    .halves = "across the longest dimension",
    .surely = surely,
    .longest = longest,
};
