/* waiting.h -- a line on the terminal that says what the program is doing, and goes again. */
#ifndef DTS_CLI_WAITING_H
#define DTS_CLI_WAITING_H

enum { DTS_SILENT_S = 2 }; // nobody is told about what is done sooner

/* Write the line over the one before; cut where the terminal ends. For a terminal only. */
void dts_waiting_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
void dts_waiting_clear(void);

/* Between the two calls a process beside this one shows `what` and the seconds, where standard
 * error is a terminal and it takes longer than DTS_SILENT_S. NULL: there is none. */
struct dts_waiting;

struct dts_waiting *dts_waiting_begin(const char *what);
void dts_waiting_end(struct dts_waiting *waiting); // NULL does nothing

#endif
