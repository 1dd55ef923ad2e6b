/* target_run.c -- the keys of a training to a target and of its end. */
#include "train/scenario/target_run.h"

#include <limits.h>
#include <string.h>

#define RUN(member)   DTS_KEY(struct dts_target_run, member)
#define END(member)   DTS_KEY(struct dts_target_end, member)
#define NOISE(member) DTS_KEY(struct dts_target_noise, member)

static const struct dts_field run_fields[] = {
    {RUN(batch), .type = DTS_INT, .min = 1, .max = INT_MAX},
    {RUN(microbatch), .type = DTS_INT, .min = 1, .max = INT_MAX},
    {RUN(rate), .type = DTS_REAL, .min = 0, .max = 1e6},
    {RUN(seed), .type = DTS_INT, .min = 0, .max = INT_MAX},
    {RUN(accuracy), .type = DTS_REAL, .min = 0, .max = 1},
    {RUN(every), .type = DTS_INT, .min = 1, .max = INT_MAX},
    {RUN(test_samples), .type = DTS_INT, .min = 1, .max = INT_MAX},
    {RUN(most_samples), .type = DTS_REAL, .min = 1, .max = 1e15},
    {RUN(delay), .type = DTS_INT, .min = 0, .max = DTS_TARGET_DELAY_MOST, .missing = "0"},
    {RUN(local_steps), .type = DTS_INT, .min = 0, .max = INT_MAX, .missing = "0"},
    {RUN(outer_rate), .type = DTS_REAL, .min = 0, .max = 100, .missing = "0"},
    {0},
};

static const struct dts_field noise_fields[] = {
    {NOISE(small_batch), .type = DTS_INT, .min = 0, .max = INT_MAX},
    {NOISE(large_batch), .type = DTS_INT, .min = 0, .max = INT_MAX},
    {NOISE(steps), .type = DTS_INT, .min = 0, .max = INT_MAX},
    {NOISE(scale), .type = DTS_REAL, .min = 0, .max = 1e300},
    {NOISE(spread), .type = DTS_REAL, .min = 0, .max = 1e300},
    {0},
};

static const struct dts_field end_fields[] = {
    {END(reached), .type = DTS_BOOL},
    {END(samples), .type = DTS_REAL, .min = 0, .max = 1e15},
    {END(accuracy), .type = DTS_REAL, .min = 0, .max = 1},
    {END(noise), .type = DTS_OBJECT, .missing = "null", .fields = noise_fields},
    {0},
};

static bool equal(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

bool dts_target_run_same(const struct dts_target_run *a, const struct dts_target_run *b)
{
    return a->batch == b->batch && a->microbatch == b->microbatch && equal(a->rate, b->rate) &&
           a->seed == b->seed && equal(a->accuracy, b->accuracy) && a->every == b->every &&
           a->test_samples == b->test_samples && equal(a->most_samples, b->most_samples) &&
           a->delay == b->delay && a->local_steps == b->local_steps &&
           equal(a->outer_rate, b->outer_rate);
}

void dts_target_run_print(const struct dts_target_run *run, const char *key,
                          struct dts_json *json)
{
    dts_json_object(json, key);
    dts_json_integer(json, "batch", run->batch);
    dts_json_integer(json, "microbatch", run->microbatch);
    dts_json_number(json, "rate", run->rate);
    dts_json_integer(json, "seed", run->seed);
    dts_json_number(json, "accuracy", run->accuracy);
    dts_json_integer(json, "every", run->every);
    dts_json_integer(json, "test_samples", run->test_samples);
    dts_json_number(json, "most_samples", run->most_samples);
    if (run->delay > 0)
        dts_json_integer(json, "delay", run->delay);
    if (run->local_steps > 0)
        dts_json_integer(json, "local_steps", run->local_steps);
    if (run->outer_rate > 0)
        dts_json_number(json, "outer_rate", run->outer_rate);
    dts_json_end(json);
}

bool dts_target_run_read(const struct dts_cfg *at, struct dts_target_run *run,
                         struct dts_error *err)
{
    return dts_cfg_read(at, run_fields, run, err);
}

void dts_target_end_print(const struct dts_target_end *end, const char *key,
                          struct dts_json *json)
{
    dts_json_object(json, key);
    dts_json_bool(json, "reached", end->reached);
    dts_json_number(json, "samples", end->samples);
    dts_json_number(json, "accuracy", end->accuracy);
    if (end->noise.steps > 0) {
        dts_json_object(json, "noise");
        dts_json_integer(json, "small_batch", end->noise.small_batch);
        dts_json_integer(json, "large_batch", end->noise.large_batch);
        dts_json_integer(json, "steps", end->noise.steps);
        dts_json_number(json, "scale", end->noise.scale);
        dts_json_number(json, "spread", end->noise.spread);
        dts_json_end(json);
    }
    dts_json_end(json);
}

bool dts_target_end_read(const struct dts_cfg *at, struct dts_target_end *end,
                         struct dts_error *err)
{
    *end = (struct dts_target_end){0};
    return dts_cfg_read(at, end_fields, end, err);
}
