/* profile_fit.c -- what a profile does not tell of a run, for people and as JSON. */
#include "answer/live/profile_fit.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

void dts_profile_fit_device(const char *said, char device[DTS_FIT_DEVICE])
{
    const size_t kind = strcspn(said, ":");
    const char *name = strstr(said, ", ");
    device[0] = '\0';
    if (said[kind] == ':' && name != NULL)
        snprintf(device, DTS_FIT_DEVICE, "%.*s%s", (int)kind, said, name);
}

bool dts_profile_fit_differs(const struct dts_profile_fit *fit, char *text, size_t room)
{
    const bool threads =
        fit->threads > 0 && fit->profile_threads > 0 && fit->threads != fit->profile_threads;
    struct dts_text words = {0};
    if (threads)
        dts_text_add(&words, "with %d thread%s, and each rank computes with %d",
                     fit->profile_threads, dts_plural(fit->profile_threads), fit->threads);
    if (fit->elsewhere > 0)
        dts_text_add(&words, "%son %s, and %d of %d rank%s compute%s on %s",
                     threads ? "; " : "", fit->profile_device, fit->elsewhere, fit->ranks,
                     dts_plural(fit->ranks), fit->ranks == 1 ? "s" : "", fit->device);
    snprintf(text, room, "%s", dts_text_string(&words));
    dts_text_free(&words);
    return threads || fit->elsewhere > 0;
}

/* Was the profile made while the processor was faster or slower than in this run? */
static bool at_another_pace(const struct dts_profile_fit *fit)
{
    const double noise = 1.1; // ASSUMED
    return fit->pace_s > 0 && fit->profile_pace_s > 0 &&
           (fit->pace_s > noise * fit->profile_pace_s ||
            fit->profile_pace_s > noise * fit->pace_s);
}

void dts_profile_fit_text(const struct dts_profile_fit *fit, FILE *out)
{
    char differs[3 * DTS_FIT_DEVICE];
    struct dts_text words = {0};
    if (dts_profile_fit_differs(fit, differs, sizeof(differs))) {
        dts_text_add(&words, "The device's profile was made %s: it does not tell this run.",
                     differs);
        dts_text_wrap(out, "  ", 2, DTS_TEXT_WIDTH, dts_text_string(&words));
    }
    dts_text_free(&words);
    if (at_another_pace(fit))
        fprintf(out,
                "  The processor took %.3g us for what took it %.3g us when it was "
                "profiled: its kernels\n  then do not tell those of this run.\n",
                1e6 * fit->pace_s, 1e6 * fit->profile_pace_s);
}

static void put_word(struct dts_json *json, const char *key, const char *word)
{
    dts_json_string(json, key, word[0] != '\0' ? word : NULL);
}

static void put_count(struct dts_json *json, const char *key, int count)
{
    if (count > 0)
        dts_json_integer(json, key, count);
}

void dts_profile_fit_json(const struct dts_profile_fit *fit, struct dts_json *json)
{
    char differs[3 * DTS_FIT_DEVICE];
    dts_json_number(json, "pace_s", fit->pace_s > 0 ? fit->pace_s : NAN);
    dts_json_number(json, "profile_pace_s",
                    fit->profile_pace_s > 0 ? fit->profile_pace_s : NAN);
    put_count(json, "threads", fit->threads);
    put_count(json, "profile_threads", fit->profile_threads);
    put_word(json, "device", fit->device);
    put_word(json, "profile_device", fit->profile_device);
    if (dts_profile_fit_differs(fit, differs, sizeof(differs)))
        dts_json_string(json, "profile_differs", differs);
}
