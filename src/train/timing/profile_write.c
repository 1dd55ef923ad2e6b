/* profile_write.c -- a device file: this machine's roofline, and the seconds of calls. */
#include "train/timing/profile_write.h"

#include <string.h>

#include "base/json/json_out.h"
#include "base/os/file.h"
#include "base/version.h"
#include "train/timing/update_time.h"

static void write_measured(struct dts_json *json, const char *name, const struct dts_runs *runs,
                           const struct dts_pace *pace)
{
    char key[32];
    if (runs->count == 0)
        return;
    const struct dts_measured measured = dts_measured_of(runs, pace);
    snprintf(key, sizeof(key), "%s_s", name);
    dts_json_number(json, key, measured.median_s);
    snprintf(key, sizeof(key), "%s_mad_s", name);
    dts_json_number(json, key, measured.mad_s);
    snprintf(key, sizeof(key), "%s_least_s", name);
    dts_json_number(json, key, measured.least_s);
}

static void write_entry(struct dts_json *json, const struct dts_profile_request *request,
                        const struct dts_profile_entry *entry, const struct dts_pace *pace)
{
    const struct dts_profile_work *work = &entry->work;
    dts_json_object(json, NULL);
    dts_json_string(json, "call", entry->key.chars);
    dts_json_string(json, "class", dts_work_class_name(work->class));
    dts_json_number(json, "forward_flops", work->forward_flops);
    dts_json_number(json, "backward_flops", work->backward_flops);
    dts_json_number(json, "forward_values", work->forward_values);
    dts_json_number(json, "backward_values", work->backward_values);
    dts_json_number(json, "weight_values", work->weight_values);
    dts_json_list(json, "points");
    for (int b = 0; b < request->batch_count; b++) {
        dts_json_object(json, NULL);
        dts_json_integer(json, "batch", request->batches[b]);
        write_measured(json, "forward", &entry->times[b].forward, pace);
        write_measured(json, "backward", &entry->times[b].backward, pace);
        dts_json_number(json, "memory_bytes", (double)entry->times[b].bytes);
        dts_json_end(json);
    }
    dts_json_end(json);
    dts_json_end(json);
}

/* None of a model of no weights but sparse tables: what an update of nothing takes tells
 * nothing of others. */
static void write_updates(struct dts_json *json, const struct dts_profile_request *request,
                          const struct dts_profile_findings *found)
{
    const struct dts_runs *times = found->updates;
    dts_json_list(json, "updates");
    for (int m = 0; m < request->model_count; m++) {
        const double parameters = dts_update_count(found->space, &request->models[m]);
        for (int o = 0; o < request->optimizer_count; o++, times++) {
            if (parameters < 1)
                continue;
            dts_json_object(json, NULL);
            dts_json_string(json, "optimizer", request->optimizers[o]->name);
            dts_json_number(json, "parameters", parameters);
            write_measured(json, "update", times, found->pace);
            dts_json_end(json);
        }
    }
    dts_json_end(json);
}

/* What was measured, as far as it says. */
static void write_device(struct dts_json *json, const struct dts_profile_request *request,
                         const struct dts_profile_findings *found)
{
    struct dts_space_facts facts;
    char device[320];
    dts_space_facts(found->space, &facts);
    snprintf(device, sizeof(device), "%s:%d, %s", request->kind->name, request->number,
             facts.name);
    dts_json_string(json, "device", device);
    if (facts.threads > 0)
        dts_json_integer(json, "threads", facts.threads);
    if (facts.clock_hz > 0)
        dts_json_number(json, "clock_hz", facts.clock_hz);
    if (facts.memory_clock_hz > 0)
        dts_json_number(json, "memory_clock_hz", facts.memory_clock_hz);
    dts_json_string(json, "dtsim", dts_version());
    dts_json_string(json, "library", found->roofline->library);
}

static void write_all(const struct dts_profile_request *request,
                      const struct dts_profile_findings *found, FILE *out)
{
    struct dts_json json = {.out = out, .lines = 4};
    char models[256] = "";
    for (int m = 0; m < request->model_count; m++) {
        const size_t length = strlen(models);
        snprintf(models + length, sizeof(models) - length, "%s%s", m > 0 ? ", " : "",
                 request->models[m].name);
    }
    dts_here_begin(found->roofline, "profile", &json);
    dts_json_object(&json, "profile");
    dts_json_string(&json, "precision", dts_precision_name((int)request->precision));
    dts_json_string(&json, "models", models);
    write_device(&json, request, found);
    dts_json_number(&json, "disturbed_percent", found->disturbed_percent);
    if (found->pace != NULL)
        dts_json_number(&json, "pace_s", dts_pace_usual_s(found->pace));
    dts_json_list(&json, "kernels");
    for (int i = 0; i < found->entries->count; i++)
        write_entry(&json, request, &found->entries->items[i], found->pace);
    dts_json_end(&json);
    write_updates(&json, request, found);
    dts_json_end(&json);
    dts_json_end(&json);
}

bool dts_profile_write(const struct dts_profile_request *request,
                       const struct dts_profile_findings *found, const char *path,
                       struct dts_error *err)
{
    struct dts_output out;
    if (!dts_output_open(&out, path, err))
        return false;
    write_all(request, found, out.stream);
    return dts_output_close(&out, err);
}
