/* test_spatial.c -- images in strips over spatial ranks: halos, sums and gathers have their
 * closed forms, seconds and memory are divided, plans can be walked.
 */
#include "train/image_point.h"

#define CONV(name, channels, rest)                                                             \
    "{\"name\":\"" name "\",\"kind\":\"conv2d\",\"bias\":false,\"channels\":" channels         \
    "," rest "}"
#define LOSS "{\"name\":\"loss\",\"kind\":\"mean_squared_error\"}"

/* As CosmoFlow: a volume, two convolutions of 3^3 and pools of 2^3, then linear layers. */
#define VOLUME                                                                                 \
    "{\"name\":\"conv1\",\"kind\":\"conv3d\",\"channels\":8,\"kernel\":3,\"padding\":"         \
    "\"same\"},"                                                                               \
    "{\"name\":\"relu1\",\"kind\":\"leaky_relu\",\"slope\":0.1},"                              \
    "{\"name\":\"pool1\",\"kind\":\"max_pool\",\"kernel\":2},"                                 \
    "{\"name\":\"conv2\",\"kind\":\"conv3d\",\"channels\":16,\"kernel\":3,\"padding\":"        \
    "\"same\"},"                                                                               \
    "{\"name\":\"relu2\",\"kind\":\"leaky_relu\",\"slope\":0.1},"                              \
    "{\"name\":\"pool2\",\"kind\":\"max_pool\",\"kernel\":2},"                                 \
    "{\"name\":\"flatten\",\"kind\":\"flatten\"},"                                             \
    "{\"name\":\"fc1\",\"kind\":\"linear\",\"outputs\":32},"                                   \
    "{\"name\":\"relu3\",\"kind\":\"relu\"},"                                                  \
    "{\"name\":\"fc2\",\"kind\":\"linear\",\"outputs\":4}," LOSS

enum { BATCH = 2, SIDE = 16 };

static void set_up_volume(struct fixture *f, struct dts_device *device)
{
    set_up_image(f, device, "4,16,16,16", VOLUME);
}

/* Two rows of x forward, two of dL/dy backward, but of the first convolution, before which
 * nothing learns; pools have none. Kahira et al. 2021, arXiv:2104.09075, table 3, spatial:
 * halo(x) + halo(dL/dy) of each layer. */
static void halos_are_rows_of_inputs_and_of_gradients_of_outputs(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_volume(&f, &device);
    for (int ranks = 2; ranks <= 8; ranks *= 2) {
        char json[64];
        snprintf(json, sizeof(json), "{\"mesh\":{\"spatial\":%d}}", ranks);
        struct dts_job job = walked(&f, json, ranks);
        const double forward = 2.0 * (4 * SIDE * SIDE + 8 * SIDE / 2 * SIDE / 2);
        const double backward = 2.0 * 16 * SIDE / 2 * SIDE / 2;
        CHECK_NEAR(values_of(&job.roles[0].plan, DTS_SPATIAL, DTS_HALO, ranks),
                   BATCH * (forward + backward), 0);
        leave(&f, &job);
    }
    finish(&f, &device);
}

/* A corner goes with the rows of the second axis, two corners with the third. */
static void halos_of_a_grid_go_axis_by_axis(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_volume(&f, &device);
    struct dts_job job =
        walked(&f, "{\"mesh\":{\"spatial\":8},\"spatial\":{\"grid\":[2,2,2]}}", 8);
    double values = 0;
    for (int side = SIDE / 2, channels = 4; side >= SIDE / 4; side /= 2, channels *= 2)
        values += 2.0 * channels * (side * side + (side + 2) * side + (side + 2) * (side + 2));
    const int side = SIDE / 4; // gradients of the second convolution's output
    values += 2.0 * 16 * (side * side + (side + 2) * side + (side + 2) * (side + 2));
    CHECK_NEAR(values_of(&job.roles[0].plan, DTS_SPATIAL, DTS_HALO, 2), BATCH * values, 0);
    int strides[3] = {0};
    for (int o = 0; o < job.roles[0].plan.op_count; o++) {
        const struct dts_op *op = &job.roles[0].plan.ops[o];
        for (int a = 0; a < 3 && op->kind == DTS_OP_COLLECTIVE; a++)
            strides[a] +=
                op->collective.shape.kind == DTS_HALO && op->collective.group.stride == 4 >> a;
    }
    for (int a = 0; a < 3; a++)
        CHECK_INT(strides[a], 3); // two convolutions, and one backward
    leave(&f, &job);
    finish(&f, &device);
}

/* Rows that the middle one of three strips needs of those before and behind, found one output
 * after another. [0] of the input, [1] of the output's gradient. */
static void rows_needed(int n, int kernel, int stride, int dilation, int before,
                        size_t above[2], size_t below[2])
{
    const int out = n / stride;
    above[0] = below[0] = above[1] = below[1] = 0;
    for (int o = 0; o < out; o++)
        for (int k = 0; k < kernel; k++) {
            const int i = o * stride - before + k * dilation;
            if (i < 0 || i >= n)
                continue;
            const int at[2] = {i / (n / 3), o / (out / 3)}; // strips
            if (at[1] == 1 && at[0] == 0 && (size_t)(n / 3 - i) > above[0])
                above[0] = (size_t)(n / 3 - i);
            if (at[1] == 1 && at[0] == 2 && (size_t)(i - 2 * n / 3 + 1) > below[0])
                below[0] = (size_t)(i - 2 * n / 3 + 1);
            if (at[0] == 1 && at[1] == 0 && (size_t)(out / 3 - o) > above[1])
                above[1] = (size_t)(out / 3 - o);
            if (at[0] == 1 && at[1] == 2 && (size_t)(o - 2 * out / 3 + 1) > below[1])
                below[1] = (size_t)(o - 2 * out / 3 + 1);
        }
}

/* Both ways, one way; rows of so many values each. */
static void check_rows(const struct dts_cut_layer *layer, enum dts_cut_moment moment,
                       size_t above, size_t below, double row)
{
    const size_t both = above < below ? above : below;
    CHECK_NEAR(cut_values(layer, moment, DTS_HALO), 2 * row * (double)both, 0);
    CHECK_NEAR(cut_values(layer, moment, DTS_HALO_BEHIND), row * (double)(above - both), 0);
    CHECK_NEAR(cut_values(layer, moment, DTS_HALO_BEFORE), row * (double)(below - both), 0);
}

static void try_window(int kernel, int stride, int dilation, int before)
{
    enum { N = 72, WIDTH = 5, IN = 2, OUT = 3 };
    struct fixture f;
    struct dts_device device;
    struct dts_cut cut;
    struct dts_error err = {0};
    char layers[600];
    const int behind = dilation * (kernel - 1) + 1 - stride - before;
    if (behind < 0)
        return;
    snprintf(layers, sizeof(layers),
             CONV("conv1", "2", "\"kernel\":1") "," CONV(
                 "conv2", "3",
                 "\"kernel\":[%d,1],\"stride\":[%d,1],\"dilation\":[%d,1],"
                 "\"padding\":[[%d,%d],0]") "," LOSS,
             kernel, stride, dilation, before, behind);
    set_up_image(&f, &device, "1,72,5", layers);
    const struct dts_cut_question question = {.model = &f.scenario.model,
                                              .device = &device,
                                              .precision = DTS_FP32,
                                              .batch = 1,
                                              .tensor = 1,
                                              .context = 1,
                                              .experts = 1,
                                              .grid = {3, 1, 1},
                                              .skew = 1,
                                              .path = "test"};
    if (CHECK(dts_cut_find(&cut, &question, &err))) {
        size_t above[2], below[2];
        rows_needed(N, kernel, stride, dilation, before, above, below);
        check_rows(&cut.layers[1], DTS_CUT_BEFORE_FORWARD, above[0], below[0], IN * WIDTH);
        check_rows(&cut.layers[1], DTS_CUT_BEFORE_BACKWARD, above[1], below[1], OUT * WIDTH);
        CHECK_INT(cut.layers[1].places, 3);
        dts_cut_free(&cut);
    } else {
        printf("%s\n", err.text);
    }
    forget_blocks(&f, &device);
}

static void rows_are_those_that_some_window_reaches(void)
{
    for (int kernel = 1; kernel <= 7; kernel++)
        for (int stride = 1; stride <= 4; stride++)
            for (int dilation = 1; dilation <= 2; dilation++)
                for (int before = 0; before < kernel; before++)
                    try_window(kernel, stride, dilation, before);
}

/* ResNet's entry: a row more from above than from below of 7 x 7 by 2; a pool of 3 x 3 by 2
 * has one row from above, and sends its gradient back. */
static void a_pool_sends_back_what_it_made_for_a_neighbour(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_image(
        &f, &device, "3,64,64",
        CONV("conv1", "8",
             "\"kernel\":7,\"stride\":2,\"padding\":3") ","
                                                        "{\"name\":\"pool\",\"kind\":\"max_"
                                                        "pool\",\"kernel\":3,\"stride\":2,"
                                                        "\"padding\":1}," LOSS);
    struct dts_job job = walked(&f, "{\"mesh\":{\"spatial\":4}}", 4);
    const struct dts_plan *plan = &job.roles[0].plan;
    CHECK_NEAR(values_of(plan, DTS_SPATIAL, DTS_HALO, 0), BATCH * 2.0 * 2 * 3 * 64, 0);
    CHECK_NEAR(values_of(plan, DTS_SPATIAL, DTS_HALO_BEHIND, 0), BATCH * (3.0 * 64 + 8 * 32),
               0);
    CHECK_NEAR(values_of(plan, DTS_SPATIAL, DTS_HALO_BEFORE, 0), BATCH * 8.0 * 32, 0);
    leave(&f, &job);
    finish(&f, &device);
}

/* Two sums of each channel, forward and backward, however many samples; a mean of all places
 * is one sum of each channel and sample. */
static void statistics_and_means_are_summed_over_strips(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_image(&f, &device, "3,16,16",
                 CONV("conv1", "8",
                      "\"kernel\":1") ","
                                      "{\"name\":\"bn\",\"kind\":\"batch_norm\"},"
                                      "{\"name\":\"pool\",\"kind\":\"global_pool\"}," LOSS);
    struct dts_job job = walked(&f, "{\"mesh\":{\"spatial\":4}}", 4);
    const struct dts_plan *plan = &job.roles[0].plan;
    int halves = 0;
    for (int o = 0; o < plan->op_count; o++)
        halves += plan->ops[o].kind == DTS_OP_CALL && plan->ops[o].call.part != DTS_OP_WHOLE;
    CHECK_INT(halves, 4);
    CHECK_NEAR(values_of(plan, DTS_SPATIAL, DTS_ALLREDUCE, 4), 2 * 2 * 8 + BATCH * 8, 0);
    CHECK_NEAR(values_of(plan, DTS_SPATIAL, DTS_HALO, 0), 0, 0);
    leave(&f, &job);
    finish(&f, &device);
}

#define HALVED "\"kernel\":1,\"stride\":2"
#define ENDS                                                                                   \
    CONV("conv1", "8", HALVED)                                                                 \
    "," CONV("conv2", "8", HALVED) "," CONV("conv3", "8", HALVED) "," CONV(                    \
        "project", "8",                                                                        \
        HALVED ",\"input\":\"conv2\"") ","                                                     \
                                       "{\"name\":\"add\",\"kind\":\"add\",\"input\":["        \
                                       "\"conv3\",\"project\"]}," LOSS

/* 8 rows are two each for 4 ranks, 4 are one, and of 2 there are too few: ranks gather, once
 * for both that read the tensor. */
static void ranks_gather_where_strips_end(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_image(&f, &device, "3,16,16", ENDS);
    struct dts_job job = walked(&f, "{\"mesh\":{\"spatial\":4}}", 4);
    const struct dts_plan *plan = &job.roles[0].plan;
    CHECK_NEAR(values_of(plan, DTS_SPATIAL, DTS_ALLGATHER, 4), BATCH * 8.0 * 4 * 4, 0);
    CHECK_NEAR(values_of(plan, DTS_SPATIAL, DTS_HALO, 0), 0, 0);
    for (int o = 0; o < plan->op_count; o++) // behind the gather each rank has all of the work
        if (strstr(plan->ops[o].label, "forward conv3") != NULL)
            CHECK_NEAR(plan->ops[o].call.seconds, 4e-3, 1e-12); // to the loss
    leave(&f, &job);
    finish(&f, &device);
}

static void gradients_are_summed_over_strips_and_replicas(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_volume(&f, &device);
    struct dts_job job = walked(&f, "{\"mesh\":{\"spatial\":4,\"tensor\":1}}", 16);
    const struct dts_plan *plan = &job.roles[0].plan;
    CHECK_NEAR(values_of(plan, DTS_DATA, DTS_ALLREDUCE, 16), f.scenario.model.parameters, 0);
    leave(&f, &job);
    job = walked(&f, "{\"mesh\":{\"spatial\":4,\"shard\":2}}", 16);
    CHECK_NEAR(values_of(&job.roles[0].plan, DTS_SCATTER, DTS_REDUCE_SCATTER, 8),
               f.scenario.model.parameters, 8);
    leave(&f, &job);
    finish(&f, &device);
}

/* A strip has its part of the places: of the memory for them, beside the rows of neighbours
 * that the weights' gradients need, and of the time. */
static void a_strip_has_its_part_of_memory_and_time(void)
{
    enum { RANKS = 4, EDGE = 64 };
    struct fixture f;
    struct dts_device device;
    struct dts_error err = {0};
    struct dts_memory whole, part;
    set_up_image(&f, &device, "4,64,64,64",
                 "{\"name\":\"conv1\",\"kind\":\"conv3d\",\"channels\":8,\"kernel\":3,"
                 "\"padding\":\"same\"},"
                 "{\"name\":\"conv2\",\"kind\":\"conv3d\",\"channels\":8,\"kernel\":3,"
                 "\"padding\":\"same\"}," LOSS);
    struct dts_job job = walked(&f, "{}", 1);
    CHECK(dts_point_memory(&f.point, &whole, &err));
    leave(&f, &job);
    job = walked(&f, "{\"mesh\":{\"spatial\":4}}", RANKS);
    CHECK(dts_point_memory(&f.point, &part, &err));
    const double halo = 2.0 * (4 + 8) * EDGE * EDGE * sizeof(float) * BATCH;
    CHECK_NEAR(part.weights + part.gradients, whole.weights + whole.gradients, 0);
    CHECK_NEAR(part.activations, whole.activations / RANKS + halo, 1e-9 * whole.activations);
    double seconds = 0;
    for (int o = 0; o < job.roles[0].plan.op_count; o++)
        if (job.roles[0].plan.ops[o].kind == DTS_OP_CALL)
            seconds += job.roles[0].plan.ops[o].call.seconds;
    CHECK_NEAR(seconds, 9e-3 / RANKS, 0.2 * 9e-3 / RANKS); // but for what a kernel takes alone
    CHECK(seconds >= 9e-3 / RANKS);
    leave(&f, &job);
    finish(&f, &device);
}

/* Two of 4 rows need the halo forward; backward they do so of half of the work. What is inside
 * waits for no message, and all together take as long. */
static void what_is_inside_does_not_wait_for_the_halo(void)
{
    struct fixture f;
    struct dts_device device;
    double seconds[2] = {0, 0}, inside_s = 0;
    set_up_volume(&f, &device);
    for (int overlap = 0; overlap < 2; overlap++) {
        struct dts_job job =
            walked(&f,
                   overlap ? "{\"mesh\":{\"spatial\":2},\"spatial\":{\"overlap\":true}}"
                           : "{\"mesh\":{\"spatial\":2}}",
                   2);
        const struct dts_plan *plan = &job.roles[0].plan;
        for (int o = 0; o < plan->op_count; o++) {
            const struct dts_op *op = &plan->ops[o];
            if (op->kind != DTS_OP_CALL)
                continue;
            seconds[overlap] += op->call.seconds;
            if (strstr(op->label, "conv2 #0: inside") == NULL &&
                strstr(op->label, "relu2 #0: inside") == NULL)
                continue;
            inside_s += op->call.seconds;
            for (int i = 0; i < op->wait_count; i++)
                CHECK(plan->ops[plan->waits[op->first_wait + i].op].stream != DTS_SPATIAL);
        }
        leave(&f, &job);
    }
    CHECK_NEAR(seconds[1], seconds[0], 1e-12);
    struct dts_mesh_division d;
    struct dts_error err = {0};
    CHECK(use(&f, "mesh", "{\"mesh\":{\"spatial\":2}}", &err));
    f.point.devices = 2;
    if (CHECK(dts_mesh_divide(&f.point, &d, &err))) {
        const struct dts_cut_layer *conv2 = &d.cut.layers[3];
        CHECK_NEAR(conv2->forward_edge, 2.0 / 4, 1e-12);
        CHECK_NEAR(conv2->backward_edge, 2.0 / 4 / 2, 1e-3); // but for the bias
        CHECK_NEAR(inside_s,
                   1e-3 * conv2->forward_share * (1 - conv2->forward_edge) +
                       2e-3 * conv2->backward_share * (1 - conv2->backward_edge),
                   1e-12);
        dts_mesh_division_free(&d);
    }
    f.strategy.kind->release(f.strategy.self);
    finish(&f, &device);
}

/* However much there is to say, the name has room for it. */
static void a_name_has_room_for_all_axes(void)
{
    struct fixture f;
    struct dts_device device;
    struct dts_error err = {0};
    set_up_volume(&f, &device);
    CHECK(use(&f, "mesh",
              "{\"mesh\":{\"tensor\":1024,\"spatial\":1048576,\"context\":1048576,"
              "\"shard\":1048576,\"data\":1048576,\"pipeline\":4096},"
              "\"spatial\":{\"grid\":[1024,1024]},\"convolutions\":\"alternating\","
              "\"recompute\":\"full\",\"pipeline\":{\"schedule\":\"interleaved\"}}",
              &err));
    const struct dts_mesh *mesh = f.strategy.self;
    CHECK_STRING(mesh->name, "mesh_p4096_d1048576_s1048576_c1048576_x1048576_t1024_1024x1024"
                             "_alternating_zero3_full_interleaved");
    f.strategy.kind->release(f.strategy.self);
    finish(&f, &device);
}

static void every_mesh_with_strips_can_be_walked(void)
{
    static const char *const rows[] = {
        "{\"mesh\":{\"spatial\":2}}",
        "{\"mesh\":{\"spatial\":2,\"pipeline\":2}}",
        "{\"mesh\":{\"spatial\":2,\"pipeline\":2},\"pipeline\":{\"schedule\":\"zb_h1\"}}",
        "{\"mesh\":{\"spatial\":2,\"tensor\":2},\"convolutions\":\"alternating\"}",
        "{\"mesh\":{\"spatial\":2,\"tensor\":2,\"pipeline\":2},\"convolutions\":\"filter\"}",
        "{\"mesh\":{\"spatial\":4},\"spatial\":{\"grid\":[2,2]},\"sharded\":\"parameters\"}",
        "{\"mesh\":{\"spatial\":4},\"spatial\":{\"grid\":[1,1,4]},\"sharded\":\"gradients\"}",
        ("{\"mesh\":{\"spatial\":2,\"pipeline\":2},\"spatial\":{\"overlap\":true},"
         "\"recompute\":\"full\"}"),
        "{\"mesh\":{\"spatial\":2},\"order\":[\"data\",\"spatial\"]}",
    };
    struct fixture f;
    struct dts_device device;
    set_up_volume(&f, &device);
    f.scenario.accumulate = 2;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct dts_job job = walked(&f, rows[i], 8);
        leave(&f, &job);
    }
    finish(&f, &device);
}

static void what_spatial_ranks_cannot_divide_is_refused(void)
{
    static const struct {
        const char *json, *says;
        int devices;
    } rows[] = {
        {"{\"mesh\":{\"spatial\":3}}",
         "layer conv1: 3 spatial ranks cannot have equal strips of its depth (16 read, 16 "
         "made)",
         3},
        {"{\"mesh\":{\"spatial\":3}}", "2 would", 3},
        {"{\"mesh\":{\"spatial\":6},\"spatial\":{\"grid\":[2,3]}}",
         "equal strips of its height", 6},
        {"{\"mesh\":{\"spatial\":4},\"spatial\":{\"grid\":[2,4]}}",
         "2 x 4 are 8 ranks, and mesh.spatial has 4", 8},
        {"{\"spatial\":{\"grid\":[1]}}", "has no effect without mesh.spatial >= 2", 8},
    };
    struct fixture f;
    struct dts_device device;
    set_up_volume(&f, &device);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_refused(&f, rows[i].json, rows[i].devices, rows[i].says);
    finish(&f, &device);
    set_up_blocks(&f, &device, 1, 1);
    check_refused(&f, "{\"mesh\":{\"spatial\":2}}", 2,
                  "layer wte: spatial ranks divide images, not");
    finish(&f, &device);
}

TESTS(TEST(halos_are_rows_of_inputs_and_of_gradients_of_outputs),
      TEST(halos_of_a_grid_go_axis_by_axis), TEST(rows_are_those_that_some_window_reaches),
      TEST(a_pool_sends_back_what_it_made_for_a_neighbour),
      TEST(statistics_and_means_are_summed_over_strips), TEST(ranks_gather_where_strips_end),
      TEST(gradients_are_summed_over_strips_and_replicas),
      TEST(a_strip_has_its_part_of_memory_and_time),
      TEST(what_is_inside_does_not_wait_for_the_halo), TEST(a_name_has_room_for_all_axes),
      TEST(every_mesh_with_strips_can_be_walked),
      TEST(what_spatial_ranks_cannot_divide_is_refused))
