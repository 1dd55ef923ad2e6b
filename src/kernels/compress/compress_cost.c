/* compress_cost.c -- the table of what compressions cost. */
#include "kernels/compress/compress_cost.h"

#include <string.h>

const struct dts_compression_cost *const dts_compression_costs[] = {
    &dts_compress_bf16_cost,
    &dts_compress_fp16_cost,
    &dts_compress_top_k_cost,
    NULL,
};

const struct dts_compression_cost *dts_compression_cost_find(const char *name)
{
    for (int i = 0; dts_compression_costs[i] != NULL; i++)
        if (strcmp(dts_compression_costs[i]->name, name) == 0)
            return dts_compression_costs[i];
    return NULL;
}

const char *dts_compression_name(int i)
{
    return dts_compression_costs[i] != NULL ? dts_compression_costs[i]->name : NULL;
}
