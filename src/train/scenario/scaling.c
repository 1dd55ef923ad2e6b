/* scaling.c -- the table of rules for learning rate and batch. */
#include "train/scenario/scaling.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct row {
    const char *name;
    double power; // of the ratio
} rows[] = {
    {"constant", 0},
    {"linear", 1},
    {"square_root", 0.5},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const char *dts_scaling_name(int i)
{
    return i < ROWS ? rows[i].name : NULL;
}

double dts_scaling_factor(const char *name, double ratio)
{
    const struct row *row = rows;
    while (strcmp(row->name, name) != 0) // the name was checked when it was read
        row++;
    return pow(ratio, row->power);
}
