/* simgrid_table.c -- what the library that needs SimGrid offers to the program. */
#include "sim/simgrid/module.h"

extern const struct dts_simgrid_module dts_simgrid_module;

__attribute__((visibility("default"))) const struct dts_simgrid_module dts_simgrid_module = {
    .simulate = dts_exact_simulate,
    .import = dts_simgrid_import,
};
