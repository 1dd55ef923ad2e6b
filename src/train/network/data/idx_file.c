/* idx_file.c -- reads IDX files through zlib, which hands plain files on as they are. */
#include "train/network/data/idx_file.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/os/file.h"
#include "base/text.h"

/* Deflate makes nothing smaller than this: zlib's technical details, "maximum compression
 * factor" (https://zlib.net/zlib_tech.html). */
enum { MOST_UNPACKED = 1032 };

struct source {
    const char *path;
    gzFile file;
    uint64_t bytes; // of the file as it lies there
    bool cut;       // a gzipped file ended before its checksum
};

/* zlib knows the file by its descriptor: "<fd:17>: what is wrong". */
static const char *without_name(const char *words)
{
    const char *colon = words[0] == '<' ? strstr(words, ">: ") : NULL;
    return colon != NULL ? colon + 3 : words;
}

/* Fewer than `count` where the file ends. */
static bool read_some(struct source *source, void *out, size_t count, size_t *got,
                      struct dts_error *err)
{
    enum { AT_ONCE = 1 << 24 };
    *got = 0;
    while (*got < count) {
        const size_t left = count - *got;
        const int step = gzread(source->file, (char *)out + *got,
                                (unsigned)(left < AT_ONCE ? left : AT_ONCE));
        int code = Z_OK;
        if (step > 0) {
            *got += (size_t)step;
            continue;
        }
        const char *words = gzerror(source->file, &code);
        source->cut = code == Z_BUF_ERROR;
        if (code == Z_OK || code == Z_STREAM_END || source->cut)
            return true; // the end
        return dts_fail(err, DTS_BAD_INPUT, "%s: cannot be read: %s", source->path,
                        code == Z_ERRNO ? strerror(errno) : without_name(words));
    }
    return true;
}

enum { BYTES = 8, INTEGERS = 12 }; // types of values

static bool suits(enum dts_idx_use use, int type, int dims)
{
    if (use == DTS_IDX_IMAGES)
        return type == BYTES && (dims == 3 || dims == 4);
    return dims == 1 ? type == BYTES || type == INTEGERS : dims == 2 && type == INTEGERS;
}

static bool say_other(const struct source *source, enum dts_idx_use use,
                      const unsigned char *bytes, struct dts_error *err)
{
    static const char *const forms[DTS_IDX_USES] = {
        "images (bytes with 3 or 4 dimensions)",
        "labels (bytes with 1 dimension, or integers with 1 or 2)",
    };
    const bool header = bytes[0] == 0 && bytes[1] == 0 && bytes[2] >= BYTES && bytes[3] > 0;
    struct dts_text has = {0};
    if (header)
        dts_text_add(&has, ": it has type %d and %d dimension%s", bytes[2], bytes[3],
                     dts_plural((long)bytes[3]));
    dts_fail(err, DTS_BAD_INPUT, "%s: is no IDX file of %s%s", source->path, forms[use],
             dts_text_string(&has));
    dts_text_free(&has);
    return false;
}

static bool read_header(struct source *source, struct dts_idx *idx, enum dts_idx_use use,
                        struct dts_error *err)
{
    unsigned char bytes[4 + 4 * DTS_IDX_DIMS] = {0};
    size_t got, rest = 0;
    if (!read_some(source, bytes, 4, &got, err))
        return false;
    const int dims = bytes[3];
    if (got < 4 || bytes[0] != 0 || bytes[1] != 0 || !suits(use, bytes[2], dims))
        return say_other(source, use, bytes, err);
    const size_t length = 4 * (size_t)dims;
    if (!read_some(source, bytes + 4, length, &rest, err))
        return false;
    if (rest < length)
        return dts_fail(err, DTS_BAD_INPUT, "%s: is truncated: it ends within its header",
                        source->path);
    idx->dims = dims;
    idx->count = 1;
    idx->each = bytes[2] == INTEGERS ? 4 : 1;
    for (int d = 0; d < DTS_IDX_DIMS; d++) {
        const unsigned char *at = &bytes[4 + 4 * d];
        idx->size[d] = d >= dims ? 1
                                 : (size_t)at[0] << 24 | (size_t)at[1] << 16 |
                                       (size_t)at[2] << 8 | (size_t)at[3];
        if (__builtin_mul_overflow(idx->count, idx->size[d], &idx->count))
            idx->count = SIZE_MAX / 4;
    }
    if (idx->count > SIZE_MAX / 4)
        idx->count = SIZE_MAX / 4;
    if (idx->count == 0 && idx->size[0] > 0)
        return dts_fail(err, DTS_BAD_INPUT, "%s: its header promises %zu times nothing",
                        source->path, idx->size[0]);
    const uint64_t most =
        gzdirect(source->file) ? source->bytes : source->bytes * MOST_UNPACKED;
    const size_t promised = idx->count * idx->each;
    if (promised > most)
        return dts_fail(err, DTS_BAD_INPUT,
                        "%s: its header promises %zu bytes, more than a %sfile of %llu bytes "
                        "can hold",
                        source->path, promised, gzdirect(source->file) ? "" : "gzipped ",
                        (unsigned long long)source->bytes);
    return true;
}

static bool read_values(struct source *source, struct dts_idx *idx, struct dts_error *err)
{
    const size_t count = idx->count * idx->each;
    size_t got, more = 0;
    char beyond;
    idx->values = malloc(count > 0 ? count : 1);
    if (idx->values == NULL)
        return dts_fail(err, DTS_SYSTEM, "%s: no memory for its %zu bytes", source->path,
                        count);
    if (!read_some(source, idx->values, count, &got, err))
        return false;
    if (got == count && !read_some(source, &beyond, 1, &more, err))
        return false;
    if (got < count || source->cut)
        return dts_fail(err, DTS_BAD_INPUT,
                        "%s: is truncated: its header promises %zu bytes, it has %zu%s",
                        source->path, count, got, got < count ? "" : " and no checksum");
    if (more > 0)
        return dts_fail(err, DTS_BAD_INPUT, "%s: goes on after the %zu bytes of its header",
                        source->path, count);
    return true;
}

bool dts_idx_read(struct dts_idx *idx, const char *path, enum dts_idx_use use,
                  struct dts_error *err)
{
    struct source source = {.path = path};
    *idx = (struct dts_idx){0};
    const int file = dts_file_open(path, &source.bytes, err);
    if (file < 0)
        return false;
    source.file = gzdopen(file, "rb");
    if (source.file == NULL) {
        close(file);
        return dts_fail(err, DTS_SYSTEM, "%s: cannot be read: no memory", path);
    }
    gzbuffer(source.file, 1 << 17);
    const bool good = read_header(&source, idx, use, err) && read_values(&source, idx, err);
    gzclose_r(source.file);
    if (!good)
        dts_idx_free(idx);
    return good;
}

void dts_idx_free(struct dts_idx *idx)
{
    free(idx->values);
    *idx = (struct dts_idx){0};
}

int32_t dts_idx_label(const struct dts_idx *labels, size_t number)
{
    const unsigned char *at = labels->values + number * labels->size[1] * labels->each;
    if (labels->each == 1)
        return at[0];
    return (int32_t)((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 |
                     (uint32_t)at[3]);
}
