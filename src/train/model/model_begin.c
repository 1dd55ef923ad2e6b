/* model_begin.c -- how weights begin, where a model file says it: networks of one kind of layer
 * begin in different ways. */
#include <math.h>
#include <string.h>

#include "train/model/model_read.h"

struct keys {
    double normal, uniform;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct keys, normal), .type = DTS_REAL, .min = 1e-9, .max = 100, .missing = "null",
     .help = "normal, of this standard deviation"},
    {DTS_KEY(struct keys, uniform), .type = DTS_REAL, .min = 1e-9, .max = 100,
     .missing = "null", .help = "uniform, up to this on both sides of zero"},
    {0},
};

bool dts_begin_read(struct dts_begin *begin, const struct dts_cfg *at, struct dts_error *err)
{
    const char *word;
    struct keys keys = {0};
    if (!dts_cfg_exists(at))
        return true;
    if (dts_cfg_is_string(at)) {
        if (!dts_cfg_string(at, &word, err))
            return false;
        if (strcmp(word, "fan_in") != 0 && strcmp(word, "glorot") != 0)
            return dts_cfg_fail(
                at, NULL, err, "must be \"fan_in\", \"glorot\" or an object, got \"%s\"", word);
        begin->rule = strcmp(word, "glorot") == 0 ? DTS_BEGIN_GLOROT : DTS_BEGIN_FAN_IN;
        return true;
    }
    if (!dts_cfg_read(at, fields, &keys, err))
        return false;
    if ((keys.normal > 0) == (keys.uniform > 0))
        return dts_cfg_fail(at, NULL, err, "needs one of normal and uniform");
    *begin = keys.normal > 0 ? (struct dts_begin){DTS_BEGIN_NORMAL, keys.normal}
                             : (struct dts_begin){DTS_BEGIN_UNIFORM, keys.uniform};
    return true;
}

/* How far from zero a tensor begins: a limit, or a deviation. */
static double spread_of(const struct dts_begin *begin, const struct dts_param *param)
{
    if (begin->rule == DTS_BEGIN_FAN_IN)
        return 1 / sqrt(param->fan_in);
    if (param->per_channel)
        return 0;
    return begin->rule == DTS_BEGIN_GLOROT ? sqrt(6 / (param->fan_in + param->fan_out))
                                           : begin->spread;
}

void dts_begin_apply(const struct dts_begin *begin, struct dts_layer *layer)
{
    const bool by_fans = begin->rule == DTS_BEGIN_FAN_IN || begin->rule == DTS_BEGIN_GLOROT;
    for (int p = 0; p < layer->param_count && begin->rule != DTS_BEGIN_AS_KIND; p++) {
        struct dts_param *param = &layer->params[p];
        const bool drawn = param->fan_in > 0 || param->spread > 0;
        if (!drawn || (by_fans && param->fan_in == 0))
            continue;
        param->uniform = begin->rule != DTS_BEGIN_NORMAL;
        param->spread = spread_of(begin, param);
    }
}
