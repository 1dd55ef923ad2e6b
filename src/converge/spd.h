/* spd.h -- systems of equations with a symmetric positive definite matrix, by Cholesky.
 *
 * Matrices are n x n, row after row, and only their lower half is read and written.
 */
#ifndef DTS_CONVERGE_SPD_H
#define DTS_CONVERGE_SPD_H

#include <stdbool.h>

/* a = l l^T; l replaces a. False where a is not positive definite. */
bool dts_spd_factor(double *a, int n);

/* Solve l l^T x = b; x replaces b. */
void dts_spd_solve(const double *l, int n, double *b);

#endif
