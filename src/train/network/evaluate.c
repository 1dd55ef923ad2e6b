/* evaluate.c -- forward passes over the samples of a part, batch by batch. */
#include "train/network/evaluate.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

static void run_batch(struct dts_network *network, const struct dts_model *model, int samples,
                      struct dts_score *score)
{
    const struct dts_network_step step = {.training = false, .keep_gradients = true};
    const int regions = dts_network_regions(network);
    dts_network_begin(network, &step);
    for (int l = 0; l < model->layer_count; l++) {
        struct dts_network_score got;
        dts_network_forward(network, l);
        if (!dts_network_score(network, l, samples, &got, l == regions ? score->each : NULL) ||
            got.auxiliary)
            continue;
        score->loss += got.loss;
        if (!got.classes)
            continue;
        score->positions = got.positions; // the last loss counts, not those on the way
        score->right = got.right;
    }
    score->samples += samples;
}

double dts_mean_iou(const struct dts_class_count *each, size_t classes)
{
    double sum = 0, found = 0;
    for (size_t c = 0; c < classes; c++) {
        const double either = each[c].targets + each[c].answers - each[c].both;
        found += either > 0;
        sum += either > 0 ? each[c].both / either : 0;
    }
    return found > 0 ? sum / found : NAN;
}

void dts_evaluate(struct dts_network *network, const struct dts_model *model,
                  const struct dts_data *data, enum dts_data_part part, uint64_t first,
                  uint64_t count, int batch, struct dts_score *score)
{
    uint64_t *numbers = dts_alloc((size_t)batch, sizeof(*numbers));
    for (uint64_t done = 0; done < count; done += (uint64_t)batch) {
        const uint64_t left = count - done;
        const int samples = left < (uint64_t)batch ? (int)left : batch;
        struct dts_score one = {.each = score->each};
        for (int i = 0; i < batch; i++) // the last one fills what is left of its batch
            numbers[i] = first + done + (uint64_t)(i < samples ? i : samples - 1);
        dts_data_fill(data, part, network, numbers, batch);
        run_batch(network, model, samples, &one);
        score->samples += one.samples;
        score->loss += one.loss;
        score->positions += one.positions;
        score->right += one.right;
    }
    free(numbers);
}
