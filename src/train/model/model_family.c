/* model_family.c -- a network by numbers: its family, and the document that comes out. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "train/model/family/family.h"
#include "train/model/model_read.h"

struct keys {
    const char *family, *name, *summary;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct keys, family), .type = DTS_STRING, .choice = dts_family_name,
     .help = "what the numbers are of"},
    {DTS_KEY(struct keys, name), .type = DTS_STRING, .missing = "null",
     .help = "as in scenarios and stacks (default: family and parameters, llama_8.03b)"},
    {DTS_KEY(struct keys, summary), .type = DTS_STRING, .missing = "\"\"",
     .help = "one line for `dtsim list`"},
    {0},
};

bool dts_model_expand(struct dts_model *model, const struct dts_cfg *at,
                      struct dts_doc **expanded, struct dts_error *err)
{
    struct dts_cfg family = dts_cfg_member(at, "family");
    struct keys keys = {NULL};
    struct dts_text text = {0}, place = {0};
    int i;
    if (!dts_cfg_choice(&family, dts_family_name, &i, err))
        return false;
    void *self = dts_alloc(1, dts_families[i]->size);
    dts_text_add(&text, "{\"name\": \"%s\", ", dts_families[i]->name);
    bool good = dts_cfg_read_both(at, fields, &keys, dts_families[i]->fields, self, err) &&
                dts_families[i]->expand(self, at, &text, err);
    if (good) {
        dts_text_add(&text, "}");
        dts_text_add(&place, "%s: as %s makes it", dts_doc_name(at->doc),
                     dts_families[i]->name);
        good = dts_doc_parse(expanded, dts_text_string(&place), dts_text_string(&text), err);
        model->name = keys.name;
        model->summary = keys.summary;
    }
    free(self);
    dts_text_free(&place);
    dts_text_free(&text);
    return good;
}

/* Three digits with the letter that this field counts parameters in. */
void dts_model_name_family(struct dts_model *model, const struct dts_cfg *at)
{
    static const struct {
        double from;
        const char *letter;
    } units[] = {{1e12, "t"}, {1e9, "b"}, {1e6, "m"}, {1e3, "k"}, {1, ""}};
    struct dts_cfg family = dts_cfg_member(at, "family");
    struct dts_error none = {0};
    struct dts_text text = {0};
    int i = 0, u = 0;
    dts_cfg_choice(&family, dts_family_name, &i, &none);
    while (model->parameters < units[u].from && units[u].from > 1)
        u++;
    dts_text_add(&text, "%s_%.3g%s", dts_families[i]->name, model->parameters / units[u].from,
                 units[u].letter);
    model->name = model->own_name = dts_text_take(&text);
}

void dts_model_family_keys(struct dts_keys *keys)
{
    dts_keys_heading(keys, "A network by numbers, in place of input and layers:");
    dts_keys_add(keys, "", fields);
    for (int i = 0; dts_families[i] != NULL; i++) {
        const struct dts_model_family *family = dts_families[i];
        dts_keys_heading(keys, "Family %s: %s", family->name, family->summary);
        dts_keys_case(keys, "", "family", family->name, family->fields);
    }
}
