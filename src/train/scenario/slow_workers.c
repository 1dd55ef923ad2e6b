/* slow_workers.c -- reads who is slow, and says by how much. */
#include "train/scenario/slow_workers.h"

#include <limits.h>
#include <stdlib.h>

#include "base/mem.h"

struct words {
    double factor;
    struct dts_cfg workers;
};

const struct dts_field dts_slow_workers_fields[] = {
    {DTS_KEY(struct words, factor), .type = DTS_REAL, .min = 1, .max = 1000,
     .help = "kernels of these workers take so many times as long"},
    {DTS_KEY(struct words, workers), .type = DTS_OTHER, .forms = DTS_FORM_NUMBERS,
     .help = "list of numbers of workers, from 0"},
    {0},
};

static bool add(struct dts_slow_workers *slow, const struct dts_cfg *at, int most,
                struct dts_error *err)
{
    struct words words = {0};
    if (!dts_cfg_read(at, dts_slow_workers_fields, &words, err))
        return false;
    const size_t count = dts_cfg_length(&words.workers);
    if (count == 0)
        return dts_cfg_fail(&words.workers, NULL, err, "must be a list of numbers of workers");
    for (size_t i = 0; i < count; i++) {
        const struct dts_cfg item = dts_cfg_item(&words.workers, i);
        struct dts_slow_worker one = {.factor = words.factor};
        if (!dts_cfg_int(&item, 0, INT_MAX, &one.worker, err))
            return false;
        if (one.worker >= most)
            return dts_cfg_fail(&item, NULL, err, "must be < %d, the most devices of a point",
                                most);
        for (int k = 0; k < slow->count; k++)
            if (slow->all[k].worker == one.worker)
                return dts_cfg_fail(&item, NULL, err, "worker %d is listed twice", one.worker);
        size_t room = (size_t)slow->count;
        slow->all = dts_grow(slow->all, &room, room + 1, sizeof(*slow->all));
        slow->all[slow->count++] = one;
    }
    return true;
}

bool dts_slow_workers_read(struct dts_slow_workers *slow, const struct dts_cfg *at, int most,
                           struct dts_error *err)
{
    if (!dts_cfg_exists(at))
        return true;
    if (!dts_cfg_is_list(at))
        return add(slow, at, most, err);
    for (size_t i = 0; i < dts_cfg_length(at); i++) {
        const struct dts_cfg item = dts_cfg_item(at, i);
        if (!add(slow, &item, most, err))
            return false;
    }
    return slow->count > 0 || dts_cfg_fail(at, NULL, err, "must not be empty: leave it out");
}

void dts_slow_workers_free(struct dts_slow_workers *slow)
{
    free(slow->all);
    *slow = (struct dts_slow_workers){0};
}

double dts_slow_workers_factor(const struct dts_slow_workers *slow, int worker)
{
    for (int i = 0; i < slow->count; i++)
        if (slow->all[i].worker == worker)
            return slow->all[i].factor;
    return 1;
}
