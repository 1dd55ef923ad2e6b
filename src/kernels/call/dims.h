/* dims.h -- the shape of one sample: channels, height, width; or positions, features. */
#ifndef DTS_KERNELS_CALL_DIMS_H
#define DTS_KERNELS_CALL_DIMS_H

#include <stdbool.h>
#include <stddef.h>

enum { DTS_DIMS = 4 };

/* Unused sizes are 1. */
struct dts_dims {
    int count;
    size_t size[DTS_DIMS];
};

size_t dts_dims_elements(const struct dts_dims *dims);
bool dts_dims_equal(const struct dts_dims *a, const struct dts_dims *b);

/* "3 x 224 x 224", for messages. */
struct dts_dims_text {
    char chars[96];
};
struct dts_dims_text dts_dims_text(const struct dts_dims *dims);

/* The last size (features), and how many such vectors there are (positions). */
size_t dts_dims_features(const struct dts_dims *dims);
size_t dts_dims_positions(const struct dts_dims *dims);

#endif
