/* data_idx.c -- MNIST, Fashion-MNIST and their like: a folder with four IDX files, under any of
 * the names in idx_names.h. Images in colour have their channels in front, as networks take
 * them, or behind.
 *
 * A pixel p becomes (p - mean) / deviation, both over all pixels of the training file, for
 * training and test alike: inputs have mean 0 and deviation 1.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "train/network/data/data.h"
#include "train/network/data/idx_names.h"

struct set {
    struct dts_idx images, labels;
    size_t channels; // behind the pixels, to be put in front; 1: as they lie
};

struct idx {
    const struct dts_model *model;
    struct set sets[DTS_DATA_PARTS];
    float inputs[256]; // what each pixel becomes
};

static void close_idx(void *self)
{
    struct idx *idx = self;
    for (int p = 0; p < DTS_DATA_PARTS; p++) {
        dts_idx_free(&idx->sets[p].images);
        dts_idx_free(&idx->sets[p].labels);
    }
    free(idx);
}

/* Every loss must know every label. */
static bool check_labels(const struct dts_data_request *request, const struct dts_idx *labels,
                         const char *file, struct dts_error *err)
{
    int32_t highest = 0, lowest = 0;
    size_t count;
    bool classes;
    for (size_t i = 0; i < labels->size[0]; i++) {
        const int32_t label = dts_idx_label(labels, i);
        highest = label > highest ? label : highest;
        lowest = label < lowest ? label : lowest;
    }
    if (lowest < 0)
        return dts_fail(err, DTS_BAD_INPUT, "%s: has the label %d: classes count from 0", file,
                        (int)lowest);
    for (int l = 0; l < request->model->layer_count; l++) {
        if (dts_network_target(request->network, l, &count, &classes) == NULL)
            continue;
        const char *layer = request->model->layers[l].name;
        if (!classes)
            return dts_fail(err, DTS_BAD_INPUT, "%s: %s: its targets are no classes, as %s has",
                            request->model->name, layer, file);
        if ((size_t)highest >= dts_network_classes(request->network, l))
            return dts_fail(err, DTS_BAD_INPUT,
                            "%s: has the label %d, and %s of %s knows %zu classes", file,
                            (int)highest, layer, request->model->name,
                            dts_network_classes(request->network, l));
    }
    return true;
}

static bool has_size(const struct dts_dims *input, size_t channels, size_t rows, size_t columns)
{
    return input->count == 3 && input->size[0] == channels && input->size[1] == rows &&
           input->size[2] == columns;
}

/* Rows and columns, with channels in front or behind, or all values in a row. *channels: how
 * many are behind, and are wanted in front; 1: all is in its order. */
static bool has_shape(const struct dts_dims *input, const struct dts_idx *images,
                      size_t *channels)
{
    const size_t *size = images->size;
    *channels = 1;
    if (dts_dims_elements(input) != size[1] * size[2] * size[3])
        return false;
    if (input->count == 1)
        return true;
    if (images->dims == 3)
        return input->size[input->count - 2] == size[1] &&
               input->size[input->count - 1] == size[2];
    if (has_size(input, size[1], size[2], size[3]))
        return true;
    *channels = size[3];
    return has_size(input, size[3], size[1], size[2]);
}

static bool check_shape(const struct dts_model *model, struct set *set, const char *file,
                        struct dts_error *err)
{
    char last[32] = "";
    const size_t *size = set->images.size;
    if (has_shape(&model->input, &set->images, &set->channels))
        return true;
    if (set->images.dims == 4)
        snprintf(last, sizeof(last), " x %zu", size[3]);
    return dts_fail(err, DTS_BAD_INPUT, "%s: has images of %zu x %zu%s, and %s takes %s", file,
                    size[1], size[2], last, model->name, dts_dims_text(&model->input).chars);
}

static bool read_set(const struct dts_data_request *request, struct set *set,
                     char *const paths[DTS_IDX_USES], struct dts_error *err)
{
    const char *images = paths[DTS_IDX_IMAGES], *labels = paths[DTS_IDX_LABELS];
    if (!dts_idx_read(&set->images, images, DTS_IDX_IMAGES, err) ||
        !dts_idx_read(&set->labels, labels, DTS_IDX_LABELS, err) ||
        !check_shape(request->model, set, images, err))
        return false;
    if (set->images.size[0] != set->labels.size[0])
        return dts_fail(err, DTS_BAD_INPUT, "%s: has %zu images, and %s has %zu labels", images,
                        set->images.size[0], labels, set->labels.size[0]);
    if (set->images.size[0] == 0)
        return dts_fail(err, DTS_BAD_INPUT, "%s: has no images", images);
    return check_labels(request, &set->labels, labels, err);
}

/* Of the training part no more than were asked for. */
static bool read_sets(const struct dts_data_request *request, struct idx *idx,
                      uint64_t samples[DTS_DATA_PARTS], struct dts_error *err)
{
    struct dts_idx_names names;
    if (!dts_idx_names_find(&names, request->folder, err))
        return false;
    for (int p = 0; p < DTS_DATA_PARTS && err->cause == DTS_NO_ERROR; p++) {
        read_set(request, &idx->sets[p], names.paths[p], err);
        samples[p] = idx->sets[p].images.size[0];
    }
    dts_idx_names_free(&names);
    if (err->cause == DTS_NO_ERROR && request->samples > samples[DTS_DATA_TRAIN])
        dts_fail(err, DTS_BAD_INPUT,
                 "dataset.samples: %llu are more than the %llu training images of %s",
                 (unsigned long long)request->samples,
                 (unsigned long long)samples[DTS_DATA_TRAIN], request->folder);
    return err->cause == DTS_NO_ERROR;
}

static void find_inputs(struct idx *idx)
{
    const struct dts_idx *images = &idx->sets[DTS_DATA_TRAIN].images;
    size_t counts[256] = {0};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < images->count; i++)
        counts[images->values[i]]++;
    for (int v = 0; v < 256; v++)
        sum += v * (double)counts[v];
    const double mean = sum / (double)images->count;
    for (int v = 0; v < 256; v++)
        squares += (v - mean) * (v - mean) * (double)counts[v];
    const double deviation = sqrt(squares / (double)images->count);
    for (int v = 0; v < 256; v++)
        idx->inputs[v] = (float)((v - mean) / (deviation > 0 ? deviation : 1));
}

static bool open_idx(const struct dts_data_request *request, void **self,
                     uint64_t samples[DTS_DATA_PARTS], struct dts_error *err)
{
    bool tokens;
    if (request->folder == NULL)
        return dts_fail(err, DTS_BAD_INPUT, "no folder is named, and \"idx\" needs one");
    dts_network_input(request->network, &tokens);
    if (tokens)
        return dts_fail(err, DTS_BAD_INPUT, "live.data: %s takes tokens, \"idx\" has images",
                        request->model->name);
    struct idx *idx = dts_alloc(1, sizeof(*idx));
    idx->model = request->model;
    if (!read_sets(request, idx, samples, err)) {
        close_idx(idx);
        return false;
    }
    samples[DTS_DATA_TRAIN] = request->samples;
    find_inputs(idx);
    *self = idx;
    return true;
}

/* Channels in front: where they are behind, each is picked out of all pixels. */
static void fill_image(const struct idx *idx, const struct set *set, uint64_t number,
                       float *input, size_t count)
{
    const unsigned char *values = set->images.values + number * count;
    const size_t pixels = count / set->channels;
    for (size_t c = 0; c < set->channels; c++)
        for (size_t i = 0; i < pixels; i++)
            input[c * pixels + i] = idx->inputs[values[i * set->channels + c]];
}

static void fill(const void *self, enum dts_data_part part, struct dts_network *network,
                 const uint64_t *numbers, int batch)
{
    const struct idx *idx = self;
    const struct set *set = &idx->sets[part];
    const size_t each = set->images.count / set->images.size[0];
    bool tokens, classes;
    size_t count;
    float *input = dts_network_input(network, &tokens);
    for (size_t b = 0; b < (size_t)batch; b++)
        fill_image(idx, set, numbers[b], input + b * each, each);
    for (int l = 0; l < idx->model->layer_count; l++) {
        int32_t *target = dts_network_target(network, l, &count, &classes);
        for (size_t i = 0; target != NULL && i < (size_t)batch * count; i++)
            target[i] = dts_idx_label(&set->labels, numbers[i / count]);
    }
}

const struct dts_data_format dts_data_idx = {
    .name = "idx",
    .summary = "images and labels as MNIST's files have them, plain or gzipped",
    .open = open_idx,
    .fill = fill,
    .close = close_idx,
};
