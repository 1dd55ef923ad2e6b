/* child.c -- forks, reads what children write into pipes, says how they died. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "sim/child.h"

/* What a child that came to its end writes first; the bytes follow. */
struct head {
    struct dts_error err;
    size_t size;
};

/* What came from one pipe. */
struct stream {
    int fd; // -1: at its end
    char *bytes;
    size_t size, room;
};

enum { OUT, ERR, STREAMS, AT_ONCE = 1 << 16 };

static void write_all(int fd, const void *bytes, size_t size)
{
    const char *next = bytes;
    while (size > 0) {
        ssize_t written = write(fd, next, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            _exit(DTS_SYSTEM);
        next += written;
        size -= (size_t)written;
    }
}

/* The child's whole life. It leaves with _exit(): nothing of the parent's is freed twice. */
static void live(const struct dts_child *child, int out, int err, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(DTS_SYSTEM);
    dup2(err, STDERR_FILENO);
    dup2(err, STDOUT_FILENO);
    struct head head = {.size = 0};
    void *result = NULL;
    if (!child->run(child->argument, &result, &head.size, &head.err))
        head.size = 0;
    write_all(out, &head, sizeof(head));
    write_all(out, result, head.size);
    _exit(0);
}

static void read_some(struct stream *stream)
{
    stream->bytes = dts_grow(stream->bytes, &stream->room, stream->size + AT_ONCE, 1);
    ssize_t got = read(stream->fd, stream->bytes + stream->size, AT_ONCE);
    if (got < 0 && errno == EINTR)
        return;
    if (got > 0) {
        stream->size += (size_t)got;
        return;
    }
    close(stream->fd);
    stream->fd = -1;
}

/* Read both pipes to their ends. False: time is up. */
static bool listen_to(struct stream streams[STREAMS], double limit_s)
{
    double end_s = limit_s > 0 ? dts_now_s() + limit_s : INFINITY;
    while (streams[OUT].fd >= 0 || streams[ERR].fd >= 0) {
        double left_s = end_s - dts_now_s();
        if (left_s <= 0)
            return false;
        struct pollfd polls[STREAMS];
        for (int s = 0; s < STREAMS; s++)
            polls[s] = (struct pollfd){.fd = streams[s].fd, .events = POLLIN};
        poll(polls, STREAMS, isinf(left_s) ? -1 : (int)(fmin(left_s, 1e6) * 1e3) + 1);
        for (int s = 0; s < STREAMS; s++)
            if (polls[s].fd >= 0 && polls[s].revents != 0)
                read_some(&streams[s]);
    }
    return true;
}

/* The first line that says something, without the end of line. */
static void first_line(const struct stream *stream, char *line, size_t room)
{
    size_t begin = 0, end;
    while (begin < stream->size && (unsigned char)stream->bytes[begin] <= ' ')
        begin++;
    for (end = begin; end < stream->size && stream->bytes[end] != '\n'; end++)
        ;
    while (end > begin && (unsigned char)stream->bytes[end - 1] <= ' ')
        end--;
    int length = (int)(end - begin < room - 1 ? end - begin : room - 1);
    snprintf(line, room, "%.*s", length, stream->bytes != NULL ? stream->bytes + begin : "");
}

static bool fail_dead(const struct dts_child *child, int status, const struct stream *said,
                      struct dts_error *err)
{
    char line[512];
    first_line(said, line, sizeof(line));
    err->died = true; // a library may end it without a signal
    if (line[0] != '\0')
        return dts_fail(err, child->blame, "%s: %s", child->what, line);
    if (WIFSIGNALED(status))
        return dts_fail(err, child->blame, "%s: ended by signal %d (%s)", child->what,
                        WTERMSIG(status), strsignal(WTERMSIG(status)));
    return dts_fail(err, child->blame, "%s: ended without an answer, exit status %d",
                    child->what, WEXITSTATUS(status));
}

/* What the child answered. Takes over the bytes. */
static bool take(const struct dts_child *child, int status, struct stream streams[STREAMS],
                 void **result, size_t *size, struct dts_error *err)
{
    struct head head;
    struct stream *out = &streams[OUT];
    if (out->size < sizeof(head))
        return fail_dead(child, status, &streams[ERR], err);
    memcpy(&head, out->bytes, sizeof(head));
    if (head.err.cause != DTS_NO_ERROR)
        return dts_fail(err, head.err.cause, "%s", head.err.text);
    if (out->size != sizeof(head) + head.size)
        return fail_dead(child, status, &streams[ERR], err);
    memmove(out->bytes, out->bytes + sizeof(head), head.size);
    *result = out->bytes;
    *size = head.size;
    out->bytes = NULL;
    return true;
}

static bool fork_child(const struct dts_child *child, pid_t *pid, struct stream *streams,
                       struct dts_error *err)
{
    int out[2], said[2];
    if (pipe(out) != 0)
        return dts_fail(err, DTS_SYSTEM, "%s: no pipe: %s", child->what, strerror(errno));
    if (pipe(said) != 0) {
        dts_fail(err, DTS_SYSTEM, "%s: no pipe: %s", child->what, strerror(errno));
        close(out[0]);
        close(out[1]);
        return false;
    }
    fflush(NULL); // a library that calls exit() in the child must not write it once more
    const pid_t parent = getpid();
    *pid = fork();
    if (*pid == 0) {
        close(out[0]);
        close(said[0]);
        live(child, out[1], said[1], parent);
    }
    close(out[1]);
    close(said[1]);
    streams[OUT].fd = out[0];
    streams[ERR].fd = said[0];
    if (*pid > 0)
        return true;
    close(out[0]);
    close(said[0]);
    return dts_fail(err, DTS_SYSTEM, "%s: no new process: %s", child->what, strerror(errno));
}

bool dts_child_run(const struct dts_child *child, void **result, size_t *size,
                   struct dts_error *err)
{
    struct stream streams[STREAMS] = {{.fd = -1}, {.fd = -1}};
    pid_t pid = 0;
    if (!fork_child(child, &pid, streams, err))
        return false;

    bool in_time = listen_to(streams, child->limit_s);
    if (!in_time)
        kill(pid, SIGKILL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    bool ok = in_time ? take(child, status, streams, result, size, err)
                      : dts_fail(err, child->blame, "%s: stopped after %g s without an answer",
                                 child->what, child->limit_s);
    for (int s = 0; s < STREAMS; s++) {
        if (streams[s].fd >= 0)
            close(streams[s].fd);
        free(streams[s].bytes);
    }
    return ok;
}
