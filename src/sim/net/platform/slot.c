/* slot.c -- what a node carries to its NICs. */
#include "sim/net/platform/slot.h"

double dts_parts_slot(const struct dts_parts *machine)
{
    const struct dts_fabric *fabric = machine->fabric;
    const int nic = fabric->place_of(machine->fabric_self, machine->devices + 1);
    const int links = fabric->links(machine->fabric_self);
    double sum = 0;
    for (int link = 0; link < links; link++) {
        int from, to;
        fabric->ends(machine->fabric_self, link, &from, &to);
        if (to == nic && from != nic)
            sum += fabric->capacity(machine->fabric_self, link);
    }
    return sum;
}
