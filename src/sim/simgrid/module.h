/* module.h -- the part of dtsim that needs SimGrid: a library of its own, loaded when
 * it is first needed, since loading SimGrid takes longer than most predictions.
 */
#ifndef DTS_SIM_SIMGRID_MODULE_H
#define DTS_SIM_SIMGRID_MODULE_H

#include "sim/child.h"
#include "sim/engine.h"

/* What children do. SimGrid takes one platform per process: one of the two, once. */
struct dts_simgrid_module {
    dts_child_fn simulate; // a struct dts_exact_question; answers dts_exact_answer, staleness
                           // of a job that serves, neighbours, and operations

    /* A struct dts_simgrid_question; answers a struct dts_simgrid_routes and its arrays. */
    dts_child_fn import;
};

struct dts_exact_question {
    const struct dts_simulation *simulation;
    bool spread; // a message takes all paths of its pair at once; else one of them
};

struct dts_exact_answer {
    double step_s, compute_s, first_s, mean_s, messages;
};

/* The library, which stays loaded; NULL: it is not where it belongs (err says where). */
const struct dts_simgrid_module *dts_simgrid_open(struct dts_error *err);

/* In the library. */
bool dts_exact_simulate(void *argument, void **result, size_t *size, struct dts_error *err);
bool dts_simgrid_import(void *argument, void **result, size_t *size, struct dts_error *err);

#endif
