/* slot.h -- a NIC in a PCIe slot that is slower than it is. */
#ifndef DTS_SIM_NET_PLATFORM_SLOT_H
#define DTS_SIM_NET_PLATFORM_SLOT_H

#include "sim/net/platform/net.h"
#include "sim/net/platform/platform.h"

/* What a node's fabric carries to its first NIC; 0: the NIC is on the device. */
double dts_parts_slot(const struct dts_parts *machine);

#endif
