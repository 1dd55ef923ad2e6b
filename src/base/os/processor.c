/* processor.c -- what Linux tells of the processor. */
#include "base/os/processor.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What stands behind the colon of the first line that begins with `key`. */
static bool find(const char *path, const char *key, char *value, size_t room)
{
    char line[512];
    bool found = false;
    FILE *file = fopen(path, "r");
    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
        const char *colon = strchr(line, ':');
        found = strncmp(line, key, strlen(key)) == 0 && colon != NULL;
        if (found) {
            const char *begin = colon + 1 + strspn(colon + 1, " \t");
            snprintf(value, room, "%.*s", (int)strcspn(begin, "\n"), begin);
        }
    }
    if (file != NULL)
        fclose(file);
    return found;
}

void dts_processor_name(char *name, size_t room)
{
    if (!find("/proc/cpuinfo", "model name", name, room))
        snprintf(name, room, "unknown");
}

/* Times `unit`; 0 where that is no clock. */
static double clock_of(const char *text, double unit)
{
    const double hz = strtod(text, NULL) * unit;
    return isfinite(hz) && hz > 0 ? hz : 0;
}

double dts_processor_clock_hz(const char *highest_khz, const char *cpuinfo)
{
    char text[64] = "";
    FILE *file =
        fopen(highest_khz != NULL ? highest_khz
                                  : "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq",
              "r");
    if (file != NULL && fgets(text, sizeof(text), file) == NULL)
        text[0] = '\0';
    if (file != NULL)
        fclose(file);
    const double highest_hz = clock_of(text, 1e3);
    if (highest_hz > 0)
        return highest_hz;
    const bool found =
        find(cpuinfo != NULL ? cpuinfo : "/proc/cpuinfo", "cpu MHz", text, sizeof(text));
    return found ? clock_of(text, 1e6) : 0;
}

double dts_processor_load(void)
{
    double load = 0;
    return getloadavg(&load, 1) == 1 ? load : 0;
}

int dts_processor_count(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}
