/* result.h -- what is known of one point, and the formats that print it.
 *
 * Members, units and names are those of the JSON result "dtsim-result/1" (docs/model.md
 * defines every one). NAN: absent. total_s = compute_s + exposed_comm_s + input_s + bubble_s +
 * straggler_s.
 */
#ifndef DTS_ANSWER_RESULT_H
#define DTS_ANSWER_RESULT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct dts_changes;
struct dts_comparison;

struct dts_step {
    double total_s, compute_s, comm_s, exposed_comm_s, input_s, bubble_s, straggler_s;
    double overlap_slowdown_s; // part of compute_s: kernels beside communication
};

enum {
    DTS_RESULT_TEXT = 128,
    DTS_RESULT_ASSUMED = 48,
    DTS_RESULT_MORE = 3,
    DTS_RESULT_BINS = 64,
    DTS_RESULT_SOURCE = 384,
    DTS_RESULT_PHASES = 64, // as many as a training may have
    DTS_RESULT_BESIDES = 16
};

/* One of the phases of a training (answer/variants/phase_time.h). Absent numbers are NAN; of a
 * point that is only checked step and time are. */
struct dts_result_phase {
    int global_batch;
    double epochs, steps, step_s, time_s; // time_s = steps times step_s
    double memory_bytes;                  // of the fullest device
    double energy_kwh;                    // as training.energy_kwh
    double level_kernels, level_step;     // as those of the point, but of this phase
};

/* Neighbours that are alike but for where they sit: an entry of the scenario's list. The last
 * three are absent where one of them did fewer than two steps, and the last where they train
 * nothing. */
struct dts_result_beside {
    char name[48];
    int jobs, devices; // of each
    double step_mean_s, step_worst_s;
    double throughput_samples_per_s; // of all
};

/* A published figure, and the prediction for it. */
struct dts_held {
    char metric[48], source[256]; // metric "": none
    double value, predicted, error_percent;
};

/* By how many updates of its weights a gradient was behind, the share of gradients that count,
 * and a histogram: share[i] of all gradients were i * bin_width to (i + 1) * bin_width - 1
 * updates behind. bin_width 0: nothing is known, and the numbers are absent. */
struct dts_stale {
    double mean, median, p95, most, used;
    bool adapted;   // the learning rate of a gradient is divided by one plus its staleness
    bool partly;    // the values of some layers alone are late
    bool corrected; // late_momentum or late_compensation act
    int bin_width;
    double share[DTS_RESULT_BINS];
};

/* Travels between processes as it is: the last member is its only pointer. */
struct dts_result {
    char strategy[DTS_RESULT_TEXT], model[DTS_RESULT_TEXT], platform[DTS_RESULT_TEXT];
    char stack[DTS_RESULT_TEXT], engine[DTS_RESULT_TEXT];
    char limits[256]; // why the engine may be further off than it promises; "": it is not
    char basis[256];  // what the seconds rest on

    /* The batch, if none so large or so small was measured, and which ones were; "": it is
     * within the measured ones. */
    char outside[96];

    char doubt[256]; // why it is hard to believe: seconds, memory; "": it is not

    char unlike[384]; // which devices the others wait for; "": all in use are alike

    /* Source of the slowdown of kernels by communication; "": there is no slowdown. */
    char slowdown_source[DTS_RESULT_SOURCE];

    char noise_source[DTS_RESULT_SOURCE]; // of stragglers; "": there are none
    char transports[160]; // "nvlink in a node (its stack), tcp between nodes (mine)"
    char setting[256];    // what --sweep set for this point: "platform.nics.bytes_per_s=1.25e9"
    char assumed[DTS_RESULT_ASSUMED][96];
    int assumed_count;
    /* The class of published cases by which it is judged (`dtsim validate`), "": none, and by
     * how many percent nine in ten of them were off at most (validate/expected.h); absent where
     * compute is a bare roofline, which they did not rest on. */
    char class[24];
    double error_p90_percent;
    bool roofline; // compute is a bare roofline: nobody published or measured it
    int devices, nodes, global_batch;
    struct dts_step step;

    /* The step where messages are as fast or as slow as the spread of measured transports has
     * them. Absent where no transport was measured. */
    double low_s, high_s;

    /* Where the point is levelled by measured ones (known.h): what kernels and then the whole
     * step are multiplied by, and the step before the latter. Else absent. */
    double level_kernels, level_step, level_physics_s;

    /* Ranks that do not sum gradients in each step (train/strategy/synchrony.h); steps 0: they
     * do. before_s: a step before the switch to local steps, after so many steps; absent: there
     * is none. */
    struct {
        int steps, after;
        bool outer, pairs;
    } local;
    double before_s;

    double bare_total_s; // the step with overheads, slowdown and noise off: physics alone
    double algbw_bytes_s, busbw_bytes_s; // of a collective alone, as nccl-tests define them
    double throughput_samples_per_s, scaling_efficiency, scaling_efficiency_one_device;

    /* Where a sample is a sequence. The last three are of one device, mfu and hfu shares of its
     * peak; absent where it has none in this precision. */
    double throughput_tokens_per_s, tokens_per_s_device, model_flops_per_s_device, mfu, hfu;
    struct {
        double total_bytes, weights_bytes, gradients_bytes, optimizer_bytes, activations_bytes;
        double framework_bytes, unsharded_bytes, host_bytes,
            first_stage_bytes; // absent where there is none (struct dts_memory)
    } memory;
    struct {
        double epochs, steps, time_s; // of a target: what one run needs, on the average

        /* With a target alone: 80 % of runs lie between low and high. */
        double samples, steps_low, steps_high, time_low_s, time_high_s;
        double device_hours; // devices times time_s

        /* Where a target says what an evaluation takes: how many, and their part of time_s. */
        double evaluations, evaluation_s;

        /* Where the platform states the power and the price of a node: nodes in use times
         * time_s times these. */
        double energy_kwh, cost;

        /* After a fixed number of epochs, percent, where a table tells: the mean, between which
         * 80 % of runs lie, and how many points less than at small batches. */
        double accuracy_percent, accuracy_low_percent, accuracy_high_percent;
        double accuracy_lost_points;
    } training;
    struct dts_result_phase phases[DTS_RESULT_PHASES]; // in the order of the scenario
    int phase_count;                                   // 0: the training is one

    /* Beside neighbours: the step without them, and how many times as long it is with them.
     * Absent without. */
    struct {
        double alone_s, slowdown;
    } beside;

    /* Of this job and the neighbours that train as it does; absent where there are none. */
    struct {
        double alike; // so many jobs
        double step_mean_s, step_worst_s, throughput_samples_per_s;
    } jobs;
    struct dts_result_beside besides[DTS_RESULT_BESIDES];
    int beside_count;

    /* How late gradients are, in updates: of a scenario that says so (training.target), or of a
     * strategy that does not wait. Absent: nothing is known to be late. */
    struct dts_stale staleness;
    double update_batch; // samples of one update; 0: the global batch
    bool update_in_time; // it takes gradients of the newest weights: none that counts is late
    double staleness_steps; // steps to the target over those without; absent without a target

    /* Of the convergence profile that a target names (docs/convergence.md); "": there is none.
     */
    struct {
        char goal[160];    // what is reached, on which data: alike of points with one target
        char profile[192]; // its name, target and published batches
        char law[224];     // its numbers, with 80 % intervals, and both critical batches
        char rule[320];    // recipe, optimizer and schedule of the runs that it stands on
        char late[192];    // what late gradients count as; "": none are
        char region[16];   // "perfect", "diminishing", "maximal"
        char doubt[384];   // why the prediction is hard to believe
    } target;
    /* Of the table that the accuracy is from; "": there is none. */
    struct {
        char table[256]; // its name, metric, epochs and published batches
        char rule[320];  // rule of the learning rate, and optimizer, of its runs
        char doubt[384]; // why there is no number, or why it is hard to believe
    } accuracy;
    struct dts_held reference;             // the first published figure for this point
    struct dts_held more[DTS_RESULT_MORE]; // further ones
    int more_count;
    char chosen[192]; // what the library of collectives chose (chosen.h); "": none did
    char chosen_why[160];
    char axes[640];         // of a mesh, in lines: what dtsim check says; "": it is none
    char why[384];          // one sentence: what bounds the step
    struct dts_error error; // of a point that was refused; all numbers are absent then
    const struct dts_comparison *live; // what was measured; NULL: nothing
};

/* Make a result safe to read that somebody else may have written: every word ends, every count
 * has its room. */
void dts_result_seal(struct dts_result *result);

/* All numbers absent, all words empty. */
void dts_result_init(struct dts_result *result);

/* Add to result->doubt why it is hard to believe. */
void dts_result_doubt(struct dts_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One number of a result. All formats, and references, read these rows. */
struct dts_metric {
    const char *group;     // the object that holds it in JSON: "step"; NULL: the point itself
    const char *name;      // without the unit: "total"
    const char *unit;      // "s"; NULL: it has none. The JSON key is "total_s"
    size_t offset;         // of the double in struct dts_result
    const char *reference; // its name in references of a scenario: "step_s"; NULL: it has none
    bool rare;             // of some models alone: CSV has a column where a point has a value
};

extern const struct dts_metric dts_metrics[]; // ended by .name NULL; group by group

/* NAN for a point that was refused. */
double dts_metric_value(const struct dts_metric *metric, const struct dts_result *result);

/* Finds a metric by its name in references; NULL: there is none of that name. The i-th name is
 * dts_metric_reference(i); NULL at the end. */
const struct dts_metric *dts_metric_find(const char *reference);
const char *dts_metric_reference(int i);

/* Compares a result with a published figure. `metric` is one of dts_metric_reference(). Returns
 * false where the answer has no such number. */
bool dts_result_refer(struct dts_result *result, const char *metric, double value,
                      const char *source);

/* True if there is no answer: result->error says why. */
static inline bool dts_result_refused(const struct dts_result *result)
{
    return result->error.cause != DTS_NO_ERROR;
}

struct dts_report {
    const char *scenario, *summary, *file; // file: as the command line named it
    const char *why;                       // what the scenario shows; NULL: it does not say
    const char *sample;                    // what a sample is: "image"
    const struct dts_changes *changes;     // that the command line made; NULL: none
    uint64_t seed;
    uint64_t hash; // of all documents that were read, changes made
    bool explain;  // the text has all that is known: reasons, sources, what was assumed
    bool listed;   // a list of cases (validate/listed.h): the setting of a point is its name
    struct dts_result *points;
    int count;
};

/* What a picture or a page needs beside the results. */
struct dts_drawing {
    const char *plot;  // kind of picture (cli/picture/plot.h); NULL: what suits the answer
    char *const *line; // the command line, ended by NULL
    const char *trace; // file with the timeline of the last point (trace.h); NULL: none
    const char *links; // file with the loads of its links (drawn/links.h); NULL: none
};

/* Output formats: text, json, csv, svg, html, ... One file and one row each. Either print or
 * draw is NULL. */
struct dts_format {
    const char *name, *summary;
    const char *suffix; // of files that are written in it, ".csv"
    void (*print)(const struct dts_report *reports, int count, FILE *out);
    bool (*draw)(const struct dts_report *reports, int count, const struct dts_drawing *drawing,
                 FILE *out, struct dts_error *err);

    bool whole; // it draws every kind of picture, those of files of the last point, too

    /* Of draw: can it be done at all, of so many scenarios? Asked before the work. */
    bool (*ready)(int count, const struct dts_drawing *drawing, struct dts_error *err);
};

/* print or draw. */
bool dts_format_write(const struct dts_format *format, const struct dts_report *reports,
                      int count, const struct dts_drawing *drawing, FILE *out,
                      struct dts_error *err);

extern const struct dts_format *const dts_formats[]; // ended by NULL; the first is the default
const struct dts_format *dts_format_find(const char *name);
const struct dts_format *
dts_format_of_file(const char *path); // by its suffix; NULL: none has it
const char *dts_format_name(int i);

/* False: it has the suffix of a picture, page or table of another program; text in it would be
 * no such file. */
bool dts_format_may_be_text(const char *path, struct dts_error *err);

#endif
