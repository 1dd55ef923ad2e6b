/* built.c -- a question becomes a job: batch, seconds of the kernels, plans, endpoints. */
#include "answer/built.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/variants/readers.h"
#include "base/mem.h"
#include "base/text.h"

/* Devices of a node slow one another down. */
static void share_nodes(const struct dts_question *q, struct dts_built *built)
{
    const int nodes = dts_point_nodes(&built->point);
    const int each = (q->devices + nodes - 1) / nodes;
    struct dts_model_seconds *seconds = &built->seconds;
    built->together = dts_platform_together(q->platform, each);
    for (int l = 0; l < q->scenario->model.layer_count; l++) {
        seconds->forward[l] *= built->together;
        seconds->backward[l] *= built->together;
    }
    seconds->update *= built->together;
    const size_t length = strlen(seconds->basis);
    if (built->together > 1)
        snprintf(seconds->basis + length, sizeof(seconds->basis) - length,
                 "; times %.3g, as %d devices share a node (%s)", built->together, each,
                 q->platform->name);
}

/* Kernels that run at another speed than the device's, as somebody asks to know. */
static void change_speed(const struct dts_question *q, struct dts_built *built)
{
    if (q->speed == 0)
        return;
    for (int l = 0; l < q->scenario->model.layer_count; l++) {
        built->seconds.forward[l] /= q->speed;
        built->seconds.backward[l] /= q->speed;
    }
    built->seconds.update /= q->speed;
}

/* A scenario that trains live says with how many threads: a profile of as many tells it. */
static void say_threads(const struct dts_question *q, struct dts_built *built)
{
    const struct dts_live_settings *live = &q->scenario->live;
    const struct dts_profile *profile = &built->point.device->profile;
    const bool on_threads =
        strcmp(live->compute, "kernels") == 0 && strcmp(live->device, "cpu") == 0;
    struct dts_model_seconds *seconds = &built->seconds;
    const size_t length = strlen(seconds->basis);
    const bool told = dts_profile_tells(profile, (int)q->scenario->precision);
    if (on_threads && told && profile->threads > 0 && profile->threads != live->threads)
        snprintf(seconds->basis + length, sizeof(seconds->basis) - length,
                 "; but each live rank has %d thread%s", live->threads,
                 dts_plural(live->threads));
}

static bool find_seconds(const struct dts_question *q, struct dts_built *built,
                         struct dts_error *err)
{
    const struct dts_scenario *s = q->scenario;
    struct dts_error why = {0};
    if (!dts_device_check(built->point.device, s->precision, &why))
        return dts_doc_fail(s->doc, "precision", why.cause, err, "%s", why.text);
    const struct dts_samples samples = dts_point_samples(&built->point);
    if (!dts_model_seconds(&s->model, built->point.device, &s->stack, s->optimizer,
                           s->precision, &samples, &built->seconds, err))
        return false;
    share_nodes(q, built);
    change_speed(q, built);
    say_threads(q, built);
    return true;
}

/* A mesh numbers ranks otherwise than devices follow one another. */
static void permute(struct dts_built *built)
{
    const struct dts_strategy_kind *kind = built->point.strategy->kind;
    const int count = built->ranks;
    if (kind->device_of == NULL)
        return;
    int *by_device = dts_alloc((size_t)count, sizeof(*by_device));
    memcpy(by_device, built->endpoints, (size_t)count * sizeof(*by_device));
    for (int rank = 0; rank < count; rank++)
        built->endpoints[rank] = by_device[kind->device_of(&built->point, rank)];
    free(by_device);
}

/* Endpoints of all ranks. */
static bool place(const struct dts_question *q, struct dts_built *built, struct dts_error *err)
{
    const struct dts_scenario *s = q->scenario;
    struct dts_ranks_needed needed;
    struct dts_placement placement = {.kind = s->placing.kind,
                                      .seed = (unsigned long)s->placing.seed,
                                      .nodes = s->placing.nodes,
                                      .file = dts_doc_name(s->doc),
                                      .taken = q->taken,
                                      .node_count = (int)s->placing.node_count};
    if (built->endpoints != NULL)
        return true;
    if (!q->strategy->kind->ranks_needed(&built->point, &needed, err) ||
        !dts_place(q->platform, &placement, needed.devices, needed.hosts, needed.apart,
                   &built->endpoints, err))
        return false;
    built->ranks = needed.devices + needed.hosts;
    permute(built);
    return true;
}

/* Which kinds of node are in use, before anything is built for them. Where ranks find no place,
 * building says why. */
static void find_kinds(const struct dts_question *q, struct dts_built *built)
{
    struct dts_error ignored = {0};
    const int most = q->platform->nodes * q->platform->devices_per_node;
    if (q->kinds != NULL && q->devices >= 1 && q->devices <= most)
        place(q, built, &ignored);
    dts_kinds_used_find(q, built->endpoints, built->ranks, &built->used);
    const struct dts_device *smallest = built->used.smallest;
    built->point.device = built->used.first;
    built->machine.device_memory_bytes =
        (smallest != NULL ? smallest : q->device)->memory_bytes;
    built->machine.smallest_device = smallest != NULL ? smallest->name : NULL;
}

static enum dts_choice_gpu gpu_of(const char *generation)
{
    static const struct {
        const char *generation;
        enum dts_choice_gpu gpu;
    } rows[] = {
        {"kepler", DTS_CHOICE_PASCAL},       {"maxwell", DTS_CHOICE_PASCAL},
        {"pascal", DTS_CHOICE_PASCAL},       {"volta", DTS_CHOICE_VOLTA},
        {"turing", DTS_CHOICE_VOLTA},        {"ampere", DTS_CHOICE_AMPERE},
        {"ada", DTS_CHOICE_AMPERE},          {"hopper", DTS_CHOICE_HOPPER},
        {"blackwell", DTS_CHOICE_BLACKWELL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && generation != NULL; i++)
        if (strcmp(rows[i].generation, generation) == 0)
            return rows[i].gpu;
    return DTS_CHOICE_AMPERE;
}

/* Of a NIC, whose slot may carry less: a path is as fast as its slowest link. */
static double nic_bytes_per_s(const struct dts_platform *platform)
{
    const double nic = platform->nic_bytes_per_s, slot = platform->slot_bytes_per_s;
    return slot > 0 ? fmin(nic, slot) : nic;
}

/* What a library of collectives sees. */
static void look_at_site(const struct dts_question *q, struct dts_machine *machine)
{
    const struct dts_platform_node *node = &q->platform->node;
    machine->site = (struct dts_choice_group){
        .gpu = gpu_of(q->device->generation),
        .cpu = node->cpu != NULL && strcmp(node->cpu, "amd") == 0 ? DTS_CHOICE_AMD
                                                                  : DTS_CHOICE_INTEL,
        .nvlinks = node->nvlinks,
        .nvswitch = node->nvswitch,
        .nics_near = node->nics_near,
        .sharp = node->sharp,
        .nics = node->nics,
        .nic_bytes_per_s = nic_bytes_per_s(q->platform),
        .nic_latency_s = node->nic_plugin_latency_s,
    };
    machine->lanes_of_two = node->lanes[0][1];
    if (node->nvlinks > 0 && !node->nvswitch && q->devices <= machine->devices_per_node)
        dts_orders_find(node->lanes, q->devices, &machine->orders);
}

/* Of the first device to its host: each link of the way, shared by all devices of the node
 * whose way it is on. */
static double host_link(const struct dts_platform *platform)
{
    const struct dts_net *net = &platform->net;
    int way[DTS_MAX_ROUTE], other[DTS_MAX_ROUTE];
    double least = INFINITY;
    const int hops = net->ops->route(net->self, 0, net->devices, 0, way);
    for (int h = 0; h < hops; h++) {
        int sharing = 0;
        for (int d = 0; d < net->devices_per_node; d++) {
            const int count = net->ops->route(net->self, d, net->devices, 0, other);
            for (int i = 0; i < count; i++)
                sharing += other[i] == way[h];
        }
        least =
            fmin(least, net->ops->capacity(net->self, way[h]) / (sharing > 0 ? sharing : 1));
    }
    return hops > 0 && isfinite(least) ? least : 0;
}

static bool build_job(const struct dts_question *q, struct dts_built *built,
                      struct dts_error *err)
{
    return dts_build(&built->point, &built->job, err) && place(q, built, err) &&
           dts_unlike_find(q, &built->point, &built->job, built->endpoints, &built->used,
                           &built->unlike, err);
}

/* Jobs that read at once share the storage of all nodes by their devices. */
static double storage_share(const struct dts_question *q)
{
    const double devices = dts_reading_devices(q);
    if (q->storage_share > 0)
        return q->storage_share;
    return q->devices < devices ? q->devices / devices : 1;
}

bool dts_built_make(const struct dts_question *q, struct dts_built *built,
                    struct dts_error *err)
{
    *built = (struct dts_built){0};
    built->machine = (struct dts_machine){
        .nodes = q->platform->nodes,
        .devices_per_node = q->platform->devices_per_node,
        .host_memory_bytes_per_s = q->platform->host_memory_bytes_per_s,
        .host_memory_bytes = q->platform->host_memory_bytes,
        .host_memory_assumed = dts_platform_assumes(q->platform, "node.host_memory_bytes"),
        .host_link_bytes_per_s = host_link(q->platform),
        .cores = q->platform->cores,
        .storage_shared_bytes_per_s =
            q->platform->storage.shared_bytes_per_s * storage_share(q),
        .storage_node_bytes_per_s = q->platform->storage.node_bytes_per_s,
    };
    look_at_site(q, &built->machine);
    built->point = (struct dts_point){.scenario = q->scenario,
                                      .strategy = q->strategy,
                                      .device = q->device,
                                      .machine = &built->machine,
                                      .devices = q->devices,
                                      .seconds = &built->seconds};
    find_kinds(q, built);
    if (dts_point_batch(&built->point, err) && find_seconds(q, built, err) &&
        (q->memory_only || build_job(q, built, err)))
        return true;
    dts_built_free(built);
    return false;
}

double dts_built_slowdown(const struct dts_question *q)
{
    return q->platform->communicating >= 0 ? q->platform->communicating
                                           : q->scenario->stack.slowdown;
}

double dts_built_sums(const struct dts_built *built)
{
    return built->used.memory_bytes_per_s / 3; // 2 reads, 1 write
}

const char *dts_built_drifting(const struct dts_built *built)
{
    return dts_job_serving(&built->job) != NULL ? "servers that answer as requests come"
           : dts_job_drifts(&built->job)        ? "workers that do not wait for each other"
                                                : NULL;
}

void dts_built_free(struct dts_built *built)
{
    dts_job_free(&built->job);
    dts_model_seconds_free(&built->seconds);
    dts_unlike_free(&built->unlike);
    free(built->endpoints);
    *built = (struct dts_built){0};
}
