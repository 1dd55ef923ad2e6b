/* timeline.h -- the operations of one step, read back from the file that answer/trace.h writes.
 */
#ifndef DTS_CLI_PICTURE_TIMELINE_H
#define DTS_CLI_PICTURE_TIMELINE_H

#include "base/error.h"

enum { DTS_TIMELINE_MOST = 60000 }; // operations that are enough for a picture

struct dts_timeline_span {
    int row;             // of the timeline
    int kind;            // dts_timeline_kinds[kind]
    double from_s, to_s; // since the first operation began
    const char *name;    // of an operation; the document's
};

struct dts_timeline {
    struct dts_doc *doc;
    char **rows; // "worker (16 ranks): compute"; owned, and what they point to
    int row_count;
    struct dts_timeline_span *spans; // owned
    int span_count;
    double end_s;
    bool sliced; // too many operations: a span is what took most of its time
};

/* What operations are, by their category in the file; the last one is all others. */
struct dts_timeline_kind {
    const char *name, *colour;
    const char *categories[6];
};
extern const struct dts_timeline_kind dts_timeline_kinds[]; // ended by .name NULL

/* Streams without operations have no row. Fails for what is no such file. */
bool dts_timeline_read(struct dts_timeline *timeline, const char *path, struct dts_error *err);
void dts_timeline_free(struct dts_timeline *timeline);

#endif
