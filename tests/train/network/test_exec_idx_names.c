/* test_exec_idx_names.c -- sets of IDX files as people have them: other names, labels of
 * QMNIST, colour.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "check.h"
#include "train/network/data/data.h"

static char root[64]; // of the test; sets lie in folders of it

static void run(const char *format, const char *name)
{
    char command[256];
    snprintf(command, sizeof(command), format, root, name);
    CHECK_INT(system(command), 0);
}

static void begin(void)
{
    strcpy(root, "/tmp/dtsim_idx_XXXXXX");
    if (mkdtemp(root) == NULL)
        exit(1);
}

static void end(void)
{
    run("rm -r '%s'%s", "");
}

static void write_file(const char *name, const void *bytes, size_t count)
{
    char path[256];
    const bool packed = strlen(name) > 3 && strcmp(name + strlen(name) - 3, ".gz") == 0;
    snprintf(path, sizeof(path), "%s/%s", root, name);
    gzFile file = gzopen(path, packed ? "wb" : "wbT");
    if (CHECK(file != NULL) && CHECK_INT(gzwrite(file, bytes, (unsigned)count), count))
        gzclose(file);
}

/* Three gray images of 2 x 2, and their classes. */
static const unsigned char gray[] = {0, 0, 8,  3,  0,  0,  0,  3,  0,  0,  0, 2, 0, 0,
                                     0, 2, 10, 20, 30, 40, 50, 60, 70, 80, 9, 8, 7, 6};
static const unsigned char classes[] = {0, 0, 8, 1, 0, 0, 0, 3, 2, 0, 1};

static const char gray_network[] =
    "{\"name\": \"tiny\", \"sample\": \"image\", \"input\": [1, 2, 2], \"layers\": ["
    "{\"kind\": \"flatten\"}, {\"kind\": \"linear\", \"outputs\": 3},"
    "{\"kind\": \"softmax_cross_entropy\"}]}";
static const char colour_network[] =
    "{\"name\": \"tiny\", \"sample\": \"image\", \"input\": [3, 1, 2], \"layers\": ["
    "{\"kind\": \"flatten\"}, {\"kind\": \"linear\", \"outputs\": 3},"
    "{\"kind\": \"softmax_cross_entropy\"}]}";

/* Training samples 2 and 0 in a network: their inputs and classes; or what is wrong. */
struct seen {
    float inputs[12];
    int32_t classes[2];
    bool good;
    struct dts_error err;
};

static struct seen see(const char *text, uint64_t samples)
{
    static const uint64_t numbers[] = {2, 0};
    const struct dts_network_options options = {.batch = 2, .threads = 1, .seed = 5};
    struct seen seen = {.good = false};
    struct dts_model model;
    struct dts_network *network;
    struct dts_data *data;
    size_t count;
    bool tokens, are_classes;
    if (!CHECK(dts_model_parse(&model, "test.json", text, &seen.err)) ||
        !CHECK(dts_network_make(&network, &model, &options, &seen.err)))
        exit(1);
    const struct dts_data_request request = {.format = "idx",
                                             .folder = root,
                                             .model = &model,
                                             .network = network,
                                             .samples = samples,
                                             .seed = 1};
    seen.good = dts_data_open(&data, &request, &seen.err);
    if (seen.good) {
        dts_data_fill(data, DTS_DATA_TRAIN, network, numbers, 2);
        memcpy(seen.inputs, dts_network_input(network, &tokens),
               2 * sizeof(float) * dts_dims_elements(&model.input));
        memcpy(seen.classes, dts_network_target(network, 2, &count, &are_classes),
               sizeof(seen.classes));
        dts_data_close(data);
    }
    dts_network_free(network);
    dts_model_free(&model);
    return seen;
}

static void write_gray(const char *prefix, const char *test, const char *mark, const char *end)
{
    char name[128];
    const char *parts[] = {"train", test};
    for (int p = 0; p < 2; p++) {
        snprintf(name, sizeof(name), "%s%s-images%sidx3-ubyte%s", prefix, parts[p], mark, end);
        write_file(name, gray, sizeof(gray));
        snprintf(name, sizeof(name), "%s%s-labels%sidx1-ubyte%s", prefix, parts[p], mark, end);
        write_file(name, classes, sizeof(classes));
    }
}

static void sets_are_found_under_their_usual_names(void)
{
    static const char *const prefixes[] = {"", "emnist-letters-", "qmnist-", "kmnist-"};
    static const char *const tests[] = {"t10k", "test"}, *const marks[] = {"-", "."};
    static const char *const ends[] = {"", ".gz"};
    for (int i = 0; i < 4 * 2 * 2 * 2; i++) {
        begin();
        write_gray(prefixes[i / 8], tests[i / 4 % 2], marks[i / 2 % 2], ends[i % 2]);
        const struct seen seen = see(gray_network, 3);
        if (!CHECK(seen.good))
            printf("%d: %s\n", i, seen.err.text);
        CHECK(seen.classes[0] == 1 && seen.classes[1] == 2);
        end();
    }
}

/* Kaggle's MNIST has each file in a folder of its name, and once more with a dot. */
static void a_file_may_lie_in_a_folder_of_its_name(void)
{
    static const char *const names[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                        "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};
    begin();
    for (int i = 0; i < 4; i++) {
        char name[128];
        run("mkdir '%s/%s'", names[i]);
        snprintf(name, sizeof(name), "%s/%s", names[i], names[i]);
        write_file(name, i % 2 == 0 ? gray : classes,
                   i % 2 == 0 ? sizeof(gray) : sizeof(classes));
    }
    CHECK(see(gray_network, 3).good);
    write_gray("", "t10k", ".", "");
    CHECK(see(gray_network, 3).good);
    end();
}

static void what_is_there_is_said(void)
{
    begin();
    write_gray("", "t10k", "-", "");
    run("rm '%s/%s'", "t10k-labels-idx1-ubyte");
    run("touch '%s/%s'", "readme");
    struct seen seen = see(gray_network, 3);
    CHECK(!seen.good && seen.err.cause == DTS_BAD_INPUT);
    CHECK(strstr(seen.err.text, ": has no t10k-labels-idx1-ubyte, plain or .gz") != NULL);
    CHECK(strstr(seen.err.text, "; there is: readme, t10k-images-idx3-ubyte, train-images-i") !=
          NULL);
    end();
    begin();
    seen = see(gray_network, 3);
    CHECK(!seen.good && strstr(seen.err.text, "there is: nothing") != NULL);
    end();
    seen = see(gray_network, 3);
    CHECK(!seen.good && strstr(seen.err.text, ": there is no such folder") != NULL);
}

static void of_several_sets_the_usual_one_is_meant(void)
{
    begin();
    write_gray("emnist-digits-", "test", "-", ".gz");
    write_gray("emnist-letters-", "test", "-", ".gz");
    struct seen seen = see(gray_network, 3);
    CHECK(!seen.good &&
          strstr(seen.err.text, "has several sets, emnist-digits-... and emnist-letters-...") !=
              NULL);
    write_gray("", "t10k", "-", "");
    CHECK(see(gray_network, 3).good);
    run("rm '%s/%s'", "train-labels-idx1-ubyte"); // and no labels of another set
    seen = see(gray_network, 3);
    CHECK(!seen.good && strstr(seen.err.text, "has no train-labels-idx1-ubyte") != NULL);
    end();
}

/* n x 8 integers: class, source, writer, and so on (Yadav, Bottou 2019, arXiv:1905.10498). */
static void labels_of_qmnist_are_read(void)
{
    unsigned char labels[12 + 3 * 8 * 4] = {0, 0, 12, 2, 0, 0, 0, 3, 0, 0, 0, 8};
    begin();
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 8; c++)
            labels[12 + (i * 8 + c) * 4 + 3] =
                c == 0 ? classes[8 + i] : (unsigned char)(200 + c);
    write_file("qmnist-train-images-idx3-ubyte.gz", gray, sizeof(gray));
    write_file("qmnist-train-labels-idx2-int.gz", labels, sizeof(labels));
    write_file("qmnist-test-images-idx3-ubyte.gz", gray, sizeof(gray));
    write_file("qmnist-test-labels-idx2-int.gz", labels, sizeof(labels));
    struct seen seen = see(gray_network, 3);
    if (!CHECK(seen.good))
        printf("%s\n", seen.err.text);
    CHECK(seen.classes[0] == 1 && seen.classes[1] == 2);
    labels[12 + 2] = 1; // 258
    write_file("qmnist-test-labels-idx2-int.gz", labels, sizeof(labels));
    seen = see(gray_network, 3);
    CHECK(!seen.good && strstr(seen.err.text, "has the label 258, and") != NULL);
    labels[12] = 0x80;
    write_file("qmnist-test-labels-idx2-int.gz", labels, sizeof(labels));
    seen = see(gray_network, 3);
    CHECK(!seen.good && strstr(seen.err.text, "classes count from 0") != NULL);
    memset(labels + 8, 0, 4); // rows of no columns
    write_file("qmnist-test-labels-idx2-int.gz", labels, 12);
    seen = see(gray_network, 3);
    CHECK(!seen.good && strstr(seen.err.text, "promises 3 times nothing") != NULL);
    end();
}

/* Both orders of three images with 1 x 2 pixels in three colours become the same inputs. */
static void colour_is_read_in_both_orders(void)
{
    unsigned char front[20 + 18] = {0, 0, 8, 4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2};
    unsigned char behind[20 + 18] = {0, 0, 8, 4, 0, 0, 0, 3, 0, 0,
                                     0, 1, 0, 0, 0, 2, 0, 0, 0, 3};
    for (int n = 0; n < 3; n++)
        for (int c = 0; c < 3; c++)
            for (int x = 0; x < 2; x++)
                front[20 + n * 6 + c * 2 + x] = behind[20 + n * 6 + x * 3 + c] =
                    (unsigned char)(100 * n + 10 * c + x);
    begin();
    write_gray("", "t10k", "-", "");
    write_file("train-images-idx3-ubyte", front, sizeof(front));
    write_file("t10k-images-idx3-ubyte", behind, sizeof(behind));
    const struct seen first = see(colour_network, 3);
    write_file("train-images-idx3-ubyte", behind, sizeof(behind));
    const struct seen second = see(colour_network, 3);
    if (CHECK(first.good && second.good)) {
        CHECK(memcmp(first.inputs, second.inputs, sizeof(first.inputs)) == 0);
        CHECK_NEAR((first.inputs[2] - first.inputs[0]) / (first.inputs[1] - first.inputs[0]),
                   10,
                   1e-4); // the second colour against the second pixel of the first
    }
    const struct seen third = see(gray_network, 3);
    CHECK(!third.good &&
          strstr(third.err.text, "has images of 1 x 2 x 3, and tiny takes 1 x 2 x 2") != NULL);
    end();
}

TESTS(TEST(sets_are_found_under_their_usual_names),
      TEST(a_file_may_lie_in_a_folder_of_its_name), TEST(what_is_there_is_said),
      TEST(of_several_sets_the_usual_one_is_meant), TEST(labels_of_qmnist_are_read),
      TEST(colour_is_read_in_both_orders))
