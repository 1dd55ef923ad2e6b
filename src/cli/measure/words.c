/* words.c -- the words of dtsim-measure. */
#include "cli/measure/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "device/device_word.h"
#include "train/scenario/scenario_live.h"

enum { MOST_NUMBER = 1 << 20 };

void dts_measure_progress(void *begin_s, int done, int total, const char *what)
{
    const double spent_s = dts_now_s() - *(const double *)begin_s;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%d of %d, %.0f s: %.60s%s", done, total, spent_s, what,
                done == total ? "\n" : "");
}

void dts_measure_note_disturbed(double percent)
{
    if (percent >= 25)
        fprintf(stderr,
                "dtsim-measure: note: %.0f %% of the runs were faster or slower than usual "
                "(another program, another machine on the processor's cores): %s\n",
                percent, percent > 50 ? "nothing is usual, all count" : "these do not count");
}

int dts_measure_split(char *list, char **words)
{
    int count = 0;
    for (char *word = strtok(list, ","); word != NULL && count < DTS_MEASURE_LISTED;
         word = strtok(NULL, ","))
        words[count++] = word;
    return count;
}

bool dts_measure_models(char *list, struct dts_model *models, int *count, struct dts_error *err)
{
    char *paths[DTS_MEASURE_LISTED];
    const int wanted = dts_measure_split(list, paths);
    for (*count = 0; *count < wanted; (*count)++)
        if (!dts_model_load(&models[*count], paths[*count], err))
            return false;
    return true;
}

bool dts_measure_number(const char *what, const char *word, int *value, struct dts_error *err)
{
    char *end;
    errno = 0;
    const long long read = strtoll(word, &end, 10);
    if (end == word || *end != '\0' || errno != 0 || read < 1 || read > MOST_NUMBER)
        return dts_fail(err, DTS_BAD_INPUT,
                        "%s: must be a whole number from 1 to %d, got \"%s\"", what,
                        MOST_NUMBER, word);
    *value = (int)read;
    return true;
}

bool dts_measure_optimizer(const char *word, const struct dts_optimizer **optimizer,
                           struct dts_error *err)
{
    *optimizer = dts_optimizer_find(word);
    return *optimizer != NULL ||
           dts_fail(err, DTS_BAD_INPUT, "optimizer: no optimizer \"%s\"", word);
}

bool dts_measure_precision(const char *word, enum dts_precision *precision,
                           struct dts_error *err)
{
    const int found = dts_precision_find(word != NULL ? word : "fp32");
    enum dts_half half;
    *precision = found >= 0 ? (enum dts_precision)found : DTS_FP32;
    return found == DTS_FP32 || (found >= 0 && dts_precision_is_half(*precision, &half)) ||
           dts_fail(err, DTS_BAD_INPUT, "precision: must be fp32, bf16 or fp16, got \"%s\"",
                    word);
}

bool dts_measure_profile_precision(const char *word, enum dts_precision *precision,
                                   struct dts_error *err)
{
    *precision = DTS_TF32;
    return (word != NULL && strcmp(word, dts_precision_name(DTS_TF32)) == 0) ||
           dts_measure_precision(word, precision, err);
}

bool dts_measure_device(const char *word, const struct dts_space_kind **kind, int *number,
                        struct dts_error *err)
{
    struct dts_device_word read;
    return dts_device_word_read(&read, "device", word != NULL ? word : "cpu",
                                dts_live_device_name, err) &&
           dts_space_choose(kind, "device", read.kind, *number = read.number, err);
}

/* So many units; NULL or "0": none. */
static bool read_seconds(const char *what, const char *word, double unit_s, double *seconds,
                         struct dts_error *err)
{
    int units = 0;
    if (word != NULL && strcmp(word, "0") != 0 && !dts_measure_number(what, word, &units, err))
        return false;
    *seconds = unit_s * units;
    return true;
}

bool dts_measure_pace(const char *word, double *pace_s, struct dts_error *err)
{
    return read_seconds("pace", word, 1e-6, pace_s, err);
}

bool dts_measure_patience(const char *word, double *patience_s, struct dts_error *err)
{
    return read_seconds("patience", word, 1, patience_s, err);
}

bool dts_measure_batches(char *list, int *batches, int *count, struct dts_error *err)
{
    char *numbers[DTS_MEASURE_LISTED];
    *count = dts_measure_split(list, numbers);
    if (*count == 0)
        return dts_fail(err, DTS_BAD_INPUT, "batch: needs at least one");
    for (int i = 0; i < *count; i++)
        if (!dts_measure_number("batch", numbers[i], &batches[i], err))
            return false;
    return true;
}
