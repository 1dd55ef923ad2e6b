/* timeline_cut.c -- rows of more operations than a picture can show, cut into slices of time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/picture/timeline.h"

enum { KINDS = DTS_TIMELINE_KINDS };

/* A row cut into slices of time: what took most of each. */
struct slice {
    double busy_s[KINDS];
    const char *name[KINDS];
};

static void fill_slices(const struct dts_timeline_span *spans, int count, double begin_s,
                        double slice_s, struct slice *slices, int slice_count)
{
    memset(slices, 0, (size_t)slice_count * sizeof(*slices));
    for (int i = 0; i < count; i++) {
        const struct dts_timeline_span *span = &spans[i];
        const double from_s = span->from_s - begin_s, to_s = span->to_s - begin_s;
        for (int b = (int)(from_s / slice_s); b < slice_count && b * slice_s < to_s; b++) {
            struct slice *slice = &slices[b];
            slice->busy_s[span->kind] +=
                fmin(to_s, (b + 1) * slice_s) - fmax(from_s, b * slice_s);
            slice->name[span->kind] = span->name;
        }
    }
}

/* Runs of slices with the same kind, as spans of one row. Returns how many. */
static int join_slices(const struct slice *slices, int count, double slice_s, int row,
                       struct dts_timeline_span *spans)
{
    const double least = 0.1; // of a slice that something takes
    int found = 0, last = -1;
    for (int b = 0; b < count; b++) {
        int most = 0;
        for (int k = 1; k < KINDS; k++)
            if (slices[b].busy_s[k] > slices[b].busy_s[most])
                most = k;
        if (slices[b].busy_s[most] < least * slice_s) {
            last = -1;
            continue;
        }
        if (most != last)
            spans[found++] = (struct dts_timeline_span){
                .row = row, .kind = most, .from_s = b * slice_s, .name = slices[b].name[most]};
        spans[found - 1].to_s = (b + 1) * slice_s;
        last = most;
    }
    return found;
}

void dts_timeline_cut(struct dts_timeline *timeline)
{
    enum { SLICES = 500 };
    struct slice *slices = dts_alloc(SLICES, sizeof(*slices));
    struct dts_timeline_span *spans =
        dts_alloc((size_t)timeline->row_count * SLICES, sizeof(*spans));
    const double begin_s = timeline->begin_s, slice_s = (timeline->end_s - begin_s) / SLICES;
    int count = 0;
    for (int i = 0, next; i < timeline->span_count; i = next) {
        const int row = timeline->spans[i].row;
        for (next = i; next < timeline->span_count && timeline->spans[next].row == row;)
            next++;
        const int first = count;
        fill_slices(&timeline->spans[i], next - i, begin_s, slice_s, slices, SLICES);
        count += join_slices(slices, SLICES, slice_s, row, &spans[count]);
        for (int k = first; k < count; k++) {
            spans[k].from_s += begin_s;
            spans[k].to_s += begin_s;
        }
    }
    free(slices);
    free(timeline->spans);
    timeline->spans = spans;
    timeline->span_count = count;
    timeline->sliced = true;
}
