/* transport.c -- the rows: what software was seen to do, or what is assumed of it.
 *
 * A row whose source says ASSUMED appears among the assumptions of a result. Headers are
 * counted from the standards; `nccl` rows have the latencies that NCCL's own tuner uses for one
 * hop (NVIDIA/nccl src/graph/tuning.cc, hwLatencies): the latency of a path is that of protocol
 * LL, and the factors are those of LL128 and Simple over it, each from the size on at which it
 * is faster at the bandwidth of the wire.
 */
#include "sim/net/transport.h"

#include <math.h>
#include <string.h>

static const struct dts_transport tcp = {
    .name = "tcp",
    .needs = DTS_SOCKETS,
    .summary = "kernel sockets",
    .source =
        "efficiency 1448 / 1538: payload with time stamps of a frame of 1500 bytes and its "
        "38 bytes of preamble, header, checksum and gap. flow: iperf, 30 Gb/s on 40 Gb/s "
        "(tensorflow issue 4498, 2016). overhead ASSUMED",
    .efficiency = 0.9415,
    .overhead_s = 15e-6,
    .flow_bytes_per_s = 3.75e9,
    .staged = true,
};

static const struct dts_transport tcp_ec2 = {
    .name = "tcp_ec2",
    .needs = DTS_SOCKETS,
    .summary = "kernel sockets on Amazon EC2: one flow 1.25 GB/s in a placement group",
    .source =
        "wire as tcp. flow: 10 Gb/s within a cluster placement group, and 5 Gb/s else, for "
        "which set flow_bytes_per_s to 0.625e9 (Amazon EC2 User Guide, Amazon EC2 instance "
        "network bandwidth). overhead ASSUMED, as tcp",
    .efficiency = 0.9415,
    .overhead_s = 15e-6,
    .flow_bytes_per_s = 1.25e9,
    .staged = true,
};

static const struct dts_transport gloo = {
    .name = "gloo",
    .summary = "TCP as Gloo uses it: a socket for each pair, sums on the host",
    .source =
        "wire as tcp. flow: no limit, several all-reduces run at once, each on sockets of "
        "its own (Goyal et al. 2017, section 4.2). overhead ASSUMED: two threads woken on "
        "top of tcp. reduction ASSUMED: a few cores",
    .efficiency = 0.9415,
    .overhead_s = 25e-6,
    .staged = true,
    .reduce_bytes_per_s = 10e9,
};

static const struct dts_transport grpc = {
    .name = "grpc",
    .summary = "TensorFlow's gRPC: one connection 0.9 GB/s, a host 2.6 GB/s",
    .source =
        "wire as tcp. tensorflow issue 6116 (2016): 0.9 GB/s with one server process on a "
        "32-core Xeon, 2.6 GB/s with eight. overhead ASSUMED: request, coding, threads",
    .efficiency = 0.9415,
    .overhead_s = 200e-6,
    .flow_bytes_per_s = 0.9e9,
    .host_bytes_per_s = 2.6e9,
    .staged = true,
    .blocking = true, // the receiver asks for a tensor before it is sent
};

static const struct dts_transport verbs = {
    .name = "verbs",
    .needs = DTS_RDMA,
    .summary = "RDMA on InfiniBand, from and to device memory",
    .source = "efficiency 4096 / 4126: headers of an InfiniBand packet of 4 KiB. overhead "
              "ASSUMED: post and poll. rendezvous from 8 KiB on: request and grant before the "
              "data, ASSUMED",
    .efficiency = 0.9927,
    .overhead_s = 0.5e-6,
    .blocking = true,
    .ranges = {{0, 1, 1}, {8192, 3, 1}},
    .range_count = 2,
};

static const struct dts_transport roce = {
    .name = "roce",
    .needs = DTS_RDMA,
    .summary = "RDMA on Ethernet (RoCE v2), from and to device memory",
    .source = "efficiency 1024 / 1106: headers of a RoCE v2 packet of 1 KiB on Ethernet frames "
              "of 1500 bytes. the rest as verbs, ASSUMED",
    .efficiency = 0.9259,
    .overhead_s = 0.5e-6,
    .blocking = true,
    .ranges = {{0, 1, 1}, {8192, 3, 1}},
    .range_count = 2,
};

static const struct dts_transport nccl_ib = {
    .name = "nccl_ib",
    .needs = DTS_RDMA,
    .summary = "NCCL over RDMA: pipelined, three protocols by size",
    .source = "efficiency: 46 to 48 GB/s on a NIC of 50 (nccl-tests issue 290). latencies of "
              "NCCL's tuner, NET, ring: LL 2.7, LL128 4, Simple 14 us; sizes where they cross "
              "at 12.5 GB/s",
    .efficiency = 0.94,
    .ranges = {{0, 1, 0.5}, {17e3, 1.48, 0.9375}, {1.9e6, 5.19, 1}},
    .range_count = 3,
};

static const struct dts_transport nccl_net_tcp = {
    .name = "nccl_net_tcp",
    .needs = DTS_SOCKETS,
    .summary = "NCCL over sockets: pipelined, through host memory",
    .source = "wire and flow as tcp. flows: one socket for each channel, outside of AWS and "
              "Google Cloud (NCCL User Guide, NCCL_SOCKET_NTHREADS and NCCL_NSOCKS_PERTHREAD). "
              "overhead ASSUMED: a socket and a proxy thread at each end",
    .efficiency = 0.9415,
    .overhead_s = 30e-6,
    .flow_bytes_per_s = 3.75e9,
    .flows = 1,
    .staged = true,
};

static const struct dts_transport nccl_socket_ec2 = {
    .name = "nccl_socket_ec2",
    .needs = DTS_SOCKETS,
    .summary = "NCCL 2.4.8 and later over sockets on Amazon EC2: 16 for each channel",
    .source =
        "wire and flow as tcp_ec2. flows: 2 threads with 8 sockets each, NCCL's default on "
        "AWS since 2.4.8 (NCCL User Guide, NCCL_SOCKET_NTHREADS and "
        "NCCL_NSOCKS_PERTHREAD). overhead ASSUMED, as nccl_net_tcp",
    .efficiency = 0.9415,
    .overhead_s = 30e-6,
    .flow_bytes_per_s = 1.25e9,
    .flows = 16,
    .staged = true,
};

static const struct dts_transport nccl_socket_ec2_old = {
    .name = "nccl_socket_ec2_before_2_4_8",
    .needs = DTS_SOCKETS,
    .summary = "NCCL before 2.4.8 over sockets on Amazon EC2: one for each channel",
    .source = "wire and flow as tcp_ec2. flows: one, as the settings for more came with 2.4.8 "
              "(NCCL User Guide, NCCL_NSOCKS_PERTHREAD). overhead ASSUMED, as nccl_net_tcp",
    .efficiency = 0.9415,
    .overhead_s = 30e-6,
    .flow_bytes_per_s = 1.25e9,
    .flows = 1,
    .staged = true,
};

static const struct dts_transport nvlink = {
    .name = "nvlink",
    .summary = "NCCL 2.4 and later in a node with NVLink: three protocols by size",
    .source =
        "efficiency: bus bandwidth of 124.7 GB/s on 4 V100 with 6 links of 25 (BigScience "
        "all_reduce_bench, Jean Zay). latencies of NCCL's tuner, NVLINK, ring: LL 0.6, "
        "LL128 1.9, Simple 3.4 us; sizes where they cross at 22 GB/s",
    .efficiency = 0.83,
    .ranges = {{0, 1, 0.5}, {32e3, 3.17, 0.9375}, {500e3, 5.67, 1}},
    .range_count = 3,
};

static const struct dts_transport nvlink_simple = {
    .name = "nvlink_simple",
    .summary = "NCCL before 2.4 in a node with NVLink: protocol Simple at all sizes",
    .source = "efficiency as nvlink, measured on V100. latency of NCCL's tuner, NVLINK, ring "
              "Simple: 3.4 us, on a link of 0.6",
    .efficiency = 0.83,
    .ranges = {{0, 5.67, 1}},
    .range_count = 1,
};

static const struct dts_transport pcie = {
    .name = "pcie",
    .summary = "NCCL in a node over PCIe, device to device",
    .source = "efficiency ASSUMED: headers are in the rate of the link. latencies of NCCL's "
              "tuner, PCI, ring: LL 1, Simple 5.7 us; sizes where they cross at 12 GB/s",
    .efficiency = 1,
    .ranges = {{0, 1, 0.5}, {56e3, 5.7, 1}},
    .range_count = 2,
};

static const struct dts_transport shared_memory = {
    .name = "shared_memory",
    .summary = "processes of a node copy in host memory",
    .source = "overhead ASSUMED: a flag in memory, a copy in and a copy out",
    .efficiency = 1,
    .overhead_s = 1e-6,
};

static const struct dts_transport aries = {
    .name = "aries",
    .summary = "Cray MPI on Aries",
    .source =
        "overhead: MPI latency of 1.2 to 1.4 us less that of the path. efficiency ASSUMED: "
        "headers of packets with 64 bytes. rendezvous from 8 KiB on ASSUMED",
    .efficiency = 0.9,
    .overhead_s = 0.7e-6,
    .blocking = true,
    .ranges = {{0, 1, 1}, {8192, 3, 1}},
    .range_count = 2,
};

static const struct dts_transport omni_path = {
    .name = "omni_path",
    .needs = DTS_RDMA,
    .summary = "MPI on Omni-Path (PSM2)",
    .source = "efficiency and overhead ASSUMED, near those of verbs. rendezvous from 64 kB on: "
              "63305 bytes in SimGrid's calibration of dahu",
    .efficiency = 0.98,
    .overhead_s = 0.6e-6,
    .blocking = true,
    .ranges = {{0, 1, 1}, {63305, 3, 1}},
    .range_count = 2,
};

static const struct dts_transport nccl_omni_path = {
    .name = "nccl_omni_path",
    .needs = DTS_RDMA,
    .summary = "NCCL on Omni-Path by its verbs, without PSM2",
    .source = "efficiency: calibrated on 16 V100 of Jean Zay, an all-reduce of 4 GB in 0.709 s "
              "(IDRIS 2021), 10.6 of 50 GB/s a node. sizes and latencies ASSUMED as nccl_ib",
    .efficiency = 0.21,
    .ranges = {{0, 1, 0.5}, {17e3, 1.48, 0.9375}, {1.9e6, 5.19, 1}},
    .range_count = 3,
};

static const struct dts_transport mpi_bgq = {
    .name = "mpi_bgq",
    .summary = "MPI on Blue Gene/Q",
    .source = "efficiency: 1.8 GB/s of data on a link of 2 (Chen et al. 2011, "
              "doi:10.1145/2063384.2063419). overhead and rendezvous ASSUMED",
    .efficiency = 0.9,
    .overhead_s = 1.5e-6,
    .blocking = true,
    .ranges = {{0, 1, 1}, {4096, 3, 1}},
    .range_count = 2,
};

const struct dts_transport *const dts_transports[] = {
    &tcp,
    &tcp_ec2,
    &gloo,
    &grpc,
    &verbs,
    &roce,
    &nccl_ib,
    &nccl_net_tcp,
    &nccl_socket_ec2,
    &nccl_socket_ec2_old,
    &nvlink,
    &nvlink_simple,
    &pcie,
    &shared_memory,
    &aries,
    &omni_path,
    &nccl_omni_path,
    &mpi_bgq,
    // ends the table
    NULL,
};

const struct dts_transport *dts_transport_find(const char *name)
{
    for (int i = 0; dts_transports[i] != NULL; i++)
        if (strcmp(dts_transports[i]->name, name) == 0)
            return dts_transports[i];
    return NULL;
}

const char *dts_transport_name(int i)
{
    return dts_transports[i] != NULL ? dts_transports[i]->name : NULL;
}

double dts_transport_message_rate(const struct dts_transport *transport)
{
    return transport->flow_bytes_per_s * (transport->flows > 0 ? transport->flows : 1);
}

double dts_transport_best(const struct dts_transport *transport)
{
    double best = transport->range_count > 0 ? 0 : 1;
    for (int i = 0; i < transport->range_count; i++)
        if (transport->ranges[i].bandwidth_factor > best)
            best = transport->ranges[i].bandwidth_factor;
    return best * transport->efficiency;
}

struct dts_transport_range dts_transport_at(const struct dts_transport *transport, double bytes)
{
    struct dts_transport_range at = {0, 1, 1};
    for (int i = 0; i < transport->range_count && bytes >= transport->ranges[i].from_bytes; i++)
        at = transport->ranges[i];
    return at;
}

struct dts_transport dts_transport_paced(const struct dts_transport *transport, double hop_s,
                                         double path, double share)
{
    struct dts_transport paced = *transport;
    if (share <= 0 || transport->measured.count > 0)
        return paced;
    paced.overhead_s += hop_s;
    paced.blocking = false;
    paced.reduce_bytes_per_s = INFINITY;
    paced.ranges[0] = (struct dts_transport_range){0, path, share};
    paced.range_count = 1;
    return paced;
}

double dts_transport_alpha(const struct dts_transport *transport, double latency_s,
                           double bytes)
{
    return latency_s * dts_transport_at(transport, bytes).latency_factor +
           transport->overhead_s;
}

double dts_transport_wire_bytes(const struct dts_transport *transport, double bytes)
{
    return bytes /
           (transport->efficiency * dts_transport_at(transport, bytes).bandwidth_factor);
}
