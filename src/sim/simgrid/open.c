/* open.c -- finds and loads the part of dtsim that needs SimGrid. */
#include <dlfcn.h>
#include <stdlib.h>

#include "base/json/library.h"
#include "sim/simgrid/module.h"

/* Beside the folder of the program, in the tree it is built in and where it is installed. The
 * symbols stay in the library: SimGrid defines MPI_Init() and all the rest. */
const struct dts_simgrid_module *dts_simgrid_open(struct dts_error *err)
{
    const struct dts_simgrid_module *module = NULL;
    char *path = dts_library_program("../lib/dtsim/libdtsim-simgrid.so");
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (library != NULL)
        module = dlsym(library, "dts_simgrid_module");
    if (module == NULL)
        dts_fail(err, DTS_SYSTEM, "SimGrid cannot be loaded: %s", dlerror());
    free(path);
    return module;
}
