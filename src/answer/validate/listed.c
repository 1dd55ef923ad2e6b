/* listed.c -- cases of a family as scenarios with a reference. */
#include "answer/validate/listed.h"

#include <stdlib.h>
#include <string.h>

#include "answer/open.h"
#include "base/json/json_out.h"
#include "base/json/library.h"

/* The file as it stands. */
struct words {
    const char *summary, *why, *cases;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct words, summary), .type = DTS_STRING, .missing = "null",
     .help = "what is asked, in one line"},
    {DTS_KEY(struct words, why), .type = DTS_STRING, .missing = "null",
     .help = "what the cases show and what to look at"},
    {DTS_KEY(struct words, cases), .type = DTS_STRING,
     .help = "a family of published configurations: a name in validation/, or a file"},
    {0},
};

/* The metric of references that a family's value is; NULL: none. */
static const char *metric_of(const struct dts_family *family)
{
    switch (family->value) {
    case DTS_CASE_THROUGHPUT:
        return "throughput_samples_per_s";
    case DTS_CASE_STEP:
        return "step_s";
    case DTS_CASE_TRAIN:
        return "time_s";
    case DTS_CASE_MEMORY:
    case DTS_CASE_MEMORY_FIRST:
        break;
    }
    return NULL;
}

static bool read(struct dts_listed *listed, struct dts_error *err)
{
    const struct dts_cfg top = dts_doc_top(listed->doc);
    struct words words = {0};
    char *path;
    if (!dts_cfg_read(&top, fields, &words, err) ||
        !dts_library_find_for(&path, "validation", words.cases, &top, "cases", err))
        return false;
    listed->summary = words.summary;
    listed->why = words.why;
    const char *const word = path;
    const bool good = dts_cases_read(&word, 1, &listed->set, err);
    free(path);
    return good && (metric_of(&listed->set.families[0]) != NULL ||
                    dts_cfg_fail(&top, "cases", err,
                                 "%s tells of memory: only `dtsim validate` holds that against "
                                 "predictions",
                                 words.cases));
}

bool dts_listed_open(const char *word, struct dts_listed *listed, struct dts_error *err)
{
    const struct dts_changes none = {0};
    struct dts_error unread = {0};
    *listed = (struct dts_listed){0};
    if (!dts_scenario_open(&none, word, 0, &listed->doc, &unread))
        return true;
    const struct dts_cfg top = dts_doc_top(listed->doc), cases = dts_cfg_member(&top, "cases");
    if (!dts_cfg_exists(&cases)) {
        dts_listed_close(listed);
        return true;
    }
    listed->name = dts_file_name(dts_doc_name(listed->doc));
    if (read(listed, err))
        return true;
    dts_listed_close(listed);
    return false;
}

void dts_listed_close(struct dts_listed *listed)
{
    dts_cases_free(&listed->set);
    free(listed->name);
    dts_doc_free(listed->doc);
    *listed = (struct dts_listed){0};
}

/* What was published of a case, as the value of "references". The caller frees it. */
static char *reference_of(const struct dts_family *family, const struct dts_case *one)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    struct dts_json json = {.out = out};
    dts_json_list(&json, NULL);
    dts_json_object(&json, NULL);
    dts_json_integer(&json, "devices", one->devices);
    dts_json_string(&json, "metric", metric_of(family));
    dts_json_number(&json, "value", one->value);
    dts_json_string(&json, "source",
                    one->note != NULL     ? one->note
                    : one->source != NULL ? one->source
                                          : family->source);
    dts_json_end(&json);
    dts_json_end(&json);
    fclose(out);
    return text;
}

/* A platform is another document, which only `dtsim validate` changes. */
static bool check_columns(const struct dts_case *one, struct dts_error *err)
{
    for (int i = 0; i < one->changes.set_count; i++)
        if (dts_path_is_in(one->changes.sets[i].path, "platform") &&
            strcmp(one->changes.sets[i].path, "platform") != 0)
            return dts_fail(err, DTS_BAD_INPUT, "%s%s: not in a list of cases: name a platform",
                            one->changes.sets[i].by, one->changes.sets[i].path);
    return true;
}

/* The scenario of a case as if a file had it: changes of the command line are told apart. */
static bool document_of(const struct dts_listed *listed, const struct dts_case *one,
                        struct dts_doc **doc, struct dts_error *err)
{
    const struct dts_family *family = &listed->set.families[one->family];
    struct dts_doc *changed;
    if (!check_columns(one, err) ||
        !dts_doc_parse(&changed, dts_doc_name(listed->doc), family->scenario, err))
        return false;
    char *reference = reference_of(family, one), *text = NULL;
    bool good = dts_settings_apply(&one->changes, 0, "", changed, err) &&
                dts_doc_set(changed, "references", reference, NULL, err);
    if (good) {
        const struct dts_cfg top = dts_doc_top(changed);
        text = dts_cfg_json(&top);
        good = dts_doc_parse(doc, dts_doc_name(listed->doc), text, err);
    }
    free(text);
    free(reference);
    dts_doc_free(changed);
    return good;
}

bool dts_listed_scene(const struct dts_listed *listed, int i, const struct dts_changes *changes,
                      int k, struct dts_scene *scene, struct dts_error *err)
{
    const struct dts_case *one = &listed->set.cases[i];
    char swept[sizeof(scene->setting)];
    struct dts_doc *doc;
    *scene = (struct dts_scene){0};
    if (!document_of(listed, one, &doc, err))
        return false;
    if (!dts_settings_apply(changes, k, "", doc, err)) {
        dts_doc_free(doc);
        return false;
    }
    if (!dts_scene_read(changes, doc, k, scene, err))
        return false;
    snprintf(swept, sizeof(swept), "%s", scene->setting);
    snprintf(scene->setting, sizeof(scene->setting), "%.100s%s%.150s",
             one->words[0] != '\0' ? one->words : listed->set.families[one->family].name,
             swept[0] != '\0' ? ", " : "", swept);
    return true;
}

void dts_listed_keys(struct dts_keys *keys)
{
    dts_keys_instead(keys);
    dts_keys_heading(keys, "In place of all that, a list of published configurations that are "
                           "predicted one by one:");
    dts_keys_add(keys, "", fields);
}
