/* ps_site.c -- how the weights are divided over servers, and where these are. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "train/strategy/ps.h"

/* Beyond these the plan takes minutes to simulate, and no system does it. */
enum {
    MOST_ON_A_NODE = 64, // servers
    MOST_PARTS = 8192,   // of all gradients; BytePS's 4 MB of GPT-2 XL in fp32 are 1,558
};

double dts_ps_beside_share(int n, int k)
{
    const double nodes = n, more = k;
    if (n == 1 || k == 0)
        return 1;
    return fmax(0, nodes * (nodes - more) / (nodes * nodes + more * nodes - 2 * more));
}

static double beside_share(const struct dts_ps *ps, const struct dts_point *point)
{
    if (!ps->both)
        return ps->dedicated ? 0 : 1;
    return ps->beside_share >= 0 ? ps->beside_share
                                 : dts_ps_beside_share(dts_point_nodes(point), ps->servers);
}

int dts_ps_servers(const struct dts_ps *ps, const struct dts_point *point, int *beside)
{
    const int nodes = dts_point_nodes(point), named = ps->servers > 0 ? ps->servers : nodes;
    const double share = beside_share(ps, point);
    *beside = share <= 0 ? 0 : ps->both ? nodes : named;
    return *beside + (share < 1 ? named : 0);
}

bool dts_ps_ranks_needed(const struct dts_ps *ps, const struct dts_point *point,
                         struct dts_ranks_needed *needed, struct dts_error *err)
{
    const int nodes = dts_point_nodes(point);
    int beside;
    if (!ps->dedicated && !ps->both && ps->servers / MOST_ON_A_NODE > nodes)
        return dts_point_fail(
            point, err, "%s: servers must be <= %d on each of %d node%s, got %d",
            point->strategy->name, MOST_ON_A_NODE, nodes, dts_plural(nodes), ps->servers);
    const int servers = dts_ps_servers(ps, point, &beside);
    *needed = (struct dts_ranks_needed){
        .devices = point->devices, .hosts = servers, .apart = servers - beside};
    return true;
}

/* The bucket that comes next: of those that have no server yet the largest, or in the order of
 * the network, which is opposite to that of backward; -1: all have one. */
static int next_bucket(const struct dts_ps_site *site, const bool *assigned)
{
    int next = -1;
    for (int b = site->bucket_count - 1; b >= 0; b--) {
        const bool larger =
            next >= 0 && site->buckets[b].elements >= site->buckets[next].elements;
        if (!assigned[b] && (next < 0 || (!site->ps->round_robin && larger)))
            next = b;
    }
    return next;
}

/* By size each goes to the server that has least so far, ties to the lower number; in turn each
 * to the next server. */
static void assign(struct dts_ps_site *site)
{
    size_t *load = dts_alloc((size_t)site->servers, sizeof(*load));
    bool *assigned = dts_alloc((size_t)site->bucket_count + 1, sizeof(*assigned));
    for (int b = 0; b < site->bucket_count; b++)
        if (site->ps->cut_beyond > 0 && site->buckets[b].elements > site->ps->cut_beyond) {
            assigned[b] = true; // over all
        }
    int turn = 0;
    for (int b; (b = next_bucket(site, assigned)) >= 0; turn++) {
        int server = site->ps->round_robin ? turn % site->servers : 0;
        for (int s = 1; s < site->servers && !site->ps->round_robin; s++)
            server = load[s] < load[server] ? s : server;
        site->holders[b] = (struct dts_ps_holders){server, 1};
        assigned[b] = true;
        load[server] += site->buckets[b].elements;
    }
    free(assigned);
    free(load);
}

/* The part of each bucket that is beside workers, and behind it the rest, as neighbours. */
static void split(struct dts_ps_site *site)
{
    const double share = beside_share(site->ps, site->point);
    const int count = site->bucket_count;
    struct dts_bucket *parts = dts_alloc(2 * (size_t)count, sizeof(*parts));
    struct dts_ps_holders *holders = dts_alloc(2 * (size_t)count, sizeof(*holders));
    site->bucket_count = 0;
    for (int b = 0; b < count; b++) {
        struct dts_bucket bucket = site->buckets[b];
        const size_t all = bucket.elements, beside = (size_t)lround(share * (double)all);
        const size_t elements[] = {beside, all - beside};
        if (site->holders[b].count == 0) {
            parts[site->bucket_count++] = bucket;
            continue;
        }
        for (int i = 0; i < 2; i++) {
            if (elements[i] == 0)
                continue;
            bucket.elements = elements[i];
            parts[site->bucket_count] = bucket;
            holders[site->bucket_count++] =
                i == 0 ? (struct dts_ps_holders){0, site->beside}
                       : (struct dts_ps_holders){site->beside, site->servers - site->beside};
            bucket.delay_s = 0; // the first part has waited
        }
    }
    free(site->buckets);
    free(site->holders);
    site->buckets = parts;
    site->holders = holders;
}

static struct dts_role role_of(const struct dts_ps_site *site, struct dts_ps_holders servers)
{
    struct dts_role role = {
        .name = "server",
        .kind = DTS_SERVER,
        .first = site->point->devices + servers.first,
        .count = servers.count,
        .serve = site->ps->serve,
    };
    dts_ps_server(site, servers.first, &role.plan);
    return role;
}

/* One role for all servers, one for each where each has other buckets, or two by their places.
 */
void dts_ps_add_roles(const struct dts_ps_site *site, struct dts_job *job)
{
    const int devices = site->point->devices, apart = site->servers - site->beside;
    const bool mixed = site->beside > 0 && apart > 0;
    const int kinds = site->ps->by_tensor ? site->servers : 1 + mixed;
    job->roles = dts_alloc(1 + (size_t)kinds, sizeof(*job->roles));
    job->role_count = 1 + kinds;
    job->ranks = devices + site->servers;
    job->roles[0] = (struct dts_role){.name = "worker", .count = devices};
    for (int s = 0; s < kinds; s++) {
        struct dts_ps_holders servers = {s, 1};
        if (!site->ps->by_tensor)
            servers = !mixed   ? (struct dts_ps_holders){0, site->servers}
                      : s == 0 ? (struct dts_ps_holders){0, site->beside}
                               : (struct dts_ps_holders){site->beside, apart};
        job->roles[1 + s] = role_of(site, servers);
    }
}

int dts_ps_per_leader(const struct dts_ps *ps, const struct dts_point *point)
{
    return ps->aggregate_in_node ? dts_point_per_node(point) : 1;
}

static bool find_leaders(const struct dts_ps *ps, const struct dts_point *point,
                         int *per_leader, struct dts_error *err)
{
    *per_leader = dts_ps_per_leader(ps, point);
    if (*per_leader == 1 && ps->aggregate_in_node && point->devices > 1 &&
        point->machine->devices_per_node > 1)
        return dts_point_fail(point, err,
                              "%s: aggregate_in_node needs neighbouring ranks on every node, "
                              "as many as a node has devices (%d)",
                              point->strategy->name, point->machine->devices_per_node);

    struct dts_coll_shape shape = {
        .size = *per_leader, .per_node = *per_leader, .shards = 1, .pieces = 1};
    const enum dts_coll_kind kinds[] = {DTS_ALLREDUCE, DTS_BROADCAST, DTS_ALLGATHER};
    for (int i = 0; i < 2 + ps->tables.rows; i++) {
        const char *why = NULL;
        shape.kind = kinds[i];
        if (!dts_coll_fits(ps->within_coll, &shape, &why))
            return dts_point_fail(point, err, "%s: within: %s %s", point->strategy->name,
                                  ps->within, why);
    }
    return true;
}

/* Cut the buckets into parts. */
static bool cut(struct dts_ps_site *site, struct dts_error *err)
{
    const struct dts_ps *ps = site->ps;
    double most = ps->part_bytes / (double)dts_point_wire_bytes(site->point);
    double all = 0;
    most = most > 1 ? floor(most) : 1;
    for (int b = 0; b < site->bucket_count; b++)
        all += ceil((double)site->buckets[b].elements / most);
    if (all > MOST_PARTS)
        return dts_point_fail(site->point, err,
                              "%s: part_bytes %g makes %.0f parts, must be at most %d",
                              site->point->strategy->name, ps->part_bytes, all, MOST_PARTS);
    site->bucket_count = dts_buckets_cut(&site->buckets, site->bucket_count, (size_t)most);
    return true;
}

/* Workers that go their own way add up nothing among each other. */
static bool check_serve(const struct dts_ps_site *site, struct dts_error *err)
{
    const struct dts_ps *ps = site->ps;
    const char *name = site->point->strategy->name;
    const int peers = site->point->devices / site->per_leader;
    if (ps->serve.rule != NULL && dts_build_synchronizes(site->point))
        return dts_point_fail(site->point, err,
                              "%s: synchronized batch_norm needs workers in step, and these "
                              "servers answer each as it comes",
                              name);
    if (ps->serve.momentum != NULL && !site->point->scenario->optimizer->momentum)
        return dts_point_fail(
            site->point, err,
            "%s: late_momentum cannot act: the optimizer %s keeps no momentum "
            "that may change from update to update",
            name, site->point->scenario->optimizer->name);
    if (ps->backup_workers >= peers)
        return dts_point_fail(site->point, err,
                              "%s: backup_workers must be below the %d that push, got %d", name,
                              peers, ps->backup_workers);
    return true;
}

/* The buckets, and who holds them. */
static bool divide(struct dts_ps_site *site, struct dts_error *err)
{
    const struct dts_ps *ps = site->ps;
    site->bucket_count = dts_tables_buckets(&ps->tables, site->point, &ps->policy,
                                            site->per_leader, &site->buckets);
    if (ps->part_bytes > 0 && !cut(site, err))
        return false;
    site->holders = dts_alloc((size_t)site->bucket_count, sizeof(*site->holders));
    for (int b = 0; b < site->bucket_count; b++)
        if (!site->rows_only || site->buckets[b].table >= 0)
            site->holders[b] = (struct dts_ps_holders){0, site->servers};
    if (ps->by_tensor)
        assign(site);
    if (site->beside > 0 && site->servers > site->beside)
        split(site);
    return true;
}

bool dts_ps_site_open(const struct dts_ps *ps, const struct dts_point *point, bool rows_only,
                      struct dts_ps_site *site, struct dts_error *err)
{
    *site = (struct dts_ps_site){.point = point, .ps = ps, .rows_only = rows_only};
    site->servers = dts_ps_servers(ps, point, &site->beside);
    if (!find_leaders(ps, point, &site->per_leader, err) || !check_serve(site, err))
        return false;
    const struct dts_members all = dts_point_members(point);
    if (dts_build_synchronizes(point) &&
        !dts_coll_choice_small(&ps->statistics, point, &all, &site->statistics, err))
        return false;
    if (point->machine->host_memory_bytes_per_s <= 0)
        return dts_point_fail(point, err,
                              "%s: the platform does not say host_memory_bytes_per_s, at "
                              "which a server sums",
                              point->strategy->name);
    return divide(site, err);
}

void dts_ps_site_close(struct dts_ps_site *site)
{
    free(site->holders);
    free(site->buckets);
    site->holders = NULL;
    site->buckets = NULL;
}

/* Weights of a bucket: of rows the whole table, of which a message has some. */
static double weights_of(const struct dts_ps_site *site, const struct dts_bucket *bucket)
{
    if (bucket->table < 0)
        return (double)bucket->elements;
    const struct dts_layer *layer = &site->point->scenario->model.layers[bucket->table];
    const size_t message =
        dts_tables_message(&site->ps->tables, site->point, bucket->table, site->per_leader);
    return (double)dts_layer_table(layer)->count * (double)bucket->elements / (double)message;
}

/* Of each server. The caller frees it. */
static double *all_weights(const struct dts_ps_site *site)
{
    double *of = dts_alloc((size_t)site->servers + 1, sizeof(*of)); // changes, then values
    for (int b = 0; b < site->bucket_count; b++) {
        const struct dts_ps_holders *h = &site->holders[b];
        if (h->count == 0)
            continue;
        const double each = weights_of(site, &site->buckets[b]) / h->count;
        of[h->first] += each;
        of[h->first + h->count] -= each;
    }
    for (int s = 1; s < site->servers; s++)
        of[s] += of[s - 1];
    return of;
}

double dts_ps_kept(const struct dts_ps_site *site)
{
    const struct dts_scenario *s = site->point->scenario;
    const int nodes = dts_point_nodes(site->point);
    const double bytes = (double)dts_precision_bytes(s->precision);
    const double workers =
        site->ps->serve.compensation > 0 ? site->point->devices / site->per_leader : 0;
    double *of = all_weights(site), most = 0;
    for (int server = 0; server < site->servers; server++) {
        if (server < site->beside && server >= nodes) // one after the other on each node
            of[server] += of[server - nodes];
        most = fmax(most, of[server]);
    }
    free(of);
    return most * (1 + s->optimizer->state_values + workers) * fmax(bytes, 4);
}

bool dts_ps_memory(const struct dts_ps *ps, const struct dts_point *point, bool rows_only,
                   double *bytes, struct dts_error *err)
{
    struct dts_ps_site site = {0};
    const bool good = dts_tables_check(&ps->tables, point, err) &&
                      dts_ps_site_open(ps, point, rows_only, &site, err);
    *bytes = good ? dts_ps_kept(&site) : 0;
    dts_ps_site_close(&site);
    return good;
}
