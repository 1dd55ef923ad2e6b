/* test_op_square_sum.c -- squared norms of any length, whatever the number of workers. */
#include "kernels/update/square_sum.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "kernels/workers.h"

static void every_value_counts_once(void)
{
    enum { MOST = 20000 };
    static const int counts[] = {0, 1, 15, 16, 17, 4095, 4096, 4097, 12289, MOST};
    float *values = dts_alloc(MOST, sizeof(*values));
    for (int i = 0; i < MOST; i++)
        values[i] = (float)dts_normal(3, 0, (uint64_t)i);
    for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
        double want = 0;
        for (int i = 0; i < counts[k]; i++)
            want += (double)values[i] * (double)values[i];
        const double alone = dts_square_sum(values, (size_t)counts[k], NULL);
        CHECK_CLOSE(alone, want, 1e-5);
        for (int threads = 2; threads <= 3; threads++) {
            struct dts_workers *workers = dts_workers_new(threads);
            CHECK_NEAR(dts_square_sum(values, (size_t)counts[k], workers), alone, 0);
            dts_workers_free(workers);
        }
    }
    free(values);
}

TESTS(TEST(every_value_counts_once))
