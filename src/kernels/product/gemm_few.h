/* gemm_few.h -- matrix products of few rows, such as a linear layer's at a small batch: each
 * value of the large matrix is used a few times only, so that memory bounds them. A library
 * that copies its operands into blocks first (Goto and van de Geijn 2008,
 * doi:10.1145/1356052.1356053) passes that matrix through memory three times: these read it
 * where it is, once.
 */
#ifndef DTS_KERNELS_PRODUCT_GEMM_FEW_H
#define DTS_KERNELS_PRODUCT_GEMM_FEW_H

#include "kernels/product/gemm.h"

/* Whether it is one of those; the same for all bands of a product that workers share. */
bool dts_gemm_is_few(const struct dts_gemm *product);
void dts_gemm_few(const struct dts_gemm *product); // of those

#endif
