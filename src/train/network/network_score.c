/* network_score.c -- what a loss layer says of its batch, before the memory of what it looked
 * at is used again. */
#include <stdlib.h>

#include "base/mem.h"
#include "kernels/loss/softmax_cross_entropy.h"
#include "kernels/reduce/reduce.h"
#include "train/network/network_private.h"

/* The class of the largest value. Among equals it is the first: who says the same of all
 * classes knows nothing. -1: one of them is no number. */
static int32_t answer(const float *values, size_t classes)
{
    size_t largest = 0;
    bool numbers = true;
    for (size_t c = 0; c < classes; c++) {
        numbers = numbers && values[c] == values[c];
        largest = values[c] > values[largest] ? c : largest;
    }
    return numbers ? (int32_t)largest : -1;
}

static void count_class(struct dts_class_count *each, int32_t target, int32_t said)
{
    each[target].targets++;
    each[target].both += said == target;
    if (said >= 0)
        each[said].answers++;
}

/* Positions whose target is below 0 or the class that the call ignores do not count. */
static void count_right(const struct dts_network *n, int layer, int samples,
                        struct dts_network_score *score, struct dts_class_count *each)
{
    const struct dts_layer_call *c = &n->calls[layer];
    const size_t classes = dts_network_classes(n, layer);
    const size_t positions = (size_t)samples * n->nodes[layer].targets;
    const int32_t *target = dts_network_now(n)->target[layer].here;
    void *copy;
    const char *values = dts_space_look(n->space, dts_network_output(n, c->inputs[0]),
                                        positions * classes * dts_network_real(n), &copy);
    float *wide = n->mixed ? dts_alloc(classes, sizeof(*wide)) : NULL;
    for (size_t p = 0; p < positions; p++) {
        const void *row = values + p * classes * dts_network_real(n);
        if (!dts_class_counts(&c->call, target[p]))
            continue;
        if (n->mixed)
            dts_reduce_widen(n->half, wide, row, classes, &(struct dts_place){0});
        const int32_t said = answer(n->mixed ? wide : row, classes);
        score->positions++;
        score->right += said == target[p];
        if (each != NULL)
            count_class(each, target[p], said);
    }
    free(wide);
    free(copy);
}

bool dts_network_score(const struct dts_network *n, int layer, int samples,
                       struct dts_network_score *score, struct dts_class_count *each)
{
    const struct dts_operation *op = n->nodes[layer].op;
    *score = (struct dts_network_score){0};
    if (op == NULL || !op->loss)
        return false;
    void *copy;
    const float *losses = dts_space_look(n->space, dts_network_output(n, layer),
                                         (size_t)samples * sizeof(*losses), &copy);
    for (int i = 0; i < samples; i++)
        score->loss += (double)losses[i];
    free(copy);
    score->auxiliary = n->calls[layer].call.auxiliary;
    score->classes = op->classes;
    if (op->classes)
        count_right(n, layer, samples, score, each);
    return true;
}

int dts_network_regions(const struct dts_network *n)
{
    int found = -1;
    for (int l = 0; l < n->model->layer_count && !n->tokens; l++) {
        const struct dts_node *node = &n->nodes[l];
        if (node->op != NULL && node->op->classes && node->targets > 1 &&
            !n->calls[l].call.auxiliary)
            found = l;
    }
    return found;
}
