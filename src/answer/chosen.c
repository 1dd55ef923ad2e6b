/* chosen.c -- choices of a plan, each once. */
#include "answer/chosen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MOST = 8 }; // choices of a plan; further ones are left out

struct choice {
    const struct dts_collective *of; // the one with most data
    int operations;
};

static int by_data(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    return (x->of->data.count < y->of->data.count) - (x->of->data.count > y->of->data.count);
}

static int find_all(const struct dts_plan *plan, struct choice *all)
{
    int count = 0;
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_collective *c = &plan->ops[o].collective;
        if (plan->ops[o].kind != DTS_OP_COLLECTIVE || c->chosen[0] == '\0')
            continue;
        int i = 0;
        while (i < count && strcmp(all[i].of->chosen, c->chosen) != 0)
            i++;
        if (i == MOST)
            continue;
        if (i == count)
            all[count++] = (struct choice){c, 0};
        all[i].operations++;
        if (c->data.count > all[i].of->data.count)
            all[i].of = c;
    }
    qsort(all, (size_t)count, sizeof(*all), by_data);
    return count;
}

void dts_chosen_find(const struct dts_plan *plan, char *chosen, size_t chosen_room, char *why,
                     size_t why_room)
{
    struct choice all[MOST];
    const int count = find_all(plan, all);
    struct dts_text text = {0};
    for (int i = 0; i < count; i++) {
        dts_text_add(&text, "%s%s", i > 0 ? "; " : "", all[i].of->chosen);
        if (count > 1)
            dts_text_add(&text, " (%d)", all[i].operations);
    }
    snprintf(chosen, chosen_room, "%s", dts_text_string(&text));
    snprintf(why, why_room, "%s", count > 0 ? all[0].of->why : "");
    dts_text_free(&text);
}
