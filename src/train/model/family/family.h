/* family.h -- networks by numbers: a family expands a few parameters into the input and the
 * layers of a model file, which is then read as one that a person wrote. One file and one row
 * each; docs/models.md, "Networks by numbers", tells a person what the keys mean.
 */
#ifndef DTS_TRAIN_MODEL_FAMILY_FAMILY_H
#define DTS_TRAIN_MODEL_FAMILY_FAMILY_H

#include "base/json/cfg.h"
#include "base/text.h"

/* Most that a key may be, so that no tensor exceeds DTS_LAYER_MOST_VALUES but for those that
 * `expand` checks, and no list of layers DTS_MODEL_LAYERS. */
enum {
    DTS_FAMILY_LAYERS = 1000,
    DTS_FAMILY_HIDDEN = 65536,
    DTS_FAMILY_HEADS = 4096,
    DTS_FAMILY_FFN = 1000000,
    DTS_FAMILY_VOCABULARY = 10000000,
    DTS_FAMILY_SEQUENCE = 1000000,
};

struct dts_model_family {
    const char *name, *summary;
    const struct dts_field *fields; // its keys beside family, name, summary
    size_t size;                    // of the struct that they fill

    /* Appends what a model file has from "sample" on: members of a JSON object without its
     * brackets. Checks what spans keys; may complete `self`. */
    bool (*expand)(void *self, const struct dts_cfg *at, struct dts_text *out,
                   struct dts_error *err);
};

extern const struct dts_model_family *const dts_families[]; // ended by NULL
const char *dts_family_name(int i);

/* Keys of all families of language models. */
#define DTS_FAMILY_INT(whole, member, most, text)                                              \
    {                                                                                          \
        DTS_KEY(whole, member), .type = DTS_INT, .min = 1, .max = (most), .help = (text)       \
    }
#define DTS_FAMILY_OPTION(whole, member, most, text)                                           \
    {                                                                                          \
        DTS_KEY(whole, member), .type = DTS_INT, .min = 1, .max = (most), .missing = "null",   \
                                .help = (text)                                                 \
    }
#define DTS_FAMILY_RATE(whole, member, standard, text)                                         \
    {                                                                                          \
        DTS_KEY(whole, member), .type = DTS_REAL, .min = 0, .max = 0.99,                       \
                                .missing = (standard), .help = (text)                          \
    }
#define DTS_FAMILY_BOOL(whole, member, standard, text)                                         \
    {                                                                                          \
        DTS_KEY(whole, member), .type = DTS_BOOL, .missing = (standard), .help = (text)        \
    }

/* Append an item of a list, with a comma where it is not the first. ' stands for ". What begins
 * a group ends with dts_family_end(). */
void dts_family_add(struct dts_text *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void dts_family_end(struct dts_text *out);

/* linear layer; input NULL: the layer before. */
void dts_family_linear(struct dts_text *out, const char *name, const char *input, int outputs,
                       bool bias);

/* The same at the end of a branch: of a deviation of 0.02 / sqrt(branches), where branches are
 * added up (Radford et al. 2019). */
void dts_family_projection(struct dts_text *out, const char *name, int outputs, bool bias,
                           int branches);

/* "sample", "input" and "begin" of a language model, and the opening of its layers. */
void dts_family_begin(struct dts_text *out, int sequence);

/* layers [lm_head, loss], and the ends of the list. */
void dts_family_head(struct dts_text *out, int vocabulary, bool tied);

/* Fails where a number does not divide another one, or a tensor of two sizes is too large. */
bool dts_family_divides(const struct dts_cfg *at, const char *key, int value, const char *whole,
                        int size, struct dts_error *err);
bool dts_family_fits(const struct dts_cfg *at, const char *key, int value, const char *other,
                     int size, struct dts_error *err);

#endif
