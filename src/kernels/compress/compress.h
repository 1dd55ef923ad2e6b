/* compress.h -- gradients made small for the wire, with error feedback: what a message leaves
 * out is kept and added to the next one (Seide et al. 2014, Interspeech, doi:
 * 10.21437/Interspeech.2014-274; Karimireddy et al. 2019, arXiv:1901.09847):
 *
 *     e += g,  message = compress(e),  e -= what the message says
 *
 * One file `<name>.c` with the reference, the host's version and the row, its costs in
 * `<name>_cost.c` or half_cost.c, and a row in compress.c and compress_cost.c; cuda versions
 * are in <name>.cu (half.cu, top_k.cu). half.h has what those to 16 bits share. All versions
 * have the same bits, whatever the number of workers.
 */
#ifndef DTS_KERNELS_COMPRESS_COMPRESS_H
#define DTS_KERNELS_COMPRESS_COMPRESS_H

#include <stddef.h>

#include "kernels/compress/compress_cost.h"
#include "kernels/op.h"

/* On the place's arrays; a GPU queues its work on the place's stream. `share`: of the values
 * that are sent, where not all are. */
struct dts_compress_version {
    /* x: what is to be sent, becomes what the message leaves out. */
    void (*compress)(float *x, size_t count, double share, void *message, void *scratch,
                     const struct dts_place *place);
    /* sum += what the message says. */
    void (*add)(float *sum, size_t count, double share, const void *message,
                const struct dts_place *place);
    size_t (*scratch_bytes)(size_t count, int workers); // NULL: 0
};

struct dts_compression {
    const char *name, *summary;
    const struct dts_compression_cost *cost; // and the length of a message
    struct dts_compress_version reference;   // plain loops
    struct dts_compress_version host;
    struct dts_compress_version cuda; // nothing in a build without CUDA
};

extern const struct dts_compression *const dts_compressions[]; // ended by NULL
const struct dts_compression *dts_compression_find(const char *name);

#endif
