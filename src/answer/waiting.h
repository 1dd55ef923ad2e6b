/* waiting.h -- a line on the terminal that says what the program is doing, and goes again. */
#ifndef DTS_ANSWER_WAITING_H
#define DTS_ANSWER_WAITING_H

enum { DTS_SILENT_S = 2 }; // nobody is told about what is done sooner

/* Write the line over the one before; cut where the terminal ends. For a terminal only. */
void dts_waiting_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
void dts_waiting_clear(void);

/* Between begin and end a process beside this one shows `what`, how much of it is done, and the
 * seconds, where standard error is a terminal and it takes longer than DTS_SILENT_S. NULL:
 * there is none. */
struct dts_waiting;

struct dts_waiting *dts_waiting_begin(const char *what, double of); // 0: nobody knows how much
void dts_waiting_more(struct dts_waiting *waiting); // one of them is done; NULL does nothing
void dts_waiting_end(struct dts_waiting *waiting);  // NULL does nothing

#endif
