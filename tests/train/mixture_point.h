/* mixture_point.h -- a small network of mixtures, for tests of meshes with experts. */
#ifndef DTS_TESTS_TRAIN_MIXTURE_POINT_H
#define DTS_TESTS_TRAIN_MIXTURE_POINT_H

#include "train/mesh_point.h"

enum { BLOCKS = 2, POSITIONS = 16, WIDTH = 32, EXPERTS = 8, CHOSEN = 2, HIDDEN = 24 };
enum { SENT = POSITIONS * CHOSEN * WIDTH, ROUTER = EXPERTS * WIDTH };
enum { WEIGHTS = EXPERTS * 3 * HIDDEN * WIDTH }; // of a layer's experts

#define MOE_LIKE                                                                               \
    "{\"name\":\"tiny\",\"family\":\"moe\",\"layers\":%d,\"hidden\":32,\"heads\":4,"           \
    "\"vocabulary\":64,\"sequence\":16,\"experts\":8,\"top_k\":2,\"expert_ffn\":24,"           \
    "\"capacity\":%g}"

static inline void set_up_mixture(struct fixture *f, struct dts_device *device,
                                  int microbatches, double capacity)
{
    char text[512];
    struct dts_error err = {0};
    set_up_blocks(f, device, BLOCKS, microbatches);
    free(f->seconds.forward);
    free(f->seconds.backward);
    dts_model_free(&f->scenario.model);
    snprintf(text, sizeof(text), MOE_LIKE, BLOCKS, capacity);
    CHECK(dts_model_parse(&f->scenario.model, "tiny", text, &err));
    CHECK_STRING(err.text, "");
    const struct dts_model *m = &f->scenario.model;
    f->seconds.forward = calloc((size_t)m->layer_count, sizeof(double));
    f->seconds.backward = calloc((size_t)m->layer_count, sizeof(double));
    for (int l = 0; l < m->layer_count; l++)
        f->seconds.forward[l] = f->seconds.backward[l] = 1e-3;
}

#endif
