/* comparison.h -- a step as it was predicted and as it was measured (docs/live.md).
 *
 * Both are split by the same code (split.h). Errors are 100 (predicted - measured) / measured:
 * a positive one says that the prediction was too long.
 */
#ifndef DTS_ANSWER_LIVE_COMPARISON_H
#define DTS_ANSWER_LIVE_COMPARISON_H

#include "answer/live/device_messages.h"
#include "answer/live/noise_report.h"
#include "answer/live/profile_fit.h"
#include "answer/live/trained.h"
#include "answer/result.h"
#include "base/json/json_out.h"

/* In seconds since the beginning of the step; NAN: not known. */
struct dts_bucket_times {
    double start_s, end_s;
};

struct dts_compared_bucket {
    int number;
    struct dts_bucket_times predicted, measured; // measured: medians over the steps
};

struct dts_comparison {
    char engine[DTS_RESULT_TEXT]; // of the prediction
    struct dts_step predicted;
    struct dts_step measured, mad; // of each number by itself: median and MAD over the steps
    int steps;                     // that were measured; 0: measured and mad say nothing
    int node_ranks, node_cores;    // that so many ranks of a node share; 0: not known
    double checked;                // sums that were compared with the right ones
    double messages, bytes;        // that all ranks sent in a step, but for MPI's collectives
    double network_bytes;          // of the networks of the rank that has most; 0: none train
    struct dts_compared_bucket *buckets; // owned
    int bucket_count;
    struct dts_trained trained;   // owned
    struct dts_noise_scale noise; // owned
    struct dts_profile_fit fit;
    struct dts_device_messages device_messages;
    struct dts_stale staleness, predicted_staleness; // bin_width 0: not known
};

void dts_comparison_free(struct dts_comparison *comparison); // leaves it empty

double dts_error_percent(double predicted, double measured); // NAN where nothing was measured

/* One sentence on where the error of the step comes from. */
void dts_comparison_explain(const struct dts_comparison *comparison, char *text, size_t room);

/* The member "live" of a point. */
void dts_comparison_json(const struct dts_comparison *comparison, struct dts_json *json);

/* Tables of all points of a report that have a comparison, for people and as CSV. */
void dts_comparison_text(const struct dts_report *report, FILE *out);
void dts_comparison_csv(const struct dts_report *report, FILE *out);

#endif
