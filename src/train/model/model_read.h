/* model_read.h -- what the files of the model's reader tell one another. */
#ifndef DTS_TRAIN_MODEL_MODEL_READ_H
#define DTS_TRAIN_MODEL_MODEL_READ_H

#include "base/json/keys.h"
#include "train/model/model.h"

enum { DTS_MODEL_LAYERS = 20000, DTS_MODEL_ENTRY = -1, DTS_NO_LAYER = -2 };

/* Names of layers and groups, with the layer that each stands for. */
struct dts_names {
    char **names; // owned; in the order in which they were added
    int *layers;
    size_t *slots; // a hash table of indices + 1, 0: free
    size_t count, name_capacity, layer_capacity, slot_count;
};

bool dts_names_add(struct dts_names *names, const char *name, int layer); // false: known
int dts_names_find(const struct dts_names *names, const char *name);      // DTS_NO_LAYER
void dts_names_free(struct dts_names *names);

/* Where names are looked up: in the round of a group, then in what surrounds it. */
struct dts_scope {
    const struct dts_scope *parent;
    const char *prefix; // of the full names: "block.3."
    int entry;          // the layer whose output comes in, DTS_MODEL_ENTRY: the model's input
};

/* The layer or group called `name` at a place of the file, or "entry". */
bool dts_scope_find(const struct dts_scope *scope, const struct dts_names *names,
                    const char *name, const struct dts_cfg *at, int *layer,
                    struct dts_error *err);

/* A name that a person may give: letters, digits, "_" and "-"; not "entry". */
bool dts_name_check(const char *name, const struct dts_cfg *at, struct dts_error *err);

/* How weights begin (model_begin.c). Zeroed: as their kind of layer says. */
struct dts_begin {
    enum {
        DTS_BEGIN_AS_KIND,
        DTS_BEGIN_FAN_IN,
        DTS_BEGIN_GLOROT,
        DTS_BEGIN_NORMAL,
        DTS_BEGIN_UNIFORM
    } rule;
    double spread;
};

/* Leaves *begin as it is where the file says nothing. */
bool dts_begin_read(struct dts_begin *begin, const struct dts_cfg *at, struct dts_error *err);
void dts_begin_apply(const struct dts_begin *begin, struct dts_layer *layer);

/* Read "layers" into the model; on failure the model holds those that were read. */
bool dts_model_read_layers(struct dts_model *model, const struct dts_cfg *list,
                           const struct dts_begin *begin, struct dts_error *err);

/* A network by numbers (model_family.c): name and summary, and a document whose "sample",
 * "input", "begin" and "layers" are those of a model file. A name that is not given is the
 * family's with the number of parameters, and is there after dts_model_name_family(). */
bool dts_model_expand(struct dts_model *model, const struct dts_cfg *at,
                      struct dts_doc **expanded, struct dts_error *err);
void dts_model_name_family(struct dts_model *model, const struct dts_cfg *at);
void dts_model_family_keys(struct dts_keys *keys);

/* The keys that every layer has beside those of its kind, and the keys of a group. */
extern const struct dts_field dts_layer_fields[], dts_group_fields[];

/* The costs of the layers one by one, by their calls, and from these those of the whole: no
 * gradient for what does not learn, each tensor kept once, sums. */
void dts_model_find_costs(struct dts_model *model);

#endif
