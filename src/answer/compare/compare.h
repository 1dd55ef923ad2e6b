/* compare.h -- two results that were written as JSON ("dtsim-result/1"), point by point.
 *
 * Points of both that were asked alike are compared: the same strategy, setting of sweeps and
 * number of devices; in files of several scenarios also the same scenario. What else was asked
 * differently (batch, model, platform, stack, version, changes of the command line) is listed.
 */
#ifndef DTS_ANSWER_COMPARE_COMPARE_H
#define DTS_ANSWER_COMPARE_COMPARE_H

#include "base/error.h"

struct dts_doc;

/* The numbers of a point that are compared, rows of dts_compared. */
enum { DTS_COMPARED = 4 };
extern const struct dts_compared {
    const char *group, *key; // in the result: "step", "total_s"; group NULL: of the point
    const char *name;        // "step_s"
} dts_compared[DTS_COMPARED];

struct dts_compare_point {
    const char *scenario, *strategy, *setting; // the document's; "": none
    int devices;
    double number[DTS_COMPARED]; // NAN: absent
    const char *error;           // why it was not predicted; NULL: it was
    int other;                   // number of its like in the other result; -1: there is none
    int report;                  // of the result
    int at;                      // in the points of the report
};

struct dts_compare_side {
    struct dts_doc *doc;              // owned
    struct dts_compare_point *points; // owned
    int point_count, report_count;
};

/* Something that was asked differently: "platform", of which points, and both values. */
struct dts_compare_asked {
    const char *what;
    char *a, *b; // owned
    int first;   // point of a that it is of; -1: of the whole result
    int count;   // points with this difference
};

struct dts_compare {
    struct dts_compare_side side[2];
    struct dts_compare_asked *asked; // owned
    int asked_count, matched;
};

/* Reads both. Fails for what is no result, and where no point of one is in the other. */
bool dts_compare_open(struct dts_compare *compare, const char *a, const char *b,
                      struct dts_error *err);
void dts_compare_free(struct dts_compare *compare);

/* 100 (b - a) / a of that number; NAN: one of them is absent. */
double dts_compare_percent(const struct dts_compare *compare, int point, int number);

#endif
