/* mesh_point.h -- a network of equal blocks on a machine, for tests of meshes. */
#ifndef DTS_TESTS_TRAIN_MESH_POINT_H
#define DTS_TESTS_TRAIN_MESH_POINT_H

#include "device/device.h"
#include "plan/check.h"
#include "point.h"
#include "train/strategy/mesh/mesh.h"

#ifndef DTS_SOURCE
#define DTS_SOURCE "."
#endif

/* A transformer of `layers` blocks, as GPT has them. */
#define GPT_LIKE                                                                               \
    "{\"name\":\"tiny\",\"summary\":\"-\",\"sample\":\"sequence\",\"input\":[16],\"layers\":[" \
    "{\"name\":\"wte\",\"kind\":\"embedding\",\"vocabulary\":64,\"features\":32},"             \
    "{\"name\":\"h\",\"repeat\":%d,\"layers\":["                                               \
    "{\"name\":\"ln_1\",\"kind\":\"layer_norm\"},"                                             \
    "{\"name\":\"qkv\",\"kind\":\"linear\",\"outputs\":96},"                                   \
    "{\"name\":\"attn\",\"kind\":\"attention\",\"heads\":4,\"causal\":true},"                  \
    "{\"name\":\"proj\",\"kind\":\"linear\",\"outputs\":32},"                                  \
    "{\"name\":\"add_1\",\"kind\":\"add\",\"input\":[\"proj\",\"entry\"]},"                    \
    "{\"name\":\"ln_2\",\"kind\":\"layer_norm\"},"                                             \
    "{\"name\":\"fc\",\"kind\":\"linear\",\"outputs\":128},"                                   \
    "{\"name\":\"gelu\",\"kind\":\"gelu\"},"                                                   \
    "{\"name\":\"fc_proj\",\"kind\":\"linear\",\"outputs\":32},"                               \
    "{\"name\":\"add_2\",\"kind\":\"add\",\"input\":[\"fc_proj\",\"add_1\"]}]},"               \
    "{\"name\":\"ln_f\",\"kind\":\"layer_norm\"},"                                             \
    "{\"name\":\"head\",\"kind\":\"linear\",\"outputs\":64,\"tied\":\"wte\",\"bias\":false},"  \
    "{\"name\":\"loss\",\"kind\":\"softmax_cross_entropy\"}]}"

/* Blocks take 1 ms forward and 2 ms backward, all else nothing. */
static inline void set_up_blocks(struct fixture *f, struct dts_device *device, int blocks,
                                 int microbatches)
{
    char text[4096];
    struct dts_error err = {0};
    set_up(f);
    snprintf(text, sizeof(text), GPT_LIKE, blocks);
    CHECK(dts_model_parse(&f->scenario.model, "tiny", text, &err));
    CHECK(dts_device_load(device, DTS_SOURCE "/devices/a100_40gb.json", &err));
    const struct dts_model *m = &f->scenario.model;
    f->seconds.forward = calloc((size_t)m->layer_count, sizeof(double));
    f->seconds.backward = calloc((size_t)m->layer_count, sizeof(double));
    for (int l = 0; l < m->layer_count; l++)
        if (strstr(m->layers[l].name, ".fc") != NULL) { // two layers of a block
            f->seconds.forward[l] = 0.5e-3;
            f->seconds.backward[l] = 1e-3;
        }
    f->seconds.fixed = f->seconds.update = 0;
    f->point.device = device;
    f->machine.host_link_bytes_per_s = 1e10;
    f->scenario.batch_per_device = 1;
    f->scenario.accumulate = microbatches;
}

static inline void forget_blocks(struct fixture *f, struct dts_device *device)
{
    if (f->strategy.kind != NULL && f->strategy.kind->release != NULL &&
        f->strategy.self != NULL)
        f->strategy.kind->release(f->strategy.self);
    forget(f);
    free(f->seconds.forward);
    free(f->seconds.backward);
    dts_model_free(&f->scenario.model);
    dts_device_free(device);
}

/* A job of this mesh can be built, and its plans meet: nobody waits for ever. The caller frees
 * it with leave(). */
static inline struct dts_job walked(struct fixture *f, const char *json, int devices)
{
    struct dts_error err = {0};
    struct dts_job job = job_of(f, "mesh", json, devices);
    CHECK_INT(job.ranks, devices);
    if (!dts_job_check(&job, &err)) {
        printf("%s: %s\n", json, err.text);
        CHECK(false);
    }
    return job;
}

static inline void leave(struct fixture *f, struct dts_job *job)
{
    dts_job_free(job);
    f->strategy.kind->release(f->strategy.self);
}

/* A mesh is refused, by its keys or when it is built, and the line says why. */
static inline void check_refused(struct fixture *f, const char *json, int devices,
                                 const char *says)
{
    struct dts_error err = {0};
    struct dts_job job = {0};
    const bool built = use(f, "mesh", json, &err) && build(f, devices, &job, &err);
    if (built || strstr(err.text, says) == NULL) {
        printf("%s: %s\n", json, err.text);
        CHECK(false);
    }
    f->strategy.kind->release(f->strategy.self);
}

/* After the last strategy was released. */
static inline void finish(struct fixture *f, struct dts_device *device)
{
    forget(f);
    f->strategy.kind = NULL;
    forget_blocks(f, device);
}

/* Does an operation of a plan wait for one of the same step? */
static inline bool waits_for(const struct dts_plan *plan, int op, int other)
{
    for (int i = 0; i < plan->ops[op].wait_count; i++) {
        const struct dts_wait *wait = &plan->waits[plan->ops[op].first_wait + i];
        if (wait->op == other && !wait->previous_step)
            return true;
    }
    return false;
}

/* All of a collective kind among groups of that size, 0: of any: how many values, in a step of
 * a rank. */
static inline double values_of(const struct dts_plan *plan, enum dts_stream stream,
                               enum dts_coll_kind kind, int size)
{
    double values = 0;
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_op *op = &plan->ops[o];
        if (op->kind == DTS_OP_COLLECTIVE && op->stream == stream &&
            op->collective.shape.kind == kind &&
            (size == 0 || op->collective.group.size == size))
            values += (double)op->collective.data.count;
    }
    return values;
}

#endif
