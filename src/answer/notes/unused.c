/* unused.c -- a table of keys and of what they need. */
#include "answer/notes/unused.h"

#include <stdio.h>
#include <string.h>

/* A key, and what it needs: another key, with this word where there is one. */
static const struct need {
    const char *key, *needs;
    const char *word;      // or words with "|" between
    const char *otherwise; // the word where none is said
} table[] = {
    {"live.epochs", "live.compute", "kernels", "timed"},
    {"live.data", "live.compute", "kernels", "timed"},
    {"live.learning_rate", "live.compute", "kernels", "timed"},
    {"live.loss_scale", "live.compute", "kernels", "timed"},
    {"live.schedule", "live.compute", "kernels", "timed"},
    {"live.scaling", "live.compute", "kernels", "timed"},
    {"live.checkpoint", "live.compute", "kernels", "timed"},
    {"live.mllog", "live.compute", "kernels", "timed"},
    {"live.noise_scale", "live.compute", "kernels", "timed"},
    {"live.weights", "live.compute", "kernels", "timed"},
    {"live.threads", "live.compute", "kernels", "timed"},
    {"live.device", "live.compute", "kernels", "timed"},
    {"live.device_messages", "live.compute", "kernels", "timed"},
    {"live.data.folder", "live.data.format", "idx", "made"},
    {"live.schedule.warm_up", "live.schedule.warm_up_epochs", NULL, NULL},
    {"live.schedule.warm_up_from", "live.schedule.warm_up_epochs", NULL, NULL},
    {"live.schedule.every_epochs", "live.schedule.kind", "step|exponential", "constant"},
    {"live.schedule.factor", "live.schedule.kind", "step|exponential", "constant"},
    {"live.schedule.power", "live.schedule.kind", "polynomial", "constant"},
    {"live.schedule.end", "live.schedule.kind", "polynomial", "constant"},
    {"live.checkpoint.every_steps", "live.checkpoint.file", NULL, NULL},
    {"live.checkpoint.every_epochs", "live.checkpoint.file", NULL, NULL},
};

/* Of predictions alone. */
static const char *const predicted[] = {"training.target", "training.phases", "neighbours"};

/* Does the command line say the key, or what holds it? */
static bool is_set(const struct dts_changes *changes, const char *key)
{
    for (int i = 0; i < changes->set_count; i++)
        if (dts_path_is_in(changes->sets[i].path, key) ||
            dts_path_is_in(key, changes->sets[i].path))
            return true;
    return false;
}

/* An object without keys says nothing. */
static bool says(struct dts_doc *doc, const char *key)
{
    const struct dts_cfg at = dts_settings_at(doc, key);
    return dts_cfg_exists(&at) && (!dts_cfg_is_object(&at) || dts_cfg_key_count(&at) > 0);
}

/* The word that stands there; NULL: something else, or nothing. */
static const char *word_of(struct dts_doc *doc, const struct need *need)
{
    struct dts_error ignored = {0};
    const struct dts_cfg at = dts_settings_at(doc, need->needs);
    const char *word = NULL;
    if (!dts_cfg_exists(&at))
        return need->otherwise;
    if (dts_cfg_is_string(&at))
        dts_cfg_string(&at, &word, &ignored);
    return word;
}

/* Is the word among those of a list with "|" between? */
static bool among(const char *word, const char *list)
{
    const size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, word, length) == 0 && (at[length] == '|' || at[length] == '\0'))
            return true;
    }
    return false;
}

static bool is_met(struct dts_doc *doc, const struct need *need, const char *word)
{
    const struct dts_cfg at = dts_settings_at(doc, need->needs);
    return need->word == NULL ? dts_cfg_exists(&at) : word != NULL && among(word, need->word);
}

static bool refuse(const struct need *need, const char *word, const struct dts_doc *doc,
                   struct dts_error *err)
{
    if (need->word == NULL)
        return dts_doc_fail(doc, need->key, DTS_BAD_INPUT, err, "has no effect without %s",
                            need->needs);
    const int first = (int)strcspn(need->word, "|"); // of two at the most
    const char *second = need->word + first;
    return dts_doc_fail(doc, need->key, DTS_BAD_INPUT, err,
                        "has no effect where %s is %s: it needs %.*s%s%s", need->needs, word,
                        first, need->word, *second != '\0' ? " or " : "",
                        *second != '\0' ? second + 1 : "");
}

/* A live run is as long as "live" says. */
static bool check_predicted(struct dts_doc *doc, struct dts_error *err)
{
    for (size_t i = 0; i < sizeof(predicted) / sizeof(predicted[0]); i++)
        if (says(doc, predicted[i]))
            return dts_doc_fail(doc, predicted[i], DTS_BAD_INPUT, err,
                                "has no effect on a live run, which is as long as live says "
                                "and alone: only predictions have it");
    return true;
}

bool dts_unused_check(const struct dts_changes *changes, struct dts_doc *doc,
                      struct dts_text *note, struct dts_error *err)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const struct need *need = &table[i];
        const char *word = word_of(doc, need);
        const bool met = is_met(doc, need, word);
        // another word than there are is refused where it is read
        if (met || !says(doc, need->key) || (need->word != NULL && word == NULL))
            continue;
        if (changes->live && (is_set(changes, need->key) || !is_set(changes, need->needs)))
            return refuse(need, word, doc, err);
        dts_text_add(note, "%s%s", note->length > 0 ? ", " : "", need->key);
    }
    return !changes->live || check_predicted(doc, err);
}

void dts_unused_tell(const char *file, const struct dts_text *note)
{
    struct dts_text shown = {0};
    if (note->length == 0)
        return;
    dts_text_add_line(&shown, file);
    fprintf(stderr, "dtsim: note: %s: not used: %s\n", dts_text_string(&shown), note->chars);
    dts_text_free(&shown);
}
