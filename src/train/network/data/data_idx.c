/* data_idx.c -- MNIST, Fashion-MNIST and their like: a folder with four IDX files, each plain
 * or with ".gz" behind its name:
 *
 *     train-images-idx3-ubyte  train-labels-idx1-ubyte
 *     t10k-images-idx3-ubyte   t10k-labels-idx1-ubyte
 *
 * A pixel p becomes (p - mean) / deviation, both over all pixels of the training file, for
 * training and test alike: inputs have mean 0 and deviation 1.
 */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "train/network/data/data.h"
#include "train/network/data/idx_file.h"

struct set {
    struct dts_idx images, labels;
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

/* Of both names the one that is there; the plain one in a message that none is. */
static bool read_file(struct dts_idx *out, const char *folder, const char *name, int dims,
                      struct dts_error *err)
{
    struct dts_text plain = {0}, packed = {0};
    dts_text_add(&plain, "%s/%s", folder, name);
    dts_text_add(&packed, "%s.gz", dts_text_string(&plain));
    const bool has_packed = access(dts_text_string(&packed), F_OK) == 0;
    const bool has_plain = access(dts_text_string(&plain), F_OK) == 0;
    const bool good = dts_idx_read(
        out, dts_text_string(has_packed && !has_plain ? &packed : &plain), dims, err);
    dts_text_free(&plain);
    dts_text_free(&packed);
    return good;
}

/* Every loss must know every label. */
static bool check_labels(const struct dts_data_request *request, const struct dts_idx *labels,
                         const char *name, struct dts_error *err)
{
    size_t highest = 0, count;
    bool classes;
    for (size_t i = 0; i < labels->count; i++)
        highest = labels->values[i] > highest ? labels->values[i] : highest;
    for (int l = 0; l < request->model->layer_count; l++) {
        if (dts_network_target(request->network, l, &count, &classes) == NULL)
            continue;
        const char *layer = request->model->layers[l].name;
        if (!classes)
            return dts_fail(err, DTS_BAD_INPUT,
                            "%s: %s: its targets are no classes, as %s/%s has",
                            request->model->name, layer, request->folder, name);
        if (highest >= dts_network_classes(request->network, l))
            return dts_fail(err, DTS_BAD_INPUT,
                            "%s/%s: has the label %zu, and %s of %s knows %zu classes",
                            request->folder, name, highest, layer, request->model->name,
                            dts_network_classes(request->network, l));
    }
    return true;
}

/* Rows and columns, or all pixels in a row. */
static bool has_shape(const struct dts_dims *input, const size_t *size)
{
    return dts_dims_elements(input) == size[1] * size[2] &&
           (input->count == 1 || (input->size[input->count - 2] == size[1] &&
                                  input->size[input->count - 1] == size[2]));
}

static bool read_set(const struct dts_data_request *request, struct set *set,
                     const char *prefix, struct dts_error *err)
{
    char images[64], labels[64];
    snprintf(images, sizeof(images), "%s-images-idx3-ubyte", prefix);
    snprintf(labels, sizeof(labels), "%s-labels-idx1-ubyte", prefix);
    if (!read_file(&set->images, request->folder, images, 3, err) ||
        !read_file(&set->labels, request->folder, labels, 1, err))
        return false;
    const size_t *size = set->images.size;
    if (!has_shape(&request->model->input, size))
        return dts_fail(err, DTS_BAD_INPUT, "%s/%s: has images of %zu x %zu, and %s takes %s",
                        request->folder, images, size[1], size[2], request->model->name,
                        dts_dims_text(&request->model->input).chars);
    if (size[0] != set->labels.count)
        return dts_fail(err, DTS_BAD_INPUT, "%s/%s: has %zu images, and %s has %zu labels",
                        request->folder, images, size[0], labels, set->labels.count);
    if (size[0] == 0)
        return dts_fail(err, DTS_BAD_INPUT, "%s/%s: has no images", request->folder, images);
    return check_labels(request, &set->labels, labels, err);
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
    static const char *const prefixes[DTS_DATA_PARTS] = {"train", "t10k"};
    bool tokens;
    if (request->folder == NULL)
        return dts_fail(err, DTS_BAD_INPUT, "no folder is named, and \"idx\" needs one");
    dts_network_input(request->network, &tokens);
    if (tokens)
        return dts_fail(err, DTS_BAD_INPUT, "live.data: %s takes tokens, \"idx\" has images",
                        request->model->name);
    struct idx *idx = dts_alloc(1, sizeof(*idx));
    idx->model = request->model;
    bool good = true;
    for (int p = 0; p < DTS_DATA_PARTS && good; p++) {
        good = read_set(request, &idx->sets[p], prefixes[p], err);
        samples[p] = good ? idx->sets[p].images.size[0] : 0;
    }
    if (good && request->samples > samples[DTS_DATA_TRAIN])
        good = dts_fail(err, DTS_BAD_INPUT,
                        "dataset.samples: %llu are more than the %llu training images of %s",
                        (unsigned long long)request->samples,
                        (unsigned long long)samples[DTS_DATA_TRAIN], request->folder);
    if (!good) {
        close_idx(idx);
        return false;
    }
    samples[DTS_DATA_TRAIN] = request->samples;
    find_inputs(idx);
    *self = idx;
    return true;
}

static void fill(const void *self, enum dts_data_part part, struct dts_network *network,
                 const uint64_t *numbers, int batch)
{
    const struct idx *idx = self;
    const struct set *set = &idx->sets[part];
    const size_t each = set->images.size[1] * set->images.size[2];
    bool tokens, classes;
    size_t count;
    float *input = dts_network_input(network, &tokens);
    for (size_t b = 0; b < (size_t)batch; b++) {
        const unsigned char *pixels = set->images.values + numbers[b] * each;
        for (size_t i = 0; i < each; i++)
            input[b * each + i] = idx->inputs[pixels[i]];
    }
    for (int l = 0; l < idx->model->layer_count; l++) {
        int32_t *target = dts_network_target(network, l, &count, &classes);
        for (size_t i = 0; target != NULL && i < (size_t)batch * count; i++)
            target[i] = set->labels.values[numbers[i / count]];
    }
}

const struct dts_data_format dts_data_idx = {
    .name = "idx",
    .summary = "images and labels as MNIST's files have them, plain or gzipped",
    .open = open_idx,
    .fill = fill,
    .close = close_idx,
};
