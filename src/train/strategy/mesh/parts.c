/* parts.c -- where a network is cut into the parts of a pipeline.
 *
 * A cut lies behind a layer whose output is the only tensor that later layers read: behind the
 * sum of a residual block, not inside of it. Where the model file has numbered rounds
 * ("h.3.fc"), cuts lie between rounds only, as the frameworks of pipelines cut; what comes
 * before the first round and behind the last one belongs to the first and the last part. A list
 * of rounds that begins and ends with 0 gives these parts nothing else (Llama 3,
 * arXiv:2407.21783, section 3.3.2): then cuts lie there, too.
 */
#include "train/strategy/mesh/stage_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The layers behind which the network may be cut, and seconds of all up to there. */
struct cuts {
    int *behind;  // layers, ascending; owned
    double *to_s; // forward and backward of all layers up to and with it; owned
    int count;
    double all_s;
};

size_t dts_round_length(const char *name)
{
    const char *number = strchr(name, '.');
    if (number == NULL || number[1] < '0' || number[1] > '9')
        return 0;
    const char *rest = strchr(number + 1, '.');
    return rest != NULL ? (size_t)(rest - name) : 0;
}

static bool same_round(const char *a, const char *b)
{
    const size_t length = dts_round_length(a);
    return length > 0 && length == dts_round_length(b) && strncmp(a, b, length) == 0;
}

enum where { ANYWHERE, BETWEEN_ROUNDS, AROUND_ROUNDS };

/* Does a cut behind this layer divide no round, and touch two; around rounds, one? */
static bool may_cut(const struct dts_model *m, int layer, enum where where)
{
    const char *here = m->layers[layer].name, *next = m->layers[layer + 1].name;
    const bool after = dts_round_length(here) > 0, before = dts_round_length(next) > 0;
    const bool touches = where == AROUND_ROUNDS ? after || before : after && before;
    return where == ANYWHERE || (touches && !same_round(here, next));
}

/* The last layer that reads each tensor; the model's input comes before the layers. */
static int *last_readers(const struct dts_model *m)
{
    int *last = dts_alloc((size_t)m->layer_count + 1, sizeof(*last));
    for (int l = 0; l < m->layer_count; l++)
        for (int i = 0; i < m->layers[l].input_count; i++)
            last[m->layers[l].inputs[i] + 1] = l;
    return last;
}

/* Of a layer on one rank. */
static double layer_seconds(const struct dts_point *point, const struct dts_cut *cut, int l)
{
    const struct dts_cut_layer *layer = &cut->layers[l];
    return point->seconds->forward[l] * layer->forward_share +
           point->seconds->backward[l] * layer->backward_share;
}

/* Has each tensor rank a part of what the layer makes, but for its positions? */
static bool is_divided(const struct dts_cut *cut, int layer)
{
    const enum dts_cut_way way = cut->layers[layer].way;
    return way == DTS_CUT_COLUMN || way == DTS_CUT_VALUES;
}

static void find_cuts(const struct dts_point *point, const struct dts_cut *cut,
                      enum where where, struct cuts *cuts)
{
    const struct dts_model *m = &point->scenario->model;
    int *last = last_readers(m), reach = last[0];
    double seconds = 0;
    *cuts = (struct cuts){.behind = dts_alloc((size_t)m->layer_count, sizeof(int)),
                          .to_s = dts_alloc((size_t)m->layer_count, sizeof(double))};
    for (int l = 0; l + 1 < m->layer_count; l++) {
        seconds += layer_seconds(point, cut, l);
        const bool alone = reach <= l && last[l + 1] > l; // nothing earlier is read later
        reach = last[l + 1] > reach ? last[l + 1] : reach;
        if (!alone || is_divided(cut, l) || !may_cut(m, l, where))
            continue;
        cuts->behind[cuts->count] = l;
        cuts->to_s[cuts->count++] = seconds;
    }
    cuts->all_s = seconds + layer_seconds(point, cut, m->layer_count - 1);
    free(last);
}

static void free_cuts(struct cuts *cuts)
{
    free(cuts->behind);
    free(cuts->to_s);
}

/* The first cuts that keep each of `parts` parts within so many seconds, and leave a cut for
 * each of those behind; false: some part takes longer. */
static bool fill(const struct cuts *cuts, int parts, double most_s, int *chosen)
{
    double from_s = 0;
    int next = 0;
    for (int part = 0; part + 1 < parts; part++) {
        const int end = cuts->count - (parts - 2 - part); // exclusive
        int take = next;
        while (take + 1 < end && cuts->to_s[take + 1] - from_s <= most_s)
            take++;
        if (cuts->to_s[take] - from_s > most_s)
            return false;
        chosen[part] = take;
        from_s = cuts->to_s[take];
        next = take + 1;
    }
    return cuts->all_s - from_s <= most_s;
}

/* The slowest part as fast as can be: the least bound that can be kept, by bisection. */
static void balance(const struct cuts *cuts, int parts, int *chosen)
{
    double low_s = 0, high_s = cuts->all_s;
    for (int i = 0; i < 60; i++) {
        const double middle_s = (low_s + high_s) / 2;
        if (fill(cuts, parts, middle_s, chosen))
            high_s = middle_s;
        else
            low_s = middle_s;
    }
    fill(cuts, parts, high_s, chosen);
}

/* As many rounds each; the first parts have one more where it does not divide. */
static void spread(const struct cuts *cuts, int parts, int *chosen)
{
    const int rounds = cuts->count + 1;
    int end = 0;
    for (int part = 0; part + 1 < parts; part++) {
        end += rounds / parts + (part < rounds % parts);
        chosen[part] = end - 1;
    }
}

/* 2 where the first and the last part of a list have no round, else 0. */
static int empty_ends(const struct dts_mesh *mesh)
{
    const size_t n = mesh->block_count;
    return n > 2 && mesh->blocks[0] == 0 && mesh->blocks[n - 1] == 0 ? 2 : 0;
}

static bool by_hand(const struct dts_point *point, const struct cuts *cuts, int parts,
                    int *chosen, struct dts_error *err)
{
    const struct dts_mesh *mesh = point->strategy->self;
    if (mesh->block_count != (size_t)parts)
        return dts_point_fail(point, err,
                              "%s: pipeline.stages must have an entry for each of %d parts, "
                              "got %zu",
                              point->strategy->name, parts, mesh->block_count);
    const int ends = empty_ends(mesh);                                  // parts without a round
    const int rounds = cuts->count + 1 - ends, lead = ends > 0 ? 1 : 0; // the first is no round
    int end = 0;
    for (int part = 0; part < parts; part++) {
        const bool inside = part > 0 && part + 1 < parts;
        end += mesh->blocks[part];
        if (mesh->blocks[part] < (inside || ends == 0) || end > rounds)
            return dts_point_fail(point, err,
                                  "%s: pipeline.stages must divide %d blocks into parts of at "
                                  "least one (or 0 for the first and the last one)",
                                  point->strategy->name, rounds);
        if (part + 1 < parts)
            chosen[part] = end - 1 + lead;
    }
    return end == rounds ||
           dts_point_fail(point, err, "%s: pipeline.stages has %d blocks, %s has %d",
                          point->strategy->name, end, point->scenario->model.name, rounds);
}

/* What one rank sends of a layer's output: its positions or its strip, where they are divided;
 * its part of the values, where they are gathered again. */
static size_t message(const struct dts_point *point, const struct dts_cut *cut, int layer)
{
    const struct dts_dims *dims = &point->scenario->model.layers[layer].output;
    const struct dts_mesh *mesh = point->strategy->self;
    const size_t ranks = (size_t)cut->ranks;
    const size_t all = dts_dims_elements(dims) / (dims->count == 2 ? (size_t)cut->context : 1) /
                       (size_t)cut->layers[layer].places;
    const bool divided = cut->sequence && dims->count == 2 && dims->size[0] > 1;
    if (mesh->pipeline.scatter)
        return (all + ranks - 1) / ranks;
    return divided ? all / ranks : all;
}

static void set_parts(const struct dts_point *point, const struct dts_cut *cut,
                      const struct cuts *cuts, const int *chosen, int parts,
                      struct dts_part_of_model *out)
{
    const struct dts_model *m = &point->scenario->model;
    for (int i = 0; i < parts; i++) {
        out[i].first = i == 0 ? 0 : out[i - 1].last + 1;
        out[i].last = i + 1 < parts ? cuts->behind[chosen[i]] : m->layer_count - 1;
        out[i].entry = i == 0 ? 0 : out[i - 1].exit;
        out[i].exit = i + 1 < parts ? message(point, cut, out[i].last) : 0;
    }
}

static bool choose(const struct dts_point *point, const struct cuts *cuts, int parts,
                   int *chosen, struct dts_error *err)
{
    const struct dts_mesh *mesh = point->strategy->self;
    if (cuts->count + 1 < parts)
        return dts_point_fail(
            point, err, "%s: %s can be cut into %d parts at most, and the pipeline has %d",
            point->strategy->name, point->scenario->model.name, cuts->count + 1, parts);
    if (mesh->blocks != NULL)
        return by_hand(point, cuts, parts, chosen, err);
    if (mesh->even)
        spread(cuts, parts, chosen);
    else
        balance(cuts, parts, chosen);
    return true;
}

bool dts_mesh_parts(const struct dts_point *point, const struct dts_cut *cut, int count,
                    struct dts_part_of_model **parts, struct dts_error *err)
{
    struct cuts cuts;
    find_cuts(point, cut,
              empty_ends(point->strategy->self) > 0 ? AROUND_ROUNDS : BETWEEN_ROUNDS, &cuts);
    if (cuts.count + 1 < count) { // no rounds, or too few: wherever one tensor crosses
        free_cuts(&cuts);
        find_cuts(point, cut, ANYWHERE, &cuts);
    }
    int *chosen = dts_alloc((size_t)count, sizeof(*chosen));
    const bool good = choose(point, &cuts, count, chosen, err);
    *parts = NULL;
    if (good) {
        *parts = dts_alloc((size_t)count, sizeof(**parts));
        set_parts(point, cut, &cuts, chosen, count, *parts);
    }
    free(chosen);
    free_cuts(&cuts);
    return good;
}
