/* question.c -- the question as a line and as JSON. */
#include "cli/print/question.h"

#include <inttypes.h>

#include "answer/changes.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/print/text_notes.h"

enum { SHOWN = 200 }; // bytes of one change in the text

/* The i-th change, "devices=[8,256]"; false beyond the last. Those of sweeps have all values.
 */
static bool change(const struct dts_changes *changes, int i, struct dts_text *text)
{
    if (changes == NULL)
        return false;
    const char *const own[] = {changes->engine, changes->seed};
    static const char *const names[] = {"engine", "seed"};
    for (int o = 0; o < 2; o++) {
        if (own[o] != NULL && i == 0) {
            dts_text_add(text, "%s=%s", names[o], own[o]);
            return true;
        }
        i -= own[o] != NULL;
    }
    if (i >= changes->set_count + changes->sweep_count)
        return false;
    if (i < changes->set_count) {
        dts_text_add(text, "%s=%s", changes->sets[i].path, changes->sets[i].value);
        return true;
    }
    const struct dts_sweep *sweep = &changes->sweeps[i - changes->set_count];
    dts_text_add(text, "%s=", sweep->path);
    for (int v = 0; v < sweep->count; v++)
        dts_text_add(text, "%s%s", v > 0 ? "," : "", sweep->values[v]);
    return true;
}

static void hash_word(const struct dts_report *report, char word[20])
{
    snprintf(word, 20, "%016" PRIx64, report->hash);
}

void dts_question_text(const struct dts_report *report, FILE *out)
{
    struct dts_text words = {0}, one = {0};
    char hash[20];
    hash_word(report, hash);
    dts_text_add(&words, "dtsim %s, seed %" PRIu64 ", hash %s", dts_version(), report->seed,
                 hash);
    for (int i = 0; change(report->changes, i, &one); i++) {
        dts_text_add(&words, "%s ", i == 0 ? "; changed:" : ",");
        dts_text_add_cut(&words, one.chars, SHOWN);
        dts_text_free(&one);
    }
    dts_text_paragraph(out, "  ", 2, dts_text_string(&words));
    dts_text_free(&words);
}

void dts_question_json(const struct dts_report *report, struct dts_json *json)
{
    struct dts_text one = {0};
    char hash[20];
    hash_word(report, hash);
    dts_json_string(json, "dtsim", dts_version());
    dts_json_object(json, "question");
    dts_json_list_flat(json, "changed");
    for (int i = 0; change(report->changes, i, &one); i++) {
        dts_json_string(json, NULL, one.chars);
        dts_text_free(&one);
    }
    dts_json_end(json);
    dts_json_integer(json, "seed", (long long)report->seed);
    dts_json_string(json, "hash", hash);
    dts_json_end(json);
}
