/* cache_size.c -- what Linux tells of caches. */
#include "base/os/cache_size.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST = 16, KIB = 1024 }; // caches of a core: 3 or 4

static double bytes_of(const char *folder, int number)
{
    char path[256];
    double count = 0;
    char unit = ' ';
    snprintf(path, sizeof(path), "%s/index%d/size", folder, number);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    const int found = fscanf(file, "%lf%c", &count, &unit);
    fclose(file);
    if (found < 1 || !isfinite(count) || count <= 0)
        return 0;
    return count * (unit == 'K' ? KIB : unit == 'M' ? KIB * KIB : 1);
}

double dts_last_cache_bytes(const char *folder)
{
    double most = 0;
    for (int i = 0; i < MOST; i++)
        most = fmax(
            most, bytes_of(folder != NULL ? folder : "/sys/devices/system/cpu/cpu0/cache", i));
#ifdef _SC_LEVEL3_CACHE_SIZE
    if (folder == NULL && most == 0)
        most = fmax(0, (double)sysconf(_SC_LEVEL3_CACHE_SIZE));
#endif
    return most;
}
