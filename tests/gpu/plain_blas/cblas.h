/* cblas.h -- what dtsim calls of OpenBLAS, by plain loops, for machines without it whose GPU is
 * what counts (tests/gpu/first_run.sh): right, and slow. Nothing timed on a CPU with it means
 * anything. */
#ifndef DTS_TESTS_GPU_CBLAS_H
#define DTS_TESTS_GPU_CBLAS_H

enum CBLAS_ORDER { CblasRowMajor = 101 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112 };

void cblas_sgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE transpose_a,
                 enum CBLAS_TRANSPOSE transpose_b, int m, int n, int k, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta, float *c,
                 int ldc);
void cblas_dgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE transpose_a,
                 enum CBLAS_TRANSPOSE transpose_b, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c,
                 int ldc);
void cblas_daxpy(int n, double alpha, const double *x, int step_x, double *y, int step_y);

void openblas_set_num_threads(int threads);
int openblas_get_num_threads(void);
char *openblas_get_config(void);

#endif
