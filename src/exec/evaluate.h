/* evaluate.h -- how good a network is on samples that it was not trained on.
 *
 * Dropout is off, and batch normalization takes the statistics of the past (ops/batch_norm.c).
 * Scores are sums, so that those of several ranks add up.
 */
#ifndef DTS_EXEC_EVALUATE_H
#define DTS_EXEC_EVALUATE_H

#include "exec/data.h"

struct dts_score {
    double samples, loss; // loss: over the samples, the sum over loss layers
    double positions,
        right; // of the last loss that has classes: positions that count, and those
               // where the largest value is that of the target; 0: no such loss
};

/* Add samples first .. first + count - 1 of the part, `batch` at a time as the network has. */
void dts_evaluate(struct dts_network *network, const struct dts_model *model,
                  const struct dts_data *data, enum dts_data_part part, uint64_t first,
                  uint64_t count, int batch, struct dts_score *score);

#endif
