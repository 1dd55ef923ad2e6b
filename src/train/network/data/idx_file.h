/* idx_file.h -- a file in the IDX format of MNIST (LeCun, Cortes, Burges), plain or gzipped.
 *
 * Two zero bytes, the type of the values (8: bytes), the number of dimensions; each dimension
 * as four bytes, the highest first; the values. Fashion-MNIST, KMNIST and others use it, too.
 */
#ifndef DTS_TRAIN_NETWORK_DATA_IDX_FILE_H
#define DTS_TRAIN_NETWORK_DATA_IDX_FILE_H

#include <stddef.h>

#include "base/error.h"

enum { DTS_IDX_DIMS = 4 };

struct dts_idx {
    int dims;
    size_t size[DTS_IDX_DIMS]; // unused ones are 1
    size_t count;              // of values: their product
    unsigned char *values;     // owned
};

/* Bytes with so many dimensions. What the header promises is held against the file before there
 * is memory for it, and the file must end where the header says. */
bool dts_idx_read(struct dts_idx *idx, const char *path, int dims, struct dts_error *err);
void dts_idx_free(struct dts_idx *idx);

#endif
