/* spare_memory.c -- what Linux says of free memory and of limits. */
#include "base/spare_memory.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>

/* The first number of the file, in its unit; infinite where there is none ("max"). */
static double number_in(const char *path)
{
    double number = INFINITY;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return number;
    if (fscanf(file, "%lf", &number) != 1)
        number = INFINITY;
    fclose(file);
    return number;
}

static double available_bytes(void)
{
    char line[128];
    double kib = INFINITY;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        if (sscanf(line, "MemAvailable: %lf", &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return 1024 * kib;
}

double dts_spare_memory_bytes(void)
{
    const double group = number_in("/sys/fs/cgroup/memory.max"), // where a container's root is
        used = number_in("/sys/fs/cgroup/memory.current");
    struct rlimit limit;
    double spare = available_bytes();
    if (isfinite(group) && isfinite(used))
        spare = fmin(spare, group - used);
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        spare = fmin(spare, (double)limit.rlim_cur);
    return fmax(spare, 0);
}
