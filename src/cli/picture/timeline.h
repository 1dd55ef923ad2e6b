/* timeline.h -- the operations of one step, read back from the file that answer/trace.h writes.
 */
#ifndef DTS_CLI_PICTURE_TIMELINE_H
#define DTS_CLI_PICTURE_TIMELINE_H

#include "base/error.h"

enum { DTS_TIMELINE_MOST = 60000 }; // operations that are enough for a picture

struct dts_timeline_span {
    int row;             // of the timeline
    int kind;            // dts_timeline_kinds[kind]
    bool ahead;          // it reads samples of the next step
    double from_s, to_s; // since the step began; less than 0: before
    const char *name;    // of an operation; the document's
};

struct dts_timeline {
    struct dts_doc *doc;
    char **rows; // "worker (16 ranks): compute"; owned, and what they point to
    int row_count;
    struct dts_timeline_span *spans; // owned
    int span_count;
    double begin_s, end_s; // of all spans; the begin is 0 at the latest
    bool sliced;           // too many operations: a span is what took most of its time
};

/* What operations are, by their category in the file; the last kind is all others, and behind
 * it is one without a name. */
struct dts_timeline_kind {
    const char *name, *colour;
    const char *categories[6];
};
enum { DTS_TIMELINE_KINDS = 8 };
extern const struct dts_timeline_kind dts_timeline_kinds[DTS_TIMELINE_KINDS + 1];

/* Streams without operations have no row. Samples that are read ahead were begun before the
 * step: as much of that as lies there stands at its end instead, where the next step's are
 * read. Fails for what is no such file. */
bool dts_timeline_read(struct dts_timeline *timeline, const char *path, struct dts_error *err);

/* Replaces the spans, which are in order row by row, by those of slices of time: each is what
 * took most of it. */
void dts_timeline_cut(struct dts_timeline *timeline);

void dts_timeline_free(struct dts_timeline *timeline);

#endif
