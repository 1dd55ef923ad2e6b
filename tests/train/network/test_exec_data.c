/* test_exec_data.c -- samples: every one once an epoch, the same for whoever asks; IDX files
 * are read as they are or refused in one line, whatever is wrong with them.
 */
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"
#include "check.h"
#include "train/network/data/data.h"
#include "train/network/data/idx_file.h"
#include "train/network/order.h"

static void an_epoch_has_every_sample_once(void)
{
    for (uint64_t count = 1; count < 300; count = count < 20 ? count + 1 : count * 2 + 3) {
        char *seen = dts_alloc(count, 1);
        for (uint64_t place = 0; place < count; place++) {
            const uint64_t sample = dts_order_shuffled(7, 3, count, place);
            CHECK(sample < count);
            CHECK(!seen[sample]);
            seen[sample] = 1;
        }
        free(seen);
    }
}

static int moved(uint64_t seed, uint64_t epoch, uint64_t other_seed, uint64_t other_epoch)
{
    enum { COUNT = 60000 };
    int differ = 0;
    for (uint64_t place = 0; place < COUNT; place++)
        differ += dts_order_shuffled(seed, epoch, COUNT, place) !=
                  dts_order_shuffled(other_seed, other_epoch, COUNT, place);
    return differ;
}

static void seed_and_epoch_change_the_order(void)
{
    CHECK_INT(moved(1, 0, 1, 0), 0);
    CHECK(moved(1, 0, 1, 1) > 59900);
    CHECK(moved(1, 0, 2, 0) > 59900);
    // neighbours do not stay neighbours, and halves are mixed
    int neighbours = 0, low = 0;
    for (uint64_t place = 0; place < 30000; place++) {
        const uint64_t a = dts_order_shuffled(1, 0, 60000, place);
        neighbours += dts_order_shuffled(1, 0, 60000, place + 1) == a + 1;
        low += a < 30000;
    }
    CHECK(neighbours < 10);
    CHECK_NEAR(low, 15000, 5 * sqrt(30000) / 2);
}

static void left_over_samples_come_in_other_epochs(void)
{
    const struct dts_order order = {.seed = 1, .samples = 10, .step_samples = 4};
    char seen[10] = {0};
    CHECK_INT(dts_order_epoch_steps(&order), 2);
    for (uint64_t position = 0; position < 8 * 20; position++)
        seen[dts_order_sample(&order, position)] = 1;
    for (int s = 0; s < 10; s++)
        CHECK(seen[s]);
    CHECK_INT(dts_order_sample(&order, 8), dts_order_shuffled(1, 1, 10, 0));
}

static char folder[64]; // where the files of a test are

static void write_file(const char *name, const void *bytes, size_t count, bool packed)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    gzFile file = gzopen(path, packed ? "wb" : "wbT");
    CHECK(file != NULL && gzwrite(file, bytes, (unsigned)count) == (int)count);
    gzclose(file);
}

static void remove_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    unlink(path);
}

static bool read_file(struct dts_idx *idx, const char *name, enum dts_idx_use use,
                      struct dts_error *err)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    *err = (struct dts_error){0};
    return dts_idx_read(idx, path, use, err);
}

static void make_folder(void)
{
    strcpy(folder, "/tmp/dtsim_data_XXXXXX");
    if (mkdtemp(folder) == NULL)
        exit(1);
}

enum { HEADER = 16, IMAGES = 3 * 2 * 2 };
static const unsigned char images[HEADER + IMAGES] = {
    0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 2, 10, 20, 30, 40, 50, 60, 70, 80, 9, 8, 7, 6};
static const unsigned char labels[8 + 3] = {0, 0, 8, 1, 0, 0, 0, 3, 2, 0, 1};

static void idx_files_are_read_plain_and_gzipped(void)
{
    struct dts_error err;
    struct dts_idx idx;
    make_folder();
    for (int packed = 0; packed < 2; packed++) {
        write_file("a", images, sizeof(images), packed == 1);
        if (CHECK(read_file(&idx, "a", DTS_IDX_IMAGES, &err))) {
            CHECK(idx.size[0] == 3 && idx.size[1] == 2 && idx.size[2] == 2);
            CHECK_INT(idx.count, IMAGES);
            CHECK(memcmp(idx.values, images + HEADER, IMAGES) == 0);
        }
        dts_idx_free(&idx);
    }
    remove_file("a");
    CHECK(!read_file(&idx, "a", DTS_IDX_IMAGES, &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    rmdir(folder);
}

static void a_truncated_file_is_refused(void)
{
    struct dts_error err;
    struct dts_idx idx;
    make_folder();
    for (size_t length = 0; length < sizeof(images); length++)
        for (int packed = 0; packed < 2; packed++) {
            write_file("a", images, length, packed == 1);
            CHECK(!read_file(&idx, "a", DTS_IDX_IMAGES, &err));
            CHECK_INT(err.cause, DTS_BAD_INPUT);
            CHECK(strchr(err.text, '\n') == NULL && strstr(err.text, folder) != NULL);
        }
    CHECK(strstr(err.text, "is truncated: its header promises 12 bytes, it has 11") != NULL);
    // what gzip itself left behind is cut off, or changed
    char path[128], packed[256];
    write_file("b", images, sizeof(images), true);
    snprintf(path, sizeof(path), "%s/b", folder);
    FILE *file = fopen(path, "rb");
    const size_t size = fread(packed, 1, sizeof(packed), file);
    fclose(file);
    for (size_t length = 11; length < size; length++) {
        write_file("a", packed, length, false);
        CHECK(!read_file(&idx, "a", DTS_IDX_IMAGES, &err));
    }
    packed[size - 7] ^= 1; // of the checksum
    write_file("a", packed, size, false);
    CHECK(!read_file(&idx, "a", DTS_IDX_IMAGES, &err));
    remove_file("a");
    remove_file("b");
    rmdir(folder);
}

static void a_header_that_lies_is_refused(void)
{
    struct dts_error err;
    struct dts_idx idx;
    unsigned char bytes[sizeof(images) + 1] = {0};
    make_folder();
    memcpy(bytes, images, sizeof(images));
    write_file("a", bytes, sizeof(images) + 1, false);
    CHECK(!read_file(&idx, "a", DTS_IDX_IMAGES, &err));
    CHECK(strstr(err.text, "goes on after") != NULL);
    memset(bytes + 4, 0xff, 12); // 2^96 images
    for (int packed = 0; packed < 2; packed++) {
        write_file("a", bytes, sizeof(images), packed == 1);
        CHECK(!read_file(&idx, "a", DTS_IDX_IMAGES, &err));
        CHECK(strstr(err.text, "its header promises") != NULL);
    }
    for (int at = 0; at < 4; at++) {
        memcpy(bytes, images, sizeof(images));
        bytes[at] ^= 4;
        write_file("a", bytes, sizeof(images), false);
        CHECK(!read_file(&idx, "a", DTS_IDX_IMAGES, &err));
    }
    CHECK(!read_file(&idx, "a", DTS_IDX_LABELS, &err));
    CHECK(strstr(err.text, "is no IDX file of labels (bytes with 1 dimension") != NULL);
    remove_file("a");
    rmdir(folder);
}

static const char network_text[] =
    "{\"name\": \"tiny\", \"sample\": \"image\", \"input\": [1, 2, 2], \"layers\": ["
    "{\"kind\": \"flatten\"}, {\"kind\": \"linear\", \"outputs\": 3},"
    "{\"kind\": \"softmax_cross_entropy\"}]}";

struct fixture {
    struct dts_model model;
    struct dts_network *network;
    struct dts_error err;
};

static void make(struct fixture *f)
{
    const struct dts_network_options options = {.batch = 2, .threads = 1, .seed = 5};
    *f = (struct fixture){0};
    if (!CHECK(dts_model_parse(&f->model, "test.json", network_text, &f->err)) ||
        !CHECK(dts_network_make(&f->network, &f->model, &options, &f->err)))
        exit(1);
}

static bool open_data(struct fixture *f, const char *format, uint64_t samples,
                      struct dts_data **data)
{
    const struct dts_data_request request = {.format = format,
                                             .folder = folder,
                                             .model = &f->model,
                                             .network = f->network,
                                             .samples = samples,
                                             .seed = 1};
    f->err = (struct dts_error){0};
    return dts_data_open(data, &request, &f->err);
}

static void end(struct fixture *f)
{
    dts_network_free(f->network);
    dts_model_free(&f->model);
}

static void write_set(const char *prefix)
{
    char name[64];
    snprintf(name, sizeof(name), "%s-images-idx3-ubyte", prefix);
    write_file(name, images, sizeof(images), false);
    snprintf(name, sizeof(name), "%s-labels-idx1-ubyte.gz", prefix);
    write_file(name, labels, sizeof(labels), true);
}

static void remove_sets(void)
{
    remove_file("train-images-idx3-ubyte");
    remove_file("train-labels-idx1-ubyte.gz");
    remove_file("t10k-images-idx3-ubyte");
    remove_file("t10k-labels-idx1-ubyte.gz");
    rmdir(folder);
}

static void a_folder_of_idx_files_fills_the_network(void)
{
    static const uint64_t numbers[] = {2, 0};
    struct fixture f;
    struct dts_data *data = NULL;
    size_t count;
    bool tokens, classes;
    make(&f);
    make_folder();
    write_set("train");
    write_set("t10k");
    if (CHECK(open_data(&f, "idx", 3, &data))) {
        dts_data_fill(data, DTS_DATA_TRAIN, f.network, numbers, 2);
        const float *input = dts_network_input(f.network, &tokens);
        const int32_t *target = dts_network_target(f.network, 2, &count, &classes);
        CHECK(target[0] == 1 && target[1] == 2);
        const double deviation = sqrt(20630 / 12.0 - 32.5 * 32.5);
        // 12 pixels: their sum is 390, that of their squares 20630
        CHECK_NEAR(input[0], (9 - 32.5) / deviation, 1e-6);
        CHECK_NEAR(input[4], (10 - 32.5) / deviation, 1e-6);
        CHECK_INT(dts_data_samples(data, DTS_DATA_TEST), 3);
    } else {
        printf("%s\n", f.err.text);
    }
    dts_data_close(data);
    CHECK(!open_data(&f, "idx", 4, &data));
    CHECK(strstr(f.err.text, "dataset.samples: 4 are more than the 3") != NULL);
    unsigned char high[sizeof(labels)];
    memcpy(high, labels, sizeof(labels));
    high[sizeof(high) - 1] = 3;
    write_file("t10k-labels-idx1-ubyte.gz", high, sizeof(high), true);
    CHECK(!open_data(&f, "idx", 3, &data));
    CHECK(strstr(f.err.text, "has the label 3") != NULL);
    remove_sets();
    CHECK(!open_data(&f, "idx", 3, &data));
    CHECK_INT(f.err.cause, DTS_BAD_INPUT);
    end(&f);
}

static void made_samples_are_the_same_for_whoever_asks(void)
{
    static const uint64_t a[] = {4, 9}, b[] = {9, 4};
    struct fixture f;
    struct dts_data *data = NULL;
    float kept[8];
    bool tokens;
    make(&f);
    if (CHECK(open_data(&f, "made", 25, &data))) {
        float *input = dts_network_input(f.network, &tokens);
        CHECK_INT(dts_data_samples(data, DTS_DATA_TRAIN), 25);
        CHECK_INT(dts_data_samples(data, DTS_DATA_TEST), 3);
        dts_data_fill(data, DTS_DATA_TRAIN, f.network, a, 2);
        memcpy(kept, input, sizeof(kept));
        dts_data_fill(data, DTS_DATA_TEST, f.network, a, 2);
        CHECK(memcmp(kept, input, sizeof(kept)) != 0);
        dts_data_fill(data, DTS_DATA_TRAIN, f.network, b, 2);
        CHECK(memcmp(kept, input + 4, sizeof(kept) / 2) == 0);
        CHECK(memcmp(kept + 4, input, sizeof(kept) / 2) == 0);
    }
    dts_data_close(data);
    end(&f);
}

TESTS(TEST(an_epoch_has_every_sample_once), TEST(seed_and_epoch_change_the_order),
      TEST(left_over_samples_come_in_other_epochs), TEST(idx_files_are_read_plain_and_gzipped),
      TEST(a_truncated_file_is_refused), TEST(a_header_that_lies_is_refused),
      TEST(a_folder_of_idx_files_fills_the_network),
      TEST(made_samples_are_the_same_for_whoever_asks))
