/* nccl_tests.h -- what all_reduce_perf of nccl-tests printed, read as it is. */
#ifndef DTS_SIM_NET_NCCL_TESTS_H
#define DTS_SIM_NET_NCCL_TESTS_H

#include "base/error.h"

enum { DTS_NCCL_TESTS_ROWS = 256 };

/* By size: sizes of data are summed over all ranks in so many seconds. */
struct dts_nccl_tests {
    double bytes[DTS_NCCL_TESTS_ROWS], seconds[DTS_NCCL_TESTS_ROWS];
    int count;
};

/* Reads the first time of each row (out of place). Lines that do not begin with a size are left
 * out. The bandwidths that were printed check that times are microseconds, and that so many
 * ranks took part. */
bool dts_nccl_tests_read(const char *path, int ranks, struct dts_nccl_tests *out,
                         struct dts_error *err);

#endif
