/* stack.h -- what software adds to hardware: framework, version, and what it was seen to do.
 *
 * The same V100s differ by 27 % between frameworks and by 10 times between transports. A stack
 * file holds single-device step times that anchor the roofline, the bucket policy, the fixed
 * time of a step, the slowdown by overlap, straggler noise, and the transports in use. Each
 * value has its "source"; `assumed` where nobody published it. docs/devices.md says how to
 * write one.
 */
#ifndef DTS_DEVICE_STACK_H
#define DTS_DEVICE_STACK_H

#include "base/json/keys.h"
#include "device/device.h"
#include "device/stack_parts.h"

/* One published step time of one device: forward, backward, update and what the framework adds,
 * without communication. */
struct dts_anchor_point {
    int batch;
    double step_s;
};

/* The curve of one device, model and precision. */
struct dts_anchor {
    const char *device, *model; // names in the library
    enum dts_precision precision;
    struct dts_anchor_point *points; // owned; by batch, ascending
    int count;
    double backward_share; // of the compute of a step; 0: the roofline's own

    /* The part of step_s that is neither forward nor backward and does not grow with the batch,
     * the update included; 0: not known. */
    double fixed_s;

    /* What trained: the step has their communication in it, and a prediction is levelled so
     * that the whole step is met (answer/known.h). NULL and 1: one device, nothing in it. */
    const char *platform;
    int devices, accumulate;

    const char *source;
    bool assumed; // some of it
};

/* How gradients are grouped into messages. */
struct dts_bucket_policy {
    double first_bytes; // DDP: the first bucket is smaller
    double bytes;       // 0: one per tensor
    double cycle_s;     // Horovod: a bucket closes at multiples of this; 0: at once
};

/* What its input pipeline costs the host, for each sample (train/strategy/input.h). */
struct dts_input_pipeline {
    double decode_core_s_per_byte; // of a compressed sample, of one core; 0: not stated
    double feed_s; // the host hands a sample over, one after another, and nothing computes
    double copies; // passes over the host's memory
    bool prefetch; // samples of the next step are prepared while this one computes
};

/* The library of collectives: {"name": "nccl", "version": "2.18"}. */
struct dts_library {
    const char *name; // NULL: none is said
    const char *version;
};

enum { DTS_STACK_ASSUMED = 32 };

struct dts_stack {
    const char *name, *summary; // name: of the file, without folder and ".json"
    struct dts_anchor *anchors; // owned
    int anchor_count;
    struct dts_bucket_policy buckets;
    bool exchanges_after;   // gradients travel when backward is over, not beside it
    bool wire_fp32;         // gradients travel in 32 bits where kernels compute in 16
    bool sharded_allreduce; // ranks that divide the optimizer's state sum all gradients on each
    struct dts_input_pipeline input;
    double fixed_s;                  // per step, added where no anchor includes it
    double dispatch_call_s;          // the host's, to issue one call of a layer or an update
    bool dispatch_waits;             // a step is issued when the update before it is over
    double slowdown;                 // s: kernels run at 1/(1+s) while the device communicates
    double device_sigma, step_sigma; // straggler noise (sim/engine.h)
    const char *slowdown_source, *noise_source; // NULL: the file does not say
    double efficiency; // of the device's roofline where no anchor fits; 1: as the device says
    struct dts_stack_kernels kernels;
    struct dts_stack_memory memory;
    double accumulate_bytes; // moved for a parameter where a microbatch's gradients are added
                             // to those of microbatches before it; 0: kernels add them in place
    int channels;            // of collectives
    double piece_bytes;      // of pipelined collectives
    struct dts_library library;
    const char *algorithm; // all-reduce that it uses by default; "auto": as its library chooses
    const char *algorithm_between;          // hierarchical: between nodes; NULL: none is said
    int shards;                             // hierarchical: owners on each node
    struct dts_cfg within, between;         // transports, read by sim; may not exist
    const char *assumed[DTS_STACK_ASSUMED]; // values that are assumed: "overlap.slowdown"
    int assumed_count;
    struct dts_cfg *places; // owned: the parents of within and between
    char *own_name;         // owned: what name points to
    struct dts_doc *doc;    // owned
};

bool dts_stack_load(struct dts_stack *stack, const char *path, struct dts_error *err);

/* The same with the values changed that an object of another document holds, its key "base"
 * left out: a stack that is based on another. */
bool dts_stack_load_based(struct dts_stack *stack, const char *path,
                          const struct dts_cfg *changes, struct dts_error *err);
void dts_stack_free(struct dts_stack *stack);

/* Print what `dtsim help stack` says. */
void dts_stack_keys(struct dts_keys *keys);

/* The anchor for a device, model and precision; NULL: none. */
const struct dts_anchor *dts_stack_anchor(const struct dts_stack *stack, const char *device,
                                          const char *model, enum dts_precision precision);

/* Step seconds at a batch: interpolated between published batches in log(batch), log(seconds
 * per sample); outside them fixed_s and the nearest point's remaining time per sample, and
 * *outside is set. */
double dts_anchor_seconds(const struct dts_anchor *anchor, double batch, bool *outside);

/* The batch of the published range that is nearest. */
double dts_anchor_nearest(const struct dts_anchor *anchor, double batch);

#endif
