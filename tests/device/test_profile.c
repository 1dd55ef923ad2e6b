/* test_profile.c -- measured seconds are found, interpolated, and stand in for what was not
 * measured. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "device/profile_estimate.h"

static const char head[] =
    "{\"summary\": \"s\", \"kind\": \"cpu\", \"peak_flops_per_s\": {\"fp32\": 1e9},"
    "\"memory\": {\"bytes\": 1e9, \"bytes_per_s\": 1e9},"
    "\"efficiency\": {\"conv\": 1, \"matmul\": 1, \"memory\": 1}, \"call_s\": 0,"
    "\"profile\": {\"precision\": \"fp32\", \"threads\": 1, \"kernels\": [";

/* Two convolutions, at 1 and at 1/2 of the roofline's rate; one function at 1/4. */
static const char good[] =
    "{\"call\": \"conv a\", \"class\": \"conv\", \"forward_flops\": 1e6,"
    " \"backward_flops\": 2e6, \"points\": ["
    "  {\"batch\": 2, \"forward_s\": 0.002, \"backward_s\": 0.004},"
    "  {\"batch\": 8, \"forward_s\": 0.02, \"backward_s\": 0.016}]},"
    "{\"call\": \"conv b\", \"class\": \"conv\", \"forward_flops\": 1e9, \"backward_flops\": "
    "2e9,"
    " \"points\": [{\"batch\": 1, \"forward_s\": 2, \"backward_s\": 4}]},"
    "{\"call\": \"relu c\", \"class\": \"memory\", \"forward_values\": 1e6,"
    " \"points\": [{\"batch\": 1, \"forward_s\": 0.016}]}";

static bool load(struct dts_device *device, const char *kernels, struct dts_error *err)
{
    char path[] = "/tmp/test_profile_XXXXXX.json";
    const int file = mkstemps(path, 5);
    FILE *out = fdopen(file, "w");
    fprintf(out, "%s%s]}}", head, kernels);
    fclose(out);
    const bool loaded = dts_device_load(device, path, err);
    unlink(path);
    return loaded;
}

static void measured_calls_are_found_and_interpolated(void)
{
    struct dts_error err = {0};
    struct dts_device device;
    CHECK(load(&device, good, &err));
    double forward_s, backward_s;
    double nearest;
    CHECK(!dts_profile_find(&device.profile, "conv", 2, &forward_s, &backward_s, &nearest));
    CHECK(dts_profile_find(&device.profile, "conv a", 2, &forward_s, &backward_s, &nearest));
    CHECK_NEAR(nearest, 2, 0);
    CHECK_NEAR(forward_s, 0.002, 1e-12);
    CHECK_NEAR(backward_s, 0.004, 1e-12);
    CHECK(dts_profile_find(&device.profile, "conv a", 5, &forward_s, &backward_s, &nearest));
    CHECK_NEAR(nearest, 5, 0);
    CHECK_NEAR(forward_s, 0.011, 1e-12); // halfway
    CHECK_NEAR(backward_s, 0.010, 1e-12);
    CHECK(dts_profile_find(&device.profile, "conv a", 16, &forward_s, &backward_s, &nearest));
    CHECK_NEAR(nearest, 8, 0);
    CHECK_NEAR(forward_s, 0.02, 1e-12);
    CHECK(dts_profile_find(&device.profile, "conv a", 1, &forward_s, &backward_s, &nearest));
    CHECK_NEAR(nearest, 2, 0);
    CHECK_NEAR(forward_s, 0.002, 1e-12);
    dts_device_free(&device);
}

static void what_a_call_needs_once_does_not_grow_with_the_batch(void)
{
    struct dts_error err = {0};
    struct dts_device device;
    CHECK(load(&device, good, &err));
    // 4 ms for the weights, 1 us for each sample: 4 bytes at 1e9 a second
    const struct dts_profile_work product = {.class = DTS_WORK_MATMUL,
                                             .forward_values = 250,
                                             .backward_values = 250,
                                             .weight_values = 1e6};
    double forward_s = 8, backward_s = 16;
    dts_profile_scale(&device, &product, 1, 1000, &forward_s, &backward_s);
    CHECK_CLOSE(forward_s, 8 * 5.0 / 4.001, 1e-9);
    CHECK_CLOSE(backward_s, 16 * 9.0 / 8.001, 1e-9);
    const struct dts_profile_work none = {.class = DTS_WORK_MEMORY};
    forward_s = backward_s = 1;
    dts_profile_scale(&device, &none, 2, 6, &forward_s, &backward_s); // all that is known
    CHECK_NEAR(forward_s, 3, 1e-12);
    CHECK_NEAR(backward_s, 3, 1e-12);
    dts_device_free(&device);
}

static void unmeasured_calls_take_what_like_ones_take(void)
{
    struct dts_error err = {0};
    struct dts_device device;
    CHECK(load(&device, good, &err));
    double forward_s, backward_s;
    struct dts_profile_work work = {
        .class = DTS_WORK_CONV, .forward_flops = 1e9, .backward_flops = 2e9};
    dts_profile_estimate(&device, "conv", &work, 1, &forward_s, &backward_s);
    CHECK_NEAR(forward_s, 2, 0.05); // as "conv b", which is as large
    work.forward_flops = 1e6;
    dts_profile_estimate(&device, "conv", &work, 2, &forward_s, &backward_s);
    CHECK_NEAR(forward_s, 0.002, 0.0002); // as "conv a"
    work = (struct dts_profile_work){.class = DTS_WORK_MEMORY, .forward_values = 3e6};
    dts_profile_estimate(&device, "gelu", &work, 1, &forward_s, &backward_s);
    CHECK_NEAR(forward_s, 0.048,
               0.002); // about 4 times the roofline, as the only one of its class
    work.class = DTS_WORK_MATMUL;
    work.forward_flops = 1e9;
    dts_profile_estimate(&device, "linear", &work, 1, &forward_s, &backward_s);
    CHECK_NEAR(forward_s, 1, 1e-9); // nothing is known: the roofline
    dts_device_free(&device);
}

/* Multiples 4, 2 and 1 of calls of 1e6, 1e8 and 1e10 operations. */
static void multiples_follow_the_size_and_stay_within_what_was_measured(void)
{
    static const char falling[] =
        "{\"call\": \"conv a\", \"class\": \"conv\", \"forward_flops\": 1e6, "
        "\"points\": [{\"batch\": 1, \"forward_s\": 0.004}]},"
        "{\"call\": \"conv b\", \"class\": \"conv\", \"forward_flops\": 1e8, "
        "\"points\": [{\"batch\": 1, \"forward_s\": 0.2}]},"
        "{\"call\": \"conv c\", \"class\": \"conv\", \"forward_flops\": 1e10, "
        "\"points\": [{\"batch\": 1, \"forward_s\": 10}]}";
    struct dts_device device;
    struct dts_error err;
    struct dts_profile_work work = {.class = DTS_WORK_CONV, .forward_flops = 1e9};
    double forward_s, backward_s;
    CHECK(load(&device, falling, &err));
    dts_profile_estimate(&device, "conv", &work, 1, &forward_s, &backward_s);
    CHECK_NEAR(forward_s, sqrt(2), 0.07); // half way between 2 and 1
    work.forward_flops = 1e12;
    dts_profile_estimate(&device, "conv", &work, 1, &forward_s, &backward_s);
    CHECK_NEAR(forward_s, 1.15e3, 0.15e3); // not below 1, and nearer to it than to 2
    dts_device_free(&device);
}

/* One call of 1e3 operations that took 100 times the roofline says little of 1e9. */
static void few_and_far_calls_do_not_tell_alone(void)
{
    static const char far[] =
        "{\"call\": \"conv a\", \"class\": \"conv\", \"forward_flops\": 1e3, "
        "\"points\": [{\"batch\": 1, \"forward_s\": 1e-4}]}";
    struct dts_device device;
    struct dts_error err;
    struct dts_profile_work work = {.class = DTS_WORK_CONV, .forward_flops = 1e9};
    double forward_s, backward_s;
    CHECK(load(&device, far, &err));
    CHECK_INT(dts_profile_estimate(&device, "conv", &work, 1, &forward_s, &backward_s),
              DTS_TOLD_BY_ROOFLINE);
    CHECK_NEAR(forward_s, 1, 0.1);
    work.forward_flops = 2e3;
    CHECK_INT(dts_profile_estimate(&device, "conv", &work, 1, &forward_s, &backward_s),
              DTS_TOLD_BY_LIKE);
    CHECK_NEAR(forward_s, 2e-4, 0.1e-4);
    CHECK_INT(dts_profile_estimate(&device, "lstm", &work, 1, &forward_s, &backward_s),
              DTS_TOLD_BY_CLASS);
    work.backward_flops = 1; // nothing was measured backward
    CHECK_INT(dts_profile_estimate(&device, "conv", &work, 1, &forward_s, &backward_s),
              DTS_TOLD_BY_ROOFLINE);
    dts_device_free(&device);
}

/* Of two calls of one size, that with the settings of the one asked for tells it. */
static void a_window_of_another_size_is_further_away(void)
{
    static const char windows[] =
        "{\"call\": \"conv 8x4 > 8x4 kernel 5 before 2 bias\", \"class\": \"conv\", "
        "\"forward_flops\": 1e9, \"points\": [{\"batch\": 1, \"forward_s\": 4}]},"
        "{\"call\": \"conv 8x4 > 8x4 kernel 3 before 1\", \"class\": \"conv\", "
        "\"forward_flops\": 1e9, \"points\": [{\"batch\": 1, \"forward_s\": 1}]}";
    struct dts_device device;
    struct dts_error err;
    const struct dts_profile_work work = {.class = DTS_WORK_CONV, .forward_flops = 1e9};
    double forward_s, backward_s;
    CHECK(load(&device, windows, &err));
    dts_profile_estimate(&device, "conv 9x4 > 7x4 kernel 5 before 2 first", &work, 1,
                         &forward_s, &backward_s);
    CHECK_NEAR(forward_s, 4, 0.1);
    dts_profile_estimate(&device, "conv 9x4 > 7x4 kernel 3 before 1 bias first", &work, 1,
                         &forward_s, &backward_s);
    CHECK_NEAR(forward_s, 1, 0.1);
    dts_profile_estimate(&device, "conv 9x4 > 7x4 kernel 3", &work, 1, &forward_s, &backward_s);
    CHECK_NEAR(forward_s, 2, 0.02); // neither: the mean of the logarithms
    dts_device_free(&device);
}

/* Of two products, one nearer in size, that with as many rows tells it. */
static void products_of_as_many_rows_are_nearer(void)
{
    static const char products[] =
        "{\"call\": \"linear 1 > 1\", \"class\": \"matmul\", \"forward_flops\": 2e9, "
        "\"weight_values\": 2e6, \"points\": [{\"batch\": 1, \"forward_s\": 8}]},"
        "{\"call\": \"linear 2 > 2\", \"class\": \"matmul\", \"forward_flops\": 0.5e9, "
        "\"weight_values\": 1.5e6, \"points\": [{\"batch\": 1, \"forward_s\": 0.5}]}";
    struct dts_device device;
    struct dts_error err;
    const struct dts_profile_work work = {
        .class = DTS_WORK_MATMUL, .forward_flops = 1e9, .weight_values = 1e6};
    double forward_s, backward_s;
    CHECK(load(&device, products, &err));
    dts_profile_estimate(&device, "linear 3 > 3", &work, 1, &forward_s, &backward_s);
    CHECK_NEAR(forward_s, 3.7, 0.2); // of the multiples 4 and 1
    dts_device_free(&device);
}

/* A convolution of volumes is told by one that is three times as small, not by one of images
 * that is as large. */
static void volumes_are_further_from_images(void)
{
    static const char windows[] =
        "{\"call\": \"conv 8x9x9 > 8x9x9 kernel 5x5\", \"class\": \"conv\", "
        "\"forward_flops\": 1e9, \"points\": [{\"batch\": 1, \"forward_s\": 4}]},"
        "{\"call\": \"conv 8x9x9x9 > 8x9x9x9 kernel 3x3x3\", \"class\": \"conv\", "
        "\"forward_flops\": 3.3e8, \"points\": [{\"batch\": 1, \"forward_s\": 0.33}]}";
    struct dts_device device;
    struct dts_error err;
    const struct dts_profile_work work = {.class = DTS_WORK_CONV, .forward_flops = 1e9};
    double forward_s, backward_s;
    CHECK(load(&device, windows, &err));
    dts_profile_estimate(&device, "conv 4x9x9x9 > 4x9x9x9 kernel 5x5x5", &work, 1, &forward_s,
                         &backward_s);
    CHECK_NEAR(forward_s, 1, 0.1);
    dts_profile_estimate(&device, "conv 4x9x9 > 4x9x9 kernel 7x7", &work, 1, &forward_s,
                         &backward_s);
    CHECK_NEAR(forward_s, 4, 0.1);
    dts_device_free(&device);
}

/* One by 5 x 5 is told by one with a stride that is three times as small, not by one by 3 x 3
 * of its size; one by 3 x 3 by that, but not where it has a stride itself. Pools have no
 * products. */
static void fewer_products_tell_nothing_of_others(void)
{
    static const char windows[] =
        "{\"call\": \"conv 8x9x9 > 8x9x9 kernel 3x3 before 1x1\", \"class\": \"conv\", "
        "\"forward_flops\": 1e9, \"points\": [{\"batch\": 1, \"forward_s\": 1}]},"
        "{\"call\": \"conv 8x9x9 > 8x4x4 kernel 7x7 stride 2x2\", \"class\": \"conv\", "
        "\"forward_flops\": 3.3e8, \"points\": [{\"batch\": 1, \"forward_s\": 1.32}]},"
        "{\"call\": \"conv 8x9 > 8x9 kernel 3\", \"class\": \"conv\", "
        "\"forward_flops\": 1e9, \"points\": [{\"batch\": 1, \"forward_s\": 8}]},"
        "{\"call\": \"max_pool 8x9x9 > 8x9x9 kernel 3x3 before 1x1\", \"class\": \"conv\", "
        "\"forward_flops\": 1e9, \"points\": [{\"batch\": 1, \"forward_s\": 1}]},"
        "{\"call\": \"max_pool 8x9x9 > 8x4x4 kernel 3x3 stride 2x2\", \"class\": \"conv\", "
        "\"forward_flops\": 3.3e8, \"points\": [{\"batch\": 1, \"forward_s\": 1.32}]}";
    static const struct {
        const char *call;
        double forward_s;
    } asked[] = {{"conv 4x9x9 > 4x9x9 kernel 5x5 before 2x2 bias", 4},
                 {"conv 4x9x9 > 4x9x9 kernel 3x3 before 1x1 groups 2", 4},
                 {"conv 4x9x9 > 4x9x9 kernel 3x3 dilation 2x2 before 2x2", 4},
                 {"conv 4x9x9 > 4x7x7 kernel 3x3 bias", 1},
                 {"conv 4x9 > 4x9 kernel 5 before 2", 8}};
    struct dts_device device;
    struct dts_error err;
    const struct dts_profile_work work = {.class = DTS_WORK_CONV, .forward_flops = 1e9};
    double forward_s, backward_s;
    CHECK(load(&device, windows, &err));
    for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
        dts_profile_estimate(&device, asked[i].call, &work, 1, &forward_s, &backward_s);
        CHECK_NEAR(forward_s, asked[i].forward_s, 0.35);
    }
    dts_profile_estimate(&device, "max_pool 4x9x9 > 4x9x9 kernel 5x5 before 2x2", &work, 1,
                         &forward_s, &backward_s);
    CHECK(forward_s > 1.1 && forward_s < 2); // by both
    dts_device_free(&device);
}

/* A small call that took 20 times its parts' time and a large one that took 1.25 times:
 * what another operation does with as much memory as the large one takes as long, whatever it
 * moves. */
static void other_operations_count_by_the_time_of_the_roofline(void)
{
    static const char memory[] =
        "{\"call\": \"relu a\", \"class\": \"memory\", \"forward_flops\": 1e3, "
        "\"forward_values\": 1e3, \"points\": [{\"batch\": 1, \"forward_s\": 8e-5}]},"
        "{\"call\": \"relu b\", \"class\": \"memory\", \"forward_flops\": 1e3, "
        "\"forward_values\": 1e8, \"points\": [{\"batch\": 1, \"forward_s\": 0.5}]}";
    struct dts_device device;
    struct dts_error err;
    const struct dts_profile_work work = {.class = DTS_WORK_MEMORY, .weight_values = 1e8};
    double forward_s, backward_s;
    CHECK(load(&device, memory, &err));
    dts_profile_estimate(&device, "gradient_clear", &work, 1, &forward_s, &backward_s);
    CHECK_NEAR(forward_s, 0.5, 0.05);
    dts_device_free(&device);
}

static void broken_profiles_are_refused(void)
{
    static const struct {
        const char *kernels, *message;
    } cases[] = {
        {"", "profile.kernels: must be a list of 1 to"},
        {"{\"call\": \"x\", \"class\": \"conv\", \"points\": []}", "points: must be a list"},
        {"{\"call\": \"x\", \"class\": \"cnov\", \"points\": []}", "class: must be one of"},
        {"{\"call\": \"x\", \"class\": \"conv\", \"points\": [{\"batch\": 0, \"forward_s\": "
         "1}]}",
         "batch: must be >= 1"},
        {"{\"call\": \"x\", \"class\": \"conv\", \"points\": [{\"batch\": 2, \"forward_s\": 1},"
         "{\"batch\": 2, \"forward_s\": 1}]}",
         "points[1].batch: must be > 2"},
        {"{\"call\": \"x\", \"class\": \"conv\", \"points\": [{\"batch\": 2, \"forward_s\": "
         "-1}]}",
         "forward_s: must be >= 1e-09"},
        {"{\"call\": \"x\", \"class\": \"conv\", \"points\": [{\"batch\": 2, \"forward_s\": "
         "1}]},"
         "{\"call\": \"a\", \"class\": \"conv\", \"points\": [{\"batch\": 2, \"forward_s\": "
         "1}]},"
         "{\"call\": \"x\", \"class\": \"conv\", \"points\": [{\"batch\": 2, \"forward_s\": "
         "2}]}",
         "profile.kernels[2].call: is there already: \"x\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_error err = {0};
        struct dts_device device;
        CHECK(!load(&device, cases[i].kernels, &err));
        CHECK_INT(err.cause, DTS_BAD_INPUT);
        if (!CHECK(strstr(err.text, cases[i].message) != NULL))
            printf("%s\n", err.text);
    }
}

TESTS(TEST(measured_calls_are_found_and_interpolated),
      TEST(what_a_call_needs_once_does_not_grow_with_the_batch),
      TEST(unmeasured_calls_take_what_like_ones_take),
      TEST(few_and_far_calls_do_not_tell_alone),
      TEST(multiples_follow_the_size_and_stay_within_what_was_measured),
      TEST(a_window_of_another_size_is_further_away), TEST(products_of_as_many_rows_are_nearer),
      TEST(volumes_are_further_from_images), TEST(fewer_products_tell_nothing_of_others),
      TEST(other_operations_count_by_the_time_of_the_roofline),
      TEST(broken_profiles_are_refused))
