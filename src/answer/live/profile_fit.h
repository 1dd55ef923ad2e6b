/* profile_fit.h -- whether the profile of a device was made for what runs: as many threads, on
 * the same processor, at the same pace (docs/live.md, "What is printed").
 */
#ifndef DTS_ANSWER_LIVE_PROFILE_FIT_H
#define DTS_ANSWER_LIVE_PROFILE_FIT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/json/json_out.h"

enum { DTS_FIT_DEVICE = 240 }; // bytes of a device's name: "cpu, AMD EPYC"

/* All zero: nothing was trained. */
struct dts_profile_fit {
    /* Of the slowest rank (train/live/kernels/pace.h), and in the profile; 0: there is none. */
    double pace_s, profile_pace_s;

    int threads, profile_threads; // of a rank on a CPU; 0: not known

    /* The device of a rank. Where some rank computes on another device than the profile's, it
     * is the device of such a rank. */
    char device[DTS_FIT_DEVICE];

    char profile_device[DTS_FIT_DEVICE]; // "": there is no profile, or it does not name one

    /* Ranks that compute, and how many of them do so on another device than the profile's. */
    int ranks, elsewhere;
};

/* The device that a profile names ("cpu:0, AMD EPYC"), without its number; "" where it names
 * none. */
void dts_profile_fit_device(const char *said, char device[DTS_FIT_DEVICE]);

/* Writes one sentence about what differs beside the pace. Returns false if nothing does. */
bool dts_profile_fit_differs(const struct dts_profile_fit *fit, char *text, size_t room);

/* Both print nothing where there is nothing to say. */
void dts_profile_fit_text(const struct dts_profile_fit *fit, FILE *out);
void dts_profile_fit_json(const struct dts_profile_fit *fit, struct dts_json *json);

#endif
