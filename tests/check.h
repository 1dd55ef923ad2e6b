/* check.h -- the test framework. A test file lists its tests:
 *
 *     static void medians_ignore_one_spike(void) { CHECK_NEAR(dts_median(...), 2.0, 0); }
 *     TESTS(TEST(medians_ignore_one_spike), TEST(...))
 *
 * and becomes a program that prints "ok   NAME" or "FAIL NAME" for each, then a line
 * "N passed, N failed". Exit status 1 when one failed. A test goes on after a failed check; at
 * most ten failures of one test are printed. SKIP("why") ends a test without a verdict, aloud.
 */
#ifndef DTS_TESTS_CHECK_H
#define DTS_TESTS_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int check_failures;

static inline bool check_that(bool holds, const char *file, int line, const char *what)
{
    if (!holds && ++check_failures <= 10)
        printf("%s:%d: %s\n", file, line, what);
    return holds;
}

static inline bool check_int(long long got, long long want, const char *file, int line,
                             const char *what)
{
    if (got != want && ++check_failures <= 10)
        printf("%s:%d: %s: got %lld, want %lld\n", file, line, what, got, want);
    return got == want;
}

static inline bool check_near(double got, double want, double tolerance, const char *file,
                              int line, const char *what)
{
    bool holds = fabs(got - want) <= tolerance;
    if (!holds && ++check_failures <= 10)
        printf("%s:%d: %s: got %.12g, want %.12g +- %.3g\n", file, line, what, got, want,
               tolerance);
    return holds;
}

static inline bool check_string(const char *got, const char *want, const char *file, int line,
                                const char *what)
{
    bool holds = got != NULL && want != NULL && strcmp(got, want) == 0;
    if (!holds && ++check_failures <= 10)
        printf("%s:%d: %s: got \"%s\", want \"%s\"\n", file, line, what, got ? got : "(null)",
               want ? want : "(null)");
    return holds;
}

#define CHECK(condition) check_that((condition), __FILE__, __LINE__, #condition)
#define CHECK_INT(got, want)                                                                   \
    check_int((long long)(got), (long long)(want), __FILE__, __LINE__, #got)
#define CHECK_NEAR(got, want, abs) check_near((got), (want), (abs), __FILE__, __LINE__, #got)
#define CHECK_CLOSE(got, want, rel)                                                            \
    check_near((got), (want), (rel)*fabs(want), __FILE__, __LINE__, #got)
#define CHECK_STRING(got, want) check_string((got), (want), __FILE__, __LINE__, #got)

static const char *check_skipped;
#define SKIP(why)                                                                              \
    do {                                                                                       \
        check_skipped = why;                                                                   \
        return;                                                                                \
    } while (0)

struct check_test {
    const char *name;
    void (*run)(void);
};

#define TEST(function)                                                                         \
    {                                                                                          \
#function, function                                                                    \
    }
#define TESTS(...)                                                                             \
    int main(void)                                                                             \
    {                                                                                          \
        const struct check_test tests[] = {__VA_ARGS__};                                       \
        return check_run(tests, (int)(sizeof(tests) / sizeof(tests[0])));                      \
    }

static inline int check_run(const struct check_test *tests, int count)
{
    int failed = 0, skipped = 0;
    for (int i = 0; i < count; i++) {
        check_failures = 0;
        check_skipped = NULL;
        tests[i].run();
        failed += check_failures > 0;
        skipped += check_failures == 0 && check_skipped != NULL;
        const char *verdict = check_failures > 0      ? "FAIL"
                              : check_skipped != NULL ? "skip"
                                                      : "ok  ";
        printf("%s %s%s%s\n", verdict, tests[i].name, check_skipped != NULL ? ": " : "",
               check_skipped != NULL ? check_skipped : "");
        fflush(stdout);
    }
    printf("%d passed, %d failed", count - failed - skipped, failed);
    if (skipped > 0)
        printf(", %d skipped", skipped);
    printf("\n");
    return failed > 0;
}

#endif
