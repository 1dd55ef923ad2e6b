/* program.h -- another program, run to its end. */
#ifndef DTS_BASE_OS_PROGRAM_H
#define DTS_BASE_OS_PROGRAM_H

#include "base/error.h"

/* Run words[0], a path, with the other words, ended by NULL; no shell reads them. False: it
 * could not be started, or did not end with status 0, whereupon `meaning` says what that means.
 */
bool dts_program_run(char *const *words, const char *meaning, struct dts_error *err);

/* The same for a program whose failures become ours: its last line "dtsim: ..." and its status
 * are the error then. What it says on standard error goes to the file `said`, for the caller to
 * read and remove. While it runs waits(self, seconds) is called again and again; wait NULL:
 * nobody is told. */
struct dts_program_wait {
    void (*waits)(void *self, double seconds);
    void *self;
};
bool dts_program_ask(char *const *words, const char *said, const struct dts_program_wait *wait,
                     struct dts_error *err);

/* Where the shell would find a program of that name: the first of $PATH's folders that has it.
 * Only absolute folders count. The caller frees it; NULL: it is in none. */
char *dts_program_find(const char *name);

/* The same for a program that reads the file `in` and writes the file `out`, as standard input
 * and output. Fails with the last line that it said, or with its status. */
struct dts_program_files {
    const char *in, *out, *said;
};
bool dts_program_filter(char *const *words, const struct dts_program_files *files,
                        struct dts_error *err);

/* Several of them, `at_once` at a time, in their order. What they say goes to the end of one
 * file. As soon as one has ended with status 0, ended(self, number) is called; false stops all.
 * When one fails the others are ended, and its error is ours. */
struct dts_programs {
    int count, at_once;
    char *const *const *words; // of each
    const char *said;
    bool (*ended)(void *self, int number, struct dts_error *err);
    void *self;
};
bool dts_programs_ask(const struct dts_programs *programs, struct dts_error *err);

#endif
