/* file.c -- opening what is read; output files: written beside, synced, renamed. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/ending.h"
#include "base/os/file.h"
#include "base/text.h"

enum dts_cause dts_file_cause(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EISDIR || error == EACCES ||
                   error == ENAMETOOLONG || error == ELOOP
               ? DTS_BAD_INPUT
               : DTS_SYSTEM;
}

int dts_file_open(const char *path, uint64_t *bytes, struct dts_error *err)
{
    struct stat status;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        *bytes = (uint64_t)status.st_size;
        return file;
    }
    if (file < 0)
        dts_fail(err, dts_file_cause(errno), "%s: cannot be read: %s", path, strerror(errno));
    else
        dts_fail(err, DTS_BAD_INPUT, "%s: cannot be read: it is no file", path);
    if (file >= 0)
        close(file);
    return -1;
}

static bool fail(const char *path, int error, struct dts_error *err)
{
    return dts_fail(err, dts_file_cause(error), "%s: cannot be written: %s", path,
                    strerror(error));
}

/* What a stream writes to. A stream forgets why it could not write, and may be told only
 * thousands of bytes later that it could not. */
struct dts_sink {
    int file;
    int error; // the first errno; 0: none
    const FILE *stream;
    struct dts_sink *next; // of those that are open
};

static struct dts_sink *sinks; // fileno() knows no stream of fopencookie()

int dts_output_file(FILE *stream)
{
    for (const struct dts_sink *sink = sinks; sink != NULL; sink = sink->next)
        if (sink->stream == stream)
            return sink->file;
    return fileno(stream);
}

static void note(struct dts_sink *sink)
{
    if (sink->error == 0)
        sink->error = errno;
}

static ssize_t write_all(void *self, const char *bytes, size_t count)
{
    struct dts_sink *sink = self;
    size_t sent = 0;
    while (sent < count) {
        const ssize_t n = write(sink->file, bytes + sent, count - sent);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            note(sink);
            return 0; // what a stream takes for a failure
        }
        sent += (size_t)n;
    }
    return (ssize_t)sent;
}

static int end_sink(void *self)
{
    struct dts_sink *sink = self;
    if (sink->file != STDOUT_FILENO && close(sink->file) != 0)
        note(sink);
    return 0;
}

static void begin_stream(struct dts_output *out, int file)
{
    static const cookie_io_functions_t functions = {.write = write_all, .close = end_sink};
    out->sink = dts_alloc(1, sizeof(*out->sink));
    out->sink->file = file;
    out->stream = fopencookie(out->sink, "w", functions);
    out->sink->stream = out->stream;
    out->sink->next = sinks;
    sinks = out->sink;
}

static void end_stream(struct dts_output *out)
{
    struct dts_sink **at = &sinks;
    while (*at != NULL && *at != out->sink)
        at = &(*at)->next;
    if (*at != NULL)
        *at = out->sink->next;
    free(out->sink);
}

static void forget(struct dts_output *out)
{
    if (out->beside != NULL)
        dts_ending_keep(out->beside); // in place or gone
    end_stream(out);
    free(out->path);
    free(out->beside);
    *out = (struct dts_output){0};
}

/* A new file in the folder of the path, with the rights that it would have without this. */
static int create_beside(const char *path, const struct stat *old, char **beside)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        struct dts_text name = {0};
        dts_text_add(&name, "%s.%ld.%d", path, (long)getpid(), attempt);
        sigset_t before;
        dts_ending_hold(&before);
        int file = open(name.chars, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        const int error = errno;
        if (file >= 0)
            dts_ending_remove(name.chars);
        dts_ending_release(&before);
        if (file >= 0) {
            if (old != NULL)
                fchmod(file, old->st_mode & 0777); // best effort: content matters more
            *beside = dts_text_take(&name);
            return file;
        }
        dts_text_free(&name);
        errno = error;
        if (error != EEXIST)
            return -1;
    }
    return -1;
}

bool dts_output_open(struct dts_output *out, const char *path, struct dts_error *err)
{
    *out = (struct dts_output){0};
    if (strcmp(path, "-") == 0) {
        fflush(stdout); // what was said before comes first
        begin_stream(out, STDOUT_FILENO);
        return true;
    }
    if (*path == '\0')
        return fail("\"\"", ENOENT, err);
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return fail(path, EISDIR, err);
    char real[PATH_MAX]; // so that a link stays one
    out->path = dts_copy(exists && realpath(path, real) != NULL ? real : path);
    int file = exists && !S_ISREG(status.st_mode) // a device or pipe: nothing to protect
                   ? open(path, O_WRONLY | O_CLOEXEC)
                   : create_beside(out->path, exists ? &status : NULL, &out->beside);
    if (file >= 0) {
        begin_stream(out, file);
        return true;
    }
    fail(path, errno, err);
    forget(out);
    return false;
}

/* Make the new name last as well; what cannot sync folders is left to its own. */
static void sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = dts_copy(slash == NULL ? "." : slash == path ? "/" : path);
    if (slash != NULL && slash != path)
        folder[slash - path] = '\0';
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        fsync(file);
        close(file);
    }
    free(folder);
}

bool dts_output_close(struct dts_output *out, struct dts_error *err)
{
    struct dts_sink *sink = out->sink;
    fflush(out->stream);
    if (sink->error == 0 && out->beside != NULL && fsync(sink->file) != 0)
        note(sink);
    fclose(out->stream);
    if (sink->error == 0 && out->beside != NULL && rename(out->beside, out->path) != 0)
        note(sink);
    const int error = sink->error;
    if (error == 0 && out->beside != NULL)
        sync_folder(out->path);
    if (error != 0 && out->beside != NULL)
        unlink(out->beside);
    if (error != 0)
        fail(out->path == NULL ? "standard output" : out->path, error, err);
    forget(out);
    return error == 0;
}

void dts_output_discard(struct dts_output *out)
{
    if (out->stream != NULL)
        fclose(out->stream);
    if (out->beside != NULL)
        unlink(out->beside);
    forget(out);
}

bool dts_output_try(const char *path, struct dts_error *err)
{
    struct dts_output out;
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return access(path, W_OK) == 0 || fail(path, errno, err);
    if (!dts_output_open(&out, path, err))
        return false;
    dts_output_discard(&out);
    return true;
}
