/* test_channels.c -- convolutions whose filters or channels tensor ranks divide: what these
 * exchange has the closed forms of Kahira et al. 2021, arXiv:2104.09075, table 3, and weights,
 * seconds and memory are divided.
 */
#include "train/image_point.h"

enum { BATCH = 2, PLACES = 16 * 16, RANKS = 4 };

#define CONV(name, channels)                                                                   \
    "{\"name\":\"" name "\",\"kind\":\"conv2d\",\"bias\":false,\"kernel\":3,\"padding\":1,"    \
    "\"channels\":" channels "}"
#define RELU(name) "{\"name\":\"" name "\",\"kind\":\"relu\"}"
#define NORM(name) "{\"name\":\"" name "\",\"kind\":\"batch_norm\"}"
#define LOSS       "{\"name\":\"loss\",\"kind\":\"mean_squared_error\"}"

/* Outputs of 8, 16, 32 and 8 channels at 256 places. */
#define FOUR                                                                                   \
    CONV("conv1", "8")                                                                         \
    "," NORM("bn1") "," RELU("relu1") "," CONV("conv2", "16") "," NORM("bn2") "," RELU(        \
        "relu2") "," CONV("conv3",                                                             \
                          "32") "," NORM("bn3") "," RELU("relu3") "," CONV("conv4",            \
                                                                           "8") "," LOSS

static const double channels[] = {4, 8, 16, 32, 8}; // of x and y of each convolution

static void set_up_four(struct fixture *f, struct dts_device *device)
{
    set_up_image(f, device, "4,16,16", FOUR);
}

/* Forward y is gathered, backward gradients of x are summed, but for the image. */
static void filters_gather_outputs_and_sum_gradients_of_inputs(void)
{
    struct fixture f;
    struct dts_device device;
    double gathered = 0, summed = 0;
    set_up_four(&f, &device);
    for (int l = 0; l < 4; l++) {
        gathered += channels[l + 1] * PLACES;
        summed += l > 0 ? channels[l] * PLACES : 0;
    }
    struct dts_job job =
        walked(&f, "{\"mesh\":{\"tensor\":4},\"convolutions\":\"filter\"}", RANKS);
    const struct dts_plan *plan = &job.roles[0].plan;
    CHECK_NEAR(values_of(plan, DTS_COMPUTE, DTS_ALLGATHER, RANKS), BATCH * gathered, 0);
    CHECK_NEAR(values_of(plan, DTS_COMPUTE, DTS_ALLREDUCE, RANKS), BATCH * summed, 0);
    leave(&f, &job);
    finish(&f, &device);
}

/* The other way round, but for the first, which is whole. */
static void channels_sum_outputs_and_gather_gradients_of_inputs(void)
{
    struct fixture f;
    struct dts_device device;
    double gathered = 0, summed = 0;
    set_up_four(&f, &device);
    for (int l = 1; l < 4; l++) {
        summed += channels[l + 1] * PLACES;
        gathered += channels[l] * PLACES;
    }
    struct dts_job job =
        walked(&f, "{\"mesh\":{\"tensor\":4},\"convolutions\":\"channel\"}", RANKS);
    const struct dts_plan *plan = &job.roles[0].plan;
    CHECK_NEAR(values_of(plan, DTS_COMPUTE, DTS_ALLGATHER, RANKS), BATCH * gathered, 0);
    CHECK_NEAR(values_of(plan, DTS_COMPUTE, DTS_ALLREDUCE, RANKS), BATCH * summed, 0);
    leave(&f, &job);
    finish(&f, &device);
}

/* Of two the first leaves a part, and the second sums up: one all-reduce each way. */
static void alternating_leaves_a_part_between_two(void)
{
    struct fixture f;
    struct dts_device device;
    struct dts_error err = {0};
    struct dts_mesh_division d;
    set_up_four(&f, &device);
    struct dts_job job =
        walked(&f, "{\"mesh\":{\"tensor\":4},\"convolutions\":\"alternating\"}", RANKS);
    const struct dts_plan *plan = &job.roles[0].plan;
    CHECK_NEAR(values_of(plan, DTS_COMPUTE, DTS_ALLGATHER, RANKS), 0, 0);
    CHECK_NEAR(values_of(plan, DTS_COMPUTE, DTS_ALLREDUCE, RANKS),
               BATCH * PLACES * (channels[2] + channels[4] + channels[2]), 0);
    if (CHECK(dts_mesh_divide(&f.point, &d, &err))) {
        static const enum dts_cut_way ways[] = {
            DTS_CUT_COLUMN, DTS_CUT_VALUES, DTS_CUT_VALUES, DTS_CUT_ROW,    DTS_CUT_NOT,
            DTS_CUT_NOT,    DTS_CUT_COLUMN, DTS_CUT_VALUES, DTS_CUT_VALUES, DTS_CUT_ROW};
        for (int l = 0; l < 10; l++)
            CHECK_INT(d.cut.layers[l].way, ways[l]);
        CHECK_INT(d.cut.layers[1].params[0], 2); // 8 channels of 4 ranks
        CHECK_INT(d.cut.layers[4].params[0], 16);
        CHECK_INT(d.cut.layers[3].params[0], 16 * 8 * 9 / RANKS);
        dts_mesh_division_free(&d);
    }
    leave(&f, &job);
    finish(&f, &device);
}

/* Flatten keeps channels together, so that a linear layer takes its part. */
static void a_linear_layer_may_be_the_second(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_image(&f, &device, "4,16,16",
                 CONV("conv1", "8") "," RELU("relu1") ",{\"name\":\"pool\",\"kind\":"
                                                      "\"max_pool\",\"kernel\":2},"
                                                      "{\"name\":\"flatten\",\"kind\":"
                                                      "\"flatten\"},{\"name\":\"fc\",\"kind\":"
                                                      "\"linear\",\"outputs\":12}," LOSS);
    struct dts_job job =
        walked(&f, "{\"mesh\":{\"tensor\":4},\"convolutions\":\"alternating\"}", RANKS);
    CHECK_NEAR(values_of(&job.roles[0].plan, DTS_COMPUTE, DTS_ALLREDUCE, RANKS), BATCH * 12, 0);
    leave(&f, &job);
    finish(&f, &device);
}

/* A convolution that ends in a sum has no second: it is of the way that exchanges less. */
static void what_has_no_second_exchanges_as_little_as_it_can(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_image(
        &f, &device, "4,16,16",
        CONV("conv1", "8") ",{\"name\":\"bn\",\"kind\":\"layer_scale\"}," CONV(
            "narrow",
            "4") ",{\"name\":\"s1\",\"kind\":\"layer_scale\"}," CONV("wide",
                                                                     "16") ",{\"name\":\"s2\","
                                                                           "\"kind\":\"layer_"
                                                                           "scale\"}," LOSS);
    struct dts_job job =
        walked(&f, "{\"mesh\":{\"tensor\":4},\"convolutions\":\"alternating\"}", RANKS);
    const struct dts_plan *plan = &job.roles[0].plan;
    // conv1: y; narrow, channel: 2 y + x; wide, filter: y + 2 x
    CHECK_NEAR(values_of(plan, DTS_COMPUTE, DTS_ALLGATHER, RANKS),
               BATCH * PLACES * (8.0 + 8 + 16), 0);
    CHECK_NEAR(values_of(plan, DTS_COMPUTE, DTS_ALLREDUCE, RANKS), BATCH * PLACES * (4.0 + 4),
               0);
    leave(&f, &job);
    finish(&f, &device);
}

/* Two that read one tensor sum up its gradient once. */
static void readers_of_one_tensor_share_an_exchange(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_image(
        &f, &device, "4,16,16",
        CONV("conv1", "8") "," CONV(
            "left",
            "8") ","
                 "{\"name\":\"right\",\"kind\":\"conv2d\",\"bias\":false,\"kernel\":1,"
                 "\"channels\":8,\"input\":\"conv1\"},"
                 "{\"name\":\"add\",\"kind\":\"add\",\"input\":[\"left\",\"right\"]}," LOSS);
    struct dts_job job =
        walked(&f, "{\"mesh\":{\"tensor\":4},\"convolutions\":\"filter\"}", RANKS);
    CHECK_NEAR(values_of(&job.roles[0].plan, DTS_COMPUTE, DTS_ALLREDUCE, RANKS),
               BATCH * 8.0 * PLACES, 0);
    leave(&f, &job);
    finish(&f, &device);
}

/* All weights of convolutions are divided; of the whole network's seconds too, but for reading
 * what all ranks have. */
static void a_rank_has_its_part_of_weights_and_time(void)
{
    static const char *const ways[] = {"filter", "alternating"};
    struct fixture f;
    struct dts_device device;
    struct dts_error err = {0};
    struct dts_memory whole, part;
    set_up_image(&f, &device, "64,16,16",
                 CONV("conv1", "256") "," CONV("conv2", "256") "," LOSS);
    struct dts_job job = walked(&f, "{}", 1);
    CHECK(dts_point_memory(&f.point, &whole, &err));
    leave(&f, &job);
    for (int i = 0; i < 2; i++) {
        char json[96];
        snprintf(json, sizeof(json), "{\"mesh\":{\"tensor\":4},\"convolutions\":\"%s\"}",
                 ways[i]);
        job = walked(&f, json, RANKS);
        CHECK(dts_point_memory(&f.point, &part, &err));
        CHECK_NEAR(part.weights, whole.weights / RANKS, 1e-9 * whole.weights);
        double seconds = 0;
        for (int o = 0; o < job.roles[0].plan.op_count; o++)
            if (job.roles[0].plan.ops[o].kind == DTS_OP_CALL)
                seconds += job.roles[0].plan.ops[o].call.seconds;
        CHECK(seconds >= (3e-3 + 6e-3 / RANKS) && seconds < 0.75 * 9e-3); // the loss is
        // whole, and a kernel of fewer columns fills the device less
        leave(&f, &job);
    }
    finish(&f, &device);
}

static void what_tensor_ranks_cannot_divide_is_refused(void)
{
    static const struct {
        const char *json, *says;
        int devices;
    } rows[] = {
        {"{\"mesh\":{\"tensor\":3},\"convolutions\":\"filter\"}",
         "layer conv1: 3 tensor ranks do not divide its filters, 8; 2 would", 3},
        {"{\"mesh\":{\"tensor\":6},\"convolutions\":\"channel\"}",
         "layer conv2: 6 tensor ranks do not divide its input channels, 8; 4 would", 6},
        {"{\"mesh\":{\"tensor\":2}}", "\"convolutions\" says how they divide convolutions", 2},
        {"{\"convolutions\":\"filter\"}", "has no effect without mesh.tensor >= 2", 2},
    };
    struct fixture f;
    struct dts_device device;
    set_up_four(&f, &device);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_refused(&f, rows[i].json, rows[i].devices, rows[i].says);
    finish(&f, &device);
    set_up_blocks(&f, &device, 1, 1);
    check_refused(&f, "{\"mesh\":{\"tensor\":2},\"convolutions\":\"filter\"}", 2, "has none");
    finish(&f, &device);
}

TESTS(TEST(filters_gather_outputs_and_sum_gradients_of_inputs),
      TEST(channels_sum_outputs_and_gather_gradients_of_inputs),
      TEST(alternating_leaves_a_part_between_two), TEST(a_linear_layer_may_be_the_second),
      TEST(what_has_no_second_exchanges_as_little_as_it_can),
      TEST(readers_of_one_tensor_share_an_exchange),
      TEST(a_rank_has_its_part_of_weights_and_time),
      TEST(what_tensor_ranks_cannot_divide_is_refused))
