/* plain_blas.c -- see cblas.h beside it. Rows alone: nothing of dtsim's stores columns. */
#include "cblas.h"

#include <assert.h>
#include <stddef.h>

/* c[i, j] = alpha sum of a[i, l] b[l, j] + beta c[i, j]; where beta is 0, c is not read. */
#define PRODUCT(name, real)                                                                    \
    void name(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE transpose_a,                        \
              enum CBLAS_TRANSPOSE transpose_b, int m, int n, int k, real alpha,               \
              const real *a, int lda, const real *b, int ldb, real beta, real *c, int ldc)     \
    {                                                                                          \
        assert(order == CblasRowMajor);                                                        \
        const size_t a_row = transpose_a == CblasTrans ? 1 : (size_t)lda;                      \
        const size_t a_column = transpose_a == CblasTrans ? (size_t)lda : 1;                   \
        const size_t b_row = transpose_b == CblasTrans ? 1 : (size_t)ldb;                      \
        const size_t b_column = transpose_b == CblasTrans ? (size_t)ldb : 1;                   \
        for (size_t i = 0; i < (size_t)m; i++) {                                               \
            real *out = c + i * (size_t)ldc;                                                   \
            for (size_t j = 0; j < (size_t)n; j++)                                             \
                out[j] = beta == 0 ? 0 : beta * out[j];                                        \
            for (size_t l = 0; l < (size_t)k; l++) {                                           \
                const real factor = alpha * a[i * a_row + l * a_column];                       \
                for (size_t j = 0; j < (size_t)n; j++)                                         \
                    out[j] += factor * b[l * b_row + j * b_column];                            \
            }                                                                                  \
        }                                                                                      \
    }

PRODUCT(cblas_sgemm, float)
PRODUCT(cblas_dgemm, double)

void cblas_daxpy(int n, double alpha, const double *x, int step_x, double *y, int step_y)
{
    for (ptrdiff_t i = 0; i < n; i++)
        y[i * step_y] += alpha * x[i * step_x];
}

void openblas_set_num_threads(int threads)
{
    (void)threads;
}

int openblas_get_num_threads(void)
{
    return 1;
}

char *openblas_get_config(void)
{
    static char words[] = "plain loops, no OpenBLAS";
    return words;
}
