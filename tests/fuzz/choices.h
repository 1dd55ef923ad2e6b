/* choices.h -- bytes of an input become choices, and objects of JSON by the tables of fields
 * that read them: a key that gets a row is chosen from then on. Where the bytes end, each
 * choice is the first.
 */
#ifndef DTS_TESTS_FUZZ_CHOICES_H
#define DTS_TESTS_FUZZ_CHOICES_H

#include <stdio.h>

#include "base/json/cfg.h"

struct fuzz_choices {
    const uint8_t *bytes;
    size_t left;
};

/* 0 .. count - 1; true once in `count` times. */
int fuzz_below(struct fuzz_choices *choices, int count);
bool fuzz_once_in(struct fuzz_choices *choices, int count);

/* From min to max, at even distances of their logarithms. 0 < min. */
double fuzz_between(struct fuzz_choices *choices, double min, double max);

/* A word of the list. */
const char *fuzz_word(struct fuzz_choices *choices, const char *(*choice)(int i));

/* Writes `, "key": value` for each field: those that must be there, and some of the others.
 * Values are ordinary, with a limit of the field now and then. */
void fuzz_fields(FILE *out, struct fuzz_choices *choices, const struct dts_field *fields);

#endif
