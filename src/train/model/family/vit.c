/* vit.c -- Vision Transformer (Dosovitskiy et al. 2021, arXiv:2010.11929), as torchvision's
 * vit_b_16: patches as tokens, a learned one in front, by which the image is classified. */
#include "train/model/family/family.h"

struct vit {
    int layers, hidden, heads, ffn, image, patch, channels, classes;
    double dropout;
    bool fused;
};

enum { MOST_PIXELS = 16384, MOST_CHANNELS = 1024 };

static const struct dts_field fields[] = {
    DTS_FAMILY_INT(struct vit, layers, DTS_FAMILY_LAYERS, "blocks"),
    DTS_FAMILY_INT(struct vit, hidden, DTS_FAMILY_HIDDEN, "features of a patch"),
    DTS_FAMILY_INT(struct vit, heads, DTS_FAMILY_HEADS, "of attention; divides hidden"),
    DTS_FAMILY_OPTION(struct vit, ffn, DTS_FAMILY_FFN,
                      "features between the two linear layers (default: 4 x hidden)"),
    DTS_FAMILY_INT(struct vit, image, MOST_PIXELS, "pixels of a side"),
    DTS_FAMILY_INT(struct vit, patch, MOST_PIXELS, "the same of a patch; divides image"),
    {DTS_KEY(struct vit, channels), .type = DTS_INT, .min = 1, .max = MOST_CHANNELS,
     .missing = "3", .help = "of the image"},
    {DTS_KEY(struct vit, classes), .type = DTS_INT, .min = 1, .max = 1e6, .missing = "1000",
     .help = "what an image may be"},
    DTS_FAMILY_RATE(struct vit, dropout, "0", "of embeddings and branches; 0: none"),
    DTS_FAMILY_BOOL(struct vit, fused, "true", "attention is one kernel"),
    {0},
};

static const char norm[] = "{'name': '%s', 'kind': 'layer_norm', 'epsilon': 1e-06}";

static void add_drop(const struct vit *v, const char *name, struct dts_text *out)
{
    dts_family_add(out, "{'name': '%s', 'kind': 'dropout', 'rate': %.6g}", name, v->dropout);
}

static void add_patches(const struct vit *v, struct dts_text *out)
{
    const int side = v->image / v->patch;
    dts_text_add(out,
                 "\"sample\": \"image\", \"input\": [%d, %d, %d], \"begin\": {\"normal\": "
                 "0.02}, \"layers\": [",
                 v->channels, v->image, v->image);
    dts_family_add(out,
                   "{'name': 'patches', 'kind': 'conv2d', 'channels': %d, 'kernel': %d, "
                   "'stride': %d}",
                   v->hidden, v->patch, v->patch);
    dts_family_add(out, "{'name': 'tokens', 'kind': 'sequence'}");
    dts_family_add(out, "{'name': 'class_token', 'kind': 'class_token'}");
    dts_family_add(out,
                   "{'name': 'positions', 'kind': 'positional_embedding', 'positions': %d}",
                   side * side + 1);
    add_drop(v, "drop", out);
}

static void add_block(const struct vit *v, struct dts_text *out)
{
    dts_family_add(out, "{'name': 'h', 'repeat': %d, 'layers': [", v->layers);
    dts_family_add(out, norm, "norm_1");
    dts_family_linear(out, "qkv", NULL, 3 * v->hidden, true);
    dts_family_add(out, "{'name': 'attention', 'kind': 'attention', 'heads': %d, 'fused': %s}",
                   v->heads, v->fused ? "true" : "false");
    dts_family_linear(out, "proj", NULL, v->hidden, true);
    add_drop(v, "drop_1", out);
    dts_family_add(out, "{'name': 'add_1', 'kind': 'add', 'input': ['drop_1', 'entry']}");
    dts_family_add(out, norm, "norm_2");
    dts_family_linear(out, "fc", NULL, v->ffn, true);
    dts_family_add(out, "{'name': 'gelu', 'kind': 'gelu'}");
    add_drop(v, "drop_2", out);
    dts_family_linear(out, "fc_proj", NULL, v->hidden, true);
    add_drop(v, "drop_3", out);
    dts_family_add(out, "{'name': 'add_2', 'kind': 'add', 'input': ['drop_3', 'add_1']}");
    dts_family_end(out);
}

static bool expand(void *self, const struct dts_cfg *at, struct dts_text *out,
                   struct dts_error *err)
{
    struct vit *v = self;
    v->ffn = v->ffn > 0 ? v->ffn : 4 * v->hidden;
    if (!dts_family_divides(at, "heads", v->heads, "hidden", v->hidden, err) ||
        !dts_family_divides(at, "patch", v->patch, "image", v->image, err))
        return false;
    const int side = v->image / v->patch;
    if (!dts_family_fits(at, "ffn", v->ffn, "patches", side * side + 1, err))
        return false;
    add_patches(v, out);
    add_block(v, out);
    dts_family_add(out, norm, "norm");
    dts_family_add(out, "{'name': 'first', 'kind': 'select', 'positions': 1}");
    dts_family_linear(out, "head", NULL, v->classes, true);
    dts_family_add(out, "{'name': 'loss', 'kind': 'softmax_cross_entropy'}");
    dts_text_add(out, "]");
    return true;
}

const struct dts_model_family dts_family_vit = {
    .name = "vit",
    .summary = "Vision Transformer: patches of an image as tokens",
    .fields = fields,
    .size = sizeof(struct vit),
    .expand = expand,
};
