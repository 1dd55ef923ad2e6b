/* nccl_tests.c -- reads the output of nccl-tests:
 *
 *     #       size         count      type   redop    root     time   algbw   busbw  #wrong ...
 *     #        (B)    (elements)                               (us)  (GB/s)  (GB/s)
 *          1048576        262144     float     sum      -1    146.2    7.17   13.45       0 ...
 *
 * Versions differ in their columns, so the heading says where the time stands. algbw = size /
 * time; busbw = algbw x 2 (n - 1) / n for an all-reduce of n ranks (nccl-tests,
 * doc/PERFORMANCE.md).
 */
#include "sim/net/nccl_tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/file.h"

enum { MOST_BYTES = 1 << 20, LINE = 1024, WORDS = 24 };

/* Bandwidths have two decimals: small ones say nothing. */
static const double told = 0.5, slack = 0.04;

struct reading {
    const char *path;
    int line, ranks;
    int time_word; // of a row; 0: no heading was seen
    struct dts_nccl_tests *out;
};

static int split(char *line, char *words[WORDS])
{
    int count = 0;
    char *rest = line, *word;
    while (count < WORDS && (word = strsep(&rest, " \t\r\n")) != NULL)
        if (*word != '\0')
            words[count++] = word;
    return count;
}

/* "# size count ... time algbw busbw": "#" may stand alone or before the first word. */
static void read_heading(struct reading *r, char *const *words, int count)
{
    const int first = strcmp(words[0], "#") == 0;
    const bool sizes = count > first && (strcmp(words[first] + (first == 0), "size") == 0 ||
                                         strcmp(words[first] + (first == 0), "bytes") == 0);
    for (int i = count - 1; sizes && i > first; i--)
        if (strcmp(words[i], "time") == 0)
            r->time_word = i - first;
}

static bool number(const char *word, double *value)
{
    char *end;
    *value = strtod(word, &end);
    return end != word && *end == '\0' && isfinite(*value) && *value >= 0;
}

static bool fail(const struct reading *r, struct dts_error *err, const char *what)
{
    return dts_fail(err, DTS_BAD_INPUT, "%s: line %d: %s", r->path, r->line, what);
}

/* Do the bandwidths agree with size, time and ranks? */
static bool check_row(const struct reading *r, double bytes, double time_us, double algbw,
                      double busbw, struct dts_error *err)
{
    const double factor = 2.0 * (r->ranks - 1) / r->ranks;
    if (algbw < told)
        return true;
    if (fabs(bytes / time_us / 1e3 / algbw - 1) > slack)
        return fail(r, err, "size / time is not algbw: time must be in us, algbw in GB/s");
    if (fabs(busbw / algbw / factor - 1) > slack)
        return dts_fail(err, DTS_BAD_INPUT,
                        "%s: line %d: busbw must be %.3g times algbw in an all-reduce of %d "
                        "ranks, got %.3g times",
                        r->path, r->line, factor, r->ranks, busbw / algbw);
    return true;
}

static bool read_row(struct reading *r, char *const *words, int count, struct dts_error *err)
{
    struct dts_nccl_tests *out = r->out;
    double bytes = 0, us = 0, algbw, busbw;
    if (r->time_word == 0)
        return fail(r, err,
                    "must come after the heading \"# size count ... time algbw busbw\"");
    if (count < r->time_word + 3 || !number(words[0], &bytes) ||
        !number(words[r->time_word], &us) || !number(words[r->time_word + 1], &algbw) ||
        !number(words[r->time_word + 2], &busbw) || us <= 0)
        return fail(r, err,
                    "must have a size, a time > 0, algbw and busbw where the heading does");
    if (bytes == 0)
        return true;
    if (out->count == DTS_NCCL_TESTS_ROWS)
        return fail(r, err, "is one row too many, 256 are read");
    if (out->count > 0 && bytes <= out->bytes[out->count - 1])
        return fail(r, err, "sizes must grow: one test a file");
    out->bytes[out->count] = bytes;
    out->seconds[out->count++] = 1e-6 * us;
    return check_row(r, bytes, us, algbw, busbw, err);
}

static bool read_line(struct reading *r, char *line, struct dts_error *err)
{
    char *words[WORDS];
    const int count = split(line, words);
    if (count == 0)
        return true;
    if (words[0][0] == '#') {
        read_heading(r, words, count);
        return true;
    }
    const bool size = strspn(words[0], "0123456789") == strlen(words[0]);
    return !size || read_row(r, words, count, err);
}

bool dts_nccl_tests_read(const char *path, int ranks, struct dts_nccl_tests *out,
                         struct dts_error *err)
{
    uint64_t bytes;
    char line[LINE];
    struct reading r = {.path = path, .ranks = ranks, .out = out};
    *out = (struct dts_nccl_tests){0};
    const int number_of = dts_file_open(path, &bytes, err);
    if (number_of < 0)
        return false;
    FILE *file = bytes <= MOST_BYTES ? fdopen(number_of, "r") : NULL;
    if (file == NULL) {
        close(number_of);
        return dts_fail(err, DTS_BAD_INPUT,
                        "%s: must be the output of all_reduce_perf, of at most 1 MiB", path);
    }
    bool good = true;
    while (good && fgets(line, sizeof(line), file) != NULL) {
        r.line++;
        good = strchr(line, '\n') != NULL || strlen(line) < LINE - 1
                   ? read_line(&r, line, err)
                   : fail(&r, err, "is longer than 1000 characters");
    }
    fclose(file);
    if (good && out->count < 2)
        return dts_fail(
            err, DTS_BAD_INPUT,
            "%s: must have two rows of all_reduce_perf (nccl-tests) or more, has %d", path,
            out->count);
    return good;
}
