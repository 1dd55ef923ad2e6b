/* suspects.c -- the table of values that may explain a measurement: what each is now, where it
 * may lie, and how a question gets another one.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer/inverse/inverse.h"
#include "base/text.h"

static void describe_nic(const struct dts_scene *scene, char *text, size_t room)
{
    (void)scene;
    snprintf(text, room, "rate of a NIC");
}

static bool nic_now(const struct dts_scene *scene, const struct dts_result *predicted,
                    double *value)
{
    (void)predicted;
    if (scene->platform.net.transports[DTS_BETWEEN].measured.count > 0)
        return false; // its factors are what these links were measured to do
    struct dts_error err = {0};
    struct dts_cfg top = dts_doc_top(scene->platform.doc), nics = dts_cfg_member(&top, "nics"),
                   rate = dts_cfg_member(&nics, "bytes_per_s");
    return dts_cfg_is_number(&rate) && dts_cfg_real(&rate, 0, 0, value, &err) && *value > 0;
}

/* From a thousandth to a hundred times: old modems and next year's switches lie within. */
static void nic_range(double now, double *low, double *high)
{
    *low = now / 1000;
    *high = now * 100;
}

static void change_nic(const struct dts_scene *scene, double value, struct dts_text *path,
                       struct dts_text *text)
{
    (void)scene;
    dts_text_add(path, "platform.nics.bytes_per_s");
    dts_text_add_number(text, value);
}

static const struct dts_suspect nic_rate = {
    .name = "nic_rate",
    .unit = "bytes_per_s",
    .describe = describe_nic,
    .now = nic_now,
    .range = nic_range,
    .change = change_nic,
};

static void describe_flow(const struct dts_scene *scene, char *text, size_t room)
{
    const struct dts_transport *between = &scene->platform.net.transports[DTS_BETWEEN];
    if (between->flows > 1)
        snprintf(text, room, "each of the %d flows of a message (%s)", between->flows,
                 between->name);
    else
        snprintf(text, room, "one flow of %s", between->name);
}

static bool flow_now(const struct dts_scene *scene, const struct dts_result *predicted,
                     double *value)
{
    double nic;
    *value = scene->platform.net.transports[DTS_BETWEEN].flow_bytes_per_s;
    *value = *value > 0 ? *value : INFINITY;
    return nic_now(scene, predicted, &nic); // a network from a SimGrid file caps no flows
}

/* From 1 MB/s to 1 TB/s, which no single flow reaches. */
static void flow_range(double now, double *low, double *high)
{
    (void)now;
    *low = 1e6;
    *high = 1e12;
}

/* The transport of the stack goes before that of the platform. A name becomes an object. */
static void change_flow(const struct dts_scene *scene, double value, struct dts_text *path,
                        struct dts_text *text)
{
    const struct dts_cfg *stack = &scene->scenario.stack.between;
    struct dts_cfg top = dts_doc_top(scene->platform.doc),
                   transports = dts_cfg_member(&top, "transports"),
                   between = dts_cfg_member(&transports, "between");
    const bool of_stack = scene->platform.stack_moves[DTS_BETWEEN];
    const bool object = dts_cfg_is_object(of_stack ? stack : &between);
    dts_text_add(path, "%s%s",
                 of_stack ? "stack.transport.between" : "platform.transports.between",
                 object ? ".flow_bytes_per_s" : "");
    if (!object)
        dts_text_add(text, "{\"name\": \"%s\", \"flow_bytes_per_s\": ",
                     scene->platform.net.transports[DTS_BETWEEN].name);
    dts_text_add_number(text, value);
    if (!object)
        dts_text_add(text, "}");
}

static const struct dts_suspect flow_rate = {
    .name = "flow_rate",
    .unit = "bytes_per_s",
    .describe = describe_flow,
    .now = flow_now,
    .range = flow_range,
    .change = change_flow,
};

static void describe_overlap(const struct dts_scene *scene, char *text, size_t room)
{
    (void)scene;
    snprintf(text, room, "communication that hides");
}

static bool overlap_now(const struct dts_scene *scene, const struct dts_result *predicted,
                        double *value)
{
    (void)scene;
    const struct dts_step *step = &predicted->step;
    *value = step->comm_s > 0 ? 1 - step->exposed_comm_s / step->comm_s : NAN;
    return step->comm_s > 0 && step->compute_s > 0;
}

/* At best all of the communication hides, at worst none. */
static double overlap_share(const struct dts_result *predicted, double step_s, double ends_s[2])
{
    const struct dts_step *step = &predicted->step;
    ends_s[0] = step->total_s - step->exposed_comm_s;
    ends_s[1] = ends_s[0] + step->comm_s;
    return 1 - (step_s - ends_s[0]) / step->comm_s;
}

static const struct dts_suspect overlap = {
    .name = "overlap",
    .unit = "share",
    .describe = describe_overlap,
    .now = overlap_now,
    .share = overlap_share,
};

static void describe_compute(const struct dts_scene *scene, char *text, size_t room)
{
    snprintf(text, room, "speed of the kernels (%s)", scene->device.name);
}

static bool compute_now(const struct dts_scene *scene, const struct dts_result *predicted,
                        double *value)
{
    (void)scene;
    *value = 1;
    return predicted->step.compute_s > 0;
}

static void compute_range(double now, double *low, double *high)
{
    *low = now / 50;
    *high = now * 50;
}

static void ask_compute(double value, struct dts_question *question)
{
    question->speed = value;
}

static const struct dts_suspect compute_speed = {
    .name = "compute_speed",
    .unit = "factor",
    .describe = describe_compute,
    .now = compute_now,
    .range = compute_range,
    .ask = ask_compute,
};

const struct dts_suspect *const dts_suspects[] = {
    &nic_rate,
    &flow_rate,
    &overlap,
    &compute_speed,
    // ends the table
    NULL,
};
