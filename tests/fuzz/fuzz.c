/* fuzz.c -- files in memory, and what holds for every answer. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/here.h"

void fuzz_check(bool holds, const char *file, int line, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

/* Control characters, C1 (C2 80 to C2 9F) and those that change the direction of text (E2 80 AA
 * to E2 80 AE). */
static bool hides(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        const bool two = at[0] == 0xC2 && at[1] >= 0x80 && at[1] <= 0x9F;
        const bool three = at[0] == 0xE2 && at[1] == 0x80 && at[2] >= 0xAA && at[2] <= 0xAE;
        if (*at < ' ' || *at == 0x7F || two || three)
            return true;
    }
    return false;
}

void fuzz_check_answer(bool good, const struct dts_error *err)
{
    FUZZ_CHECK(good == (err->cause == DTS_NO_ERROR));
    if (good)
        return;
    const bool blames = err->cause == DTS_BAD_INPUT || err->cause == DTS_UNSUPPORTED;
    if (!blames || hides(err->text) || strstr(err->text, ": ") == NULL) {
        fprintf(stderr, "cause %d: %s\n", (int)err->cause, err->text);
        abort();
    }
}

const char *fuzz_file_fill(struct fuzz_file *file, const void *bytes, size_t size)
{
    if (file->descriptor == 0) {
        file->descriptor = memfd_create("fuzz", MFD_CLOEXEC);
        FUZZ_CHECK(file->descriptor > 0);
        snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->descriptor);
    }
    FUZZ_CHECK(ftruncate(file->descriptor, 0) == 0);
    FUZZ_CHECK(pwrite(file->descriptor, bytes, size, 0) == (ssize_t)size);
    return file->path;
}

/* Stands for dts_here_load() (-Wl,--wrap): nothing that an input says starts a program. */
bool __wrap_dts_here_load(struct dts_device *device, const char *folder, dts_here_fn measure,
                          void *argument, bool *kept, struct dts_error *err);

bool __wrap_dts_here_load(struct dts_device *device, const char *folder, dts_here_fn measure,
                          void *argument, bool *kept, struct dts_error *err)
{
    (void)folder, (void)measure, (void)argument;
    *device = (struct dts_device){0};
    *kept = true;
    return dts_fail(err, DTS_UNSUPPORTED, "here: is not measured by this program");
}
