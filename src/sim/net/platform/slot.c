/* slot.c -- a NIC in a PCIe slot that is slower than it is.
 *
 * Such machines exist, and a model of one is right; more often the slot's rate is that of
 * another generation than the NIC's, left over from the example that the file was begun with.
 */
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
