/* test_validate.c -- roles, predictors without physics and scores, by hand. */
#include <stdlib.h>
#include <unistd.h>

#include "answer/validate/naive.h"
#include "answer/validate/score.h"
#include "base/mem.h"
#include "check.h"

/* A family of two systems; the scenario is never opened here. */
static const char family[] =
    "{\"summary\": \"made\", \"class\": \"%s\", \"source\": \"nobody\", \"metric\": \"%s\","
    " \"scenario\": {}, \"columns\": [\"system\", \"devices\", \"value\", \"role\"],"
    " \"cases\": [[\"a\", 8, 800, null], [\"a\", 2, 220, null], [\"b\", 4, 4, null],"
    " [\"a\", 32, 2400, null], [\"b\", 512, 9, null], [\"a\", 16, 1, \"calibrated: x\"]]}";

static void read_family(const char *class, const char *metric, struct dts_case_set *set)
{
    char path[] = "/tmp/dtsim-cases-XXXXXX";
    struct dts_error err = {0};
    const int file = mkstemp(path);
    CHECK(file >= 0 && dprintf(file, family, class, metric) > 0);
    close(file);
    const char *words[] = {path};
    CHECK(dts_cases_read(words, 1, set, &err));
    CHECK_STRING(err.text, "");
    unlink(path);
}

static void the_smallest_of_a_system_is_its_anchor(void)
{
    struct dts_case_set set;
    read_family("data_parallel", "throughput_samples_per_s", &set);
    CHECK_INT(set.count, 6);
    CHECK_INT(set.systems, 2);
    static const enum dts_case_role roles[] = {DTS_CASE_PREDICTED, DTS_CASE_ANCHOR,
                                               DTS_CASE_ANCHOR,    DTS_CASE_PREDICTED,
                                               DTS_CASE_PREDICTED, DTS_CASE_CALIBRATED};
    for (int i = 0; i < set.count; i++)
        CHECK_INT(set.cases[i].role, roles[i]);
    CHECK_INT(set.cases[3].system, set.cases[0].system);
    CHECK(set.cases[4].system != set.cases[0].system);
    dts_cases_free(&set);
    read_family("collective", "step_s", &set);
    CHECK_INT(set.cases[1].role, DTS_CASE_PREDICTED); // nothing to level
    dts_cases_free(&set);
}

/* Rates of a device: a 110 (2), 100 (8), 1/16 (16), 75 (32); b 1 (4), 9/512 (512). */
static void naive_predictors_follow_their_formulas(void)
{
    struct dts_case_set set;
    struct dts_judged judged[6];
    memset(judged, 0, sizeof(judged));
    read_family("data_parallel", "throughput_samples_per_s", &set);
    for (int i = 0; i < 6; i++)
        judged[i].batch = 64;
    dts_naive(&set, judged);
    CHECK_CLOSE(judged[0].linear, 110.0 / 100 - 1, 1e-12);
    CHECK_CLOSE(judged[0].nearest, 1.0 / 16 / 100 - 1, 1e-12); // 16 is nearer to 8 than 2 is
    // through 16 (1/16) and then 2 or 32, which are as far: the smaller
    const double p = log(1.0 / 16 / 110) / log(16.0 / 2);
    CHECK_CLOSE(judged[0].power, 110 * pow(8.0 / 2, p) / 100 - 1, 1e-9);
    CHECK_CLOSE(judged[4].linear, 512.0 / 9 - 1, 1e-12);
    CHECK_CLOSE(judged[4].power, 512.0 / 9 - 1, 1e-12); // one other point
    judged[1].batch = 1e9; // far away in batch, though nearest in devices by the smaller
    judged[5].batch = 1e9;
    dts_naive(&set, judged);
    CHECK_CLOSE(judged[0].nearest, 75.0 / 100 - 1, 1e-12);
    for (int i = 0; i < 6; i++) // of another network, whose samples are half the work
        judged[i].sample_flops = i == 0 ? 1e9 : 2e9;
    dts_naive(&set, judged);
    CHECK_CLOSE(judged[0].linear, 2 * 110.0 / 100 - 1, 1e-12);
    dts_cases_free(&set);
}

static void scores_count_predicted_cases_by_size(void)
{
    struct dts_case_set set;
    struct dts_judged judged[6];
    struct dts_class_score scores[DTS_SCORES_MOST];
    read_family("data_parallel", "throughput_samples_per_s", &set);
    for (int i = 0; i < 6; i++) {
        judged[i] = (struct dts_judged){.linear = NAN, .nearest = NAN, .power = 0.5};
        judged[i].error[DTS_KNOWS_ANCHOR] = judged[i].error[DTS_KNOWS_OTHERS] = 9;
    }
    judged[0].error[DTS_KNOWS_ANCHOR] = -0.2;
    judged[3].error[DTS_KNOWS_ANCHOR] = 0.1;
    judged[4].error[DTS_KNOWS_ANCHOR] = 0.4;
    CHECK_INT(dts_scores(&set, judged, scores), 3); // to 32, above, all
    CHECK_INT(scores[0].count, 2);
    CHECK_NEAR(scores[0].by[DTS_BY_ANCHOR].median, 0.15, 1e-12);
    CHECK_NEAR(scores[0].by[DTS_BY_ANCHOR].bias, -0.05, 1e-12);
    CHECK_NEAR(scores[0].by[DTS_BY_ANCHOR].p90, 0.19, 1e-12);
    CHECK(isnan(scores[0].by[DTS_BY_LINEAR].median));
    CHECK_INT(scores[1].band, 2);
    CHECK_INT(scores[1].count, 1);
    CHECK_INT(scores[2].count, 3);
    CHECK_NEAR(scores[2].by[DTS_BY_ANCHOR].median, 0.2, 1e-12);
    CHECK_NEAR(scores[2].by[DTS_BY_POWER].median, 0.5, 1e-12);
    dts_cases_free(&set);
}

TESTS(TEST(the_smallest_of_a_system_is_its_anchor),
      TEST(naive_predictors_follow_their_formulas), TEST(scores_count_predicted_cases_by_size))
