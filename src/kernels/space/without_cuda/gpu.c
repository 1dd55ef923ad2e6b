/* gpu.c -- no GPU: a build without CUDA. */
#include "kernels/space/gpu.h"

static bool none(struct dts_error *err)
{
    return dts_fail(err, DTS_UNSUPPORTED, "GPU: this build has no CUDA");
}

bool dts_gpu_built(void)
{
    return false;
}

int dts_gpu_count(void)
{
    return 0;
}

bool dts_gpu_blas(struct dts_error *err)
{
    return none(err);
}

bool dts_gpu_open(struct dts_gpu **gpu, int number, struct dts_error *err)
{
    (void)gpu, (void)number;
    return none(err);
}

void dts_gpu_close(struct dts_gpu *gpu)
{
    (void)gpu;
}

const struct dts_place *dts_gpu_place(const struct dts_gpu *gpu)
{
    (void)gpu;
    return NULL;
}

bool dts_gpu_alloc(void **memory, size_t bytes, struct dts_error *err)
{
    (void)memory, (void)bytes;
    return none(err);
}

void dts_gpu_free(void *memory)
{
    (void)memory;
}

bool dts_gpu_write(struct dts_gpu *gpu, void *to, const void *from, size_t bytes,
                   struct dts_error *err)
{
    (void)gpu, (void)to, (void)from, (void)bytes;
    return none(err);
}

bool dts_gpu_read(struct dts_gpu *gpu, void *to, const void *from, size_t bytes,
                  struct dts_error *err)
{
    (void)gpu, (void)to, (void)from, (void)bytes;
    return none(err);
}

bool dts_gpu_wait(struct dts_gpu *gpu, struct dts_error *err)
{
    (void)gpu;
    return none(err);
}
