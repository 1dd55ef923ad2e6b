#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

bool dts_fail(struct dts_error *err, enum dts_cause cause, const char *format, ...)
{
    if (err->cause != DTS_NO_ERROR)
        return false;
    err->cause = cause;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    return false;
}
