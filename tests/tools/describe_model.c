/* describe_model.c -- prints what a model file is: its totals, then each layer without its
 * name. With --begin FILE: of each parameter tensor the number of values, mean and standard
 * deviation of what it begins with. With --layers FILE: the document with the layers, of a
 * network by numbers what its family made. For tests that compare networks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "train/model/model.h"

static void print_layer(const struct dts_layer *layer)
{
    double parameters = 0;
    for (int i = 0; i < layer->param_count; i++)
        parameters += (double)layer->params[i].count;
    printf("%s %s parameters %.0f forward %.0f backward %.0f\n", layer->kind->name,
           dts_dims_text(&layer->output).chars, parameters, layer->cost.forward_flops,
           layer->cost.backward_flops);
}

static void print_begin(const struct dts_layer *layer)
{
    for (int i = 0; i < layer->param_count; i++) {
        const struct dts_param *param = &layer->params[i];
        const double deviation = param->uniform ? param->spread / sqrt(3) : param->spread;
        printf("%zu %.9g %.9g\n", param->count, param->mean, deviation);
    }
}

int main(int count, char **words)
{
    const bool begin = count > 1 && strcmp(words[1], "--begin") == 0;
    const bool layers = count > 1 && strcmp(words[1], "--layers") == 0;
    for (int i = begin || layers ? 2 : 1; i < count; i++) {
        struct dts_model model;
        struct dts_error err = {0};
        if (!dts_model_load(&model, words[i], &err)) {
            fprintf(stderr, "%s\n", err.text);
            return (int)err.cause;
        }
        for (int l = 0; l < model.layer_count && begin; l++)
            print_begin(&model.layers[l]);
        if (layers)
            dts_doc_print(model.expanded != NULL ? model.expanded : model.doc, stdout);
        if (begin || layers) {
            dts_model_free(&model);
            continue;
        }
        printf("parameters %.0f forward %.0f backward %.0f saved %.0f\n", model.parameters,
               model.forward_flops, model.backward_flops,
               4 * model.saved_values + model.saved_bytes);
        for (int l = 0; l < model.layer_count; l++)
            print_layer(&model.layers[l]);
        dts_model_free(&model);
    }
    return 0;
}
