/* checkpoint.c -- writes and reads checkpoints. A file is read twice: first its sum is checked,
 * then what it has becomes the state. */
#include "train/network/checkpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/os/file.h"

static const char magic[] = "dtsim-checkpoint/1\n";

enum { MAGIC = sizeof(magic) - 1, BYTE_ORDER_MARK = 0x01020304, SUM = 4 };

/* What stands behind the magic words. */
struct head {
    uint32_t byte_order, identity_bytes;
    uint64_t part_count, step, parts[DTS_CHECKPOINT_PARTS];
};

static struct head head_of(const struct dts_checkpoint *c)
{
    struct head head;
    memset(&head, 0, sizeof(head)); // what is written has no chance bytes
    head.byte_order = BYTE_ORDER_MARK;
    head.identity_bytes = (uint32_t)strlen(c->identity);
    head.part_count = (uint64_t)c->part_count;
    head.step = c->step;
    for (int p = 0; p < c->part_count; p++)
        head.parts[p] = c->parts[p].count;
    return head;
}

uint32_t dts_checkpoint_sum(const char *text)
{
    return (uint32_t)crc32_z(0, (const unsigned char *)text, strlen(text));
}

struct writer {
    FILE *out;
    uint32_t sum;
    int error; // errno of the first write that failed
};

static void put(struct writer *w, const void *bytes, size_t count)
{
    if (count == 0 || w->error != 0)
        return;
    errno = 0;
    w->sum = (uint32_t)crc32_z(w->sum, bytes, count);
    if (fwrite(bytes, 1, count, w->out) != count)
        w->error = errno != 0 ? errno : EIO;
}

bool dts_checkpoint_write(const struct dts_checkpoint *c, const char *path,
                          struct dts_error *err)
{
    const struct head head = head_of(c);
    struct dts_output out;
    if (!dts_output_open(&out, path, err))
        return false;
    struct writer w = {.out = out.stream};
    put(&w, magic, MAGIC);
    put(&w, &head, sizeof(head));
    put(&w, c->identity, head.identity_bytes);
    for (int p = 0; p < c->part_count; p++)
        put(&w, c->parts[p].bytes, c->parts[p].count);
    const uint32_t sum = w.sum;
    put(&w, &sum, SUM);
    if (w.error == 0)
        return dts_output_close(&out, err);
    dts_output_discard(&out);
    return dts_fail(err, dts_file_cause(w.error), "%s: cannot be written: %s", path,
                    strerror(w.error));
}

struct reader {
    const char *path;
    FILE *in;
    uint64_t bytes; // of the file
};

static bool fail(const struct reader *r, struct dts_error *err, const char *what)
{
    return dts_fail(err, DTS_BAD_INPUT, "%s: the checkpoint %s; move it away to begin anew",
                    r->path, what);
}

/* What fread() leaves out is a failure, since sizes are known. */
static bool get(const struct reader *r, void *bytes, size_t count, struct dts_error *err)
{
    if (fread(bytes, 1, count, r->in) == count)
        return true;
    return dts_fail(err, DTS_SYSTEM, "%s: cannot be read: %s", r->path,
                    ferror(r->in) ? strerror(errno) : "it became shorter");
}

/* Is the file as long as its head says? */
static bool read_head(const struct reader *r, struct head *head, struct dts_error *err)
{
    char words[MAGIC];
    const uint64_t least = MAGIC + sizeof(*head) + SUM;
    const uint64_t begin = r->bytes < MAGIC ? r->bytes : MAGIC;
    if (!get(r, words, begin, err))
        return false;
    if (memcmp(words, magic, begin) != 0)
        return dts_fail(err, DTS_BAD_INPUT, "%s: is no checkpoint of dtsim", r->path);
    if (r->bytes < least)
        return fail(r, err, "is truncated");
    if (!get(r, head, sizeof(*head), err))
        return false;
    if (head->byte_order != BYTE_ORDER_MARK)
        return fail(r, err, "is damaged, or of a machine with another byte order");
    uint64_t all = least + head->identity_bytes;
    for (int p = 0; p < DTS_CHECKPOINT_PARTS; p++)
        if (__builtin_add_overflow(all, head->parts[p], &all))
            return fail(r, err, "is damaged");
    return r->bytes == all || fail(r, err, r->bytes < all ? "is truncated" : "is damaged");
}

static bool check_sum(const struct reader *r, struct dts_error *err)
{
    enum { AT_ONCE = 1 << 16 };
    unsigned char *block = dts_alloc(AT_ONCE, 1);
    uint32_t sum = 0, wanted = 0;
    bool good = fseek(r->in, 0, SEEK_SET) == 0;
    for (uint64_t left = r->bytes - SUM; left > 0 && good;) {
        const size_t count = left < AT_ONCE ? left : AT_ONCE;
        good = get(r, block, count, err);
        sum = (uint32_t)crc32_z(sum, block, count);
        left -= count;
    }
    good = good && get(r, &wanted, SUM, err);
    free(block);
    return good && (sum == wanted || fail(r, err, "is damaged: its sum is wrong"));
}

static int line_length(const char *text)
{
    return (int)strcspn(text, "\n");
}

/* The first line that differs says why. */
static bool compare(const struct reader *r, const char *found, const char *wanted,
                    struct dts_error *err)
{
    while (*found != '\0' && *wanted != '\0') {
        const int a = line_length(found), b = line_length(wanted);
        if (a != b || memcmp(found, wanted, (size_t)a) != 0)
            break;
        found += found[a] == '\n' ? a + 1 : a;
        wanted += wanted[b] == '\n' ? b + 1 : b;
    }
    if (*found == '\0' && *wanted == '\0')
        return true;
    return dts_fail(err, DTS_BAD_INPUT,
                    "%s: the checkpoint is of another training: it has \"%.*s\", this one "
                    "\"%.*s\"; move it away to begin anew",
                    r->path, line_length(found), found, line_length(wanted), wanted);
}

static bool read_state(const struct reader *r, struct dts_checkpoint *c, struct dts_error *err)
{
    struct head head, mine = head_of(c);
    if (!read_head(r, &head, err) || !check_sum(r, err) ||
        fseek(r->in, MAGIC + (long)sizeof(head), SEEK_SET) != 0)
        return false;
    char *identity = dts_alloc((size_t)head.identity_bytes + 1, 1); // the file is longer
    const bool same =
        get(r, identity, head.identity_bytes, err) && compare(r, identity, c->identity, err);
    free(identity);
    if (!same)
        return false;
    if (head.part_count != mine.part_count ||
        memcmp(head.parts, mine.parts, sizeof(head.parts)) != 0)
        return fail(r, err, "is of another training: its parts have other sizes");
    c->step = head.step;
    for (int p = 0; p < c->part_count; p++)
        if (!get(r, c->parts[p].bytes, c->parts[p].count, err))
            return false;
    return true;
}

bool dts_checkpoint_read(struct dts_checkpoint *c, const char *path, bool *there,
                         struct dts_error *err)
{
    struct reader r = {.path = path};
    *there = false;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return true;
    const int file = dts_file_open(path, &r.bytes, err);
    if (file < 0)
        return false;
    r.in = fdopen(file, "rb");
    if (r.in == NULL) {
        close(file);
        return dts_fail(err, DTS_SYSTEM, "%s: cannot be read: no memory", path);
    }
    *there = read_state(&r, c, err);
    if (!*there) // where only a seek failed
        dts_fail(err, DTS_SYSTEM, "%s: cannot be read", path);
    fclose(r.in);
    return *there;
}
