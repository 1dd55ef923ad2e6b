/* steps_write.c -- what was measured of whole steps, as JSON. */
#include <stdlib.h>

#include "base/json/json_out.h"
#include "base/mem.h"
#include "train/model/calls.h"
#include "turns/steps.h"

static void print_measured(struct dts_json *json, const char *name,
                           const struct dts_measured *measured)
{
    dts_json_object(json, name);
    dts_json_number(json, "median_s", measured->median_s);
    dts_json_number(json, "mad_s", measured->mad_s);
    dts_json_number(json, "least_s", measured->least_s);
    dts_json_end(json);
}

/* Calls of a profile beside the layer's own: what is cleared in forward_s, and added in
 * backward_s. */
static void print_beside(struct dts_json *json, const struct dts_model *model,
                         const struct dts_layer_call *calls, int l)
{
    const size_t clears = dts_call_clears(model, l, true);
    const struct dts_op_call clear = dts_call_gradient_clear(clears);
    dts_json_list(json, "forward_beside");
    if (clears > 0)
        dts_json_string(json, NULL, dts_op_call_key(&clear).chars);
    dts_json_end(json);
    dts_json_list(json, "backward_beside");
    for (int i = 0; i < calls[l].call.input_count; i++) {
        const struct dts_op_call sum = dts_call_gradient_sum(&calls[l].call.inputs[i]);
        if (calls[l].adds[i])
            dts_json_string(json, NULL, dts_op_call_key(&sum).chars);
    }
    dts_json_end(json);
}

/* One line for each call: a profile's kernels have the same names. */
static void print_layers(struct dts_json *json, const struct dts_model *model,
                         const struct dts_layer_seconds *seconds)
{
    struct dts_layer_call *calls = dts_alloc((size_t)model->layer_count, sizeof(*calls));
    dts_model_calls(model, true, calls);
    dts_json_list(json, "layers");
    for (int l = 0; l < model->layer_count; l++) {
        if (calls[l].call.op == NULL)
            continue;
        dts_json_object(json, NULL);
        dts_json_string(json, "name", model->layers[l].name);
        dts_json_string(json, "call", dts_op_call_key(&calls[l].call).chars);
        print_beside(json, model, calls, l);
        dts_json_number(json, "forward_s", seconds[l].forward_s);
        dts_json_number(json, "backward_s", seconds[l].backward_s);
        dts_json_end(json);
    }
    dts_json_end(json);
    free(calls);
}

void dts_steps_write(const struct dts_steps_request *request, const struct dts_steps *steps,
                     FILE *out)
{
    struct dts_json json = {.out = out, .lines = 2};
    dts_json_object(&json, NULL);
    dts_json_string(&json, "model", request->model->name);
    dts_json_integer(&json, "batch", request->batch);
    dts_json_integer(&json, "threads", request->threads);
    dts_json_string(&json, "precision", dts_precision_name((int)request->precision));
    print_measured(&json, "forward", &steps->forward);
    print_measured(&json, "backward", &steps->backward);
    print_measured(&json, "update", &steps->update);
    print_measured(&json, "step", &steps->step);
    print_measured(&json, "paced", &steps->paced);
    dts_json_number(&json, "pace_s", steps->pace_s);
    dts_json_integer(&json, "at_pace", steps->at_pace);
    dts_json_number(&json, "calls_s", steps->calls_s);
    dts_json_number(&json, "calls_off_percent", 100 * steps->calls_off);
    dts_json_number(&json, "first_loss", steps->first_loss);
    dts_json_number(&json, "last_loss", steps->last_loss);
    if (request->precision == DTS_FP16)
        dts_json_integer(&json, "left_out", steps->left_out);
    dts_json_integer(&json, "bytes", (int64_t)steps->bytes);
    print_layers(&json, request->model, request->layers);
    dts_json_end(&json);
}
