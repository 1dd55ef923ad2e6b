/* fit.c -- each rank says where it computes; rank 0 holds that against the profile. */
#include "train/live/kernels/fit.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Of one rank; as bytes it goes from rank to rank. */
struct computes {
    char device[DTS_FIT_DEVICE]; // "cpu, AMD EPYC"; "": a server, which computes nothing
    int threads;                 // of a CPU; 0: it is none
};

static void find_own(const struct dts_live_kernels *k, struct computes *mine)
{
    struct dts_space_facts facts = {.threads = 0};
    memset(mine, 0, sizeof(*mine)); // padding, too
    if (k->network == NULL)
        return;
    dts_space_facts(k->space, &facts);
    snprintf(mine->device, sizeof(mine->device), "%s, %s", k->settings->device, facts.name);
    mine->threads = facts.threads;
}

static void compare(const struct computes *rank, struct dts_profile_fit *fit)
{
    if (rank->device[0] == '\0')
        return;
    const bool elsewhere =
        fit->profile_device[0] != '\0' && strcmp(rank->device, fit->profile_device) != 0;
    if (fit->ranks++ == 0 || (elsewhere && fit->elsewhere == 0))
        memcpy(fit->device, rank->device, sizeof(fit->device));
    fit->elsewhere += elsewhere;
}

void dts_live_fit(const struct dts_live_kernels *k, struct dts_profile_fit *fit)
{
    const struct dts_profile *profile = &k->point->device->profile;
    const int ranks = dts_wire_size(k->wire);
    struct computes mine, *all = NULL;
    find_own(k, &mine);
    if (dts_wire_rank(k->wire) == 0)
        all = dts_alloc((size_t)ranks, sizeof(*all));
    dts_wire_collect(k->wire, &mine, sizeof(mine), all);
    if (all == NULL)
        return;
    fit->threads = mine.threads; // the same on all ranks: a setting of the run
    // a profile in another precision tells nothing of it
    if (dts_profile_tells(profile, (int)k->point->scenario->precision)) {
        fit->profile_pace_s = profile->pace_s;
        fit->profile_threads = profile->threads;
        dts_profile_fit_device(profile->device, fit->profile_device);
    }
    for (int i = 0; i < ranks; i++)
        compare(&all[i], fit);
    free(all);
}
