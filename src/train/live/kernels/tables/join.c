/* join.c -- servers have rows, others zeros: or-ed, they are the tables. */
#include "train/live/kernels/tables/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/live/kernels/server.h"
#include "train/live/kernels/tables/served.h"

void dts_live_served_join(struct dts_live_kernels *k)
{
    const struct dts_live_served *s = k->served;
    size_t values = 0, at = 0;
    for (int t = 0; s != NULL && t < s->table_count; t++)
        values += s->tables[t].rows * s->tables[t].width;
    if (values == 0)
        return;
    float *all = dts_alloc(values, sizeof(*all));
    float *weights = k->server != NULL ? dts_live_server_weights(k->server)
                                       : dts_network_weights(k->network);
    for (int t = 0; t < s->table_count; t++) {
        const struct dts_live_table *table = &s->tables[t];
        if (k->server != NULL)
            dts_live_server_rows(k->server, table, all + at);
        at += table->rows * table->width;
    }
    dts_wire_merge(k->wire, all, values * sizeof(*all));
    at = 0;
    for (int t = 0; t < s->table_count; t++) {
        const size_t count = s->tables[t].rows * s->tables[t].width;
        memcpy(weights + s->tables[t].offset, all + at, count * sizeof(*all));
        at += count;
    }
    free(all);
}
