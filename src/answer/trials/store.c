/* store.c -- the file of runs that are over. */
#include "answer/trials/store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/os/file.h"
#include "base/version.h"

static int order(const struct dts_target_run *a, const struct dts_target_run *b)
{
    if (a->batch != b->batch)
        return a->batch < b->batch ? -1 : 1;
    if (a->rate < b->rate || a->rate > b->rate)
        return a->rate < b->rate ? -1 : 1;
    return a->seed < b->seed ? -1 : a->seed > b->seed;
}

/* In its place: the file does not depend on which run ended first. */
static void insert(struct dts_target_store *s, const struct dts_target_kept *kept)
{
    s->kept = dts_grow(s->kept, &s->room, s->count + 1, sizeof(*s->kept));
    size_t at = s->count++;
    for (; at > 0 && order(&kept->run, &s->kept[at - 1].run) < 0; at--)
        s->kept[at] = s->kept[at - 1];
    s->kept[at] = *kept;
}

static bool read_runs(struct dts_target_store *s, const struct dts_cfg *top,
                      struct dts_error *err)
{
    const struct dts_cfg list = dts_cfg_member(top, "runs");
    bool good = true;
    for (size_t i = 0; good && i < dts_cfg_length(&list); i++) {
        const struct dts_cfg item = dts_cfg_item(&list, i), run = dts_cfg_member(&item, "run"),
                             end = dts_cfg_member(&item, "end");
        struct dts_target_kept kept;
        good = dts_target_run_read(&run, &kept.run, err) &&
               dts_target_end_read(&end, &kept.end, err);
        if (good)
            insert(s, &kept);
    }
    return good;
}

static bool read_file(struct dts_target_store *s, struct dts_doc *doc, struct dts_error *err)
{
    const struct dts_cfg top = dts_doc_top(doc), identity = dts_cfg_member(&top, "identity");
    const char *word;
    if (!dts_cfg_string(&identity, &word, err))
        return false;
    return strcmp(word, s->identity) == 0
               ? read_runs(s, &top, err)
               : dts_fail(err, DTS_BAD_INPUT,
                          "%s: has the runs of another scenario or version: remove it, or "
                          "write elsewhere",
                          s->path);
}

bool dts_target_store_open(struct dts_target_store *s, const char *path, uint64_t hash,
                           struct dts_error *err)
{
    struct dts_doc *doc;
    *s = (struct dts_target_store){.path = dts_copy(path)};
    hash = dts_hash_bytes(hash, dts_version(), strlen(dts_version()));
    snprintf(s->identity, sizeof(s->identity), "%016" PRIx64, hash);
    if (access(path, F_OK) != 0)
        return true;
    if (!dts_doc_load(&doc, path, err))
        return false;
    const bool good = read_file(s, doc, err);
    dts_doc_free(doc);
    return good;
}

void dts_target_store_close(struct dts_target_store *s)
{
    free(s->path);
    free(s->kept);
    *s = (struct dts_target_store){0};
}

const struct dts_target_end *dts_target_store_find(const struct dts_target_store *s,
                                                   const struct dts_target_run *run)
{
    for (size_t i = 0; i < s->count; i++)
        if (dts_target_run_same(&s->kept[i].run, run))
            return &s->kept[i].end;
    return NULL;
}

static bool write_file(const struct dts_target_store *s, struct dts_error *err)
{
    struct dts_output out;
    if (!dts_output_open(&out, s->path, err))
        return false;
    struct dts_json json = {.out = out.stream, .lines = 2};
    dts_json_object(&json, NULL);
    dts_json_string(&json, "identity", s->identity);
    dts_json_list(&json, "runs");
    for (size_t i = 0; i < s->count; i++) {
        dts_json_object(&json, NULL);
        dts_target_run_print(&s->kept[i].run, "run", &json);
        dts_target_end_print(&s->kept[i].end, "end", &json);
        dts_json_end(&json);
    }
    dts_json_end(&json);
    dts_json_end(&json);
    return dts_output_close(&out, err);
}

bool dts_target_store_add(struct dts_target_store *s, const struct dts_target_kept *kept,
                          struct dts_error *err)
{
    insert(s, kept);
    return write_file(s, err);
}
