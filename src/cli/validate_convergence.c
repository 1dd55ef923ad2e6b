/* validate_convergence.c -- `dtsim validate convergence`: how far predictions of training are
 * from what was published. */
#include "cli/validate_convergence.h"

#include <stdlib.h>

#include "base/json/library.h"
#include "base/mem.h"
#include "base/os/file.h"
#include "cli/print/convergence.h"
#include "converge/form.h"

/* What is asked: profiles that are open, and those of their batches that were left out. */
struct asked {
    struct dts_convergence *profiles; // owned
    struct dts_convergence_series *series;
    int profile_count, count;
};

static bool add(struct asked *asked, const char *name, struct dts_error *err)
{
    struct dts_convergence *profile = &asked->profiles[asked->profile_count];
    struct dts_convergence_series *series = &asked->series[asked->count];
    char *path;
    if (!dts_library_find(&path, "convergence", name, NULL, err))
        return false;
    const bool good = dts_convergence_load(profile, path, err);
    free(path);
    if (!good)
        return false;
    asked->profile_count++;
    series->name = profile->name;
    series->unit = profile->unit;
    series->law = profile->form->has_law;
    series->count = dts_leave_one_out(profile, series->points);
    asked->count += series->count > 0;
    return true;
}

static bool add_all(struct asked *asked, const char *const *names, int count,
                    struct dts_error *err)
{
    bool good = true;
    asked->profiles = dts_alloc((size_t)count + 1, sizeof(*asked->profiles));
    asked->series = dts_alloc((size_t)count + 1, sizeof(*asked->series));
    for (int i = 0; i < count && good; i++)
        good = add(asked, names[i], err);
    if (good && asked->count == 0)
        return dts_fail(err, DTS_BAD_INPUT,
                        "no profile has three batches and a form that says more than they do");
    return good;
}

static bool print(const struct asked *asked, bool whole, const struct dts_format *format,
                  const char *path, struct dts_error *err)
{
    struct dts_output out;
    if (!dts_output_open(&out, path, err))
        return false;
    dts_convergence_series_print(asked->series, asked->count, whole, format, out.stream);
    return dts_output_close(&out, err);
}

bool dts_validate_convergence(const char *const *names, int count,
                              const struct dts_format *format, const char *path,
                              struct dts_error *err)
{
    struct asked asked = {0};
    char **all = count == 0 ? dts_library_names("convergence") : NULL;
    int all_count = 0;
    while (all != NULL && all[all_count] != NULL)
        all_count++;
    const bool good = add_all(&asked, all != NULL ? (const char *const *)all : names,
                              all != NULL ? all_count : count, err) &&
                      print(&asked, count == 0, format, path, err);
    for (int i = 0; i < asked.profile_count; i++)
        dts_convergence_free(&asked.profiles[i]);
    for (int i = 0; i < all_count; i++)
        free(all[i]);
    free(all);
    free(asked.profiles);
    free(asked.series);
    return good;
}
