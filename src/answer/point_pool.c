/* point_pool.c -- points in child processes. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "answer/notes/waiting.h"
#include "answer/point_pool.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/ending.h"

enum { MOST_JOBS = 256 }; // children at once

struct child {
    pid_t pid;         // 0: none in this place
    int point, number; // number: in the order in which they began
    int pipe;
    size_t got; // bytes of the result
};

struct state {
    const struct dts_point_pool *pool;
    struct dts_result *results;
    struct child *children;
    struct dts_progress *progress; // by place; NULL: this machine has no memory for it
    int *waiting; // points that are to be worked out, in the order in which they begin
    int waiting_count;
    int places, running, next, done;
    double begun_s;
    bool shown; // a progress line stands on the terminal
};

/* In the child: work, write the result, end without the cleaning up of the parent. */
static void work(const struct dts_point_pool *pool, int i, struct dts_progress *progress,
                 int out, pid_t parent)
{
    dts_ending_watch();
    prctl(PR_SET_PDEATHSIG, SIGTERM); // also when the parent is killed
    if (getppid() != parent)
        _exit(1);
    struct dts_result *result = dts_alloc(1, sizeof(*result));
    dts_result_init(result);
    pool->work(pool->self, i, progress, result);
    fflush(stderr);
    const char *bytes = (const char *)result;
    for (size_t sent = 0; sent < sizeof(*result);) {
        ssize_t n = write(out, bytes + sent, sizeof(*result) - sent);
        if (n < 0 && errno != EINTR)
            _exit(1);
        sent += n > 0 ? (size_t)n : 0;
    }
    _exit(0);
}

static struct dts_progress *progress_of(const struct state *state, const struct child *child)
{
    return state->progress != NULL ? &state->progress[child - state->children] : NULL;
}

static bool start(struct state *state, struct dts_error *err)
{
    struct child *child = state->children;
    while (child->pid != 0)
        child++;
    struct dts_progress *progress = progress_of(state, child);
    dts_progress_clear(progress);
    const int point = state->waiting[state->next];
    int ends[2];
    if (pipe(ends) != 0)
        return dts_fail(err, DTS_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL); // or the child would write again what is buffered here
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        close(ends[0]);
        work(state->pool, point, progress, ends[1], parent);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return dts_fail(err, DTS_SYSTEM, "cannot start a process: %s", strerror(errno));
    }
    *child = (struct child){pid, point, state->next, ends[0], 0};
    state->next++;
    state->running++;
    return true;
}

/* Who waits for the other points knows at once that one will not come. */
static void tell(struct state *state, int point, struct dts_error *error)
{
    char name[512] = "";
    struct dts_error line = {0};
    state->pool->name(state->pool->self, point, name, sizeof(name));
    dts_fail(&line, error->cause, "%s: %s", name, error->text);
    if (state->shown)
        dts_waiting_clear();
    fprintf(stderr, "dtsim: %s\n", line.text);
    error->told = true;
}

/* The child has closed its pipe: what became of its point? */
static void finish(struct state *state, struct child *child)
{
    struct dts_result *result = &state->results[child->point];
    int status = 0;
    close(child->pipe);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (child->got < sizeof(*result)) {
        dts_result_init(result);
        if (WIFSIGNALED(status))
            dts_fail(&result->error, DTS_SYSTEM, "its process died: %s",
                     strsignal(WTERMSIG(status)));
        else
            dts_fail(&result->error, DTS_SYSTEM, "its process ended with status %d",
                     WEXITSTATUS(status));
        result->error.died = true;
    }
    if (result->error.died)
        tell(state, child->point, &result->error);
    if (state->pool->done != NULL)
        state->pool->done(state->pool->self, child->point, result);
    *child = (struct child){0};
    state->running--;
    state->done++;
}

static void receive(struct state *state, struct child *child)
{
    char *bytes = (char *)&state->results[child->point];
    size_t room = sizeof(struct dts_result) - child->got;
    char beyond;
    ssize_t n = read(child->pipe, room > 0 ? bytes + child->got : &beyond, room > 0 ? room : 1);
    if (n > 0 && room > 0)
        child->got += (size_t)n;
    else if (n == 0 || (n < 0 && errno != EINTR))
        finish(state, child);
}

static void show(struct state *state)
{
    if (!isatty(STDERR_FILENO) || dts_now_s() - state->begun_s < DTS_SILENT_S)
        return;
    const struct child *oldest = NULL;
    for (int i = 0; i < state->places; i++) {
        const struct child *child = &state->children[i];
        if (child->pid != 0 && (oldest == NULL || child->number < oldest->number))
            oldest = child;
    }
    char name[512] = "", at[128] = "";
    if (oldest != NULL) {
        state->pool->name(state->pool->self, oldest->point, name, sizeof(name));
        dts_progress_text(progress_of(state, oldest), at, sizeof(at));
    }
    dts_waiting_show("%d/%d points, %.0f s%s%s%s%s", state->done, state->pool->count,
                     dts_now_s() - state->begun_s, name[0] != '\0' ? "; " : "", name,
                     at[0] != '\0' ? ": " : "", at);
    state->shown = true;
}

/* Wait until a child says something. */
static void listen(struct state *state)
{
    struct pollfd polled[MOST_JOBS];
    struct child *whose[MOST_JOBS];
    int count = 0;
    for (int i = 0; i < state->places; i++)
        if (state->children[i].pid != 0) {
            whose[count] = &state->children[i];
            polled[count++] = (struct pollfd){.fd = state->children[i].pipe, .events = POLLIN};
        }
    if (poll(polled, (nfds_t)count, 500) > 0)
        for (int i = 0; i < count; i++)
            if (polled[i].revents != 0)
                receive(state, whose[i]);
    show(state);
}

/* Points whose answer is known are done. */
static void sort_out(struct state *state)
{
    const struct dts_point_pool *pool = state->pool;
    state->waiting = dts_alloc((size_t)pool->count, sizeof(*state->waiting));
    for (int i = 0; i < pool->count; i++) {
        const int point = pool->order != NULL ? pool->order[i] : i;
        if (pool->known != NULL && pool->known(pool->self, point, &state->results[point]))
            state->done++;
        else
            state->waiting[state->waiting_count++] = point;
    }
}

bool dts_point_pool_run(const struct dts_point_pool *pool, struct dts_result *results,
                        struct dts_error *err)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int jobs = pool->jobs > 0 ? pool->jobs : cores > 0 ? (int)cores : 1;
    if (jobs > pool->count)
        jobs = pool->count;
    struct state state = {.pool = pool,
                          .results = results,
                          .places = jobs < MOST_JOBS ? jobs : MOST_JOBS,
                          .begun_s = dts_now_s()};
    state.children = dts_alloc((size_t)state.places, sizeof(*state.children));
    state.progress = dts_progress_share(state.places);
    sort_out(&state);
    struct dts_error refused = {0}; // no child: wait for one to end and try again
    while (state.done < pool->count) {
        bool started = true;
        while (started && state.running < state.places && state.next < state.waiting_count)
            started = start(&state, &refused);
        if (!started && state.running == 0)
            break;
        listen(&state);
    }
    if (state.shown)
        dts_waiting_clear();
    dts_progress_unshare(state.progress, state.places);
    free(state.children);
    free(state.waiting);
    return state.done == pool->count || dts_fail(err, refused.cause, "%s", refused.text);
}

const struct dts_error *dts_point_pool_failure(const struct dts_result *results, int count)
{
    const struct dts_error *found = NULL;
    for (int i = 0; i < count; i++) {
        const struct dts_error *error = &results[i].error;
        if (error->cause == DTS_SYSTEM && (found == NULL || (found->told && !error->told)))
            found = error;
    }
    return found;
}
