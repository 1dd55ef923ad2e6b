/* compress_cost.h -- how long the messages of compressed gradients are, and what making and
 * adding them costs; without the kernels that do it (compress.h).
 */
#ifndef DTS_KERNELS_COMPRESS_COMPRESS_COST_H
#define DTS_KERNELS_COMPRESS_COMPRESS_COST_H

#include <stdbool.h>
#include <stddef.h>

/* Of a call: additions, comparisons and casts, one each; and what of arrays and message is read
 * and written, each value once. */
struct dts_compress_cost {
    double flops, bytes;         // of compress
    double add_flops, add_bytes; // of add
};

struct dts_compression_cost {
    const char *name;
    bool selects; // a share of the values is sent, with their places: messages cannot be summed
    size_t (*bytes)(size_t count, double share); // of a message about `count` values
    struct dts_compress_cost (*cost)(size_t count, double share);
};

extern const struct dts_compression_cost dts_compress_bf16_cost, dts_compress_fp16_cost,
    dts_compress_top_k_cost;
extern const struct dts_compression_cost *const dts_compression_costs[]; // ended by NULL
const struct dts_compression_cost *dts_compression_cost_find(const char *name);
const char *dts_compression_name(int i); // NULL behind the last

/* How many values a message of top_k has. */
size_t dts_top_k_selected(size_t count, double share);

#endif
