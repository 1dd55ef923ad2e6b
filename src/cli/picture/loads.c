/* loads.c -- reads the loads of links. */
#include "cli/picture/loads.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/json/cfg.h"
#include "base/mem.h"

static bool read_kind(const struct dts_cfg *at, struct dts_loads_kind *kind,
                      struct dts_error *err)
{
    const struct dts_cfg name = dts_cfg_member(at, "kind"), count = dts_cfg_member(at, "count"),
                         busiest = dts_cfg_member(at, "busiest"),
                         bytes = dts_cfg_member(at, "bytes"),
                         shares = dts_cfg_member(at, "share");
    const size_t length = dts_cfg_length(&shares);
    bool good = dts_cfg_string(&name, &kind->name, err) &&
                dts_cfg_int(&count, 1, INT_MAX, &kind->count, err) &&
                dts_cfg_string(&busiest, &kind->busiest, err) &&
                dts_cfg_real(&bytes, 0, 0, &kind->bytes, err);
    for (size_t s = 0; s < length && s < DTS_LOADS_SHARES && good; s++) {
        const struct dts_cfg share = dts_cfg_item(&shares, s);
        good = dts_cfg_real(&share, 0, 0, &kind->share[kind->share_count++], err);
    }
    return good;
}

static bool read_link(const struct dts_cfg *at, struct dts_loads_link *link,
                      struct dts_error *err)
{
    const struct dts_cfg name = dts_cfg_member(at, "name"), from = dts_cfg_member(at, "from"),
                         to = dts_cfg_member(at, "to"), bytes = dts_cfg_member(at, "bytes"),
                         share = dts_cfg_member(at, "share"),
                         from_name = dts_cfg_member(at, "from_name"),
                         to_name = dts_cfg_member(at, "to_name");
    return dts_cfg_string(&name, &link->name, err) &&
           dts_cfg_int(&from, 0, INT_MAX, &link->from, err) &&
           dts_cfg_int(&to, 0, INT_MAX, &link->to, err) &&
           (!dts_cfg_exists(&from_name) || dts_cfg_string(&from_name, &link->from_name, err)) &&
           (!dts_cfg_exists(&to_name) || dts_cfg_string(&to_name, &link->to_name, err)) &&
           dts_cfg_real(&bytes, 0, 0, &link->bytes, err) &&
           dts_cfg_real(&share, 0, 0, &link->share, err);
}

static bool read_all(struct dts_loads *loads, struct dts_error *err)
{
    const struct dts_cfg top = dts_doc_top(loads->doc), nodes = dts_cfg_member(&top, "nodes"),
                         kinds = dts_cfg_member(&top, "kinds"),
                         links = dts_cfg_member(&top, "links");
    bool good = dts_cfg_int(&nodes, 1, INT_MAX, &loads->nodes, err);
    loads->kind_count = (int)dts_cfg_length(&kinds);
    loads->link_count = (int)dts_cfg_length(&links);
    loads->kinds = dts_alloc((size_t)loads->kind_count + 1, sizeof(*loads->kinds));
    loads->links = dts_alloc((size_t)loads->link_count + 1, sizeof(*loads->links));
    for (int k = 0; k < loads->kind_count && good; k++) {
        const struct dts_cfg at = dts_cfg_item(&kinds, (size_t)k);
        good = read_kind(&at, &loads->kinds[k], err);
        loads->most = fmax(loads->most, loads->kinds[k].share[0]);
    }
    for (int l = 0; l < loads->link_count && good; l++) {
        const struct dts_cfg at = dts_cfg_item(&links, (size_t)l);
        good = read_link(&at, &loads->links[l], err);
    }
    return good;
}

bool dts_loads_read(struct dts_loads *loads, const char *path, struct dts_error *err)
{
    *loads = (struct dts_loads){0};
    if (dts_doc_load(&loads->doc, path, err) && read_all(loads, err))
        return true;
    dts_loads_free(loads);
    return false;
}

void dts_loads_free(struct dts_loads *loads)
{
    free(loads->kinds);
    free(loads->links);
    dts_doc_free(loads->doc);
    *loads = (struct dts_loads){0};
}
