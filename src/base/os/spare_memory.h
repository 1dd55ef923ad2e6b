/* spare_memory.h -- how much memory a process may still take. */
#ifndef DTS_BASE_OS_SPARE_MEMORY_H
#define DTS_BASE_OS_SPARE_MEMORY_H

/* Bytes that the system can hand out now without paging, or less where the process is bound to
 * less (its control group, its address space); infinite where the system does not say. An
 * allocation of more may seem to succeed: Linux ends the process when it writes there. */
double dts_spare_memory_bytes(void);

#endif
