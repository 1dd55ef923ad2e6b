/* standard.h -- a program's first and last moment: the three standard streams, and how it ends
 * where a library could keep it from ending. */
#ifndef DTS_BASE_OS_STANDARD_H
#define DTS_BASE_OS_STANDARD_H

/* To be called first in main(). Of standard input, output and error those that are closed are
 * opened, so that no file or pipe of ours gets their numbers: what reads or writes there still
 * fails. */
void dts_standard_open(void);

/* End the program at once: what was printed is written, no destructor of a library runs.
 * OpenBLAS's waits for its threads, and those try for ever to get memory. */
void dts_standard_end(int status) __attribute__((noreturn));

#endif
