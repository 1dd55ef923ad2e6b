/* test_op_upsample.c -- interpolation on odd shapes. */
#include "kernels/op_shapes.h"
#include "kernels/shape/upsample.h"

static void check_sizes(int batch, struct dts_dims in, struct dts_dims out)
{
    struct op_case c = {
        .batch = batch,
        .call = {.op = "upsample", .input_count = 1, .inputs = {in}, .output = out}};
    // an input gives to as many outputs as lie around it, an output takes from 8 at most
    c.sums = 8 + 4 * (double)dts_dims_elements(&out) / (double)dts_dims_elements(&in);
    check_op(&c);
    c.call.op = "upsample_nearest";
    check_op(&c);
}

static void images(void)
{
    check_sizes(2, (struct dts_dims){3, {3, 4, 5, 1}}, (struct dts_dims){3, {3, 16, 20, 1}});
    check_sizes(1, (struct dts_dims){3, {5, 3, 7, 1}}, (struct dts_dims){3, {5, 8, 11, 1}});
    check_sizes(3, (struct dts_dims){3, {2, 1, 1, 1}}, (struct dts_dims){3, {2, 3, 4, 1}});
    check_sizes(1, (struct dts_dims){3, {2, 5, 1, 1}}, (struct dts_dims){3, {2, 6, 9, 1}});
    check_sizes(1, (struct dts_dims){3, {2, 6, 19, 1}}, (struct dts_dims){3, {2, 6, 19, 1}});
}

static void to_fewer_pixels(void)
{
    check_sizes(1, (struct dts_dims){3, {2, 9, 8, 1}}, (struct dts_dims){3, {2, 4, 3, 1}});
    check_sizes(2, (struct dts_dims){3, {1, 7, 6, 1}}, (struct dts_dims){3, {1, 1, 13, 1}});
}

static void lines_and_volumes(void)
{
    check_sizes(2, (struct dts_dims){2, {3, 7, 1, 1}}, (struct dts_dims){2, {3, 17, 1, 1}});
    check_sizes(1, (struct dts_dims){4, {2, 3, 2, 5}}, (struct dts_dims){4, {2, 5, 6, 7}});
}

/* Places of outputs are symmetric, in order, and inside. */
static void outputs_lie_where_they_should(void)
{
    for (size_t in = 1; in < 12; in++)
        for (size_t out = 1; out < 40; out++)
            for (size_t o = 0; o < out; o++) {
                const struct dts_interpolation b = dts_interpolation_of(o, in, out);
                const struct dts_interpolation mirror =
                    dts_interpolation_of(out - 1 - o, in, out);
                const double place = (double)b.low + (b.high > b.low ? b.share : 0);
                const double other =
                    (double)mirror.low + (mirror.high > mirror.low ? mirror.share : 0);
                CHECK(b.high < in && b.share >= 0 && b.share < 1);
                CHECK_NEAR(place + other, (double)in - 1, 1e-12);
            }
}

TESTS(TEST(images), TEST(to_fewer_pixels), TEST(lines_and_volumes),
      TEST(outputs_lie_where_they_should))
