/* processor.h -- what Linux tells of the processor: its name and its clock. */
#ifndef DTS_BASE_OS_PROCESSOR_H
#define DTS_BASE_OS_PROCESSOR_H

#include <stddef.h>

/* "model name" of /proc/cpuinfo; "unknown". */
void dts_processor_name(char *name, size_t room);

/* The highest clock of the first processor, in Hz, as cpufreq tells it; where it does not, as
 * in many virtual machines, the one that /proc/cpuinfo tells; 0: neither. The files, for tests;
 * NULL: those of the system. */
double dts_processor_clock_hz(const char *highest_khz, const char *cpuinfo);

/* Programs that ran or wanted to, over the last minute; 0: not known. */
double dts_processor_load(void);

int dts_processor_count(void); // of those that are switched on

#endif
