/* evaluate.h -- how good a network is on samples that it was not trained on.
 *
 * Dropout is off, and batch normalization takes the statistics of the past
 * (kernels/batch_norm/batch_norm.c). Scores are sums, so that those of several ranks add up.
 */
#ifndef DTS_TRAIN_NETWORK_EVALUATE_H
#define DTS_TRAIN_NETWORK_EVALUATE_H

#include "train/network/data/data.h"

struct dts_score {
    /* The loss is the sum over these samples and over loss layers, auxiliary ones left out. */
    double samples, loss;

    /* Of the last loss with classes: the positions that count, and those of them whose largest
     * value is that of the target; 0: there is no such loss. */
    double positions, right;

    /* Of the classes of that loss, where the network tells regions (dts_network_regions); the
     * caller's array. NULL: not wanted. */
    struct dts_class_count *each;
};

/* The mean over the classes of the positions that are both over those that are either; of
 * classes that nowhere are either there is none (Everingham et al. 2010,
 * doi:10.1007/s11263-009-0275-4). NAN: of no class. */
double dts_mean_iou(const struct dts_class_count *each, size_t classes);

/* Add samples first .. first + count - 1 of the part, `batch` at a time as the network has. */
void dts_evaluate(struct dts_network *network, const struct dts_model *model,
                  const struct dts_data *data, enum dts_data_part part, uint64_t first,
                  uint64_t count, int batch, struct dts_score *score);

#endif
