/* test_net.c -- what transports add to a path, and which path messages take. */
#include <stdlib.h>

#include "check.h"
#include "sim/net/net.h"

/* A network of two endpoints with three paths of unlike shares. */
static int three_paths(const void *self, int src, int dst)
{
    (void)self;
    return src == dst ? 1 : 3;
}

static double unlike_shares(const void *self, int src, int dst, int path)
{
    (void)self;
    const double shares[] = {0.5, 0.125, 0.375};
    return src == dst ? 1 : shares[path];
}

static double path_latency(const void *self, int src, int dst, int path)
{
    (void)self;
    return src == dst ? 0 : (1 + path) * 1e-6;
}

static int transport_of(const void *self, int src, int dst)
{
    (void)self;
    return src / 2 == dst / 2 ? DTS_WITHIN : DTS_BETWEEN;
}

static void free_nothing(void *self)
{
    (*(int *)self)++;
}

static const struct dts_net_ops ops = {
    .paths = three_paths,
    .share = unlike_shares,
    .latency = path_latency,
    .transport = transport_of,
    .free = free_nothing,
};

static struct dts_net net_with(const char *within, const char *between)
{
    return (struct dts_net){
        .ops = &ops,
        .transports = {*dts_transport_find(within), *dts_transport_find(between)},
    };
}

static void messages_take_paths_in_proportion_to_the_shares(void)
{
    enum { MESSAGES = 20000 };
    struct dts_net net = net_with("nvlink", "tcp");
    int taken[3] = {0};
    for (unsigned i = 0; i < MESSAGES; i++) {
        int path = dts_net_pick(&net, 0, 3, i);
        if (CHECK(path >= 0 && path < 3))
            taken[path]++;
        CHECK_INT(dts_net_pick(&net, 0, 3, i), path);
        CHECK_INT(dts_net_pick(&net, 1, 1, i), 0);
    }
    for (int path = 0; path < 3; path++) {
        double share = unlike_shares(NULL, 0, 3, path);
        double sigma = sqrt(share * (1 - share) / MESSAGES);
        CHECK_NEAR(taken[path] / (double)MESSAGES, share, 5 * sigma);
    }
}

static void alpha_is_the_latency_of_the_path_and_the_overhead(void)
{
    struct dts_net net = net_with("nvlink", "aries");
    for (int path = 0; path < 3; path++) {
        CHECK_CLOSE(dts_net_alpha(&net, 0, 3, path, 100), (1 + path) * 1e-6 + 0.7e-6, 1e-12);
        CHECK_CLOSE(dts_net_alpha(&net, 0, 3, path, 8192), 3 * (1 + path) * 1e-6 + 0.7e-6,
                    1e-12);
        CHECK_CLOSE(dts_net_alpha(&net, 0, 3, path, 8191), (1 + path) * 1e-6 + 0.7e-6, 1e-12);
    }
}

static void wire_bytes_are_the_data_over_what_the_transport_carries(void)
{
    struct dts_net net = net_with("nvlink", "tcp");
    CHECK_CLOSE(dts_net_wire_bytes(&net, 0, 3, 1e6), 1e6 / 0.9415, 1e-12);
    CHECK_CLOSE(dts_net_wire_bytes(&net, 0, 1, 1e3), 1e3 / (0.83 * 0.5), 1e-12);
    CHECK_CLOSE(dts_net_wire_bytes(&net, 0, 1, 1e6), 1e6 / 0.83, 1e-12);
    CHECK_NEAR(dts_net_wire_bytes(&net, 0, 3, 0), 0, 0);
}

static void blocking_is_that_of_the_transport_in_use(void)
{
    struct dts_net net = net_with("nvlink", "aries");
    CHECK(!dts_net_blocks(&net, 0, 1));
    CHECK(dts_net_blocks(&net, 0, 3));
}

static void a_network_is_freed_once(void)
{
    int freed = 0;
    struct dts_net net = net_with("nvlink", "aries");
    net.self = &freed;
    dts_net_free(&net);
    dts_net_free(&net);
    CHECK_INT(freed, 1);
}

static void every_transport_is_sound(void)
{
    for (int i = 0; dts_transports[i] != NULL; i++) {
        const struct dts_transport *row = dts_transports[i];
        CHECK(dts_transport_find(dts_transport_name(i)) == row);
        CHECK(strlen(row->summary) > 0 && strlen(row->source) > 0);
        CHECK(row->efficiency > 0 && row->efficiency <= 1);
        CHECK(row->overhead_s >= 0 && row->overhead_s < 1e-3);
        CHECK(row->flow_bytes_per_s >= 0 && row->host_bytes_per_s >= 0);
        CHECK(row->flows >= 0 && (row->flows <= 1 || row->flow_bytes_per_s > 0));
        CHECK(row->range_count >= 0 && row->range_count <= DTS_TRANSPORT_RANGES);
        for (int r = 0; r < row->range_count; r++) {
            CHECK(r == 0 ? row->ranges[r].from_bytes == 0
                         : row->ranges[r].from_bytes > row->ranges[r - 1].from_bytes);
            CHECK(row->ranges[r].latency_factor >= 1);
            CHECK(row->ranges[r].bandwidth_factor > 0 && row->ranges[r].bandwidth_factor <= 1);
        }
    }
    CHECK(dts_transport_find("pigeon") == NULL);
}

/* Amazon's limits and NCCL's numbers of sockets: 10 Gb/s a flow, 2 threads of 8 sockets. */
static void a_message_runs_on_all_of_its_flows(void)
{
    CHECK_CLOSE(dts_transport_message_rate(dts_transport_find("tcp_ec2")), 1.25e9, 0);
    CHECK_CLOSE(dts_transport_message_rate(dts_transport_find("nccl_socket_ec2")), 20e9, 0);
    CHECK_CLOSE(dts_transport_message_rate(dts_transport_find("nccl_socket_ec2_before_2_4_8")),
                1.25e9, 0);
    CHECK_CLOSE(dts_transport_message_rate(dts_transport_find("nccl_net_tcp")), 3.75e9, 0);
    CHECK_CLOSE(dts_transport_message_rate(dts_transport_find("verbs")), 0.0, 0);
}

/* No range makes a larger message arrive much earlier than a smaller one, at the rate of the
 * wire that the row was made for: where protocols change, neither is far better. */
static void protocols_change_where_they_are_alike(void)
{
    static const struct {
        const char *name;
        double path_s, wire_bytes_per_s;
    } cases[] = {{"nvlink", 0.6e-6, 22e9}, {"nccl_ib", 2.7e-6, 12.5e9}, {"pcie", 1e-6, 12e9}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        const struct dts_transport *row = dts_transport_find(cases[c].name);
        for (int r = 1; r < row->range_count; r++) {
            double bytes = row->ranges[r].from_bytes, time[2];
            for (int k = 0; k < 2; k++) {
                struct dts_transport_range at = dts_transport_at(row, bytes - 1 + k);
                time[k] =
                    cases[c].path_s * at.latency_factor +
                    bytes / (row->efficiency * at.bandwidth_factor) / cases[c].wire_bytes_per_s;
            }
            CHECK_CLOSE(time[1], time[0], 0.15);
        }
    }
}

static bool read_transport(const char *json, struct dts_transport *out, struct dts_error *err)
{
    struct dts_doc *doc;
    *err = (struct dts_error){0};
    if (!dts_doc_parse(&doc, "test.json", json, err))
        return false;
    struct dts_cfg top = dts_doc_top(doc), at = dts_cfg_member(&top, "between");
    bool read = dts_transport_read(&at, out, err);
    out->source = NULL; // may be the document's
    dts_doc_free(doc);
    return read;
}

static void a_transport_is_a_row_with_changes(void)
{
    struct dts_transport got;
    struct dts_error err;
    CHECK(read_transport("{\"between\": \"grpc\"}", &got, &err));
    CHECK_CLOSE(got.host_bytes_per_s, 2.6e9, 0);
    CHECK(read_transport("{\"between\": {\"name\": \"tcp_ec2\", \"flow_bytes_per_s\": 0.625e9, "
                         "\"flows\": 4}}",
                         &got, &err));
    CHECK_CLOSE(dts_transport_message_rate(&got), 2.5e9, 0);
    CHECK(read_transport("{\"between\": {\"name\": \"grpc\", \"host_bytes_per_s\": 1e9, "
                         "\"blocking\": false, \"ranges\": [{\"from_bytes\": 0}, "
                         "{\"from_bytes\": 100, \"latency_factor\": 2}]}}",
                         &got, &err));
    CHECK_STRING(got.name, "grpc");
    CHECK_CLOSE(got.host_bytes_per_s, 1e9, 0);
    CHECK_CLOSE(got.flow_bytes_per_s, 0.9e9, 0);
    CHECK(!got.blocking && got.staged);
    CHECK_INT(got.range_count, 2);
    CHECK_CLOSE(dts_transport_at(&got, 99).latency_factor, 1.0, 0);
    CHECK_CLOSE(dts_transport_at(&got, 100).latency_factor, 2.0, 0);
}

static void bad_transports_are_refused_in_one_line(void)
{
    static const struct {
        const char *json, *want;
    } bad[] = {
        {"{\"between\": 7}",
         "test.json: between: must be the name of a transport or an object"},
        {"{\"between\": {\"name\": \"tcp\", \"efficiency\": 1.5}}",
         "test.json: between.efficiency: must be <= 1, got 1.5"},
        {"{\"between\": {\"name\": \"verbs\", \"flows\": 2}}",
         "test.json: between.flows: has no effect where flow_bytes_per_s limits no flow"},
        {"{\"between\": {\"name\": \"tcp\", \"ranges\": 3}}",
         "test.json: between.ranges: must be a list of at most 12 ranges"},
        {"{\"between\": {\"name\": \"tcp\", \"ranges\": [{\"from_bytes\": 9}]}}",
         "test.json: between.ranges[0].from_bytes: must be 0 in the first range, got 9"},
        {"{\"between\": {\"name\": \"tcp\", \"ranges\": [{\"from_bytes\": 0}, {\"from_bytes\": "
         "0}]}}",
         "test.json: between.ranges[1].from_bytes: must be > 0, got 0"},
    };
    struct dts_transport got;
    struct dts_error err;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(!read_transport(bad[i].json, &got, &err));
        CHECK_STRING(err.text, bad[i].want);
    }
    CHECK(!read_transport("{\"between\": \"tpc\"}", &got, &err));
    CHECK(strstr(err.text, "between: must be one of tcp, tcp_ec2") != NULL);
    CHECK(strstr(err.text, "did you mean tcp?") != NULL);
    CHECK(!read_transport("{}", &got, &err));
    CHECK(!read_transport("{\"between\": {\"efficiency\": 0.5}}", &got, &err));
    CHECK(strstr(err.text, "between.name") != NULL);
}

TESTS(TEST(messages_take_paths_in_proportion_to_the_shares),
      TEST(alpha_is_the_latency_of_the_path_and_the_overhead),
      TEST(wire_bytes_are_the_data_over_what_the_transport_carries),
      TEST(blocking_is_that_of_the_transport_in_use), TEST(a_network_is_freed_once),
      TEST(every_transport_is_sound), TEST(a_message_runs_on_all_of_its_flows),
      TEST(protocols_change_where_they_are_alike), TEST(a_transport_is_a_row_with_changes),
      TEST(bad_transports_are_refused_in_one_line))
