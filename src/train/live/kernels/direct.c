/* direct.c -- the memory of a device, as the lanes see it. */
#include "train/live/kernels/direct.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "live/mpi_reads.h"
#include "train/live/kernels/mirrors.h"
#include "train/network/values_there.h"

/* Larger than those of hosts: each costs a kernel and a wait for it, and no library of MPI that
 * knows devices sends so much before it has asked the receiver anyway. ASSUMED */
enum { PIECE_BYTES = 1 << 20 };

static bool can(const struct dts_live_kernels *k, const char **why)
{
    *why = "has no memory that MPI could read by itself";
    return dts_space_lends(k->space) && dts_mpi_reads(k->settings->device, why);
}

static bool choose(struct dts_live_kernels *k, bool worker, struct dts_device_messages *report,
                   struct dts_error *err)
{
    const struct dts_doc *doc = k->point->scenario->doc;
    const struct dts_space_kind *kind = dts_space_find(k->settings->device);
    const char *wanted = k->settings->device_messages, *why = NULL;
    const bool here = !worker || can(k, &why), may = strcmp(wanted, "staged") != 0;
    const bool has_to = strcmp(wanted, "direct") == 0;
    k->direct = dts_wire_all_say(k->wire, here && may);
    if (kind->apart)
        *report = (struct dts_device_messages){.way = k->direct ? "direct" : "staged",
                                               .why = here || !may ? NULL : why};
    if (has_to && !kind->apart)
        dts_doc_fail(doc, "live.device_messages", DTS_UNSUPPORTED, err,
                     "direct: live.device must be cuda, got %s: its messages are in the host's "
                     "memory in any case",
                     kind->name);
    else if (has_to && !here)
        dts_doc_fail(doc, "live.device_messages", DTS_UNSUPPORTED, err,
                     "direct: the MPI of rank %d cannot read memory of %s: %s",
                     dts_wire_rank(k->wire), kind->name, why);
    return dts_wire_agree(k->wire, err);
}

bool dts_live_direct_open(struct dts_live_kernels *k, const struct dts_live *live,
                          struct dts_live_rank *rank, struct dts_device_messages *report,
                          struct dts_error *err)
{
    const bool worker = rank->role->kind == DTS_WORKER;
    return dts_wire_agree(k->wire, err) && choose(k, worker, report, err) &&
           (!k->direct || dts_live_direct_check(k, live, rank, err));
}

void dts_live_direct_count(const struct dts_live_kernels *k, struct dts_device_messages *report)
{
    const double mine = (double)k->copied_bytes;
    double *all = dts_alloc((size_t)dts_wire_size(k->wire), sizeof(*all));
    dts_wire_gather(k->wire, &mine, 1, all);
    for (int r = 0; r < dts_wire_size(k->wire); r++)
        report->copied_bytes += all[r];
    free(all);
}

static void *get(void *self, size_t bytes)
{
    const struct dts_live_kernels *k = self;
    struct dts_error err = {0};
    struct dts_text text = {0};
    void *there = NULL;
    if (!dts_space_get(k->space, bytes, &there, &err)) {
        dts_text_add(&text, "rank %d: %s", dts_wire_rank(k->wire), err.text);
        dts_wire_abort(k->wire, dts_text_string(&text));
    }
    return there;
}

static void give_back(void *self, void *there)
{
    const struct dts_live_kernels *k = self;
    dts_space_give_back(k->space, there);
}

static void lend(void *self)
{
    const struct dts_live_kernels *k = self;
    dts_space_lend(k->space);
}

static void take_back(void *self)
{
    const struct dts_live_kernels *k = self;
    dts_space_take_back(k->space);
}

static void pack(void *self, enum dts_stream stream, const struct dts_values *v, void *message,
                 float *values, size_t count, bool round)
{
    const struct dts_live_kernels *k = self;
    dts_there_narrow(k->space, (int)stream, v->half, message, values, count, round);
    dts_live_mirrors_check(k);
}

static void take(void *self, enum dts_stream stream, const struct dts_values *v, void *to,
                 const void *message, size_t count)
{
    const struct dts_live_kernels *k = self;
    if (dts_values_narrow(v))
        dts_there_widen(k->space, (int)stream, v->half, to, message, count);
    else
        dts_there_copy(k->space, (int)stream, to, message, count * v->bytes);
    dts_live_mirrors_check(k);
}

static void add(void *self, enum dts_stream stream, const struct dts_values *v, void *to,
                const void *message, size_t count)
{
    const struct dts_live_kernels *k = self;
    if (v->bytes == sizeof(double))
        dts_there_add_doubles(k->space, (int)stream, to, message, count);
    else if (dts_values_narrow(v))
        dts_there_add_widened(k->space, (int)stream, v->half, to, message, count);
    else
        dts_there_add(k->space, (int)stream, to, message, count);
    dts_live_mirrors_check(k);
}

static void round_values(void *self, enum dts_stream stream, const struct dts_values *v,
                         float *values, size_t count)
{
    const struct dts_live_kernels *k = self;
    dts_there_round(k->space, (int)stream, v->half, values, count);
    dts_live_mirrors_check(k);
}

static const struct dts_message_memory_kind device = {
    .get = get,
    .give_back = give_back,
    .lend = lend,
    .take_back = take_back,
    .pack = pack,
    .take = take,
    .add = add,
    .round = round_values,
};

void dts_live_direct_use_buffers(struct dts_live_kernels *k, float *const *there,
                                 struct dts_live *live)
{
    k->memory = (struct dts_message_memory){.kind = &device, .self = k, .buffers = there};
    live->memory = k->direct && k->space != NULL ? &k->memory : NULL; // servers have none
    live->piece_bytes = k->direct ? PIECE_BYTES : 0;
}

void dts_live_direct_use(struct dts_live_kernels *k, struct dts_live *live)
{
    const int buffers = k->rank.role->plan.buffer_count;
    if (k->there == NULL && k->direct && k->space != NULL) {
        k->there = dts_alloc((size_t)buffers + 1, sizeof(*k->there));
        for (int b = 0; b < buffers; b++)
            k->there[b] = dts_live_mirror_of(k, b)->there;
    }
    dts_live_direct_use_buffers(k, k->there, live);
}
