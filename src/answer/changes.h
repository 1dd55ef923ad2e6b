/* changes.h -- what the command line changes in a scenario: paths, values, combinations. */
#ifndef DTS_ANSWER_CHANGES_H
#define DTS_ANSWER_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/json/cfg.h"

enum { DTS_SWEEP_MOST = 10000 }; // combinations of one command

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

/* All zero: the scenario stays as it is. Freed by dts_changes_free(). */
struct dts_changes {
    struct dts_setting *sets; // owned
    int set_count;
    struct dts_sweep *sweeps; // owned
    int sweep_count;
    const char *engine; // NULL: the scenario says
    const char *seed;   // NULL: the scenario says
    bool live;          // the plan is run over MPI, so that keys of "live" have an effect
    size_t set_room, sweep_room;
    char **copies; // strings cut from the command line; owned
    int copy_count;
    size_t copy_room;
};

void dts_changes_free(struct dts_changes *changes); // leaves it empty

/* Adds PATH=VALUE; the path is the first `length` characters of `path`. Both are copied. */
/* The same, with the words that stand before the path in messages, where else "--set " does. */
void dts_changes_add_by(struct dts_changes *changes, const char *by, const char *path,
                        const char *value);
void dts_changes_add_set(struct dts_changes *changes, const char *path, size_t length,
                         const char *value);

/* The same for each path of an object, {"batch.per_device": 64}. */
void dts_changes_add_object(struct dts_changes *changes, const char *by,
                            const struct dts_cfg *object);

/* Adds PATH=V1,V2,...; commas inside quotes, brackets and braces do not separate values. */
bool dts_changes_add_sweep(struct dts_changes *changes, const char *text,
                           struct dts_error *err);

/* The settings of sweep combination `k` of 0 .. dts_changes_combinations() - 1: first all of
 * --set, then one value of each --sweep, the last sweep changing fastest. Returns how many;
 * `settings` has room for dts_changes_setting_count(). --seed and --engine are settings, too.
 */
int dts_changes_combinations(const struct dts_changes *changes); // 1 without --sweep
int dts_changes_setting_count(const struct dts_changes *changes);
int dts_changes_settings(const struct dts_changes *changes, int k,
                         struct dts_setting *settings);

/* True if a --set or a --sweep changes this key of the scenario, or a key below it. */
bool dts_changes_touch(const struct dts_changes *changes, const char *key);

/* "batch_per_device=32, engine=exact": what the sweeps set for combination k; "" without. */
void dts_changes_sweep_text(const struct dts_changes *changes, int k, char *text, size_t room);

#endif
