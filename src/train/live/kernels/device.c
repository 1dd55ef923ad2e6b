/* device.c -- a device for each worker, by its number among those of its machine.
 *
 * Whether two ranks have the same device is asked of the devices: where a batch system shows
 * each rank one GPU of its own, every rank's is number 0.
 */
#include "train/live/kernels/device.h"

#include "live/node.h"

static bool check(const struct dts_live_kernels *k, const struct dts_space_kind *kind,
                  int devices, const char *why, int first, struct dts_error *err)
{
    const int rank = dts_wire_rank(k->wire);
    if (devices == 0)
        return dts_fail(err, DTS_UNSUPPORTED, "live.device: %s: rank %d has none: %s",
                        kind->name, rank, why);
    return !kind->apart || first == rank ||
           dts_fail(err, DTS_UNSUPPORTED,
                    "live.device: %s: ranks %d and %d would share one device: a machine may "
                    "have no more workers than devices, and rank %d sees %d",
                    kind->name, first, rank, rank, devices);
}

bool dts_live_device_open(struct dts_live_kernels *k, bool worker, struct dts_error *err)
{
    const struct dts_space_kind *kind = dts_space_find(k->settings->device);
    const char *why = NULL;
    char id[DTS_SPACE_IDENTITY] = "";
    const int before = dts_node_before(k->wire, worker);
    const int devices = worker ? kind->count(&why) : 0;
    const int number = devices > 0 ? before % devices : 0;
    const bool counts = kind->apart && devices > 0;
    if (counts)
        kind->identity(number, id);
    const int first = dts_node_first_alike(k->wire, counts, id, sizeof(id));
    const struct dts_space_request request = {
        .number = number,
        .threads = k->settings->threads,
        .queues = DTS_STREAMS,
        .tf32 = k->point->scenario->precision == DTS_TF32,
    };
    return !worker || (check(k, kind, devices, why, first, err) &&
                       dts_space_open(&k->space, kind, &request, err));
}
