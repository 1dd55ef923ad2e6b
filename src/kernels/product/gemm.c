/* gemm.c -- matrix products by OpenBLAS, of few rows by gemm_few.h. Workers take bands of rows
 * or of columns of c, so that each value is one worker's sum, whatever their number. */
#include <cblas.h>

#include "kernels/product/gemm.h"
#include "kernels/product/gemm_few.h"

/* Bands begin at multiples of this, so that the library's own blocks stay whole. */
enum { BAND = 16 };

void dts_gemm_by_library(const struct dts_gemm *p)
{
    cblas_sgemm(CblasRowMajor, p->transpose_a ? CblasTrans : CblasNoTrans,
                p->transpose_b ? CblasTrans : CblasNoTrans, (int)p->m, (int)p->n, (int)p->k, 1,
                p->a, (int)p->lda, p->b, (int)p->ldb, p->beta, p->c, (int)p->ldc);
}

static size_t band_of(size_t count, int worker, int workers, size_t *first)
{
    size_t bands = dts_share_of((count + BAND - 1) / BAND, worker, workers, first);
    *first *= BAND;
    if (*first >= count)
        return 0;
    return *first + bands * BAND < count ? bands * BAND : count - *first;
}

static void part(void *argument, int worker, int workers)
{
    const struct dts_gemm *all = argument;
    struct dts_gemm p = *all;
    size_t first;
    if (p.m >= p.n) {
        p.m = band_of(p.m, worker, workers, &first);
        p.a += p.transpose_a ? first : first * p.lda;
        p.c += first * p.ldc;
    } else {
        p.n = band_of(p.n, worker, workers, &first);
        p.b += p.transpose_b ? first * p.ldb : first;
        p.c += first;
    }
    if (p.m > 0 && p.n > 0)
        (dts_gemm_is_few(all) ? dts_gemm_few : dts_gemm_by_library)(&p);
}

void dts_gemm(const struct dts_gemm *product, struct dts_workers *workers)
{
    dts_workers_run(workers, part, (void *)product);
}
