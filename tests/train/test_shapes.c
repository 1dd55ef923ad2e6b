/* test_shapes.c -- the made networks of bench/models/ against the small networks that are
 * told from them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "train/model/seconds/seconds_profile.h"

enum { MOST = 512 };

/* Calls of some networks. */
struct calls {
    struct dts_op_call_key keys[MOST];
    struct dts_profile_work works[MOST];
    int count;
};

static void add_calls(const char *folder, const char *name, struct calls *all)
{
    char path[256];
    struct dts_model model;
    struct dts_error err = {0};
    snprintf(path, sizeof(path), "%s/%s/%s.json", DTS_SOURCE, folder, name);
    if (!CHECK(dts_model_load(&model, path, &err)))
        return;
    struct dts_layer_call *calls = dts_alloc((size_t)model.layer_count, sizeof(*calls));
    dts_model_calls(&model, true, calls);
    for (int l = 0; l < model.layer_count && CHECK(all->count < MOST); l++)
        if (calls[l].call.op != NULL) {
            all->keys[all->count] = dts_op_call_key(&calls[l].call);
            all->works[all->count++] = dts_call_work(&model, calls, l);
        }
    free(calls);
    dts_model_free(&model);
}

/* Of all networks of a folder up to NULL. */
static struct calls *calls_of(const char *folder, const char *const *names)
{
    struct calls *all = dts_alloc(1, sizeof(*all));
    for (; *names != NULL; names++)
        add_calls(folder, *names, all);
    return all;
}

static const char *const made[] = {"shapes_narrow", "shapes_single",  "shapes_small",
                                   "shapes_tiny",   "shapes_vectors", NULL};

static bool is_alike(const struct dts_op_call_key *a, const struct dts_op_call_key *b)
{
    const size_t length = strcspn(a->chars, " ");
    return strcspn(b->chars, " ") == length && strncmp(a->chars, b->chars, length) == 0;
}

/* What calls of its operation among the shapes reach. */
static void check_within(const struct calls *shapes, const struct calls *asked, int i)
{
    const struct dts_profile_work *work = &asked->works[i];
    double flops = 0, values = 0, weights = 0;
    for (int s = 0; s < shapes->count; s++)
        if (is_alike(&shapes->keys[s], &asked->keys[i])) {
            flops = fmax(flops, shapes->works[s].forward_flops);
            values = fmax(values, shapes->works[s].forward_values);
            weights = fmax(weights, shapes->works[s].weight_values);
        }
    if (!CHECK(work->forward_flops <= flops && work->forward_values <= values &&
               work->weight_values <= weights))
        printf("  %s\n", asked->keys[i].chars);
}

/* An estimate is no better than a guess outside of what was measured. */
static void small_networks_ask_for_nothing_larger_than_the_shapes_of_small_ones(void)
{
    static const char *const names[] = {"linear_regression", "mlp",     "small_cnn",
                                        "fashion_cnn",       "resnet8", NULL};
    struct calls *shapes = calls_of("bench/models", made), *asked = calls_of("models", names);
    for (int i = 0; i < asked->count; i++)
        check_within(shapes, asked, i);
    free(asked);
    free(shapes);
}

/* What is measured itself would prove nothing of estimates. */
static void shapes_are_those_of_no_small_network(void)
{
    static const char *const names[] = {"linear_regression", "mlp",     "small_cnn",
                                        "fashion_cnn",       "resnet8", NULL};
    struct calls *shapes = calls_of("bench/models", made), *asked = calls_of("models", names);
    for (int i = 0; i < asked->count; i++)
        for (int s = 0; s < shapes->count; s++)
            CHECK(strcmp(asked->keys[i].chars, shapes->keys[s].chars) != 0);
    free(asked);
    free(shapes);
}

/* As in networks: a convolution to 12 channels takes about as long as one to 16, the width of a
 * vector, and says nothing of what they take. */
static void convolutions_of_small_shapes_fill_whole_vectors(void)
{
    struct dts_model model;
    struct dts_error err = {0};
    int convolutions = 0;
    if (!CHECK(dts_model_load(&model, DTS_SOURCE "/bench/models/shapes_small.json", &err)))
        return;
    for (int l = 0; l < model.layer_count; l++)
        if (strcmp(model.layers[l].kind->name, "conv2d") == 0) {
            CHECK_INT(model.layers[l].output.size[0] % 16, 0);
            convolutions++;
        }
    CHECK(convolutions > 10);
    dts_model_free(&model);
}

TESTS(TEST(convolutions_of_small_shapes_fill_whole_vectors),
      TEST(small_networks_ask_for_nothing_larger_than_the_shapes_of_small_ones),
      TEST(shapes_are_those_of_no_small_network))
