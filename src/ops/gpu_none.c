/* gpu_none.c -- a build without CUDA: no GPUs. */
#include "ops/gpu.h"

int dts_gpu_count(void)
{
    return 0;
}

bool dts_gpu_open(struct dts_place *place, int number, bool tf32, struct dts_error *err)
{
    (void)place, (void)tf32;
    return dts_fail(err, DTS_UNSUPPORTED, "cuda:%d: this build has no CUDA", number);
}

void dts_gpu_close(struct dts_place *place)
{
    *place = (struct dts_place){0};
}

void *dts_gpu_alloc(size_t bytes)
{
    (void)bytes;
    return NULL;
}

void dts_gpu_free(void *memory)
{
    (void)memory;
}

void dts_gpu_copy_in(void *device, const void *host, size_t bytes,
                     const struct dts_place *place)
{
    (void)device, (void)host, (void)bytes, (void)place;
}

void dts_gpu_copy_out(void *host, const void *device, size_t bytes,
                      const struct dts_place *place)
{
    (void)host, (void)device, (void)bytes, (void)place;
}

void dts_gpu_wait(const struct dts_place *place)
{
    (void)place;
}
