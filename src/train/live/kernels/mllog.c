/* mllog.c -- lines of MLPerf's log, each of them written at once: a run that is killed
 * leaves what it did. */
#include "train/live/kernels/mllog.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/json/json_out.h"
#include "base/os/file.h"

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return floor(1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec);
}

bool dts_mllog_open(struct dts_mllog *log, const char *path, bool add, struct dts_error *err)
{
    log->path = path;
    log->out = strcmp(path, "-") == 0 ? stderr : fopen(path, add ? "ae" : "we");
    return log->out != NULL || dts_fail(err, dts_file_cause(errno), "%s: cannot be written: %s",
                                        path, strerror(errno));
}

bool dts_mllog_close(struct dts_mllog *log, struct dts_error *err)
{
    bool good = true;
    errno = 0;
    if (log->out != NULL && log->out != stderr) {
        good = !ferror(log->out);
        good = fclose(log->out) == 0 && good;
    }
    const int why = log->error != 0 ? log->error : errno;
    if (!good)
        dts_fail(err, DTS_SYSTEM, "%s: cannot be written: %s", log->path,
                 strerror(why != 0 ? why : EIO));
    *log = (struct dts_mllog){0};
    return good;
}

/* Up to where the value comes. */
static struct dts_json begin(struct dts_mllog *log, const char *type, const char *key)
{
    struct dts_json json = {.out = log->out};
    fputs(":::MLLOG ", log->out);
    dts_json_object(&json, NULL);
    dts_json_string(&json, "namespace", "");
    dts_json_integer(&json, "time_ms", (int64_t)now_ms());
    dts_json_string(&json, "event_type", type);
    dts_json_string(&json, "key", key);
    return json;
}

/* epoch: its number; 0: none. status: how a run ended; NULL: not said. */
static void end(struct dts_mllog *log, struct dts_json *json, long epoch, const char *status)
{
    dts_json_object(json, "metadata");
    if (epoch > 0)
        dts_json_integer(json, "epoch_num", epoch);
    if (status != NULL)
        dts_json_string(json, "status", status);
    dts_json_end(json);
    dts_json_end(json);
    if (fflush(json->out) != 0 && log->error == 0)
        log->error = errno;
}

static void interval(struct dts_mllog *log, const char *type, const char *key, long epoch,
                     const char *status)
{
    if (log->out == NULL)
        return;
    struct dts_json json = begin(log, type, key);
    dts_json_null(&json, "value");
    end(log, &json, epoch, status);
}

static void number(struct dts_mllog *log, const char *key, double value, long epoch)
{
    struct dts_json json = begin(log, "POINT_IN_TIME", key);
    dts_json_number(&json, "value", value);
    end(log, &json, epoch, NULL);
}

static void word(struct dts_mllog *log, const char *key, const char *value)
{
    struct dts_json json = begin(log, "POINT_IN_TIME", key);
    dts_json_string(&json, "value", value);
    end(log, &json, 0, NULL);
}

void dts_mllog_run_start(struct dts_mllog *log, const struct dts_live_kernels *kernels)
{
    const struct dts_scenario *s = kernels->point->scenario;
    const struct dts_live_settings *settings = kernels->settings;
    if (log->out == NULL)
        return;
    interval(log, "INTERVAL_START", "init_start", 0, NULL);
    word(log, "submission_benchmark", s->model.name);
    number(log, "seed", (double)s->seed, 0);
    number(log, "global_batch_size", (double)kernels->order.step_samples, 0);
    number(log, "gradient_accumulation_steps", s->accumulate, 0);
    number(log, "train_samples", (double)dts_data_samples(kernels->data, DTS_DATA_TRAIN), 0);
    number(log, "eval_samples", (double)dts_data_samples(kernels->data, DTS_DATA_TEST), 0);
    word(log, "opt_name", s->optimizer->name);
    number(log, "opt_base_learning_rate",
           dts_live_base_rate(settings, (double)kernels->order.step_samples), 0);
    number(log, "opt_learning_rate_warmup_epochs", settings->schedule.warm_up_epochs, 0);
    interval(log, "INTERVAL_END", "init_stop", 0, NULL);
    interval(log, "INTERVAL_START", "run_start", 0, NULL);
}

void dts_mllog_run_stop(struct dts_mllog *log, bool success)
{
    interval(log, "INTERVAL_END", "run_stop", 0, success ? "success" : "aborted");
}

void dts_mllog_epoch_start(struct dts_mllog *log, long epoch)
{
    interval(log, "INTERVAL_START", "epoch_start", epoch, NULL);
}

void dts_mllog_epoch_stop(struct dts_mllog *log, long epoch)
{
    interval(log, "INTERVAL_END", "epoch_stop", epoch, NULL);
}

void dts_mllog_eval_start(struct dts_mllog *log, long epoch)
{
    interval(log, "INTERVAL_START", "eval_start", epoch, NULL);
}

void dts_mllog_eval_stop(struct dts_mllog *log, const struct dts_trained_epoch *epoch)
{
    if (log->out == NULL)
        return;
    if (isnan(epoch->accuracy)) // nothing to be right about
        number(log, "eval_error", epoch->test_loss, epoch->epoch);
    else
        number(log, "eval_accuracy", epoch->accuracy, epoch->epoch);
    interval(log, "INTERVAL_END", "eval_stop", epoch->epoch, NULL);
}
