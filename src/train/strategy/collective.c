/* collective.c -- one collective, again and again, and nothing else: what a benchmark
 * of communication measures (nccl-tests, OSU). The model and the batch play no part.
 */
#include <string.h>

#include "base/mem.h"
#include "train/strategy/build.h"
#include "train/strategy/coll_choice.h"
#include "train/strategy/keys.h"

struct collective {
    struct dts_coll_choice choice;
    const char *collective;
    double bytes;
    enum dts_coll_kind kind; // that the word stands for
};

static const char *const words[DTS_COLL_KINDS] = {
    [DTS_ALLREDUCE] = "allreduce",
    [DTS_REDUCE_SCATTER] = "reduce_scatter",
    [DTS_ALLGATHER] = "allgather",
    [DTS_BROADCAST] = "broadcast",
    [DTS_ALLTOALL] = "alltoall",
    [DTS_SHIFT] = "shift",
    [DTS_HALO] = "halo",
    [DTS_HALO_BEHIND] = "halo_behind",
    [DTS_HALO_BEFORE] = "halo_before",
};

static const char *word(int i)
{
    return i >= 0 && i < DTS_COLL_KINDS ? words[i] : NULL;
}

static const struct dts_field fields[] = {
    {DTS_KEY(struct collective, collective), .type = DTS_STRING, .choice = word,
     .missing = "\"allreduce\"", .help = "what is done"},
    {DTS_KEY(struct collective, bytes), .type = DTS_REAL, .min = 1, .max = 1e12,
     .help = "data of each device"},
    {DTS_ALGORITHM_KEY(struct collective, choice),
     .help = "how it is done; default: the stack's; alltoall: pairwise, shift: ring, "
             "halo: neighbors"},
    {DTS_BETWEEN_KEY(struct collective, choice)},
    {DTS_SHARDS_KEY(struct collective, choice),
     .help = "hierarchical: devices of a node that exchange with other nodes; default: the "
             "stack's, or all"},
    {DTS_CHANNELS_KEY(struct collective, choice),
     .help = "parts of the data that go round at once; default: the stack's"},
    {DTS_PIECE_KEY(struct collective, choice)},
    {0},
};

static const char *default_name(const void *self)
{
    return ((const struct collective *)self)->choice.algorithm;
}

/* What a stack says is about sums and copies: of parts that go from member to member the row
 * and the number of channels are those named here. */
static bool prepare_parts(struct collective *c, const struct dts_cfg *at, struct dts_error *err)
{
    struct dts_coll_choice *choice = &c->choice;
    const char *key = choice->between != NULL   ? "between"
                      : choice->shards > 0      ? "shards"
                      : choice->piece_bytes > 0 ? "piece_bytes"
                                                : NULL;
    if (c->kind < DTS_ALLTOALL)
        return true;
    if (key != NULL)
        return dts_cfg_fail(at, key, err, "has no effect on \"%s\"", c->collective);
    if (choice->algorithm == NULL)
        choice->algorithm = c->kind == DTS_ALLTOALL ? "pairwise"
                            : c->kind == DTS_SHIFT  ? "ring"
                                                    : "neighbors";
    if (choice->channels == 0)
        choice->channels = 1;
    return true;
}

static bool prepare(void *self, const struct dts_stack *stack, const struct dts_cfg *at,
                    struct dts_error *err)
{
    struct collective *c = self;
    while (words[c->kind] != NULL && strcmp(words[c->kind], c->collective) != 0)
        c->kind++;
    c->choice.kind = c->kind;
    return prepare_parts(c, at, err) && dts_coll_choice_prepare(&c->choice, stack, at, err);
}

static bool ranks_needed(const struct dts_point *point, struct dts_ranks_needed *needed,
                         struct dts_error *err)
{
    (void)err;
    *needed = (struct dts_ranks_needed){.devices = point->devices};
    return true;
}

/* Of an all-to-all at least one for each device, as a benchmark has it; of a halo one for each
 * side. */
static size_t elements_of(const struct collective *c, int devices, size_t element_bytes)
{
    const size_t elements = (size_t)(c->bytes / (double)element_bytes);
    const size_t least = c->kind == DTS_ALLTOALL ? (size_t)devices * (size_t)c->choice.channels
                         : c->kind == DTS_HALO   ? 2
                                                 : 1;
    return elements > least ? elements : least;
}

static bool build(const struct dts_point *point, struct dts_job *job, struct dts_error *err)
{
    const struct collective *c = point->strategy->self;
    size_t element_bytes = dts_precision_bytes(point->scenario->precision);
    const size_t elements = elements_of(c, point->devices, element_bytes);
    const struct dts_members all = dts_point_members(point);
    struct dts_collective collective;
    if (!dts_coll_choice_make(&c->choice, point, &all, c->kind, c->bytes, &collective, err))
        return false;

    job->roles = dts_alloc(1, sizeof(*job->roles));
    job->role_count = 1;
    job->ranks = point->devices;
    job->roles[0] = (struct dts_role){.name = "worker", .count = point->devices};
    struct dts_plan *plan = &job->roles[0].plan;
    collective.data = (struct dts_span){
        .buffer = dts_plan_buffer(plan, elements, element_bytes),
        .count = elements,
    };
    dts_plan_collective(plan, DTS_DATA, c->collective, collective);
    return true;
}

static const char *validated_as(const void *self)
{
    (void)self;
    return "collective";
}

const struct dts_strategy_kind dts_strategy_collective = {
    .name = "collective",
    .summary = "one collective alone, as a benchmark of communication; nothing is trained",
    .fields = fields,
    .size = sizeof(struct collective),
    .trains_nothing = true,
    .validated_as = validated_as,
    .default_name = default_name,
    .prepare = prepare,
    .ranks_needed = ranks_needed,
    .build = build,
};
