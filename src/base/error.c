/* error.c -- the only way to fail: one cause and one line. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* A name from outside may hold a newline, and a cut may fall into a character. */
static void make_one_line(char *text, bool cut)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F)
            text[i] = '?';
    if (!cut || length < 4)
        return;
    length -= 3;
    while (length > 0 && (text[length] & 0xC0) == 0x80)
        length--;
    memcpy(text + length, "...", 4);
}

bool dts_fail(struct dts_error *err, enum dts_cause cause, const char *format, ...)
{
    if (err->cause != DTS_NO_ERROR)
        return false;
    err->cause = cause;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    make_one_line(err->text, length >= (int)sizeof(err->text));
    return false;
}
