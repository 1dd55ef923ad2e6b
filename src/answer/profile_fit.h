/* profile_fit.h -- whether a run is what its device's profile was made for: as many threads, on
 * the same processor, at its pace (docs/live.md, "What is printed").
 */
#ifndef DTS_ANSWER_PROFILE_FIT_H
#define DTS_ANSWER_PROFILE_FIT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/json/json_out.h"

enum { DTS_FIT_DEVICE = 240 }; // bytes of a device's name: "cpu, AMD EPYC"

/* All zero: nothing was trained. */
struct dts_profile_fit {
    double pace_s,
        profile_pace_s; // of the slowest rank (train/live/kernels/pace.h); 0: there is none
    int threads, profile_threads; // of a rank on a CPU; 0: not known
    char device[DTS_FIT_DEVICE];  // that a rank computes on: one that is not the profile's,
                                  // where there is such a rank
    char profile_device[DTS_FIT_DEVICE]; // "": there is no profile, or it does not say
    int ranks, elsewhere;                // that compute; of them, on another device
};

/* What a profile says of its device, "cpu:0, AMD EPYC", without the number; "" where it does
 * not say. */
void dts_profile_fit_device(const char *said, char device[DTS_FIT_DEVICE]);

/* In one sentence what differs, but for the pace; false: nothing. */
bool dts_profile_fit_differs(const struct dts_profile_fit *fit, char *text, size_t room);

/* Both print nothing where there is nothing to say. */
void dts_profile_fit_text(const struct dts_profile_fit *fit, FILE *out);
void dts_profile_fit_json(const struct dts_profile_fit *fit, struct dts_json *json);

#endif
