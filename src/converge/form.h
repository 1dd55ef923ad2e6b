/* form.h -- ways from points to a prediction. One row each; the first is the default. */
#ifndef DTS_CONVERGE_FORM_H
#define DTS_CONVERGE_FORM_H

#include "converge/profile.h"

struct dts_convergence_form {
    const char *name, *summary;

    /* Once, when the points are read. The message names no file. */
    bool (*fit)(struct dts_convergence *profile, struct dts_error *err);

    /* What is seen at a batch, of a mean over question->seeds. */
    bool (*predict)(const struct dts_convergence *profile,
                    const struct dts_fit_question *question, struct dts_forecast *forecast,
                    struct dts_error *err);
    bool has_law; // profile->fit is filled in
};

extern const struct dts_convergence_form *const dts_convergence_forms[]; // ended by NULL
const char *dts_convergence_form_name(int i);

#endif
