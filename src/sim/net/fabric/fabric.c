/* fabric.c -- the one place where node fabrics are listed. */
#include "sim/net/fabric/fabric.h"

#include <string.h>

extern const struct dts_fabric dts_fabric_none;
extern const struct dts_fabric dts_fabric_pcie;
extern const struct dts_fabric dts_fabric_nvlink_all;
extern const struct dts_fabric dts_fabric_nvlink_cube;
extern const struct dts_fabric dts_fabric_nvswitch;
extern const struct dts_fabric dts_fabric_sockets;

const struct dts_fabric *const dts_fabrics[] = {
    &dts_fabric_none,
    &dts_fabric_pcie,
    &dts_fabric_nvlink_all,
    &dts_fabric_nvlink_cube,
    &dts_fabric_nvswitch,
    &dts_fabric_sockets,
    NULL,
};

const struct dts_fabric *dts_fabric_find(const char *name)
{
    for (int i = 0; dts_fabrics[i] != NULL; i++)
        if (strcmp(dts_fabrics[i]->name, name) == 0)
            return dts_fabrics[i];
    return NULL;
}

const char *dts_fabric_name(int i)
{
    return dts_fabrics[i] != NULL ? dts_fabrics[i]->name : NULL;
}
