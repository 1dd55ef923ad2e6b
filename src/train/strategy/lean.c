/* lean.c -- tries what would need less memory. */
#include "train/strategy/lean.h"

static void tell_largest(const struct dts_memory *needed, struct dts_text *text)
{
    const struct {
        const char *words;
        double bytes;
    } parts[] = {{"weights are", needed->weights},
                 {"gradients are", needed->gradients},
                 {"the optimizer's state is", needed->optimizer},
                 {"activations are", needed->activations},
                 {"what a round has unsharded is", needed->unsharded},
                 {"the software's own is", needed->framework}};
    size_t most = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        most = parts[i].bytes > parts[most].bytes ? i : most;
    dts_text_add(text, "; %s the most", parts[most].words);
}

static void tell(struct dts_text *text, bool *any, const char *words, double bytes)
{
    dts_text_add(text, "%s%s (%.1f GB)", *any ? ", " : "; would fit: ", words, bytes / 1e9);
    *any = true;
}

/* The largest that fits of half the batch, a quarter, ... */
static void tell_batch(const struct dts_point *point, double have, struct dts_text *text,
                       bool *any)
{
    struct dts_point other = *point;
    struct dts_memory memory;
    struct dts_error ignored = {0};
    for (other.batch /= 2; other.batch >= 1; other.batch /= 2) {
        if (!dts_point_memory(&other, &memory, &ignored))
            return;
        if (memory.total > have)
            continue;
        char words[64];
        snprintf(words, sizeof(words), "%d sample%s at once on a device", other.batch,
                 dts_plural(other.batch));
        tell(text, any, words, memory.total);
        return;
    }
}

void dts_lean_tell(const struct dts_point *point, const struct dts_memory *needed, double have,
                   struct dts_text *text)
{
    const struct dts_strategy_kind *kind = point->strategy->kind;
    bool any = false;
    const char *words;
    struct dts_memory memory;
    tell_largest(needed, text);
    for (int i = 0; kind->lean != NULL && kind->lean(point, i, &words, &memory); i++)
        if (memory.total > 0 && memory.total <= have)
            tell(text, &any, words, memory.total);
    tell_batch(point, have, text, &any);
    if (!any && kind->lean != NULL)
        dts_text_add(text, "; neither recomputation, sharding nor a smaller batch alone fits");
}
