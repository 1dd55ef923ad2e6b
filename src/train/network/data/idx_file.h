/* idx_file.h -- a file in the IDX format of MNIST (LeCun, Cortes, Burges), plain or gzipped.
 *
 * Two zero bytes, the type of the values (8: bytes, 12: integers of 4 bytes), the number of
 * dimensions; each dimension as four bytes, the highest first; the values. Fashion-MNIST,
 * KMNIST and others use it, too.
 */
#ifndef DTS_TRAIN_NETWORK_DATA_IDX_FILE_H
#define DTS_TRAIN_NETWORK_DATA_IDX_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { DTS_IDX_DIMS = 4 };

enum dts_idx_use {
    DTS_IDX_IMAGES, // bytes: images x rows x columns; in colour one dimension more
    DTS_IDX_LABELS, // a byte each; or integers, of which the first of a row is the label
                    // (QMNIST)
    DTS_IDX_USES
};

struct dts_idx {
    int dims;
    size_t size[DTS_IDX_DIMS]; // unused ones are 1
    size_t count;              // of values: their product
    size_t each;               // bytes of a value: 1, or 4, the highest first
    unsigned char *values;     // owned
};

/* What the header promises is held against the file before there is memory for it, and the file
 * must end where the header says. */
bool dts_idx_read(struct dts_idx *idx, const char *path, enum dts_idx_use use,
                  struct dts_error *err);
void dts_idx_free(struct dts_idx *idx);

int32_t dts_idx_label(const struct dts_idx *labels, size_t number);

#endif
