/* slot.h -- what a node carries to its NICs. */
#ifndef DTS_SIM_NET_PLATFORM_SLOT_H
#define DTS_SIM_NET_PLATFORM_SLOT_H

#include "sim/net/platform/net.h"

/* What the fabric carries to the first NIC, each way; 0: the NIC is on the device. */
double dts_parts_slot(const struct dts_parts *machine);

#endif
