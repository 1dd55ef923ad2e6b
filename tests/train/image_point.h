/* image_point.h -- a network of convolutions on a machine, for tests of how it is cut. */
#ifndef DTS_TESTS_TRAIN_IMAGE_POINT_H
#define DTS_TESTS_TRAIN_IMAGE_POINT_H

#include "train/mesh_point.h"

#define IMAGE_HEAD "{\"name\":\"tiny\",\"summary\":\"-\",\"sample\":\"image\","

/* Layers as of a model file, from an image; each takes 1 ms forward and 2 ms backward. */
static inline void set_up_image(struct fixture *f, struct dts_device *device, const char *input,
                                const char *layers)
{
    char text[4096];
    struct dts_error err = {0};
    set_up(f);
    snprintf(text, sizeof(text), IMAGE_HEAD "\"input\":[%s],\"layers\":[%s]}", input, layers);
    if (!CHECK(dts_model_parse(&f->scenario.model, "tiny", text, &err)))
        printf("%s\n", err.text);
    CHECK(dts_device_load(device, DTS_SOURCE "/devices/v100.json", &err));
    const struct dts_model *m = &f->scenario.model;
    f->seconds.forward = calloc((size_t)m->layer_count, sizeof(double));
    f->seconds.backward = calloc((size_t)m->layer_count, sizeof(double));
    for (int l = 0; l < m->layer_count; l++) {
        f->seconds.forward[l] = 1e-3;
        f->seconds.backward[l] = 2e-3;
    }
    f->seconds.fixed = f->seconds.update = 0;
    f->point.device = device;
    f->machine.host_link_bytes_per_s = 1e10;
    f->scenario.batch_per_device = 2;
}

/* The same of the exchanges that a cut has around one layer: in values of a sample. */
static inline double cut_values(const struct dts_cut_layer *layer, enum dts_cut_moment moment,
                                enum dts_coll_kind kind)
{
    double values = 0;
    for (int i = 0; i < layer->exchange_count[moment]; i++)
        if (layer->exchange[moment][i].kind == kind)
            values += layer->exchange[moment][i].values;
    return values;
}

#endif
