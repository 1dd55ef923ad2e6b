/* waiting.h -- a line on the terminal that says what the program is doing, and goes again. */
#ifndef DTS_ANSWER_NOTES_WAITING_H
#define DTS_ANSWER_NOTES_WAITING_H

enum { DTS_SILENT_S = 2 }; // shorter work shows no line

/* Writes a line over the one before, cut at the width of the terminal. For a terminal only. */
void dts_waiting_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
void dts_waiting_clear(void);

/* Between begin and end, work that takes longer than DTS_SILENT_S has a line on standard error:
 * `what`, how much of it is done, and the seconds. A process of its own writes it. */
struct dts_waiting;

/* `of`: how many parts the work has; 0: not known. Returns NULL where standard error is no
 * terminal. */
struct dts_waiting *dts_waiting_begin(const char *what, double of);

void dts_waiting_more(struct dts_waiting *waiting); // one more part is done; NULL: does nothing
void dts_waiting_end(struct dts_waiting *waiting);  // NULL: does nothing

#endif
