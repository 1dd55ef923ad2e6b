/* identity.c -- what makes two trainings one and the same, in lines of text. */
#include "train/live/kernels/identity.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/hash.h"
#include "train/network/checkpoint.h"

/* The model as it was read, in a number. */
static uint32_t model_sum(const struct dts_model *model)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return 0;
    dts_doc_print(model->doc, out);
    fclose(out);
    const uint32_t sum = dts_checkpoint_sum(text);
    free(text);
    return sum;
}

void dts_live_identity(const struct dts_live_kernels *k, struct dts_text *text)
{
    const struct dts_scenario *s = k->point->scenario;
    const struct dts_job *job = k->rank.job;
    dts_text_add(text, "model %s, sum %08x\n", s->model.name, model_sum(&s->model));
    dts_text_add(text, "optimizer %s\n", s->optimizer->name);
    enum dts_half half;
    if (dts_precision_is_half(s->precision, &half))
        dts_text_add(text, "precision %s\n", dts_precision_name((int)s->precision));
    dts_text_add(text, "seed %llu\n", (unsigned long long)s->seed);
    dts_text_add(text, "%llu samples of data %s\n", (unsigned long long)k->order.samples,
                 k->settings->data.format);
    dts_text_add(text, "%llu samples in a step\n", (unsigned long long)k->order.step_samples);
    dts_text_add(text, "batch_norm %s\n", s->synchronized ? "synchronized" : "local");
    if (dts_job_has_servers(job))
        dts_text_add(text, "servers, plan %016llx\n", (unsigned long long)dts_job_hash(job, 0));
    else
        dts_text_add(text, "no servers\n");
}

/* And what may change when it goes on, but must be the same on all ranks. */
static void add_course(const struct dts_live_kernels *k, struct dts_text *text)
{
    const struct dts_live_settings *live = k->settings;
    dts_text_add(text, "rate %.17g, %s, warm-up %.17g, every %.17g, factor %.17g\n",
                 live->learning_rate, live->schedule.kind, live->schedule.warm_up_epochs,
                 live->schedule.every_epochs, live->schedule.factor);
    dts_text_add(text, "warm-up %s from %.17g, power %.17g, end %.17g, scaling %s from %d\n",
                 live->schedule.warm_up != NULL ? live->schedule.warm_up : "gradual",
                 live->schedule.warm_up_from, live->schedule.power, live->schedule.end,
                 live->scaling.rule != NULL ? live->scaling.rule : "none", live->scaling.batch);
    dts_text_add(text, "%ld steps, %d measured after %d\n", k->steps, live->steps,
                 live->warm_up);
    dts_text_add(text, "checkpoint %s after %d steps or %d epochs\n",
                 live->checkpoint.file != NULL ? live->checkpoint.file : "none",
                 live->checkpoint.every_steps, live->checkpoint.every_epochs);
    dts_text_add(text, "loss scale %.17g\n", live->loss_scale);
    dts_text_add(text, "device %s, messages %s\n", live->device, live->device_messages);
}

/* Cut at the first line that is another one, for a message. */
static void keep_difference(const char **mine, const char **other)
{
    while (strcspn(*mine, "\n") == strcspn(*other, "\n") && **mine != '\0' &&
           memcmp(*mine, *other, strcspn(*mine, "\n")) == 0) {
        *mine += strcspn(*mine, "\n") + 1;
        *other += strcspn(*other, "\n") + 1;
    }
}

bool dts_live_agree_on_training(const struct dts_live_kernels *k, const struct dts_wire *wire,
                                struct dts_error *err)
{
    struct dts_text text = {0};
    dts_live_identity(k, &text);
    add_course(k, &text);
    size_t length = text.length + 1;
    dts_wire_share(wire, &length, sizeof(length));
    char *first = dts_alloc(length, 1);
    if (dts_wire_rank(wire) == 0)
        memcpy(first, dts_text_string(&text), length);
    dts_wire_share(wire, first, length);
    const char *mine = dts_text_string(&text), *other = first;
    if (strcmp(mine, other) != 0) {
        keep_difference(&mine, &other);
        dts_fail(err, DTS_BAD_INPUT,
                 "rank %d trains otherwise than rank 0: it has \"%.*s\", rank 0 \"%.*s\"",
                 dts_wire_rank(wire), (int)strcspn(mine, "\n"), mine, (int)strcspn(other, "\n"),
                 other);
    }
    free(first);
    dts_text_free(&text);
    return dts_wire_agree(wire, err);
}
