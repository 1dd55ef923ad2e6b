/* clock.h -- monotonic seconds. */
#ifndef DTS_BASE_CLOCK_H
#define DTS_BASE_CLOCK_H

double dts_now_s(void);

#endif
