/* test_options.c -- the command line becomes what a person meant, or one clear message. */
#include "check.h"

#include "cli/options.h"

/* Parse a command line of at most 12 words. */
static bool parse(struct dts_options *options, struct dts_error *err, char **words)
{
    char *argv[16] = {"dtsim"};
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++)
        argv[argc] = words[argc - 1];
    *err = (struct dts_error){0};
    return dts_options_parse(options, argc, argv, err);
}

#define WORDS(...) ((char *[]){__VA_ARGS__, NULL})

static void options_and_files_come_in_any_order(void)
{
    struct dts_options options;
    struct dts_error err;
    CHECK(parse(&options, &err,
                WORDS("--seed", "7", "a.json", "--engine=fluid", "b.json", "-f", "csv")));
    CHECK_INT(options.word_count, 2);
    CHECK_STRING(options.words[0], "a.json");
    CHECK_STRING(options.words[1], "b.json");
    CHECK_STRING(options.changes.engine, "fluid");
    CHECK_STRING(options.format->name, "csv");
    CHECK_STRING(options.changes.seed, "7");
    CHECK_STRING(options.output, "-");
    dts_options_free(&options);
}

static void a_letter_may_have_its_value_behind_it(void)
{
    struct dts_options options;
    struct dts_error err;
    CHECK(parse(&options, &err, WORDS("-j3", "a.json", "-fcsv", "-sa=b=c")));
    CHECK_INT(options.jobs, 3);
    CHECK_INT(options.word_count, 1);
    CHECK_STRING(options.format->name, "csv");
    CHECK_INT(options.changes.set_count, 1);
    CHECK_STRING(options.changes.sets[0].value, "b=c");
    dts_options_free(&options);
    CHECK(!parse(&options, &err, WORDS("-jx")));
    CHECK_STRING(err.text, "--jobs: must be a whole number from 1 to 1024, got \"x\"");
    dts_options_free(&options);
}

static void words_after_two_dashes_are_no_options(void)
{
    struct dts_options options;
    struct dts_error err;
    CHECK(parse(&options, &err, WORDS("--", "--engine")));
    CHECK_INT(options.word_count, 1);
    CHECK(options.changes.engine == NULL);
    dts_options_free(&options);
}

static void a_sweep_cuts_at_commas_outside_brackets_and_quotes(void)
{
    struct dts_options options;
    struct dts_error err;
    CHECK(parse(&options, &err, WORDS("-w", "devices=[8,16],\"a,b\",{\"c\": [1,2]},4")));
    CHECK_INT(options.changes.sweep_count, 1);
    CHECK_INT(options.changes.sweeps[0].count, 4);
    CHECK_STRING(options.changes.sweeps[0].values[0], "[8,16]");
    CHECK_STRING(options.changes.sweeps[0].values[1], "\"a,b\"");
    CHECK_STRING(options.changes.sweeps[0].values[2], "{\"c\": [1,2]}");
    CHECK_STRING(options.changes.sweeps[0].values[3], "4");
    dts_options_free(&options);
}

static void a_sweep_asks_for_nothing_twice(void)
{
    struct dts_options options;
    struct dts_error err;
    CHECK(!parse(&options, &err, WORDS("--sweep", "a=1,2,1")));
    CHECK_STRING(err.text, "--sweep: a: 1 is there twice");
    CHECK(!parse(&options, &err, WORDS("--sweep", "a=1e9,1000000000")));
    CHECK_STRING(err.text, "--sweep: a: 1000000000 is there twice");
    CHECK(!parse(&options, &err, WORDS("--sweep", "a=nan,x,1,y,1.0,x,nan"))); // the first
    CHECK_STRING(err.text, "--sweep: a: 1.0 is there twice");
    CHECK(!parse(&options, &err, WORDS("--sweep", "a=nan,2,nan")));
    CHECK_STRING(err.text, "--sweep: a: nan is there twice");
    CHECK(!parse(&options, &err, WORDS("--sweep", "a=1,2", "--sweep", "a=3")));
    CHECK_STRING(err.text, "--sweep: a is there twice");
    CHECK(parse(&options, &err, WORDS("--sweep", "a=1,1x,[1],\"1\"", "--sweep", "aa=1")));
    dts_options_free(&options);
}

static void sweeps_combine_with_the_last_fastest(void)
{
    static const char *const want[] = {"a=1, b=x", "a=1, b=y", "a=1, b=z",
                                       "a=2, b=x", "a=2, b=y", "a=2, b=z"};
    static const char *const last[] = {"x", "y", "z"};
    struct dts_options options;
    struct dts_error err;
    CHECK(parse(&options, &err, WORDS("-w", "a=1,2", "-s", "c=3", "--sweep", "b=x,y,z")));
    CHECK_INT(dts_changes_combinations(&options.changes), 6);
    CHECK_INT(dts_changes_setting_count(&options.changes), 3);
    for (int k = 0; k < 6; k++) {
        char text[64];
        struct dts_setting settings[3];
        dts_changes_sweep_text(&options.changes, k, text, sizeof(text));
        CHECK_STRING(text, want[k]);
        CHECK_INT(dts_changes_settings(&options.changes, k, settings), 3);
        CHECK_STRING(settings[0].path, "c"); // --set before --sweep
        CHECK_STRING(settings[1].path, "a");
        CHECK_STRING(settings[2].value, last[k % 3]);
    }
    dts_options_free(&options);
}

static void without_a_sweep_there_is_one_combination(void)
{
    struct dts_options options;
    struct dts_error err;
    char text[16];
    CHECK(parse(&options, &err, WORDS("a.json")));
    CHECK_INT(dts_changes_combinations(&options.changes), 1);
    dts_changes_sweep_text(&options.changes, 0, text, sizeof(text));
    CHECK_STRING(text, "");
    dts_options_free(&options);
}

static void engine_and_seed_are_settings_that_set_can_override(void)
{
    struct dts_options options;
    struct dts_error err;
    struct dts_setting settings[3];
    CHECK(parse(&options, &err, WORDS("-s", "seed=3", "--engine", "fluid", "--seed", "2")));
    CHECK_INT(dts_changes_settings(&options.changes, 0, settings), 3);
    CHECK_STRING(settings[0].path, "engine");
    CHECK_STRING(settings[1].value, "2");
    CHECK_STRING(settings[2].value, "3");
    dts_options_free(&options);
}

static void what_is_wrong_is_said_in_one_line(void)
{
    static const struct {
        char *words[4];
        const char *text;
    } cases[] = {
        {{"--engin", "x"}, "no option \"--engin\" (did you mean --engine?)"},
        {{"-q"}, "no option \"-q\""},
        {{"--engine"}, "--engine: needs a value, ENGINE"},
        {{"--engine", "exat"}, "no engine \"exat\" (did you mean exact?)"},
        {{"--format", "jsn"}, "no format \"jsn\" (did you mean json?)"},
        {{"--set", "seed"}, "--set: must be PATH=VALUE, got \"seed\""},
        {{"--set", "=1"}, "--set: must be PATH=VALUE, got \"=1\""},
        {{"--sweep", "a="}, "--sweep: must be PATH=VALUE,VALUE,..., got \"a=\""},
        {{"--sweep", "a=1,,2"}, "--sweep: empty value in \"a=1,,2\""},
        {{"--seed", "-1"}, "--seed: must be a whole number from 0 to 2147483647, got \"-1\""},
        {{"--seed", "1.5"}, "--seed: must be a whole number from 0 to 2147483647, got \"1.5\""},
        {{"--jobs=0"}, "--jobs: must be a whole number from 1 to 1024, got \"0\""},
        {{"--live=yes"}, "--live: takes no value"},
        {{"--output", ""}, "--output: must name a file"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_options options;
        struct dts_error err;
        CHECK(!parse(&options, &err, (char **)cases[i].words));
        CHECK_INT(err.cause, DTS_BAD_INPUT);
        CHECK(strncmp(err.text, cases[i].text, strlen(cases[i].text)) == 0 ||
              (printf("got: %s\n", err.text), false));
    }
}

static void too_many_combinations_are_refused(void)
{
    struct dts_options options;
    struct dts_error err;
    char a[512] = "a=0", b[512] = "b=0";
    for (int i = 1; i < 101; i++) {
        snprintf(a + strlen(a), sizeof(a) - strlen(a), ",%d", i);
        snprintf(b + strlen(b), sizeof(b) - strlen(b), ",%d", i);
    }
    CHECK(!parse(&options, &err, WORDS("-w", a, "-w", b)));
    CHECK_STRING(err.text, "--sweep: must have <= 10000 combinations in all, got 10201");
}

static void new_platform_has_options_of_its_own(void)
{
    struct dts_options options;
    struct dts_error err;
    CHECK(
        parse(&options, &err, WORDS("new", "platform", "x", "--nodes", "4", "--nic-gbit=100")));
    CHECK_INT(options.answer_count, 2);
    CHECK_STRING(options.answers[1].path, "nic-gbit");
    CHECK_STRING(options.answers[1].value, "100");
    dts_options_free(&options);
    CHECK(!parse(&options, &err, WORDS("list", "--nodes", "4")));
}

TESTS(TEST(options_and_files_come_in_any_order), TEST(a_letter_may_have_its_value_behind_it),
      TEST(words_after_two_dashes_are_no_options),
      TEST(a_sweep_cuts_at_commas_outside_brackets_and_quotes),
      TEST(a_sweep_asks_for_nothing_twice), TEST(sweeps_combine_with_the_last_fastest),
      TEST(without_a_sweep_there_is_one_combination),
      TEST(engine_and_seed_are_settings_that_set_can_override),
      TEST(what_is_wrong_is_said_in_one_line), TEST(too_many_combinations_are_refused),
      TEST(new_platform_has_options_of_its_own))
