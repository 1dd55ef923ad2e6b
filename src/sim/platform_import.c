/* platform_import.c -- the one place where readers of other programs' networks are listed. */
#include "sim/platform.h"

#include <stddef.h>

const struct dts_net_import *const dts_net_imports[] = {
    NULL,
};
