/* strategy.h -- ways to train in parallel, one file and one row each.
 *
 * A strategy says how many ranks a point needs, and builds a plan for each of its roles.
 */
#ifndef DTS_TRAIN_STRATEGY_STRATEGY_H
#define DTS_TRAIN_STRATEGY_STRATEGY_H

#include "base/json/cfg.h"
#include "plan/coll/choice/group.h"
#include "plan/plan.h"

struct dts_device;
struct dts_memory;
struct dts_model_seconds;
struct dts_scenario;
struct dts_seat;
struct dts_stack;
struct dts_strategy;
struct dts_synchrony;
struct dts_table_rule;
struct dts_text;

/* What plans depend on of the platform. */
struct dts_machine {
    int nodes, devices_per_node;
    double device_memory_bytes;     // of the smallest, where they differ
    const char *smallest_device;    // its name; NULL: all are alike
    double host_memory_bytes_per_s; // a server sums at this rate
    double host_memory_bytes;       // of a node; 0: not stated
    bool host_memory_assumed;       // the platform's source of that says so

    /* What a device reaches to the memory of its host, and from it, while all of the node do;
     * 0: not known. */
    double host_link_bytes_per_s;
    int cores; // of the host of a node; 0: not stated

    /* What a library of collectives knows of it; version, nodes and devices of a node are those
     * of a point. nics 0: not known. */
    struct dts_choice_group site;

    struct dts_orders orders; // for channels among the point's devices; count 0: none
    int lanes_of_two;         // NVLinks between the first two devices, not over a switch

    /* Storage that all nodes share, and storage of a node; 0: not modelled. */
    double storage_shared_bytes_per_s, storage_node_bytes_per_s;
};

/* One point of a scenario, ready to become plans. */
struct dts_point {
    const struct dts_scenario *scenario;
    const struct dts_strategy *strategy;
    const struct dts_device *device;
    const struct dts_machine *machine;
    int devices;
    int batch;        // samples of a replica in one microbatch
    int microbatches; // of a step
    int replicas; // of the network: ranks, or groups of ranks, that see samples of their own
    const struct dts_model_seconds *seconds; // for that batch
};

/* Devices that do a collective together, of the many such groups that a job divides into. */
struct dts_members {
    struct dts_group group; // among the ranks of their role
    int per_node;           // neighbouring members that share a node; 1: not known, or no two
    int nodes;              // that one group occupies
};

/* How many ranks a point needs, and where they run, role after role. */
struct dts_ranks_needed {
    int devices; // ranks on accelerators
    int hosts;   // ranks on node hosts (servers)
    int apart;   // of the hosts, the last ones: on nodes of their own
};

struct dts_strategy_kind {
    const char *name, *summary;
    const struct dts_field *fields; // its JSON keys beside "name" and "kind"
    size_t size;                    // of the struct that these keys fill
    bool updates_on_servers;        // workers keep no optimizer state
    bool trains_nothing;            // the model takes no memory, and there are no samples

    /* The class of published cases by which its predictions are judged: `dtsim validate CLASS`.
     * NULL: there are none. */
    const char *(*validated_as)(const void *self);

    /* The name of a strategy in results that has no "name"; NULL: the name of the kind. */
    const char *(*default_name)(const void *self);

    /* Checks fields against one another when the scenario is read, and fills in defaults of the
     * stack. */
    bool (*prepare)(void *self, const struct dts_stack *stack, const struct dts_cfg *at,
                    struct dts_error *err);
    bool (*ranks_needed)(const struct dts_point *point, struct dts_ranks_needed *needed,
                         struct dts_error *err);
    bool (*build)(const struct dts_point *point, struct dts_job *job, struct dts_error *err);

    /* Which sparse tables travel as rows; NULL: none. */
    struct dts_table_rule (*tables)(const struct dts_point *point);

    /* What that, and when ranks meet, changes of the memory of a worker with the whole network;
     * NULL: nothing. */
    void (*rows_memory)(const struct dts_point *point, struct dts_memory *memory);

    /* What servers keep in the memory of the host of a node, where that is the most; NULL:
     * there are none. */
    bool (*servers_memory)(const struct dts_point *point, double *bytes, struct dts_error *err);

    /* How many groups of devices see samples of their own; NULL: each device does. */
    bool (*replicas)(const struct dts_point *point, int *replicas, struct dts_error *err);

    /* The device of a rank, by the order of the placement; NULL: as ranks are numbered. */
    int (*device_of)(const struct dts_point *point, int rank);

    /* Operations of products, of a sample, that backward does once more because activations are
     * not kept; NULL: none. */
    double (*repeated_flops)(const struct dts_point *point);

    /* The memory of the worker that needs most; NULL: each has the whole network. */
    bool (*memory)(const struct dts_point *point, struct dts_memory *memory,
                   struct dts_error *err);

    /* Variation i that needs less memory, its words and how much; total 0: it is so already, or
     * cannot be. False behind the last one. NULL: there are none. */
    bool (*lean)(const struct dts_point *point, int i, const char **words,
                 struct dts_memory *memory);

    /* What `dtsim check` says of the job, in lines; NULL: nothing. */
    void (*describe)(const struct dts_point *point, const struct dts_job *job,
                     struct dts_text *text);

    /* What a worker has of the network (seat.h); NULL: all of it. */
    bool (*seat)(const struct dts_point *point, int rank, struct dts_seat *seat,
                 struct dts_error *err);

    /* When ranks meet (synchrony.h), borrowed; NULL: in each step, with its gradients. */
    const struct dts_synchrony *(*synchrony)(const void *self);

    void (*release)(void *self); // what prepare() allocated; NULL: nothing
};

extern const struct dts_strategy_kind *const dts_strategies[]; // ended by NULL
const struct dts_strategy_kind *dts_strategy_find(const char *name);
const char *dts_strategy_name(int i);

#endif
