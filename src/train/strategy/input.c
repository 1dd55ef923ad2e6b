/* input.c -- seconds that the input of a step takes. docs/model.md, "Input". */
#include "train/strategy/input.h"

#include <string.h>

/* Of a replica. */
static double replica_samples(const struct dts_point *point)
{
    return (double)point->batch * point->microbatches;
}

double dts_point_node_samples(const struct dts_point *point)
{
    const char *placement = point->scenario->placing.kind;
    const int each = point->machine->devices_per_node, nodes = point->machine->nodes;
    int together = point->devices < each ? point->devices : each;
    if (placement != NULL && strcmp(placement, "round_robin") == 0)
        together = (point->devices + nodes - 1) / nodes;
    const double there = (double)together * point->replicas / point->devices;
    return replica_samples(point) * (there > 1 ? there : 1);
}

static bool is_compressed(const struct dts_dataset *dataset)
{
    return dataset->encoding != NULL && strcmp(dataset->encoding, "raw") != 0;
}

/* Of one sample, in the host: as it is read and, where that is something else, as it is
 * decoded, in values of 32 bits. */
static double memory_bytes(const struct dts_scenario *scenario)
{
    const double values = (double)dts_dims_elements(&scenario->model.input);
    return scenario->dataset.sample_bytes +
           (is_compressed(&scenario->dataset) ? 4 * values : 0);
}

static void set(struct dts_input *input, enum dts_input_part part, double samples,
                double work_each, double rate)
{
    if (rate <= 0 || work_each <= 0)
        return;
    input->samples[part] = samples;
    input->seconds[part] = samples * work_each / rate;
}

struct dts_input dts_point_input(const struct dts_point *point)
{
    const struct dts_machine *machine = point->machine;
    const struct dts_dataset *dataset = &point->scenario->dataset;
    const struct dts_input_pipeline *pipeline = &point->scenario->stack.input;
    const double all = replica_samples(point) * point->replicas,
                 node = dts_point_node_samples(point), bytes = dataset->sample_bytes;
    struct dts_input input = {.bound = DTS_INPUT_FEED};
    if (bytes <= 0)
        return input;
    set(&input, DTS_INPUT_SHARED, all, bytes, machine->storage_shared_bytes_per_s);
    set(&input, DTS_INPUT_STORAGE, node, bytes, machine->storage_node_bytes_per_s);
    if (is_compressed(dataset))
        set(&input, DTS_INPUT_CORES, node, bytes * pipeline->decode_core_s_per_byte,
            machine->cores);
    set(&input, DTS_INPUT_MEMORY, node, pipeline->copies * memory_bytes(point->scenario),
        machine->host_memory_bytes_per_s);
    set(&input, DTS_INPUT_FEED, node, pipeline->feed_s, 1);

    double flow_s = 0;
    for (int part = 0; part < DTS_INPUT_PARTS; part++) {
        if (part == DTS_INPUT_FEED || input.seconds[part] <= flow_s)
            continue;
        flow_s = input.seconds[part];
        input.bound = (enum dts_input_part)part;
    }
    input.ahead_s = pipeline->prefetch ? flow_s : 0;
    input.here_s = input.seconds[DTS_INPUT_FEED] + (pipeline->prefetch ? 0 : flow_s);
    return input;
}
