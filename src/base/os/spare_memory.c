/* spare_memory.c -- what Linux says of free memory and of limits. */
#include "base/os/spare_memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* The number behind `name` where a line of the file begins with that; infinite where none does
 * ("max"). */
static double number_in(const char *path, const char *name)
{
    const size_t length = strlen(name);
    char line[256];
    double number = INFINITY;
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, name, length) == 0 && sscanf(line + length, "%lf", &number) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return number;
}

/* What the control group leaves, seen from inside of a container. Pages of files that nobody
 * has read lately are counted as used, and are given back first. */
static double left_by_group(void)
{
    const double most = number_in("/sys/fs/cgroup/memory.max", ""),
                 used = number_in("/sys/fs/cgroup/memory.current", ""),
                 files = number_in("/sys/fs/cgroup/memory.stat", "inactive_file ");
    return isfinite(most) && isfinite(used) && isfinite(files) ? most - used + files : INFINITY;
}

double dts_spare_memory_bytes(void)
{
    const double system = 1024 * number_in("/proc/meminfo", "MemAvailable:");
    struct rlimit limit;
    double spare = fmin(system, left_by_group());
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        spare = fmin(spare, (double)limit.rlim_cur);
    return fmax(spare, 0);
}
