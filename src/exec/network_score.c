/* network_score.c -- what a loss layer says of its batch, before the memory of what it looked
 * at is used again. */
#include <stdlib.h>

#include "base/mem.h"
#include "exec/network_private.h"
#include "ops/reduce.h"
#include "ops/softmax_cross_entropy.h"

/* Among equals the first is the answer: who says the same of all classes knows nothing. */
static bool is_right(const float *values, size_t classes, int32_t target)
{
    const float own = values[target];
    bool right = own == own; // what is no number is not right
    for (size_t c = 0; c < classes; c++)
        right = right && (c < (size_t)target ? values[c] < own : values[c] <= own);
    return right;
}

/* Positions whose target is below 0 or the class that the call ignores do not count. */
static void count_right(const struct dts_network *n, int layer, int samples,
                        struct dts_network_score *score)
{
    const struct dts_layer_call *c = &n->calls[layer];
    const size_t classes = dts_network_classes(n, layer);
    const size_t positions = (size_t)samples * n->nodes[layer].targets;
    const int32_t *target = n->nodes[layer].target.here;
    void *copy;
    const char *values = dts_space_look(n->space, dts_network_output(n, c->inputs[0]),
                                        positions * classes * dts_network_real(n), &copy);
    float *wide = n->mixed ? dts_alloc(classes, sizeof(*wide)) : NULL;
    for (size_t p = 0; p < positions; p++) {
        const void *row = values + p * classes * dts_network_real(n);
        if (!dts_class_counts(&c->call, target[p]))
            continue;
        if (n->mixed)
            dts_reduce_widen(n->half, wide, row, classes, NULL);
        score->positions++;
        score->right += is_right(n->mixed ? wide : row, classes, target[p]);
    }
    free(wide);
    free(copy);
}

bool dts_network_score(const struct dts_network *n, int layer, int samples,
                       struct dts_network_score *score)
{
    const struct dts_operation *op = n->nodes[layer].op;
    *score = (struct dts_network_score){0};
    if (op == NULL || !op->loss)
        return false;
    void *copy;
    const float *each = dts_space_look(n->space, dts_network_output(n, layer),
                                       (size_t)samples * sizeof(*each), &copy);
    for (int i = 0; i < samples; i++)
        score->loss += (double)each[i];
    free(copy);
    score->classes = op->classes;
    if (op->classes)
        count_right(n, layer, samples, score);
    return true;
}
