/* agree.h -- the same job on two engines, and what they answer side by side: fluid against
 * flow, which takes every message, as exact does with SimGrid (test_agree_flow.c). Rows call
 * both exact.
 *
 * Each case is a row: what it was, the seconds of both, the signed error of fluid, and the
 * limit that is promised. With DTSIM_AGREE_ROWS=FILE the rows are added to that file as CSV
 * (tests/sim/agree_table.sh makes docs/validation-engines.csv of them).
 */
#ifndef DTS_TESTS_AGREE_H
#define DTS_TESTS_AGREE_H

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "check.h"
#include "plan/plan.h"
#include "sim/engine.h"
#include "sim/net/platform/platform.h"

enum { AGREE_ROWS = 4000 };

static double agree_errors[AGREE_ROWS];
static int agree_count;

static const char *agree_title;

/* What was run, as it stands in a row. */
struct agree_case {
    const char *machine, *operation;
    int devices;           // workers of the job
    double bytes;          // of the operation; 0: of many sizes
    const char *placement; // NULL: as the scenario says
    const char *setting;   // what else was set; NULL: nothing
    const char *compared;  // whose seconds; NULL: the end, from rest
};

/* A field of a row (RFC 4180): in quotes where it has a comma or a quote. */
static inline void agree_field(FILE *out, const char *text)
{
    bool quoted = text != NULL && strpbrk(text, ",\"\n") != NULL;
    if (quoted)
        fputc('"', out);
    for (; text != NULL && *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputs(quoted ? "\"," : ",", out);
}

/* The file of rows, which begins with their header; NULL: nobody asked for them. */
static inline FILE *agree_file(void)
{
    const char *path = getenv("DTSIM_AGREE_ROWS");
    FILE *out = path != NULL ? fopen(path, "a") : NULL;
    if (out != NULL && fseek(out, 0, SEEK_END) == 0 && ftell(out) == 0)
        fputs("table,machine,operation,devices,bytes,placement,setting,compared,exact_s,"
              "fluid_s,error_percent,promised_percent\n",
              out);
    return out;
}

/* Seconds to seven digits and errors to a millionth of a percent: rounding stays out. */
static inline void agree_write(const struct agree_case *c, double exact_s, double fluid_s,
                               double error, double limit)
{
    FILE *out = agree_file();
    if (out == NULL)
        return;
    char bytes[32] = "", promised[32] = "";
    if (c->bytes > 0)
        snprintf(bytes, sizeof(bytes), "%.0f", c->bytes);
    if (isfinite(limit))
        snprintf(promised, sizeof(promised), "%.4g", 100 * limit);
    agree_field(out, agree_title);
    agree_field(out, c->machine);
    agree_field(out, c->operation);
    fprintf(out, "%d,%s,", c->devices, bytes);
    agree_field(out, c->placement);
    agree_field(out, c->setting);
    agree_field(out, c->compared != NULL ? c->compared : "end");
    fprintf(out, "%.7g,%.7g,%.6f,%s\n", exact_s, fluid_s,
            fabs(100 * error) < 5e-7 ? 0 : 100 * error, promised);
    fclose(out);
}

/* Begin a table; its rows are counted anew. */
static inline void agree_table(const char *title)
{
    agree_count = 0;
    agree_title = title;
}

/* A case: the error of fluid in parts of `whole` must be within `limit`. */
static inline double agree_row_of(const struct agree_case *c, double exact_s, double fluid_s,
                                  double whole_s, double limit)
{
    double error = (fluid_s - exact_s) / whole_s;
    if (!(fabs(error) <= limit) && ++check_failures <= 10)
        printf("%s, %s, %d devices, %.0f bytes, %s, %s, %s: exact %.9g s, fluid %.9g s: "
               "%+.4g %%, promised %.4g %%\n",
               c->machine, c->operation, c->devices, c->bytes,
               c->placement != NULL ? c->placement : "", c->setting != NULL ? c->setting : "",
               c->compared != NULL ? c->compared : "end", exact_s, fluid_s, 100 * error,
               100 * limit);
    if (agree_count < AGREE_ROWS)
        agree_errors[agree_count++] = fabs(error);
    agree_write(c, exact_s, fluid_s, error, limit);
    return error;
}

static inline double agree_row(const struct agree_case *c, double exact_s, double fluid_s,
                               double limit)
{
    return agree_row_of(c, exact_s, fluid_s, exact_s, limit);
}

/* End a table. Returns the median of its errors. */
static inline double agree_end(void)
{
    return agree_count > 0 ? dts_median(agree_errors, (size_t)agree_count) : 0;
}

/* A machine whose messages all wait the same alpha: 10 us, from the transports alone. */
struct agree_machine {
    const char *name;    // in rows
    const char *network; // of the platform file
    int nodes, devices;
    double hop_latency_us; // of NICs; more makes alpha depend on the path
    bool blocking;
};

#define AGREE_DRAGONFLY(latency)                                                               \
    "{\"kind\": \"dragonfly\", \"groups\": 6, \"rows\": 2, \"columns\": 4, "                   \
    "\"nodes_per_router\": 2, \"nodes_per_group\": 16, \"green_lanes\": 1, "                   \
    "\"green_lane_bytes_per_s\": 0.9e9, \"black_lanes\": 2, "                                  \
    "\"black_lane_bytes_per_s\": 0.5e9, \"blue_ports_per_router\": 2, "                        \
    "\"blue_lane_bytes_per_s\": 0.7e9, \"router_latency_us\": " latency                        \
    ", \"blue_latency_us\": " latency ", \"routing\": \"minimal\", \"paths\": 1}"
#define AGREE_TORUS(latency)                                                                   \
    "{\"kind\": \"torus\", \"dims\": [4, 4, 6], \"link_bytes_per_s\": 0.6e9, "                 \
    "\"hop_latency_us\": " latency "}"
#define AGREE_FAT_TREE(latency)                                                                \
    "{\"kind\": \"fat_tree\", \"down\": [8, 12], \"up\": [4], "                                \
    "\"link_bytes_per_s\": 1e9, \"hop_latency_us\": " latency ", \"routing\": \"d_mod_k\"}"
#define AGREE_TWO_LEVEL(latency)                                                               \
    "{\"kind\": \"two_level\", \"ports_per_leaf\": 16, \"spines\": 4, "                        \
    "\"uplink_bytes_per_s\": 2e9, \"hop_latency_us\": " latency ", \"routing\": \"ecmp\"}"
#define AGREE_STAR(latency) "{\"kind\": \"star\", \"latency_us\": " latency "}"

static inline bool agree_machine_read(const struct agree_machine *machine,
                                      struct dts_platform *platform)
{
    char text[4000];
    const char *blocking = machine->blocking ? "true" : "false";
    const char *one =
                   "{\"kind\": \"none\", \"copy_bytes_per_s\": 10e9, \"copy_latency_us\": 0}",
               *many = "{\"kind\": \"nvlink_all\", \"links_per_pair\": 1, "
                       "\"nvlink_bytes_per_s\": 2e9, \"nvlink_latency_us\": 0, \"pcie\": "
                       "{\"sockets\": 1, \"switches\": 0, \"device_bytes_per_s\": 4e9, "
                       "\"memory_bytes_per_s\": 50e9, \"hop_latency_us\": 0}}";
    snprintf(text, sizeof(text),
             "{\"name\": \"test\", \"summary\": \"\", \"nodes\": %d, \"node\": {\"device\": "
             "\"v100\", \"devices\": %d, \"host_memory_bytes\": 1e12, "
             "\"host_memory_bytes_per_s\": 1e11, \"fabric\": %s}, \"nics\": {\"count\": 1, "
             "\"bytes_per_s\": 1e9, \"latency_us\": %g}, \"network\": %s, \"transports\": "
             "{\"within\": {\"name\": \"shared_memory\", \"overhead_s\": 10e-6, \"blocking\": "
             "%s}, \"between\": {\"name\": \"shared_memory\", \"overhead_s\": 10e-6, "
             "\"blocking\": %s}}}",
             machine->nodes, machine->devices, machine->devices > 1 ? many : one,
             machine->hop_latency_us, machine->network, blocking, blocking);
    struct dts_doc *doc;
    struct dts_error err = {0};
    bool ok = dts_doc_parse(&doc, machine->name, text, &err) &&
              dts_platform_read(platform, doc, NULL, &err);
    CHECK_STRING(err.text, "");
    return ok;
}

/* Where ranks sit: the job's first role on devices, the second on hosts. */
static inline int *agree_endpoints(const struct dts_platform *platform,
                                   const struct dts_job *job, const char *kind)
{
    struct dts_placement placement = {.kind = kind, .seed = 7};
    struct dts_error err = {0};
    int hosts = job->ranks - job->roles[0].count, *endpoints = NULL;
    CHECK(dts_place(platform, &placement, job->roles[0].count, hosts, hosts, &endpoints, &err));
    CHECK_STRING(err.text, "");
    return endpoints;
}

static inline struct dts_timing agree_run(const char *engine, const struct dts_simulation *s)
{
    struct dts_timing timing = {0};
    struct dts_error err = {0};
    CHECK(dts_engine_find(engine)->run(s, &timing, &err));
    CHECK_STRING(err.text, "");
    return timing;
}

/* Of two steps: the first alone, from rest, and the second behind it. */
struct agree_pair {
    double exact_first_s, fluid_first_s, exact_step_s, fluid_step_s;
};

static inline struct agree_pair agree_both(const struct dts_simulation *s)
{
    struct dts_timing exact = agree_run("flow", s), fluid = agree_run("fluid", s);
    struct agree_pair pair = {exact.first_s, fluid.first_s, exact.step_s, fluid.step_s};
    dts_timing_free(&exact);
    dts_timing_free(&fluid);
    return pair;
}

static inline struct agree_pair agree_both_on(const struct dts_platform *platform,
                                              const struct dts_job *job, const char *placement)
{
    int *endpoints = agree_endpoints(platform, job, placement);
    struct dts_simulation s = {
        .job = job, .net = &platform->net, .endpoint = endpoints, .steps = 2};
    struct agree_pair pair = agree_both(&s);
    free(endpoints);
    return pair;
}

static inline struct dts_job agree_workers(int workers, int servers)
{
    struct dts_job job = {.role_count = servers > 0 ? 2 : 1, .ranks = workers + servers};
    job.roles = dts_alloc(2, sizeof(*job.roles));
    job.roles[0] = (struct dts_role){.name = "worker", .count = workers};
    job.roles[1] = (struct dts_role){
        .name = "server", .kind = DTS_SERVER, .first = workers, .count = servers};
    return job;
}

static inline int agree_kernel(struct dts_job *job, enum dts_pass pass, double seconds)
{
    return dts_plan_call(&job->roles[0].plan, DTS_COMPUTE, "kernel",
                         (struct dts_call){.pass = pass, .layer = -1, .seconds = seconds});
}

/* A collective of all workers; -1: the algorithm cannot. */
static inline int agree_collective(struct dts_job *job, enum dts_stream stream,
                                   const struct dts_coll *algorithm, enum dts_coll_kind kind,
                                   int per_node, double bytes)
{
    struct dts_plan *plan = &job->roles[0].plan;
    int size = job->roles[0].count;
    size_t count = (size_t)(bytes / 4);
    struct dts_collective c = {
        .algorithm = algorithm,
        .shape = {.kind = kind,
                  .size = size,
                  .per_node = per_node,
                  .shards = 1,
                  .pieces = algorithm->pipelined ? dts_coll_pieces(bytes, 1e6) : 1,
                  .between = dts_coll_find("ring")},
        .group = {.stride = 1, .size = size},
        .channels = 1};
    const char *why;
    if (!dts_coll_fits(algorithm, &c.shape, &why))
        return -1;
    c.data = (struct dts_span){dts_plan_buffer(plan, count, 4), 0, count};
    return dts_plan_collective(plan, stream,
                               kind == DTS_ALLREDUCE ? "all-reduce" : "collective", c);
}

static inline int agree_allreduce(struct dts_job *job, enum dts_stream stream,
                                  const struct dts_coll *algorithm, int per_node, double bytes)
{
    return agree_collective(job, stream, algorithm, DTS_ALLREDUCE, per_node, bytes);
}

/* Let all workers wait for 2 s before what they do alone, so that nobody begins with the second
 * step before all are done with the first. Returns the wait. */
static const double agree_pause_s = 2;

static inline int agree_pause(struct dts_job *job)
{
    struct dts_call call = {.pass = DTS_READ, .layer = -1, .seconds = agree_pause_s};
    return dts_plan_call(&job->roles[0].plan, DTS_INPUT, "pause", call);
}

/* All workers push a shard to each server, or (pull) the servers answer; even shards. Returns
 * the workers' operation, and the servers' at *servers. */
static inline int agree_exchange(struct dts_job *job, enum dts_stream stream, bool pull,
                                 double bytes, int channel, int *at_server)
{
    int workers = job->roles[0].count, servers = job->roles[1].count;
    size_t count = (size_t)(bytes / 4);
    struct dts_exchange x = {.send = !pull,
                             .first_peer = workers,
                             .peer_stride = 1,
                             .peer_count = servers,
                             .part = DTS_SHARD_OF_PEER,
                             .shards = servers,
                             .shard_base = workers,
                             .channel = channel};
    x.data = (struct dts_span){dts_plan_buffer(&job->roles[0].plan, count, 4), 0, count};
    int mine = dts_plan_exchange(&job->roles[0].plan, stream, pull ? "pull" : "push", x);
    x.send = pull;
    x.first_peer = 0;
    x.peer_count = workers;
    x.part = DTS_SHARD_OF_SELF;
    x.data.buffer = dts_plan_buffer(&job->roles[1].plan, count, 4);
    int theirs = dts_plan_exchange(&job->roles[1].plan, stream, pull ? "give" : "take", x);
    if (at_server != NULL)
        *at_server = theirs;
    return mine;
}

#endif
