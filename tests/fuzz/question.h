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

/* False: the input is refused, as it may be, or is not small: its operations, times ranks, are
 * at most `most`, and its network has few links. Must stay where it is. With FUZZ_SHOW in the
 * environment its files go to standard error. */
bool fuzz_question_open(struct fuzz_question *q, const uint8_t *bytes, size_t size,
                        double most);
void fuzz_question_close(struct fuzz_question *q);

#endif
