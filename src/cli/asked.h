/* asked.h -- all points that a command line asks for, opened. */
#ifndef DTS_CLI_ASKED_H
#define DTS_CLI_ASKED_H

#include "answer/kept.h"
#include "answer/known.h"
#include "answer/validate/listed.h"
#include "cli/options.h"

struct dts_asked {
    struct dts_listed *listed; // of each word; without cases where it is an ordinary scenario
    int listed_count;
    struct dts_scene *scenes;
    int scene_count;
    struct dts_known_set *measured;  // of each scene
    struct dts_known **known_points; // lists that questions borrow
    size_t known_lists, known_room;
    struct dts_question *questions;
    size_t question_count, room, key_room;
    uint64_t *keys; // of each question (answer/kept.h)
    struct dts_kept kept;
    int known; // points of an earlier run
    struct dts_result *results;
    struct dts_report *reports; // one for each scenario on the command line
    int report_count;
};

/* Opens every scenario with every combination of its sweeps, and asks for every point of them;
 * of a list of cases, for every case. A failure leaves what was opened to be freed. */
bool dts_asked_open(const struct dts_options *options, const char *const *words, int count,
                    struct dts_asked *asked, struct dts_error *err);
void dts_asked_free(struct dts_asked *asked);

#endif
