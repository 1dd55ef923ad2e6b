/* version.c -- CMakeLists.txt has it. */
#include "base/version.h"

const char *dts_version(void)
{
    return DTS_VERSION;
}
