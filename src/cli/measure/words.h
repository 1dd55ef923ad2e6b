/* words.h -- what the words of dtsim-measure mean, and what it says while it measures.
 * Each function that takes an error refuses what it cannot read by one line that names the
 * word. */
#ifndef DTS_CLI_MEASURE_WORDS_H
#define DTS_CLI_MEASURE_WORDS_H

#include "train/model/model.h"
#include "train/timing/profile.h"

enum { DTS_MEASURE_LISTED = 64 }; // at most in a list

/* Of a profile, on a terminal; *begin_s (a double) is when it began. */
void dts_measure_progress(void *begin_s, int done, int total, const char *what);

/* Where many runs do not count. */
void dts_measure_note_disturbed(double percent);

/* Cuts the list at its commas; how many words there are. */
int dts_measure_split(char *list, char **words);

/* *count of them are to be freed even where this fails. */
bool dts_measure_models(char *list, struct dts_model *models, int *count,
                        struct dts_error *err);

/* A whole number from 1 on. */
bool dts_measure_number(const char *what, const char *word, int *value, struct dts_error *err);

bool dts_measure_optimizer(const char *word, const struct dts_optimizer **optimizer,
                           struct dts_error *err);

/* NULL: fp32. Those that a network computes in on a CPU; */
bool dts_measure_precision(const char *word, enum dts_precision *precision,
                           struct dts_error *err);
/* also what other devices compute in. */
bool dts_measure_profile_precision(const char *word, enum dts_precision *precision,
                                   struct dts_error *err);

/* NULL: cpu. */
bool dts_measure_device(const char *word, const struct dts_space_kind **kind, int *number,
                        struct dts_error *err);

/* Microseconds; NULL: none is asked for. */
bool dts_measure_pace(const char *word, double *pace_s, struct dts_error *err);

/* Whole seconds; NULL: none. */
bool dts_measure_patience(const char *word, double *patience_s, struct dts_error *err);

bool dts_measure_batches(char *list, int *batches, int *count, struct dts_error *err);

#endif
