/* constants.h -- free constants: numbers of platforms and stacks whose source begins with
 * "calibrated", chosen so that predictions meet what was published.
 *
 * A source is one text, for all numbers of its object, or an object with a text for each key.
 * Numbers of the same key whose sources have the same words in several files are one constant.
 */
#ifndef DTS_ANSWER_VALIDATE_CONSTANTS_H
#define DTS_ANSWER_VALIDATE_CONSTANTS_H

#include "answer/validate/validate.h"

struct dts_constant {
    char *path;    // as --set has it: "stack.overlap.slowdown"; owned
    char *source;  // owned
    bool platform; // of a platform, else of a stack
    double value;
    char **files; // names of the platforms or stacks that have it; owned
    int file_count;
    size_t file_room;
};

/* Those of the platforms and stacks of the library that the cases use. *constants is owned by
 * the caller: dts_constants_free(). */
bool dts_constants_find(const struct dts_case_set *set, const struct dts_judged *judged,
                        struct dts_constant **constants, int *count, struct dts_error *err);
void dts_constants_free(struct dts_constant *constants, int count);

/* Constants that calibrated cases name and that stand in no file: those of the program's tables
 * (transports, a library's choice). */
int dts_constants_elsewhere(const struct dts_case_set *set,
                            const struct dts_constant *constants, int count);

/* Does the prediction of a case use it? */
bool dts_constant_in(const struct dts_constant *constant, const struct dts_judged *judged);

#endif
