/* compress.c -- the table of compressions. */
#include <string.h>

#include "kernels/compress/compress.h"

extern const struct dts_compression dts_compress_bf16;
extern const struct dts_compression dts_compress_fp16;
extern const struct dts_compression dts_compress_top_k;

const struct dts_compression *const dts_compressions[] = {
    &dts_compress_bf16,
    &dts_compress_fp16,
    &dts_compress_top_k,
    NULL,
};

const struct dts_compression *dts_compression_find(const char *name)
{
    for (int i = 0; dts_compressions[i] != NULL; i++)
        if (strcmp(dts_compressions[i]->name, name) == 0)
            return dts_compressions[i];
    return NULL;
}
