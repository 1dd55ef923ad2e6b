/* terminal.h -- how wide a terminal is. */
#ifndef DTS_BASE_OS_TERMINAL_H
#define DTS_BASE_OS_TERMINAL_H

/* Columns of the terminal behind a file descriptor; 0: it is none, or does not say. */
int dts_terminal_columns(int descriptor);

#endif
