/* test_exec_checkpoint.c -- a checkpoint is read as it was written, or refused: cut anywhere,
 * with any byte changed, or of another training.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "train/network/checkpoint.h"

static char path[64];

static void make_path(void)
{
    strcpy(path, "/tmp/dtsim_checkpoint_XXXXXX");
    const int file = mkstemp(path);
    if (file < 0)
        exit(1);
    close(file);
    unlink(path);
}

struct state {
    float weights[10], momentum[7];
};

static struct dts_checkpoint of(struct state *state, const char *identity)
{
    return (struct dts_checkpoint){
        .identity = identity,
        .step = 77,
        .parts = {{state->weights, sizeof(state->weights)},
                  {NULL, 0},
                  {state->momentum, sizeof(state->momentum)}},
        .part_count = 3,
    };
}

static struct state made(void)
{
    struct state state;
    for (int i = 0; i < 10; i++)
        state.weights[i] = 1.5f * (float)i;
    for (int i = 0; i < 7; i++)
        state.momentum[i] = -0.1f * (float)i;
    return state;
}

static const char identity[] = "model a\nseed 1\n";

static size_t write_it(unsigned char *bytes, size_t room)
{
    struct state state = made();
    struct dts_error err = {0};
    const struct dts_checkpoint c = of(&state, identity);
    CHECK(dts_checkpoint_write(&c, path, &err));
    FILE *file = fopen(path, "rb");
    const size_t size = file != NULL ? fread(bytes, 1, room, file) : 0;
    if (file != NULL)
        fclose(file);
    return size;
}

/* A refusal is one line that names the file, and changes nothing. */
static bool refused(const char *wanted, const char *words)
{
    struct state state = {{0}, {0}};
    const struct state nothing = {{0}, {0}};
    struct dts_error err = {0};
    struct dts_checkpoint c = of(&state, wanted);
    bool there;
    c.step = 5;
    return CHECK(!dts_checkpoint_read(&c, path, &there, &err)) && CHECK(!there) &&
           CHECK_INT(err.cause, DTS_BAD_INPUT) && CHECK(strstr(err.text, path) == err.text) &&
           CHECK(strchr(err.text, '\n') == NULL) && CHECK(strstr(err.text, words) != NULL) &&
           CHECK_INT(c.step, 5) && CHECK(memcmp(&state, &nothing, sizeof(state)) == 0);
}

static void put(const unsigned char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, count, file) == count);
    fclose(file);
}

static void what_was_written_is_read(void)
{
    unsigned char bytes[1024];
    struct state state = {{0}, {0}};
    const struct state wanted = made();
    struct dts_error err = {0};
    struct dts_checkpoint c = of(&state, identity);
    bool there = false;
    make_path();
    write_it(bytes, sizeof(bytes));
    c.step = 0;
    CHECK(dts_checkpoint_read(&c, path, &there, &err));
    CHECK(there);
    CHECK_INT(c.step, 77);
    CHECK(memcmp(&state, &wanted, sizeof(state)) == 0);
    unlink(path);
}

static void no_file_is_no_failure(void)
{
    struct state state = {{0}, {0}};
    struct dts_error err = {0};
    struct dts_checkpoint c = of(&state, identity);
    bool there = true;
    make_path();
    CHECK(dts_checkpoint_read(&c, path, &there, &err));
    CHECK(!there);
    CHECK(mkdir(path, 0700) == 0);
    CHECK(!dts_checkpoint_read(&c, path, &there, &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    rmdir(path);
}

static void a_file_cut_anywhere_is_refused(void)
{
    unsigned char bytes[1024];
    make_path();
    const size_t size = write_it(bytes, sizeof(bytes));
    CHECK(size > 100 && size < sizeof(bytes));
    for (size_t length = 0; length < size; length++) {
        put(bytes, length);
        refused(identity, "is truncated");
    }
    bytes[size] = 0;
    put(bytes, size + 1);
    refused(identity, "is damaged");
    unlink(path);
}

static void a_file_with_any_byte_changed_is_refused(void)
{
    unsigned char bytes[1024];
    make_path();
    const size_t size = write_it(bytes, sizeof(bytes));
    for (size_t at = 0; at < size; at++)
        for (int bit = 0; bit < 8; bit += 7) {
            bytes[at] ^= (unsigned char)(1 << bit);
            put(bytes, size);
            refused(identity, "");
            bytes[at] ^= (unsigned char)(1 << bit);
        }
    unlink(path);
}

static void another_training_is_named(void)
{
    unsigned char bytes[1024];
    make_path();
    write_it(bytes, sizeof(bytes));
    refused("model a\nseed 2\n", "it has \"seed 1\", this one \"seed 2\"");
    refused("model b\nseed 1\n", "it has \"model a\", this one \"model b\"");
    refused("model a\n", "it has \"seed 1\", this one \"\"");
    refused("model a\nseed 1\nmore\n", "it has \"\", this one \"more\"");
    refused("model a\nseed 11\n", "it has \"seed 1\", this one \"seed 11\"");
    unlink(path);
}

static void other_sizes_are_refused(void)
{
    unsigned char bytes[1024];
    struct state state = made();
    struct dts_error err = {0};
    struct dts_checkpoint c = of(&state, identity);
    bool there;
    make_path();
    write_it(bytes, sizeof(bytes));
    c.parts[2].count -= sizeof(float);
    CHECK(!dts_checkpoint_read(&c, path, &there, &err));
    CHECK(strstr(err.text, "other sizes") != NULL);
    unlink(path);
}

static void a_failed_write_says_why(void)
{
    struct state state = made();
    struct dts_error err = {0};
    const struct dts_checkpoint c = of(&state, identity);
    CHECK(!dts_checkpoint_write(&c, "/dev/full", &err));
    CHECK_INT(err.cause, DTS_SYSTEM);
    CHECK(strstr(err.text, "/dev/full: cannot be written: No space left") == err.text);
    make_path();
    strcat(path, "/none");
    err = (struct dts_error){0};
    CHECK(!dts_checkpoint_write(&c, path, &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
}

TESTS(TEST(what_was_written_is_read), TEST(no_file_is_no_failure),
      TEST(a_file_cut_anywhere_is_refused), TEST(a_file_with_any_byte_changed_is_refused),
      TEST(another_training_is_named), TEST(other_sizes_are_refused),
      TEST(a_failed_write_says_why))
