/* optimizer.c -- rules that turn a gradient g into a new weight w, with what one update costs
 * for each parameter. To add one, add its row, and a row in ops/update.c that carries it out.
 *
 * Counted as a fused kernel does it: every tensor is read and written once in a pass, scalars
 * (learning rate, bias corrections) are ready, and weight decay is part of it. The rules that
 * scale by norms of whole tensors (LARS, LARC, LAMB, NovoGrad) need a pass before the update.
 */
#include <string.h>

#include "train/model.h"

const struct dts_optimizer *const dts_optimizers[] = {
    &(const struct dts_optimizer){
        // d = g + decay w; w -= rate d
        .name = "sgd",
        .summary = "stochastic gradient descent",
        .state_values = 0,
        .flops = 4,
        .values = 3, // read w, g, write w
        .lazy = true,
    },
    &(const struct dts_optimizer){
        // d = g + decay w; v = m v + d; w -= rate v (Sutskever et al. 2013, ICML)
        .name = "momentum",
        .summary = "SGD with momentum",
        .state_values = 1,
        .flops = 6,
        .values = 5, // read w, g, v, write w, v
        .lazy = true,
    },
    &(const struct dts_optimizer){
        // d = g + decay w; v = m v + d; w -= rate (d + m v)
        .name = "nesterov",
        .summary = "SGD with Nesterov's momentum",
        .state_values = 1,
        .flops = 8,
        .values = 5,
    },
    &(const struct dts_optimizer){
        // d = g + decay w; s = b s + (1 - b) d^2; v = m v + d / (sqrt(s) + e); w -= rate v
        .name = "rmsprop",
        .summary = "SGD with momentum, scaled by recent squares",
        .state_values = 2,
        .flops = 13,
        .values = 7, // read w, g, s, v, write w, s, v
    },
    &(const struct dts_optimizer){
        // d = g + decay w; m = b1 m + (1 - b1) d; v = b2 v + (1 - b2) d^2;
        // w -= rate' m / (sqrt(v) / c + e) (Kingma and Ba 2015, arXiv:1412.6980)
        .name = "adam",
        .summary = "Adam, with weight decay as part of the gradient",
        .state_values = 2,
        .flops = 15,
        .values = 7, // read w, g, m, v, write w, m, v
        .lazy = true,
    },
    &(const struct dts_optimizer){
        // w *= 1 - rate decay, then Adam (Loshchilov and Hutter 2019, arXiv:1711.05101)
        .name = "adamw",
        .summary = "Adam, with weight decay apart from the gradient",
        .state_values = 2,
        .flops = 14,
        .values = 7,
    },
    &(const struct dts_optimizer){
        // norms of w and g, then momentum with a rate for each tensor (You, Gitman and Ginsburg
        // 2017, arXiv:1708.03888)
        .name = "lars",
        .summary = "momentum with a rate for each tensor by its norms: large batches",
        .state_values = 1,
        .flops = 11, // norms 4, scale 1, momentum 6
        .values = 7, // read w, g; read w, g, v, write w, v
    },
    &(const struct dts_optimizer){
        // LARS with rates for tensors that are at most the global one (the same paper; clipped
        // as in NVIDIA's apex)
        .name = "larc",
        .summary = "LARS with rates that are at most the global one",
        .state_values = 1,
        .flops = 11,
        .values = 7,
    },
    &(const struct dts_optimizer){
        // u = Adam's step + decay w, norms of w and u, w -= rate |w| / |u| u (You et al. 2020,
        // arXiv:1904.00962)
        .name = "lamb",
        .summary = "Adam with a rate for each tensor by its norms: large batches",
        .state_values = 2,
        .flops = 19,  // m 3, v 4, u 6, norms 4, update 2
        .values = 10, // read w, g, m, v, write m, v, u; read w, u, write w
    },
    &(const struct dts_optimizer){
        // one second moment s for a tensor: m = b1 m + g / (sqrt(s) + e) + decay w; w -= rate m
        // (Ginsburg et al. 2019, arXiv:1905.11286)
        .name = "novograd",
        .summary = "momentum of gradients that are normalized tensor by tensor",
        .state_values = 1,
        .flops = 9,  // norm 2, m 5, update 2
        .values = 6, // read g; read w, g, m, write w, m
    },
    NULL,
};

const struct dts_optimizer *dts_optimizer_find(const char *name)
{
    for (int i = 0; dts_optimizers[i] != NULL; i++)
        if (strcmp(dts_optimizers[i]->name, name) == 0)
            return dts_optimizers[i];
    return NULL;
}

const char *dts_optimizer_name(int i)
{
    return dts_optimizers[i] != NULL ? dts_optimizers[i]->name : NULL;
}
