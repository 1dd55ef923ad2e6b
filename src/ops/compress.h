/* compress.h -- gradients made small for the wire, with error feedback: what a message leaves
 * out is kept and added to the next one (Seide et al. 2014, Interspeech, doi:
 * 10.21437/Interspeech.2014-274; Karimireddy et al. 2019, arXiv:1901.09847):
 *
 *     e += g,  message = compress(e),  e -= what the message says
 *
 * One file `compress_<name>.c` and one row each; compress_half.h has what those to 16 bits
 * share.
 */
#ifndef DTS_OPS_COMPRESS_H
#define DTS_OPS_COMPRESS_H

#include <stddef.h>

#include "ops/op.h"

/* The same on a GPU, queued on a stream (a cudaStream_t), all arrays in its memory. Nothing is
 * there in a build without CUDA. */
struct dts_compression_cuda {
    void (*compress)(float *x, size_t count, double share, void *message, void *scratch,
                     void *stream);
    void (*add)(float *sum, size_t count, double share, const void *message, void *stream);
    size_t (*scratch_bytes)(size_t count); // NULL: 0
};

struct dts_compression {
    const char *name, *summary;
    /* Of a message about `count` values; `share`: of the values that are sent, where not all
     * are. */
    size_t (*bytes)(size_t count, double share);
    size_t (*scratch_bytes)(size_t count, int workers); // NULL: 0

    /* x: what is to be sent, becomes what the message leaves out. */
    void (*compress)(float *x, size_t count, double share, void *message, void *scratch,
                     struct dts_workers *workers);
    /* sum += what the message says. */
    void (*add)(float *sum, size_t count, double share, const void *message,
                struct dts_workers *workers);
    struct dts_compression_cuda cuda;
};

extern const struct dts_compression *const dts_compressions[]; // ended by NULL
const struct dts_compression *dts_compression_find(const char *name);

#endif
