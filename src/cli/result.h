/* result.h -- what is known of one point, and the formats in which it is told.
 *
 * Members, units and names are those of the JSON result "dtsim-result/1" (docs/model.md
 * defines every one). NAN: absent. total_s = compute_s + exposed_comm_s + input_s + bubble_s +
 * straggler_s.
 */
#ifndef DTS_CLI_RESULT_H
#define DTS_CLI_RESULT_H

#include <stdio.h>

#include "base/error.h"

struct dts_step {
    double total_s, compute_s, comm_s, exposed_comm_s, input_s, bubble_s, straggler_s;
    double overlap_slowdown_s; // part of compute_s: kernels beside communication
};

enum { DTS_RESULT_TEXT = 128, DTS_RESULT_ASSUMED = 24 };

struct dts_result {
    char strategy[DTS_RESULT_TEXT], model[DTS_RESULT_TEXT], platform[DTS_RESULT_TEXT];
    char stack[DTS_RESULT_TEXT], engine[DTS_RESULT_TEXT];
    char basis[256];   // what the seconds rest on
    char setting[256]; // what --sweep set for this point: "platform.nics.bytes_per_s=1.25e9"
    char assumed[DTS_RESULT_ASSUMED][96];
    int assumed_count;
    int devices, nodes, global_batch;
    struct dts_step step;
    double bare_total_s; // the step with overheads, slowdown and noise off: physics alone
    double throughput_samples_per_s, scaling_efficiency, scaling_efficiency_one_device;
    struct {
        double total_bytes, weights_bytes, gradients_bytes, optimizer_bytes, activations_bytes;
    } memory;
    struct {
        double epochs, steps, time_s;
    } training;
    struct {
        char metric[48], source[256];
        double value, predicted, error_percent;
    } reference;
    char why[256];          // one sentence: what bounds the step
    struct dts_error error; // a point that was refused: cause and text; all else absent
};

struct dts_report {
    const char *scenario, *summary, *file;
    struct dts_result *points;
    int count;
};

/* Output formats: text, json, csv. One file and one row each. */
struct dts_format {
    const char *name, *summary;
    void (*print)(const struct dts_report *report, FILE *out);
};

extern const struct dts_format *const dts_formats[]; // ended by NULL
const struct dts_format *dts_format_find(const char *name);
const char *dts_format_name(int i);

#endif
