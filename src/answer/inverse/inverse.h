/* inverse.h -- the question the other way round: a step was measured; which single value, other
 * than the one in the files, would dtsim have predicted it with?
 *
 * suspects.c has the table of values that may differ. Each is looked for alone, all else as it
 * is, by halving the range in which it may lie (on a scale of logarithms); overlap follows from
 * the split of the predicted step. Where points were measured before (answer/known.h) they
 * level the prediction as the files are, and all others have the same level. Predictions run in
 * child processes (point_pool.h).
 */
#ifndef DTS_ANSWER_INVERSE_INVERSE_H
#define DTS_ANSWER_INVERSE_INVERSE_H

#include "answer/estimate.h"
#include "answer/scene.h"

/* A value that may differ from the one in the files. */
struct dts_suspect {
    const char *name; // in JSON and CSV: "nic_rate"
    const char *unit; // of the value: "bytes_per_s", "share", "factor"

    /* What people call it: "rate of a NIC". */
    void (*describe)(const struct dts_scene *scene, char *text, size_t room);

    /* The value in force; INFINITY: no limit. false: this machine has no such value. */
    bool (*now)(const struct dts_scene *scene, const struct dts_result *predicted,
                double *value);

    /* Where it is looked for; NULL: `share` tells it from the prediction. */
    void (*range)(double now, double *low, double *high);

    /* Gives a question another value: by a change of the files, of which it writes path and
     * value, or in the question itself. One of the two is NULL. */
    void (*change)(const struct dts_scene *scene, double value, struct dts_text *path,
                   struct dts_text *text);
    void (*ask)(double value, struct dts_question *question);

    /* Without a range: the value for a step of `step_s`, and the steps at both of its ends. */
    double (*share)(const struct dts_result *predicted, double step_s, double ends_s[2]);
};

extern const struct dts_suspect *const dts_suspects[]; // ended by NULL
enum { DTS_SUSPECTS_MOST = 8 };

/* What became of one suspect. */
struct dts_explained {
    const struct dts_suspect *suspect;
    double now, value; // NAN: it cannot explain the measurement alone
    double nearest_s;  // then: the step that comes nearest to it
};

struct dts_inverse {
    const struct dts_changes *changes; // of the command line; borrowed
    const char *word;                  // the scenario
    const struct dts_scene *scene;     // with those changes; borrowed
    int strategy, devices, jobs;
    bool quick;                    // as in dts_question
    const struct dts_known *known; // points that were measured (answer/known.h); borrowed
    int known_count;
};

/* What dtsim predicts as the files are, levelled by the known points. A point that is refused
 * is an error. */
bool dts_inverse_predict(const struct dts_inverse *inverse, struct dts_result *predicted,
                         struct dts_error *err);

/* Fills one row for each suspect that the machine has; *count of them. */
bool dts_inverse_solve(const struct dts_inverse *inverse, const struct dts_result *predicted,
                       double step_s, struct dts_explained explained[DTS_SUSPECTS_MOST],
                       int *count, struct dts_error *err);

#endif
