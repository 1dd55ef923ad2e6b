/* stack.c -- stack files: what a framework adds to the hardware. */
#include <stdlib.h>
#include <string.h>

#include "base/json/library.h"
#include "base/mem.h"
#include "base/text.h"
#include "device/anchor.h"
#include "device/assumed.h"
#include "device/stack.h"

/* Words that become members of the stack. */
struct overlap {
    double slowdown;
    const char *exchange;
};

struct wire {
    const char *gradients, *sharded;
};

/* What one table of fields fills. */
struct reading {
    struct dts_stack stack;
    struct overlap overlap;
    struct wire wire;
    struct dts_cfg anchors, transport, assumed;
};

static const struct dts_field bucket_fields[] = {
    {DTS_KEY(struct dts_bucket_policy, first_bytes), .type = DTS_REAL, .max = 1e15,
     .missing = "0",
     .help = "size of the first bucket, that of the last layers; 0: as the others"},
    {DTS_KEY(struct dts_bucket_policy, bytes), .type = DTS_REAL, .max = 1e15, .missing = "0",
     .help = "size of a bucket of gradients; 0: one for each tensor"},
    {DTS_KEY(struct dts_bucket_policy, cycle_s), .type = DTS_REAL, .max = 10, .missing = "0",
     .help = "buckets leave at multiples of this, seconds; 0: at once"},
    {0},
};

static const char *exchange_name(int i)
{
    static const char *const words[] = {"beside_backward", "after_backward", NULL};
    return words[i];
}

static const char *wire_name(int i)
{
    static const char *const words[] = {"kernels", "fp32", NULL};
    return words[i];
}

static const char *sharded_name(int i)
{
    static const char *const words[] = {"reduce_scatter", "allreduce", NULL};
    return words[i];
}

static const struct dts_field wire_fields[] = {
    {DTS_KEY(struct wire, gradients), .type = DTS_STRING, .choice = wire_name,
     .missing = "\"kernels\"",
     .help = "what gradients travel in: kernels: in the precision of the kernels; fp32: in 32 "
             "bits where kernels compute in 16, as automatic mixed precision leaves them"},
    {DTS_KEY(struct wire, sharded), .type = DTS_STRING, .choice = sharded_name,
     .missing = "\"reduce_scatter\"",
     .help =
         "what ranks exchange that divide the optimizer's state alone (meshes): of the sums "
         "their part, or all"},
    {0},
};

/* Offsets from the first of the two members of the stack. */
static const struct dts_field dispatch_fields[] = {
    {.key = "call_s",
     .offset = 0,
     .type = DTS_REAL,
     .max = 1,
     .missing = "0",
     .help = "seconds of the host for each call of a layer, forward or backward, and for the "
             "update; it issues one after another, ahead of the device"},
    {.key = "waits",
     .offset = offsetof(struct dts_stack, dispatch_waits) -
               offsetof(struct dts_stack, dispatch_call_s),
     .type = DTS_BOOL,
     .missing = "false",
     .help = "the host reads a result of each step, as a loss or a norm, before it issues the "
             "next (meshes)"},
    {0},
};

static const struct dts_field input_fields[] = {
    {DTS_KEY(struct dts_input_pipeline, decode_core_s_per_byte), .type = DTS_REAL, .max = 1,
     .missing = "0",
     .help = "core-seconds to decode and augment a byte of a jpeg sample; 0: not stated"},
    {DTS_KEY(struct dts_input_pipeline, feed_s), .type = DTS_REAL, .max = 1e3, .missing = "0",
     .help = "seconds of a sample in which a host hands it to its device, one sample after "
             "another, while the step waits"},
    {DTS_KEY(struct dts_input_pipeline, copies), .type = DTS_REAL, .max = 1e3, .missing = "2",
     .help = "passes over the host's memory, of a sample as it is read and as it is decoded"},
    {DTS_KEY(struct dts_input_pipeline, prefetch), .type = DTS_BOOL, .missing = "true",
     .help = "samples of the next step are read and decoded while this one computes"},
    {0},
};

static const struct dts_field overlap_fields[] = {
    {DTS_KEY(struct overlap, exchange), .type = DTS_STRING, .choice = exchange_name,
     .missing = "\"beside_backward\"",
     .help = "when gradients travel: beside backward as they are ready, or after all of it"},
    {.key = "slowdown",
     .offset = offsetof(struct overlap, slowdown),
     .type = DTS_REAL,
     .max = 10,
     .missing = "0",
     .help = "s: kernels run at 1/(1+s) while the device communicates"},
    {0},
};

/* Offsets from the first of the two members of the stack. */
static const struct dts_field noise_fields[] = {
    {.key = "device_sigma",
     .offset = 0,
     .type = DTS_REAL,
     .max = 1,
     .missing = "0",
     .help = "devices differ in speed: standard deviation of a factor of each"},
    {.key = "step_sigma",
     .offset =
         offsetof(struct dts_stack, step_sigma) - offsetof(struct dts_stack, device_sigma),
     .type = DTS_REAL,
     .max = 1,
     .missing = "0",
     .help = "steps differ: standard deviation of a factor of each device and step"},
    {0},
};

static const struct dts_field transport_fields[] = {
    {DTS_KEY(struct dts_stack, within), .type = DTS_OTHER,
     .forms = DTS_FORM_STRING | DTS_FORM_OBJECT, .missing = "null",
     .help = "transport inside a node; absent: as the platform says"},
    {DTS_KEY(struct dts_stack, between), .type = DTS_OTHER,
     .forms = DTS_FORM_STRING | DTS_FORM_OBJECT, .missing = "null",
     .help = "transport between nodes; absent: as the platform says"},
    {0},
};

static const char *library_name(int i)
{
    static const char *const names[] = {"nccl", "openmpi", "mpich", "gloo", NULL};
    return names[i];
}

static const struct dts_field library_fields[] = {
    {DTS_KEY(struct dts_library, name), .type = DTS_STRING, .choice = library_name,
     .help = "whose choice of algorithms \"auto\" follows"},
    {DTS_KEY(struct dts_library, version), .type = DTS_STRING,
     .help = "\"2.18\": the newest rules that are no newer count"},
    {0},
};

static const struct dts_field fields[] = {
    {.key = "summary",
     .offset = offsetof(struct reading, stack.summary),
     .type = DTS_STRING,
     .help = "one line for `dtsim list`"},
    {.key = "anchors",
     .offset = offsetof(struct reading, anchors),
     .type = DTS_OTHER,
     .forms = DTS_FORM_OBJECTS,
     .missing = "[]",
     .help = "published step times of single devices"},
    {.key = "buckets",
     .offset = offsetof(struct reading, stack.buckets),
     .type = DTS_OBJECT,
     .missing = "{}",
     .fields = bucket_fields,
     .help = "how gradients are grouped into messages"},
    {.key = "dispatch",
     .offset = offsetof(struct reading, stack.dispatch_call_s),
     .type = DTS_OBJECT,
     .missing = "{}",
     .fields = dispatch_fields,
     .help = "what it costs the host to have kernels run"},
    {.key = "input",
     .offset = offsetof(struct reading, stack.input),
     .type = DTS_OBJECT,
     .missing = "{}",
     .fields = input_fields,
     .help = "what its input pipeline costs the host"},
    {.key = "fixed_s",
     .offset = offsetof(struct reading, stack.fixed_s),
     .type = DTS_REAL,
     .max = 1e3,
     .missing = "0",
     .help = "seconds that each step costs beside the kernels, where no anchor includes them"},
    {.key = "overlap",
     .offset = offsetof(struct reading, overlap),
     .type = DTS_OBJECT,
     .missing = "{}",
     .fields = overlap_fields,
     .help = "communication beside kernels"},
    {.key = "wire",
     .offset = offsetof(struct reading, wire),
     .type = DTS_OBJECT,
     .missing = "{}",
     .fields = wire_fields,
     .help = "how gradients travel"},
    {.key = "noise",
     .offset = offsetof(struct reading, stack.device_sigma),
     .type = DTS_OBJECT,
     .missing = "{}",
     .fields = noise_fields,
     .help = "stragglers"},
    {.key = "efficiency",
     .offset = offsetof(struct reading, stack.efficiency),
     .type = DTS_REAL,
     .min = 1e-3,
     .max = 10,
     .missing = "1",
     .help = "share of the device's roofline where no anchor fits"},
    {.key = "kernels",
     .offset = offsetof(struct reading, stack.kernels),
     .type = DTS_OBJECT,
     .missing = "{}",
     .fields = dts_stack_kernel_fields,
     .help = "what its kernels reach of the device's rates, where no anchor fits"},
    {.key = "memory",
     .offset = offsetof(struct reading, stack.memory),
     .type = DTS_OBJECT,
     .missing = "{}",
     .fields = dts_stack_memory_fields,
     .help = "what it keeps on a device beside the state of training (meshes)"},
    {.key = "accumulate_bytes",
     .offset = offsetof(struct reading, stack.accumulate_bytes),
     .type = DTS_REAL,
     .max = 64,
     .missing = "0",
     .help = "bytes that move for each parameter where a microbatch's gradients are added to "
             "those before (meshes); 0: kernels add them in place"},
    {.key = "channels",
     .offset = offsetof(struct reading, stack.channels),
     .type = DTS_INT,
     .min = 1,
     .max = 64,
     .missing = "1",
     .help = "rings or trees that a collective runs at once"},
    {.key = "piece_bytes",
     .offset = offsetof(struct reading, stack.piece_bytes),
     .type = DTS_REAL,
     .min = 1,
     .max = 1e12,
     .missing = "524288", // NCCL: a buffer of 4 MiB (NCCL_BUFFSIZE) in 8 steps (NCCL_STEPS)
     .help = "size of the pieces of a pipelined collective, bytes"},
    {.key = "algorithm",
     .offset = offsetof(struct reading, stack.algorithm),
     .type = DTS_STRING,
     .missing = "\"ring\"",
     .help = "all-reduce that it uses; auto: as its library chooses, by size"},
    {.key = "library",
     .offset = offsetof(struct reading, stack.library),
     .type = DTS_OBJECT,
     .fields = library_fields,
     .missing = "null",
     .help = "the library of collectives: for algorithm auto"},
    {.key = "algorithm_between",
     .offset = offsetof(struct reading, stack.algorithm_between),
     .type = DTS_STRING,
     .missing = "null",
     .help = "of a hierarchical all-reduce: the algorithm between nodes"},
    {.key = "shards",
     .offset = offsetof(struct reading, stack.shards),
     .type = DTS_INT,
     .min = 1,
     .max = 64,
     .missing = "1",
     .help = "of a hierarchical all-reduce: devices of a node that talk to other nodes"},
    {.key = "transport",
     .offset = offsetof(struct reading, transport),
     .type = DTS_OTHER,
     .forms = DTS_FORM_OBJECT,
     .missing = "{}",
     .help = "how messages move: within a node, between nodes"},
    {.key = "assumed",
     .offset = offsetof(struct reading, assumed),
     .type = DTS_OTHER,
     .forms = DTS_FORM_STRINGS,
     .missing = "[]",
     .help = "paths of the values that nobody published"},
    {0},
};

/* Transports are read later, by another module: their parents go to the heap, so that a
 * stack may be moved. */
/* Of an object of the file; NULL: it has none, or one that is not words. */
static const char *source_of(const struct dts_cfg *top, const char *key)
{
    const struct dts_cfg object = dts_cfg_member(top, key);
    const struct dts_cfg source = dts_cfg_member(&object, "source");
    struct dts_error ignored = {0};
    const char *words = NULL;
    return dts_cfg_is_string(&source) && dts_cfg_string(&source, &words, &ignored) ? words
                                                                                   : NULL;
}

static bool read_stack(struct reading *reading, struct dts_error *err)
{
    struct dts_stack *stack = &reading->stack;
    stack->places = dts_alloc(2, sizeof(*stack->places));
    stack->places[0] = dts_doc_top(stack->doc);
    const struct dts_cfg *top = &stack->places[0];
    if (!dts_cfg_read(top, fields, reading, err))
        return false;
    stack->places[1] = reading->transport;
    stack->slowdown = reading->overlap.slowdown;
    stack->exchanges_after = strcmp(reading->overlap.exchange, exchange_name(0)) != 0;
    stack->sharded_allreduce = strcmp(reading->wire.sharded, sharded_name(0)) != 0;
    stack->wire_fp32 = strcmp(reading->wire.gradients, wire_name(0)) != 0;
    stack->slowdown_source = source_of(top, "overlap");
    stack->noise_source = source_of(top, "noise");
    return dts_cfg_read(&stack->places[1], transport_fields, stack, err) &&
           dts_assumed_read(&reading->assumed, top, stack->assumed, DTS_STACK_ASSUMED,
                            &stack->assumed_count, err) &&
           dts_anchors_read(stack, &reading->anchors, err);
}

bool dts_stack_load(struct dts_stack *stack, const char *path, struct dts_error *err)
{
    return dts_stack_load_based(stack, path, NULL, err);
}

/* "pytorch_ddp", "pytorch_ddp (changed)". */
static char *name_of(const char *path, bool changed)
{
    struct dts_text name = {0};
    char *file = dts_file_name(path);
    dts_text_add(&name, "%s%s", file, changed ? " (changed)" : "");
    free(file);
    return dts_text_take(&name);
}

bool dts_stack_load_based(struct dts_stack *stack, const char *path,
                          const struct dts_cfg *changes, struct dts_error *err)
{
    struct reading reading = {.stack = {.name = NULL}};
    *stack = reading.stack;
    if (!dts_doc_load(&reading.stack.doc, path, err))
        return false;
    reading.stack.own_name = name_of(path, changes != NULL && dts_cfg_key_count(changes) > 1);
    reading.stack.name = reading.stack.own_name;
    const bool good =
        (changes == NULL || dts_doc_merge(reading.stack.doc, changes, "base", err)) &&
        read_stack(&reading, err);
    *stack = reading.stack;
    if (!good)
        dts_stack_free(stack);
    return good;
}

void dts_stack_free(struct dts_stack *stack)
{
    dts_anchors_free(stack);
    free(stack->places);
    free(stack->own_name);
    dts_doc_free(stack->doc);
    *stack = (struct dts_stack){.name = NULL};
}

void dts_stack_keys(struct dts_keys *keys)
{
    dts_keys_heading(keys, "A stack is a JSON object:");
    dts_keys_add(keys, "", fields);
    dts_anchors_keys(keys);
    dts_keys_heading(keys, "Its transports:");
    dts_keys_add(keys, "transport", transport_fields);
}
