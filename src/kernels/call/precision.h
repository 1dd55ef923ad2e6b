/* precision.h -- the formats of numbers. */
#ifndef DTS_KERNELS_CALL_PRECISION_H
#define DTS_KERNELS_CALL_PRECISION_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/call/half.h"

/* What numbers are computed in, and what gradients are on the wire. In DTS_FP8 products of
 * linear layers and mixtures are in 8 bits, all else is as in DTS_BF16 (NVIDIA, Transformer
 * Engine; DeepSeek-AI 2024, arXiv:2412.19437, section 3.3). */
enum dts_precision {
    DTS_FP32,
    DTS_TF32,
    DTS_FP16,
    DTS_BF16,
    DTS_FP64,
    DTS_FP8,
    DTS_PRECISIONS
};

const char *dts_precision_name(int i);                    // "fp32", ...; NULL at the end
int dts_precision_find(const char *name);                 // -1: none such
size_t dts_precision_bytes(enum dts_precision precision); // of one stored value: tf32 is 4
enum dts_precision dts_precision_beside(enum dts_precision precision); // of what is no product
bool dts_precision_is_half(enum dts_precision precision, enum dts_half *half); // 16 bits

#endif
