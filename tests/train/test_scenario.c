/* test_scenario.c -- what a scenario file may say, and what it hears when it is wrong. */
#include <stdlib.h>

#include "base/json/library.h"
#include "check.h"
#include "plan/coll/coll.h"
#include "train/scenario/scenario.h"
#include "train/strategy/strategy.h"

static const char text[] =
    "{\"summary\": \"a test\", \"model\": \"resnet50\", \"platform\": \"big_basin\","
    " \"stack\": \"caffe2_gloo\", \"dataset\": {\"name\": \"imagenet\", \"samples\": 1281167},"
    " \"devices\": [8, 16], \"batch\": {\"per_device\": 32},"
    " \"strategies\": [{\"kind\": \"allreduce\", \"algorithm\": \"ring\"}, {\"kind\": \"ps\"}],"
    " \"references\": [{\"strategy\": \"ring\", \"devices\": 8, \"metric\": \"step_s\","
    "                   \"value\": 0.25, \"source\": \"a test\"}]}";

/* The scenario above with one value changed. */
static bool read_changed(struct dts_scenario *scenario, const char *path, const char *value,
                         struct dts_error *err)
{
    struct dts_doc *doc;
    if (!dts_doc_parse(&doc, "dir/test.json", text, err))
        return false;
    if (path == NULL || dts_doc_set(doc, path, value, NULL, err))
        return dts_scenario_read(scenario, doc, err);
    dts_doc_free(doc);
    return false;
}

static void a_scenario_is_read_with_its_defaults(void)
{
    struct dts_scenario s;
    struct dts_error err = {0};
    bool ok = read_changed(&s, NULL, NULL, &err);
    CHECK_STRING(err.text, "");
    if (!ok)
        return;
    CHECK_STRING(s.name, "test");
    CHECK_STRING(s.engine, "auto");
    CHECK(!s.steps_given); // though reading fills it in
    CHECK_STRING(s.placing.kind, "linear");
    CHECK_STRING(s.optimizer->name, "momentum");
    CHECK_INT(s.precision, DTS_FP32);
    CHECK_INT(s.device_count, 2);
    CHECK_INT(s.devices[1], 16);
    CHECK_INT(s.batch_per_device, 32);
    CHECK_INT(s.batch_global, 0);
    CHECK_INT(s.accumulate, 1);
    CHECK_INT(s.steps, 4);
    CHECK(s.noise);
    CHECK_INT(s.strategy_count, 2);
    CHECK_STRING(s.strategies[0].name, "ring");
    CHECK_STRING(s.strategies[1].name, "ps");
    CHECK_INT(s.reference_count, 1);
    CHECK_NEAR(s.references[0].value, 0.25, 0);
    CHECK(s.training.epochs == 0);
    CHECK_INT(s.neighbour_count, 0);
    CHECK_INT(s.model.layer_count > 50, 1);
    dts_scenario_free(&s);
    CHECK(s.model.layers == NULL && s.doc == NULL);
}

static void steps_that_are_given_are_known_as_such(void)
{
    struct dts_scenario s;
    struct dts_error err = {0};
    if (!CHECK(read_changed(&s, "steps", "4", &err)))
        return;
    CHECK_INT(s.steps, 4);
    CHECK(s.steps_given);
    dts_scenario_free(&s);
}

static void one_number_of_devices_is_a_list_of_one(void)
{
    struct dts_scenario s;
    struct dts_error err = {0};
    if (!CHECK(read_changed(&s, "devices", "64", &err)))
        return;
    CHECK_INT(s.device_count, 1);
    CHECK_INT(s.devices[0], 64);
    dts_scenario_free(&s);
}

static void strategies_are_named_by_what_they_are(void)
{
    static const struct {
        const char *value, *name;
    } cases[] = {
        {"{\"kind\": \"allreduce\", \"algorithm\": \"halving_doubling\"}", "halving_doubling"},
        {"{\"kind\": \"ps\", \"servers\": 4}", "ps_4"},
        {"{\"kind\": \"ps\", \"servers\": 4, \"placement\": \"dedicated\"}", "ps_4_dedicated"},
        {"{\"kind\": \"ps\", \"name\": \"mine\"}", "mine"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_scenario s;
        struct dts_error err = {0};
        bool ok = read_changed(&s, "strategies[1]", cases[i].value, &err);
        CHECK_STRING(err.text, "");
        if (!ok)
            continue;
        CHECK_STRING(s.strategies[1].name, cases[i].name);
        dts_scenario_free(&s);
    }
}

/* All that sum; others are refused where they are named. */
static void every_collective_can_be_a_strategy(void)
{
    for (int i = 0; dts_coll_name(i) != NULL; i++) {
        const bool sums = dts_coll_lacks(dts_colls[i], DTS_ALLREDUCE) == NULL;
        char value[128], why[128] = "";
        snprintf(value, sizeof(value),
                 "{\"kind\": \"allreduce\", \"name\": \"x\", \"algorithm\": \"%s\"}",
                 dts_coll_name(i));
        if (!sums)
            snprintf(why, sizeof(why), "strategies[1].algorithm: %s does no all-reduce",
                     dts_coll_name(i));
        struct dts_scenario s;
        struct dts_error err = {0};
        bool ok = read_changed(&s, "strategies[1]", value, &err);
        CHECK(ok == sums);
        CHECK(strstr(err.text, why) != NULL);
        if (ok)
            dts_scenario_free(&s);
    }
}

static void wrong_input_is_refused_in_one_line_with_its_path(void)
{
    static const struct {
        const char *path, *value, *want; // want: how the message begins, after the file
    } cases[] = {
        {"sumary", "1", "sumary: unknown key"},
        {"summary", "1", "summary: must be"},
        {"model", "resnet5", "model: no model \"resnet5\""},
        {"stack", "cafe2", "stack: no stack \"cafe2\""},
        {"precision", "fp31", "precision: must be one of"},
        {"optimizer", "momentun", "optimizer: must be one of"},
        {"devices", "0", "devices: must be >= 1"},
        {"devices", "[]", "devices: must name at least one"},
        {"devices", "[8, 0]", "devices[1]: must be >= 1"},
        {"devices", "[8, 16, 8]", "devices[2]: 8 is there twice"},
        {"devices", "\"many\"", "devices: must be a whole number or a list"},
        {"devices", "[8, 2000000]", "devices[1]: must be <= 1000000"},
        {"batch", "{}", "batch: needs per_device or global"},
        {"batch.global", "64", "batch: has both per_device and global"},
        {"batch.per_device", "0", "batch.per_device: must be >= 1"},
        {"batch.per_device", "2.5", "batch.per_device: must be a whole number"},
        {"batch.accumulate", "0", "batch.accumulate: must be >= 1"},
        {"dataset.samples", "0", "dataset.samples: must be >= 1"},
        {"dataset.sample_bytes", "-1", "dataset.sample_bytes: must be >= 0"},
        {"dataset.encoding", "png", "dataset.encoding: must be one of raw, jpeg"},
        {"dataset.encoding", "jpeg", "dataset.encoding: has no effect without sample_bytes"},
        {"placement", "{\"kind\": \"listed\"}", "placement.nodes: missing"},
        {"placement", "{\"nodes\": [1]}", "placement.nodes: only placement \"listed\""},
        {"placement", "{\"kind\": \"listed\", \"nodes\": [0, -1]}",
         "placement.nodes[1]: must be >= 0"},
        {"strategies", "[]", "strategies: must be a list of at least one"},
        {"strategies", "8", "strategies: must be a list of at least one"},
        {"strategies[0]", "8", "strategies[0]: must be an object"},
        {"strategies[0]", "{}", "strategies[0].kind: missing"},
        {"strategies[0].kind", "alreduce", "strategies[0].kind: must be one of"},
        {"strategies[0].algorithm", "rign", "strategies[0].algorithm: must be one of"},
        {"strategies[0].servers", "4", "strategies[0].servers: unknown key"},
        {"strategies[0].shards", "2", "strategies[0].shards: only \"hierarchical\" has it"},
        {"strategies[0].between", "ring", "strategies[0].between: only \"hierarchical\""},
        {"strategies[0]",
         "{\"kind\": \"allreduce\", \"algorithm\": \"hierarchical\", \"between\": "
         "\"hierarchical\"}",
         "strategies[0].between: must not be \"hierarchical\""},
        {"strategies[0].bucket_bytes", "-1", "strategies[0].bucket_bytes: must be >= 0"},
        {"strategies[0].overlap", "1", "strategies[0].overlap: must be"},
        {"strategies[0].name", "\"\"", "strategies[0].name: must not be empty"},
        {"strategies[1].name", "ring",
         "strategies[1].name: \"ring\" is the name of strategies[0], too"},
        {"strategies[1].servers", "-1", "strategies[1].servers: must be >= 0"},
        {"strategies[1].placement", "there", "strategies[1].placement: must be one of"},
        {"strategies[1].shard", "odd", "strategies[1].shard: must be one of"},
        {"strategies[1].within", "hierarchical", "strategies[1].within: a node has no levels"},
        {"training", "{\"epochs\": 0}", "training.epochs: must be >= "},
        {"references", "8", "references: must be a list"},
        {"references[0].strategy", "rong", "references[0].strategy: no strategy is called"},
        {"references[0].value", "0", "references[0].value: must be >= "},
        {"references[0].units", "s", "references[0].units: unknown key"},
        {"steps", "1", "steps: must be >= 2"},
        {"noise", "\"no\"", "noise: must be"},
        {"seed", "-1", "seed: must be >= 0"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_scenario s;
        struct dts_error err = {0};
        char want[256];
        snprintf(want, sizeof(want), "dir/test.json: %s", cases[i].want);
        bool ok = read_changed(&s, cases[i].path, cases[i].value, &err);
        CHECK(!ok);
        CHECK_INT(err.cause, DTS_BAD_INPUT);
        CHECK(strchr(err.text, '\n') == NULL);
        if (!CHECK(strncmp(err.text, want, strlen(want)) == 0))
            printf("%s = %s: got \"%s\"\n", cases[i].path, cases[i].value, err.text);
        if (ok)
            dts_scenario_free(&s);
    }
}

static void a_missing_key_is_named_with_its_meaning(void)
{
    static const char *const keys[] = {"model",   "platform", "stack",
                                       "devices", "batch",    "strategies"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        struct dts_scenario s;
        struct dts_error err = {0};
        char other[64], want[64];
        char *changed = malloc(sizeof(text));
        memcpy(changed, text, sizeof(text));
        snprintf(other, sizeof(other), "\"%s\":", keys[i]);
        memcpy(strstr(changed, other), "\"//", 3); // a comment now
        struct dts_doc *doc;
        CHECK(dts_doc_parse(&doc, "test", changed, &err));
        CHECK(!dts_scenario_read(&s, doc, &err));
        snprintf(want, sizeof(want), "test: %s: missing (", keys[i]);
        if (!CHECK(strncmp(err.text, want, strlen(want)) == 0))
            printf("%s\n", err.text);
        free(changed);
    }
}

static const char *colour(int i)
{
    return i == 0 ? "auto" : NULL;
}

static const char *shape(int i)
{
    return i == 0 ? "round" : NULL;
}

static void words_that_others_know_are_checked_at_their_place(void)
{
    struct dts_scenario s;
    struct dts_error err = {0};
    if (!read_changed(&s, NULL, NULL, &err)) {
        CHECK_STRING(err.text, "");
        return;
    }
    CHECK(dts_scenario_word(&s, NULL, "engine", colour, &err));
    CHECK(!dts_scenario_word(&s, "placement", "kind", shape, &err));
    CHECK(strstr(err.text, "dir/test.json: placement.kind: must be ") == err.text);
    dts_scenario_free(&s);
}

static void every_scenario_of_the_library_is_right(void)
{
    char **names = dts_library_names("scenarios");
    for (int i = 0; names[i] != NULL; i++) {
        char *path = NULL;
        struct dts_doc *doc;
        struct dts_scenario s;
        struct dts_error err = {0};
        bool ok = dts_library_find(&path, "scenarios", names[i], NULL, &err) &&
                  dts_doc_load(&doc, path, &err) && dts_scenario_read(&s, doc, &err);
        if (!ok && strcmp(names[i], "imagenet_records") == 0) // a list: test_listed.c
            CHECK(strstr(err.text, ": cases: a list of cases can be predicted") != NULL);
        else
            CHECK_STRING(err.text, "");
        if (ok) {
            CHECK_STRING(s.name, names[i]);
            CHECK(s.why != NULL);
            dts_scenario_free(&s);
        }
        free(path);
        free(names[i]);
    }
    free(names);
}

/* Alike is who differs in place and start alone. */
static void neighbours_are_alike_or_not(void)
{
    static const char list[] =
        "[{}, {\"count\": 3, \"start_s\": 2, \"apart_s\": 1, \"placement\": {}, \"name\": "
        "\"x\"}, "
        "{\"model\": \"alexnet\"}, {\"devices\": 8}, {\"strategy\": {\"kind\": \"ps\"}}, "
        "{\"batch\": {\"per_device\": 1}}, {\"stack\": \"none\"}, {\"precision\": \"fp16\"}, "
        "{\"optimizer\": \"adam\"}]";
    struct dts_scenario s;
    struct dts_error err = {0};
    const bool ok = read_changed(&s, "neighbours", list, &err);
    CHECK_STRING(err.text, "");
    if (!ok)
        return;
    CHECK_INT(s.neighbour_count, 9);
    for (int i = 0; i < s.neighbour_count; i++)
        CHECK_INT(dts_beside_alike(&s.neighbours[i]), i < 2);
    CHECK_INT(s.neighbours[0].count, 1);
    CHECK_INT(s.neighbours[0].devices, 0);
    CHECK_INT(s.neighbours[1].count, 3);
    CHECK(s.neighbours[1].start_s == 2 && s.neighbours[1].apart_s == 1);
    dts_scenario_free(&s);
}

TESTS(TEST(a_scenario_is_read_with_its_defaults), TEST(steps_that_are_given_are_known_as_such),
      TEST(one_number_of_devices_is_a_list_of_one), TEST(strategies_are_named_by_what_they_are),
      TEST(every_collective_can_be_a_strategy),
      TEST(wrong_input_is_refused_in_one_line_with_its_path),
      TEST(a_missing_key_is_named_with_its_meaning),
      TEST(words_that_others_know_are_checked_at_their_place),
      TEST(neighbours_are_alike_or_not), TEST(every_scenario_of_the_library_is_right))
