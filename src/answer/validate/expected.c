/* expected.c -- the 90th percentile of the errors of a class, by the number of devices. */
#include "answer/validate/expected.h"

#include <stddef.h>
#include <string.h>

enum { CASES_LEAST = 5 };

/* {class, devices, cases, p90_percent}, from docs/validation-limits.csv. */
static const struct limit {
    const char *class, *devices;
    int cases;
    double p90_percent;
} limits[] = {
#include "validation_limits.inc"
    // ends the table
    {NULL, NULL, 0, 0},
};

static const struct limit *find(const char *class, const char *devices)
{
    for (const struct limit *limit = limits; limit->class != NULL; limit++)
        if (strcmp(limit->class, class) == 0 && strcmp(limit->devices, devices) == 0)
            return limit;
    return NULL;
}

bool dts_expected_error(const char *class, int devices, double *percent)
{
    const char *size = devices <= 32 ? "to 32" : devices <= 256 ? "to 256" : "above";
    const struct limit *limit = find(class, size);
    if (limit == NULL || limit->cases < CASES_LEAST)
        limit = find(class, "all");
    if (limit == NULL || limit->cases < CASES_LEAST)
        return false;
    *percent = limit->p90_percent;
    return true;
}
