/* options.h -- the command line as a struct. Options and words come in any order.
 *
 * The rows of options.c say what there is; `dtsim help` prints them.
 */
#ifndef DTS_CLI_OPTIONS_H
#define DTS_CLI_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "cli/result.h"

/* One --set, or one value of a --sweep. */
struct dts_setting {
    const char *path, *value;
    const char *by; // what stands before the path in messages: "--set "
};

struct dts_sweep {
    const char *path;
    char **values; // owned
    int count;
};

struct dts_options {
    char **line;        // all of the command line, as main() got it; borrowed
    const char **words; // what is no option: the verb, files, names
    int word_count;
    struct dts_setting *sets;
    int set_count;
    struct dts_sweep *sweeps;
    int sweep_count;
    struct dts_setting *answers; // of `new`: {"nodes", "32"}
    int answer_count;
    const char *engine;              // NULL: the scenario says
    const struct dts_format *format; // never NULL
    const char *output;              // "-": standard output
    const char *trace;               // NULL: none
    const char *seed;                // NULL: the scenario says
    int jobs;                        // child processes at once; 0: one for each core
    bool live, version, help;
    size_t word_room, set_room, sweep_room, answer_room;
    char **copies; // strings cut from the command line; owned
    int copy_count;
    size_t copy_room;
};

bool dts_options_parse(struct dts_options *options, int argc, char **argv,
                       struct dts_error *err);
void dts_options_free(struct dts_options *options); // leaves it empty
void dts_options_print(FILE *out);                  // for the help

/* The first option, "--set", that was given and speaks of scenarios or predictions, for
 * commands that have neither: whoever gives it expects more. NULL: none. */
const char *dts_options_of_a_scenario(const struct dts_options *options);

/* The settings of sweep combination `k` of 0 .. dts_options_combinations() - 1: first all of
 * --set, then one value of each --sweep, the last sweep changing fastest. Returns how many;
 * `settings` has room for dts_options_setting_count(). --seed and --engine are settings, too.
 */
int dts_options_combinations(const struct dts_options *options); // 1 without --sweep
int dts_options_setting_count(const struct dts_options *options);
int dts_options_settings(const struct dts_options *options, int k,
                         struct dts_setting *settings);

/* Does a --set or a --sweep change this key of the scenario, or what is below it? */
bool dts_options_change(const struct dts_options *options, const char *key);

/* "batch_per_device=32, engine=exact": what the sweeps set for combination k; "" without. */
void dts_options_sweep_text(const struct dts_options *options, int k, char *text, size_t room);

#endif
