/* signals.h -- what a rank does when it is told to end. */
#ifndef DTS_TRAIN_LIVE_SIGNALS_H
#define DTS_TRAIN_LIVE_SIGNALS_H

#include <stdbool.h>

/* From now on Ctrl-C, and mpirun's word that another rank died, end this rank at once, whatever
 * its threads wait for. The rank that speaks says so in one line. */
void dts_live_signals(bool speaks);

#endif
