/* ending.h -- what goes with the program when Ctrl-C, SIGTERM or SIGHUP ends it: files that are
 * not whole yet, folders of its own, programs that it waits for.
 *
 * What belongs to a process is its own affair: a child that was forked has none of it.
 */
#ifndef DTS_BASE_OS_ENDING_H
#define DTS_BASE_OS_ENDING_H

#include <signal.h>
#include <sys/types.h>

/* From now on such a signal ends the process as it would have anyway (status 130, 143, 129),
 * but tidily. One that is ignored (nohup) stays so; but not SIGTERM, which ends children. */
void dts_ending_watch(void);

/* To be removed, a file or an empty folder; later ones first. Where there is no room for more
 * they just stay. Forget it when it is in place or gone. */
void dts_ending_remove(const char *path);
void dts_ending_keep(const char *path);

/* To be ended, and waited for. */
void dts_ending_child(pid_t child);
void dts_ending_no_child(pid_t child);

/* End and remove all that, for a signal handler of one's own. */
void dts_ending_tidy(void);

/* Such signals wait until dts_ending_release(): between making a thing and naming it here. */
void dts_ending_hold(sigset_t *before);
void dts_ending_release(const sigset_t *before);

#endif
