/* error.c -- the only way to fail: one cause and one line. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

/* A name from outside may hold a newline or more, and a cut may fall into a character. */
static void put_one_line(struct dts_error *err, char *said, bool cut)
{
    struct dts_text line = {0};
    size_t length = strlen(said);
    while (cut && length > 0 && (said[length - 1] & 0xC0) == 0x80)
        length--;
    said[cut && length > 0 ? length - 1 : length] = '\0';
    dts_text_add_line(&line, said);
    length = line.length;
    cut = cut || length >= sizeof(err->text);
    snprintf(err->text, sizeof(err->text), "%s", dts_text_string(&line));
    dts_text_free(&line);
    if (!cut || length < 4)
        return;
    length = (length < sizeof(err->text) ? length : sizeof(err->text) - 1) - 3;
    while (length > 0 && (err->text[length] & 0xC0) == 0x80)
        length--;
    memcpy(err->text + length, "...", 4);
}

bool dts_fail(struct dts_error *err, enum dts_cause cause, const char *format, ...)
{
    if (err->cause != DTS_NO_ERROR)
        return false;
    err->cause = cause;
    char said[sizeof(err->text)];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(said, sizeof(said), format, args);
    va_end(args);
    put_one_line(err, said, length >= (int)sizeof(said));
    return false;
}
