/* timeline.c -- reads trace events, and joins those that a picture could not show apart. */
#include "cli/picture/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/cfg.h"
#include "base/mem.h"
#include "base/text.h"

enum { MOST_ROWS = 4096, MOST_STREAM = 100000 };

const struct dts_timeline_kind dts_timeline_kinds[DTS_TIMELINE_KINDS + 1] = {
    {"forward", "#0072b2", {"forward"}},
    {"recompute", "#cc79a7", {"recompute"}},
    {"backward", "#56b4e9", {"backward", "backward input", "backward weight"}},
    {"update", "#009e73", {"update", "aggregate"}},
    {"send", "#e69f00", {"send"}},
    {"receive: since it was posted", "#f5dca0", {"receive"}},
    {"host, input", "#999999", {"overhead", "dispatch", "copy", "read", "compress"}},
    {"collective", "#d55e00", {0}},
    {0},
};

static int kind_of(const char *category)
{
    int kind = 0;
    for (; dts_timeline_kinds[kind + 1].name != NULL; kind++)
        for (size_t c = 0; c < 6 && dts_timeline_kinds[kind].categories[c] != NULL; c++)
            if (strcmp(dts_timeline_kinds[kind].categories[c], category) == 0)
                return kind;
    return kind;
}

/* A thread of the file. Those of one process and name share a row. */
struct thread {
    int process, number, row;
};

/* What is read. */
struct reading {
    struct dts_timeline *timeline;
    struct thread *threads;
    const char **processes, **names; // of processes by their number, and of rows
    int *row_process;
    size_t thread_count, thread_room, process_room, row_room, span_room;
};

struct event {
    const char *phase, *name, *category, *of;
    int process, thread;
    double ts, dur;
};

/* "X": an operation. */
static bool read_operation(const struct dts_cfg *at, struct event *event, struct dts_error *err)
{
    const struct dts_cfg category = dts_cfg_member(at, "cat"), ts = dts_cfg_member(at, "ts"),
                         dur = dts_cfg_member(at, "dur");
    return dts_cfg_string(&category, &event->category, err) &&
           dts_cfg_real(&ts, 0, 0, &event->ts, err) &&
           dts_cfg_real(&dur, 0, 0, &event->dur, err);
}

/* "M": the name of a process or a thread. */
static bool read_event(const struct dts_cfg *at, struct event *event, struct dts_error *err)
{
    const struct dts_cfg phase = dts_cfg_member(at, "ph"), name = dts_cfg_member(at, "name"),
                         process = dts_cfg_member(at, "pid"),
                         thread = dts_cfg_member(at, "tid"), args = dts_cfg_member(at, "args"),
                         of = dts_cfg_member(&args, "name");
    *event = (struct event){0};
    return dts_cfg_string(&phase, &event->phase, err) &&
           dts_cfg_string(&name, &event->name, err) &&
           dts_cfg_int(&process, 0, MOST_ROWS, &event->process, err) &&
           dts_cfg_int(&thread, 0, MOST_STREAM, &event->thread, err) &&
           (event->phase[0] == 'M' ? dts_cfg_string(&of, &event->of, err)
                                   : read_operation(at, event, err));
}

static void add_name(struct reading *r, const struct event *event)
{
    struct dts_timeline *timeline = r->timeline;
    const size_t process = (size_t)event->process;
    if (strcmp(event->name, "process_name") == 0) {
        r->processes =
            dts_grow(r->processes, &r->process_room, process + 1, sizeof(*r->processes));
        r->processes[process] = event->of;
        return;
    }
    int row = timeline->row_count - 1;
    if (row < 0 || r->row_process[row] != event->process ||
        strcmp(r->names[row], event->of) != 0) {
        const size_t needed = (size_t)timeline->row_count + 1, room = r->row_room;
        size_t other = room;
        row = timeline->row_count++;
        r->names = dts_grow(r->names, &other, needed, sizeof(*r->names));
        r->row_process =
            dts_grow(r->row_process, &r->row_room, needed, sizeof(*r->row_process));
        r->names[row] = event->of;
        r->row_process[row] = event->process;
    }
    r->threads =
        dts_grow(r->threads, &r->thread_room, r->thread_count + 1, sizeof(*r->threads));
    r->threads[r->thread_count++] = (struct thread){event->process, event->thread, row};
}

/* The threads of a process come one after another: the last one that fits is near. */
static int row_of(const struct reading *r, const struct event *event)
{
    for (size_t t = r->thread_count; t-- > 0;)
        if (r->threads[t].process == event->process && r->threads[t].number == event->thread)
            return r->threads[t].row;
    return -1;
}

static void add_span(struct reading *r, const struct event *event)
{
    struct dts_timeline *timeline = r->timeline;
    const int row = row_of(r, event);
    if (row < 0 || event->dur <= 0)
        return;
    timeline->spans = dts_grow(timeline->spans, &r->span_room, (size_t)timeline->span_count + 1,
                               sizeof(*timeline->spans));
    timeline->spans[timeline->span_count++] = (struct dts_timeline_span){
        .row = row,
        .kind = kind_of(event->category),
        .ahead = event->ts < 0 && strcmp(event->category, "read") == 0,
        .from_s = event->ts / 1e6,
        .to_s = (event->ts + event->dur) / 1e6,
        .name = event->name,
    };
}

static int by_place(const void *a, const void *b)
{
    const struct dts_timeline_span *x = a, *y = b;
    if (x->row != y->row)
        return x->row - y->row;
    return (x->from_s > y->from_s) - (x->from_s < y->from_s);
}

/* Of a span that reads ahead, what lies before the step goes to its end. It may be cut in two.
 */
static void read_next(struct reading *r)
{
    struct dts_timeline *timeline = r->timeline;
    const int count = timeline->span_count;
    for (int i = 0; i < count; i++) {
        struct dts_timeline_span *span = &timeline->spans[i];
        if (!span->ahead)
            continue;
        struct dts_timeline_span next = *span;
        next.from_s = fmax(0, span->from_s + timeline->end_s);
        next.to_s = fmin(span->to_s, 0) + timeline->end_s;
        if (span->to_s <= 0) {
            *span = next;
            continue;
        }
        span->from_s = 0;
        span->ahead = false;
        timeline->spans = dts_grow(timeline->spans, &r->span_room,
                                   (size_t)timeline->span_count + 1, sizeof(*timeline->spans));
        timeline->spans[timeline->span_count++] = next;
    }
}

/* Row by row; where they begin and end. */
static void arrange(struct reading *r)
{
    const int most = 2500; // spans that a picture can show
    struct dts_timeline *timeline = r->timeline;
    for (int i = 0; i < timeline->span_count; i++)
        timeline->end_s = fmax(timeline->end_s, timeline->spans[i].to_s);
    read_next(r);
    for (int i = 0; i < timeline->span_count; i++)
        timeline->begin_s = fmin(timeline->begin_s, timeline->spans[i].from_s);
    if (timeline->span_count > 0)
        qsort(timeline->spans, (size_t)timeline->span_count, sizeof(*timeline->spans),
              by_place);
    if (timeline->span_count > most)
        dts_timeline_cut(timeline);
}

/* How many processes up to this one have the same name; *all: of all. */
static int count_like(const struct reading *r, size_t process, int *all)
{
    int before = 0;
    *all = 0;
    for (size_t p = 0; p < r->process_room; p++)
        if (r->processes[p] != NULL && strcmp(r->processes[p], r->processes[process]) == 0) {
            before += p < process;
            (*all)++;
        }
    return before;
}

/* "worker (16 ranks): data"; of several alike "stage 3: compute". */
static char *row_name(const struct reading *r, int row)
{
    struct dts_text name = {0};
    const size_t process = (size_t)r->row_process[row];
    int all, before;
    if (process >= r->process_room || r->processes[process] == NULL)
        return dts_copy(r->names[row]);
    before = count_like(r, process, &all);
    const char *of = r->processes[process], *ranks = strstr(of, " (");
    if (all == 1 || ranks == NULL)
        dts_text_add(&name, "%s: %s", of, r->names[row]);
    else
        dts_text_add(&name, "%.*s %d: %s", (int)(ranks - of), of, before, r->names[row]);
    return dts_text_take(&name);
}

/* Rows that have spans, with their names. */
static void name_rows(struct reading *r)
{
    struct dts_timeline *timeline = r->timeline;
    int row = -1, last = -1;
    timeline->rows = dts_alloc((size_t)timeline->row_count + 1, sizeof(*timeline->rows));
    for (int i = 0; i < timeline->span_count; i++) {
        const int old = timeline->spans[i].row;
        if (old != last)
            timeline->rows[++row] = row_name(r, old);
        last = old;
        timeline->spans[i].row = row;
    }
    timeline->row_count = row + 1;
}

bool dts_timeline_read(struct dts_timeline *timeline, const char *path, struct dts_error *err)
{
    struct reading r = {.timeline = timeline};
    *timeline = (struct dts_timeline){0};
    bool good = dts_doc_load(&timeline->doc, path, err);
    if (good) {
        const struct dts_cfg top = dts_doc_top(timeline->doc),
                             list = dts_cfg_member(&top, "traceEvents");
        const size_t count = dts_cfg_length(&list);
        for (size_t i = 0; i < count && good; i++) {
            const struct dts_cfg at = dts_cfg_item(&list, i);
            struct event event;
            good = read_event(&at, &event, err);
            if (good && event.phase[0] == 'M')
                add_name(&r, &event);
            else if (good)
                add_span(&r, &event);
        }
    }
    if (good) {
        arrange(&r);
        name_rows(&r);
    }
    free(r.threads);
    free(r.processes);
    free(r.names);
    free(r.row_process);
    if (!good)
        dts_timeline_free(timeline);
    return good;
}

void dts_timeline_free(struct dts_timeline *timeline)
{
    for (int r = 0; timeline->rows != NULL && r < timeline->row_count; r++)
        free(timeline->rows[r]);
    free(timeline->rows);
    free(timeline->spans);
    dts_doc_free(timeline->doc);
    *timeline = (struct dts_timeline){0};
}
