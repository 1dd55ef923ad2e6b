/* file.h -- files to read; and files to write that are either whole or not there: written
 * beside, synced, renamed. What is beside goes when a signal ends the program (ending.h). */
#ifndef DTS_BASE_OS_FILE_H
#define DTS_BASE_OS_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct dts_output {
    FILE *stream;
    struct dts_sink *sink; // where it goes, and what was wrong first; owned
    char *path, *beside;   // owned
};

/* Begin to write `path` ("-" is standard output). */
bool dts_output_open(struct dts_output *out, const char *path, struct dts_error *err);

/* Finish: on success the file is in place, otherwise it is as it was before. */
bool dts_output_close(struct dts_output *out, struct dts_error *err);
void dts_output_discard(struct dts_output *out);

/* The file descriptor that a stream writes to, also one of dts_output_open(); -1: none. */
int dts_output_file(FILE *stream);

/* Could it be opened? Leaves it as it is. A device or pipe is only asked for its rights: who
 * reads a pipe would take the end of a try for the end of what is written. */
bool dts_output_try(const char *path, struct dts_error *err);

/* Open a file to read and say how long it is; -1: err says why not. What is no file is refused:
 * one would wait for whoever writes into a pipe. */
int dts_file_open(const char *path, uint64_t *bytes, struct dts_error *err);

/* Whose fault an errno of open(), read() or write() is: what is wrong with a path is the user's
 * to mend (DTS_BAD_INPUT), all else the machine's (DTS_SYSTEM). */
enum dts_cause dts_file_cause(int error);

#endif
