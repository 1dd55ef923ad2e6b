/* paced.c -- the transports of a network under a library. */
#include "sim/paced.h"

#include <stddef.h>

void dts_paced_transports(const struct dts_net *net, const struct dts_coll_pace *pace,
                          struct dts_transport transports[2])
{
    for (int k = 0; k < 2; k++)
        transports[k] = pace == NULL ? net->transports[k]
                                     : dts_transport_paced(&net->transports[k], pace->hop_s[k],
                                                           pace->path[k], pace->share[k]);
}
