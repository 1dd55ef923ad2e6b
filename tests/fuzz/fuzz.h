/* fuzz.h -- what the programs that libFuzzer feeds share: bytes that become choices, files that
 * lie in memory alone, and what holds for every answer.
 *
 * A program stops at a fault by abort(); libFuzzer then keeps the input.
 */
#ifndef DTS_TESTS_FUZZ_FUZZ_H
#define DTS_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* What libFuzzer calls, again and again. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Ends the program where it does not hold, with file and line. */
#define FUZZ_CHECK(holds) fuzz_check((holds), __FILE__, __LINE__, #holds)
void fuzz_check(bool holds, const char *file, int line, const char *what);

/* A failure has one line that can be printed, and blames the input; success has no error. */
void fuzz_check_answer(bool good, const struct dts_error *err);

/* A file whose bytes lie in memory. Its path is absolute and stays the same; what it names
 * relative to itself is not there. */
struct fuzz_file {
    int descriptor; // 0: not made yet
    char path[40];
};

const char *fuzz_file_fill(struct fuzz_file *file, const void *bytes, size_t size);

#endif
