/* neighbours.c -- reads the key "neighbours". */
#include "train/scenario/neighbours.h"

#include <string.h>

#include "base/mem.h"
#include "train/scenario/limits.h"

enum { MOST_NAME = 40 }; // bytes: it is a column of a table

#define INSTEAD(member, how, text)                                                             \
    {                                                                                          \
        DTS_KEY(struct dts_beside, member), .type = DTS_OTHER, .missing = "null",              \
                                            .forms = (how), .help = (text)                     \
    }

const struct dts_field dts_beside_fields[] = {
    {DTS_KEY(struct dts_beside, name), .type = DTS_STRING, .missing = "null",
     .help = "as in results; default: the name of its strategy"},
    INSTEAD(strategy, DTS_FORM_OBJECT,
            "what it does: an object as in strategies, of kind \"traffic\" where it "
            "trains nothing; default: the strategy that is asked"),
    INSTEAD(model, DTS_FORM_STRING | DTS_FORM_OBJECT,
            "its network; default: the scenario's, as for the keys up to placement"),
    INSTEAD(batch, DTS_FORM_OBJECT, "samples of its step"),
    INSTEAD(stack, DTS_FORM_STRING | DTS_FORM_OBJECT, "its software"),
    INSTEAD(precision, DTS_FORM_STRING, "of its kernels and gradients"),
    INSTEAD(optimizer, DTS_FORM_STRING, "how its weights are updated"),
    INSTEAD(placement, DTS_FORM_OBJECT,
            "where its ranks sit, among what jobs before it left free"),
    {DTS_KEY(struct dts_beside, devices), .type = DTS_INT, .min = 1,
     .max = DTS_SCENARIO_MOST_DEVICES, .missing = "null",
     .help = "of each of these jobs; default: as many as the job that is asked has"},
    {DTS_KEY(struct dts_beside, count), .type = DTS_INT, .min = 1, .max = DTS_MOST_BESIDE_JOBS,
     .missing = "1", .help = "of these jobs"},
    {DTS_KEY(struct dts_beside, start_s), .type = DTS_REAL, .min = 0, .max = 1e9,
     .missing = "0", .help = "seconds after the job that is asked, when the first one begins"},
    {DTS_KEY(struct dts_beside, apart_s), .type = DTS_REAL, .min = 0, .max = 1e9,
     .missing = "0", .help = "seconds by which each further one begins later"},
    {0},
};

/* Those that struct dts_beside holds as they stand. */
static const char *const instead[] = {"model",     "batch",     "stack",
                                      "precision", "optimizer", "placement"};

const char *dts_beside_key(int i)
{
    const int count = (int)(sizeof(instead) / sizeof(instead[0]));
    return i >= 0 && i < count ? instead[i] : NULL;
}

bool dts_beside_alike(const struct dts_beside *b)
{
    const struct dts_cfg *const own[] = {&b->strategy, &b->model,     &b->batch,
                                         &b->stack,    &b->precision, &b->optimizer};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (dts_cfg_exists(own[i]))
            return false;
    return b->devices == 0;
}

/* `item` ends here, and what was read of it has it as its parent. */
static void keep(struct dts_beside *b)
{
    struct dts_cfg *const own[] = {&b->strategy,  &b->model,     &b->batch,    &b->stack,
                                   &b->precision, &b->optimizer, &b->placement};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        own[i]->parent = NULL;
}

static bool read_one(const struct dts_cfg *item, struct dts_beside *b, struct dts_error *err)
{
    if (!dts_cfg_read(item, dts_beside_fields, b, err))
        return false;
    if (dts_cfg_exists(&b->strategy) && !dts_cfg_is_object(&b->strategy))
        return dts_cfg_fail(item, "strategy", err, "must be an object");
    if (b->name != NULL && (b->name[0] == '\0' || strlen(b->name) > MOST_NAME))
        return dts_cfg_fail(item, "name", err, "must be 1 to %d bytes long, got %zu", MOST_NAME,
                            strlen(b->name));
    if (b->apart_s > 0 && b->count == 1)
        return dts_cfg_fail(item, "apart_s", err, "has no effect where count is 1");
    keep(b);
    return true;
}

bool dts_beside_read(const struct dts_cfg *at, struct dts_beside **list, int *count,
                     struct dts_error *err)
{
    const size_t length = dts_cfg_length(at);
    if (!dts_cfg_exists(at))
        return true;
    if (!dts_cfg_is_list(at) || length > DTS_MOST_BESIDE)
        return dts_cfg_fail(at, NULL, err, "must be a list of at most %d objects",
                            DTS_MOST_BESIDE);
    if (length == 0)
        return dts_cfg_fail(at, NULL, err, "must not be empty: leave it out");
    *list = dts_alloc(length, sizeof(**list));
    for (size_t i = 0; i < length; i++) {
        const struct dts_cfg item = dts_cfg_item(at, i);
        if (!read_one(&item, &(*list)[i], err))
            return false;
        (*count)++;
    }
    return true;
}
