/* test_buckets.c -- gradients are cut into buckets: every tensor once, last layers first. */
#include <stdlib.h>

#include "base/json/library.h"
#include "check.h"
#include "train/strategy/build.h"

enum { LAYERS = 6 };

/* Layers 0 .. 5; 1 has no parameters, 4 has two tensors, 5 uses the weights of 0. */
static struct dts_layer layers[LAYERS];

static struct dts_model small_model(void)
{
    static const size_t counts[LAYERS][2] = {{1000, 0}, {0, 0},   {300, 0},
                                             {200, 0},  {50, 25}, {0, 0}};
    memset(layers, 0, sizeof(layers));
    for (int l = 0; l < LAYERS; l++) {
        layers[l].tied_to = l == 5 ? 0 : -1;
        layers[l].shares = -1;
        for (int p = 0; p < 2 && counts[l][p] > 0; p++)
            layers[l].params[layers[l].param_count++].count = counts[l][p];
    }
    return (struct dts_model){.layers = layers, .layer_count = LAYERS, .parameters = 1575};
}

static void without_a_size_each_tensor_is_a_bucket_last_layer_first(void)
{
    struct dts_model model = small_model();
    struct dts_bucket_policy policy = {0};
    struct dts_bucket *buckets;
    static const size_t elements[] = {25, 50, 200, 300, 1000};
    static const int ready[] = {4, 4, 3, 2, 0};

    CHECK_INT(dts_buckets(&model, &policy, 4, NULL, &buckets), 5);
    for (int b = 0; b < 5; b++) {
        CHECK_INT(buckets[b].elements, elements[b]);
        CHECK_INT(buckets[b].ready_after, ready[b]);
        CHECK_INT(buckets[b].first_layer, ready[b]);
        CHECK_INT(buckets[b].tensors, 1);
    }
    free(buckets);
}

static void shared_weights_are_counted_once_and_own_ones_of_that_layer_too(void)
{
    struct dts_model model = small_model();
    struct dts_bucket_policy policy = {0};
    struct dts_bucket *buckets;
    layers[5].param_count = 1; // a bias beside the weight of layer 0
    layers[5].params[0].count = 7;
    int count = dts_buckets(&model, &policy, 4, NULL, &buckets);
    CHECK_INT(count, 6);
    CHECK_INT(buckets[0].elements, 7);
    CHECK_INT(buckets[0].ready_after, 5);
    CHECK_INT(buckets[5].elements, 1000);
    CHECK_INT(buckets[5].ready_after, 0);
    free(buckets);
}

static void a_bucket_closes_when_it_has_reached_its_size_and_the_first_one_sooner(void)
{
    struct dts_model model = small_model();
    struct dts_bucket_policy policy = {.first_bytes = 50, .bytes = 800};
    struct dts_bucket *buckets;

    // 25 x 4 = 100 >= 50 | 50, 200 reach 1000 >= 800 | 300 reaches 1200 | 1000
    CHECK_INT(dts_buckets(&model, &policy, 4, NULL, &buckets), 4);
    CHECK_INT(buckets[0].elements, 25);
    CHECK_INT(buckets[1].elements, 250);
    CHECK_INT(buckets[1].tensors, 2);
    CHECK_INT(buckets[1].ready_after, 3);
    CHECK_INT(buckets[2].elements, 300);
    CHECK_INT(buckets[3].elements, 1000);
    free(buckets);

    // Two bytes on the wire: more values fit.
    CHECK_INT(dts_buckets(&model, &policy, 2, NULL, &buckets), 3);
    CHECK_INT(buckets[0].elements, 25);
    CHECK_INT(buckets[1].elements, 550);
    free(buckets);
}

static void every_parameter_is_in_one_bucket_whatever_the_policy(void)
{
    struct dts_model model = small_model();
    const double backward_s[LAYERS] = {1, 2, 3, 4, 5, 6};
    for (double bytes = 0; bytes < 10000; bytes = 2 * bytes + 1) {
        for (double cycle_s = 0; cycle_s < 40; cycle_s += 1.7) {
            struct dts_bucket_policy policy = {
                .first_bytes = bytes / 3, .bytes = bytes, .cycle_s = cycle_s};
            struct dts_bucket *buckets;
            int count = dts_buckets(&model, &policy, 4, backward_s, &buckets);
            size_t elements = 0;
            for (int b = 0; b < count; b++) {
                elements += buckets[b].elements;
                CHECK(b == 0 || buckets[b].first_layer <= buckets[b - 1].first_layer);
                CHECK(b == 0 || buckets[b].ready_after <= buckets[b - 1].ready_after);
                CHECK(buckets[b].ready_after <= buckets[b].first_layer);
            }
            CHECK_INT(elements, 1575);
            free(buckets);
        }
    }
}

static void a_cycle_collects_what_became_ready_in_it_and_leaves_at_its_end(void)
{
    struct dts_model model = small_model();
    // done at 1 (layer 5), 2 (4), 4 (3), 7 (2), 8 (1), 9 (0)
    const double backward_s[LAYERS] = {1, 1, 3, 2, 1, 1};
    struct dts_bucket_policy policy = {.bytes = 1e9, .cycle_s = 5};
    struct dts_bucket *buckets;

    // 25, 50, 200 by 4 | 300 and 1000 in the second cycle, which ends at 10
    CHECK_INT(dts_buckets(&model, &policy, 4, backward_s, &buckets), 2);
    CHECK_INT(buckets[0].elements, 275);
    CHECK_INT(buckets[0].ready_after, 2); // the first backward that ends at 5 or later
    CHECK_NEAR(buckets[0].delay_s, 0, 0);
    CHECK_INT(buckets[1].elements, 1300);
    CHECK_INT(buckets[1].ready_after, 0);
    CHECK_NEAR(buckets[1].delay_s, 1, 1e-12);
    free(buckets);
}

static void large_buckets_are_cut_into_parts_that_travel_in_order(void)
{
    struct dts_model model = small_model();
    struct dts_bucket_policy policy = {0};
    struct dts_bucket *buckets;
    int count = dts_buckets(&model, &policy, 4, NULL, &buckets);
    count = dts_buckets_cut(&buckets, count, 300); // 25, 50, 200, 300, 1000 in 4
    CHECK_INT(count, 8);
    CHECK_INT(buckets[3].elements, 300);
    for (int b = 4; b < 8; b++) {
        CHECK_INT(buckets[b].elements, 250);
        CHECK_INT(buckets[b].ready_after, 0);
    }
    free(buckets);

    for (size_t most = 1; most < 1100; most = 2 * most + 1) {
        count = dts_buckets(&model, &policy, 4, NULL, &buckets);
        count = dts_buckets_cut(&buckets, count, most);
        size_t elements = 0;
        for (int b = 0; b < count; b++) {
            CHECK(buckets[b].elements <= most && buckets[b].elements > 0);
            elements += buckets[b].elements;
        }
        CHECK_INT(elements, 1575);
        free(buckets);
    }
}

/* Of every model in a folder of the library. */
static void check_parameters(const char *folder)
{
    char **names = dts_library_names(folder);
    CHECK(names[0] != NULL);
    for (int i = 0; names[i] != NULL; i++) {
        char *path = NULL;
        struct dts_model model;
        struct dts_error err = {0};
        bool ok = dts_library_find(&path, folder, names[i], NULL, &err) &&
                  dts_model_load(&model, path, &err);
        CHECK_STRING(err.text, "");
        for (double bytes = 0; ok && bytes < 1e9; bytes = 30 * bytes + 1e5) {
            struct dts_bucket_policy policy = {.bytes = bytes};
            struct dts_bucket *buckets;
            int count = dts_buckets(&model, &policy, 4, NULL, &buckets);
            double elements = 0;
            for (int b = 0; b < count; b++)
                elements += (double)buckets[b].elements;
            CHECK_NEAR(elements, model.parameters, 0);
            free(buckets);
        }
        if (ok)
            dts_model_free(&model);
        free(path);
        free(names[i]);
    }
    free(names);
}

static void the_buckets_of_every_model_in_the_library_hold_its_parameters(void)
{
    check_parameters("models");
    check_parameters("bench/models");
}

TESTS(TEST(without_a_size_each_tensor_is_a_bucket_last_layer_first),
      TEST(shared_weights_are_counted_once_and_own_ones_of_that_layer_too),
      TEST(a_bucket_closes_when_it_has_reached_its_size_and_the_first_one_sooner),
      TEST(every_parameter_is_in_one_bucket_whatever_the_policy),
      TEST(a_cycle_collects_what_became_ready_in_it_and_leaves_at_its_end),
      TEST(large_buckets_are_cut_into_parts_that_travel_in_order),
      TEST(the_buckets_of_every_model_in_the_library_hold_its_parameters))
