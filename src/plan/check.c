/* check.c -- walks all ranks of a job without time.
 *
 * Every stream of every rank is a machine that goes on until it has to wait: for an operation
 * on another stream, or for messages that the other side has not named yet. What one machine
 * does may let others go on; they queue up. When the queue is empty and a machine has not
 * ended, nothing will ever move it.
 */
#include "plan/check.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/run.h"

enum { NONE = -1 };

struct machine {
    struct dts_walk walk; // role NULL: the rank has nothing on this stream
    struct dts_event event;
    int open; // messages of its exchange that have not met
    bool waits, ended, queued;
};

/* A message that waits for its other side. */
struct post {
    int machine, op;
    struct dts_message message;
    int next; // in its list
};

struct walker {
    const struct dts_job *job;
    struct machine *machines; // rank * DTS_STREAMS + stream
    int machine_count;
    int *queue; // of machines, a ring
    int queue_first, queue_count;
    int *first_done; // of each role: where its ranks begin in done
    bool *done;      // of each operation of each rank
    struct post *posts;
    size_t post_count, post_room;
    int free_post;
    int *lists; // first post by hash
    int list_count;
    struct dts_error *err;
};

static void queue_up(struct walker *w, int machine)
{
    if (w->machines[machine].queued)
        return;
    w->machines[machine].queued = true;
    w->queue[(w->queue_first + w->queue_count++) % w->machine_count] = machine;
}

static bool *done_of(const struct walker *w, int machine, int op)
{
    const struct dts_walk *walk = &w->machines[machine].walk;
    int role = (int)(walk->role - w->job->roles);
    int in_role = walk->rank - walk->role->first;
    return &w->done[w->first_done[role] + in_role * walk->role->plan.op_count + op];
}

static enum dts_stream wire_of(int machine)
{
    return dts_stream_wire((enum dts_stream)(machine % DTS_STREAMS));
}

/* Where the posts of a message's pair, wire and channel are listed. */
static int *list_of(struct walker *w, int machine, const struct dts_message *message)
{
    unsigned rank = (unsigned)w->machines[machine].walk.rank, peer = (unsigned)message->peer;
    unsigned src = message->send ? rank : peer, dst = message->send ? peer : rank;
    unsigned hash = src * 2654435761u ^ dst * 2246822519u ^ // odd multipliers: Knuth; xxHash
                    (unsigned)message->channel * 3266489917u ^
                    (unsigned)wire_of(machine) * 668265263u;
    return &w->lists[(hash ^ hash >> 15) % (unsigned)w->list_count];
}

/* Is `post` of the same pair, direction of travel, wire and channel as the message? */
static bool same_way(const struct walker *w, const struct post *post, int machine,
                     const struct dts_message *message)
{
    const struct dts_message *other = &post->message;
    if (other->channel != message->channel || wire_of(post->machine) != wire_of(machine))
        return false;
    int other_rank = w->machines[post->machine].walk.rank;
    int rank = w->machines[machine].walk.rank;
    if (other->send == message->send)
        return other_rank == rank && other->peer == message->peer;
    return other_rank == message->peer && other->peer == rank;
}

static const char *label_of(const struct walker *w, int machine, int op)
{
    return w->machines[machine].walk.role->plan.ops[op].label;
}

static bool compare(const struct walker *w, const struct post *a, const struct post *b)
{
    const struct post *sent = a->message.send ? a : b, *awaited = a->message.send ? b : a;
    if (sent->message.bytes == awaited->message.bytes)
        return true;
    return dts_fail(
        w->err, DTS_BAD_INPUT,
        "plan: rank %d (%s): \"%s\" sends %zu bytes to rank %d, whose \"%s\" awaits "
        "%zu",
        awaited->message.peer, w->machines[sent->machine].walk.role->name,
        label_of(w, sent->machine, sent->op), sent->message.bytes, sent->message.peer,
        label_of(w, awaited->machine, awaited->op), awaited->message.bytes);
}

static void enlist(struct walker *w, int *list, const struct post *post)
{
    int number = w->free_post;
    if (number != NONE) {
        w->free_post = w->posts[number].next;
    } else {
        number = (int)w->post_count++;
        w->posts = dts_grow(w->posts, &w->post_room, w->post_count, sizeof(*w->posts));
    }
    w->posts[number] = *post;
    w->posts[number].next = NONE;
    while (*list != NONE)
        list = &w->posts[*list].next;
    *list = number;
}

/* Let a message meet the other side, or wait for it. */
static bool post_message(struct walker *w, int machine, const struct dts_message *message)
{
    struct post post = {
        .machine = machine, .op = w->machines[machine].event.op, .message = *message};
    int *first = list_of(w, machine, message), *at = first;
    while (*at != NONE && !same_way(w, &w->posts[*at], machine, message))
        at = &w->posts[*at].next;
    if (*at == NONE || w->posts[*at].message.send == message->send) {
        w->machines[machine].open++;
        enlist(w, first, &post);
        return true;
    }
    int met = *at;
    if (!compare(w, &post, &w->posts[met]))
        return false;
    *at = w->posts[met].next;
    w->posts[met].next = w->free_post;
    w->free_post = met;
    struct machine *other = &w->machines[w->posts[met].machine];
    if (--other->open == 0 && w->posts[met].machine != machine)
        queue_up(w, w->posts[met].machine);
    return true;
}

static void end_op(struct walker *w, int machine, int op)
{
    *done_of(w, machine, op) = true;
    int first = machine - machine % DTS_STREAMS;
    for (int m = first; m < first + DTS_STREAMS; m++)
        if (w->machines[m].waits)
            queue_up(w, m);
}

/* Is the wait of its event over? */
static bool may_go_on(const struct walker *w, int machine)
{
    const struct dts_event *event = &w->machines[machine].event;
    return event->previous_step || *done_of(w, machine, event->op);
}

/* Until it has to wait, or ends. */
static bool advance(struct walker *w, int machine)
{
    struct machine *m = &w->machines[machine];
    if (m->open > 0 || m->ended || (m->waits && !may_go_on(w, machine)))
        return true;
    m->waits = false;
    for (;;) {
        m->ended = !dts_walk_next(&m->walk, &m->event);
        if (m->ended)
            return true;
        if (m->event.kind == DTS_EVENT_DONE)
            end_op(w, machine, m->event.op);
        if (m->event.kind == DTS_EVENT_WAIT && !may_go_on(w, machine)) {
            m->waits = true;
            return true;
        }
        if (m->event.kind != DTS_EVENT_EXCHANGE)
            continue;
        for (int i = 0; i < m->event.count; i++)
            if (!post_message(w, machine, &m->event.messages[i]))
                return false;
        if (m->open > 0)
            return true;
    }
}

/* Of two posts that never met, is `a` the likelier cause? What is earlier in its plan holds up
 * what comes after it. */
static bool earlier(const struct walker *w, const struct post *a, const struct post *b)
{
    const struct machine *x = &w->machines[a->machine], *y = &w->machines[b->machine];
    if (a->op != b->op)
        return a->op < b->op;
    if (x->walk.rank != y->walk.rank)
        return x->walk.rank < y->walk.rank;
    return a->message.peer < b->message.peer;
}

/* Nothing moves any more. As operations wait for earlier ones only, some message is to blame.
 */
static bool fail_stuck(const struct walker *w)
{
    const struct post *first = NULL;
    for (int l = 0; l < w->list_count; l++)
        for (int p = w->lists[l]; p != NONE; p = w->posts[p].next)
            if (first == NULL || earlier(w, &w->posts[p], first))
                first = &w->posts[p];
    assert(first != NULL);
    const struct dts_message *message = &first->message;
    const struct dts_walk *walk = &w->machines[first->machine].walk;
    return dts_fail(w->err, DTS_BAD_INPUT,
                    "plan: rank %d (%s): \"%s\" waits for ever to %s %zu bytes %s rank %d on "
                    "stream %s, channel %d",
                    walk->rank, walk->role->name, label_of(w, first->machine, first->op),
                    message->send ? "send" : "receive", message->bytes,
                    message->send ? "to" : "from", message->peer, dts_stream_name(walk->stream),
                    message->channel);
}

static void prepare(struct walker *w)
{
    const struct dts_job *job = w->job;
    w->machine_count = job->ranks * DTS_STREAMS;
    w->machines = dts_alloc((size_t)w->machine_count, sizeof(*w->machines));
    w->queue = dts_alloc((size_t)w->machine_count, sizeof(*w->queue));
    w->first_done = dts_alloc((size_t)job->role_count, sizeof(*w->first_done));
    int done = 0;
    for (int r = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        w->first_done[r] = done;
        done += role->count * role->plan.op_count;
        for (int s = 0; s < DTS_STREAMS; s++)
            for (int i = 0; i < role->count && dts_plan_uses(&role->plan, s); i++) {
                int machine = (role->first + i) * DTS_STREAMS + s;
                w->machines[machine].walk = (struct dts_walk){
                    .role = role, .rank = role->first + i, .stream = s, .step = DTS_ANY_STEP};
                queue_up(w, machine);
            }
    }
    w->done = dts_alloc((size_t)done, sizeof(*w->done));
    w->list_count = 4 * w->machine_count + 1;
    w->lists = dts_alloc((size_t)w->list_count, sizeof(*w->lists));
    for (int l = 0; l < w->list_count; l++)
        w->lists[l] = NONE;
}

static bool walk_all(struct walker *w)
{
    while (w->queue_count > 0) {
        int machine = w->queue[w->queue_first];
        w->queue_first = (w->queue_first + 1) % w->machine_count;
        w->queue_count--;
        w->machines[machine].queued = false;
        if (!advance(w, machine))
            return false;
    }
    for (int m = 0; m < w->machine_count; m++)
        if (w->machines[m].walk.role != NULL && !w->machines[m].ended)
            return fail_stuck(w);
    return true;
}

bool dts_job_check(const struct dts_job *job, struct dts_error *err)
{
    if (!dts_job_check_ops(job, err))
        return false;
    struct walker w = {.job = job, .err = err, .free_post = NONE};
    prepare(&w);
    bool fine = walk_all(&w);
    for (int m = 0; m < w.machine_count; m++)
        dts_walk_free(&w.machines[m].walk);
    free(w.machines);
    free(w.queue);
    free(w.first_done);
    free(w.done);
    free(w.posts);
    free(w.lists);
    return fine;
}
