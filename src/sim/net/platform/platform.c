/* platform.c -- what a machine says of itself once it was read. */
#include "sim/net/platform/platform.h"

#include <stdlib.h>
#include <string.h>

bool dts_platform_suits(const struct dts_platform *platform, const struct dts_engine *engine,
                        struct dts_error *err)
{
    const struct dts_cfg top = dts_doc_top(platform->doc), node = dts_cfg_member(&top, "node"),
                         compute = dts_cfg_member(&node, "compute");
    return platform->messages == 0 || engine->slows_messages ||
           dts_cfg_fail(&compute, "messages", err,
                        "the engine %s cannot slow messages down while kernels run: take fluid",
                        engine->name);
}

/* Such machines exist; more often the slot is of an older generation, left over from the
 * example that the file was begun with. */
bool dts_platform_slow_slot(const struct dts_platform *platform, struct dts_error *note)
{
    const struct dts_cfg top = dts_doc_top(platform->doc), nics = dts_cfg_member(&top, "nics");
    const double slot = platform->slot_bytes_per_s, nic = platform->nic_bytes_per_s;
    if (slot == 0 || slot >= nic)
        return false;
    dts_cfg_fail(&nics, "bytes_per_s", note,
                 "a NIC of %.4g GB/s is behind a PCIe slot of %.4g GB/s, which is all that it "
                 "can carry",
                 nic / 1e9, slot / 1e9);
    return true;
}

double dts_platform_together(const struct dts_platform *platform, int devices)
{
    const size_t most = platform->together_count, wanted = (size_t)devices;
    return most == 0 || devices < 1 ? 1
                                    : platform->together[(wanted < most ? wanted : most) - 1];
}

bool dts_platform_assumes(const struct dts_platform *platform, const char *path)
{
    for (int i = 0; i < platform->assumed_count; i++)
        if (strcmp(platform->assumed[i], path) == 0)
            return true;
    return false;
}

void dts_platform_free(struct dts_platform *platform)
{
    for (int i = 0; i < platform->assumed_count; i++)
        free((char *)platform->assumed[i]);
    dts_net_free(&platform->net);
    free(platform->together);
    free(platform->kinds);
    free(platform->node_factor);
    free(platform->network_file);
    dts_doc_free(platform->doc);
    *platform = (struct dts_platform){0};
}
