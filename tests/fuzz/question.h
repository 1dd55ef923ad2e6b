/* question.h -- an input becomes a small scenario with files of its own: a model, a device, a
 * stack, a platform. Most of them are valid. They are written as a person would and read as the
 * program does.
 */
#ifndef DTS_TESTS_FUZZ_QUESTION_H
#define DTS_TESTS_FUZZ_QUESTION_H

#include "answer/built.h"

struct fuzz_question {
    struct dts_scene scene;
    struct dts_question question;
    struct dts_built built;
};

/* False: the input is refused, as it may be. What is built is small: its operations, times
 * ranks, are at most `most`. Must stay where it is. */
bool fuzz_question_open(struct fuzz_question *q, const uint8_t *bytes, size_t size,
                        double most);
void fuzz_question_close(struct fuzz_question *q);

/* FUZZ_SHOW=1 in the environment: the files go to standard error. */

#endif
