/* pace.h -- what NCCL chose as a row of the table of algorithms, and how fast its messages go.
 *
 * The library says how long its call takes where nothing else is on the network:
 *
 *     latency + bytes / bandwidth
 *
 * dtsim sends messages. Their latency and their share of the links are such that the call takes
 * that long where the links are those that the library takes them for; other links, taper and
 * other traffic then change the time as they would. So the latency of the call is spread over
 * the hops of the row, in proportion to the library's own, and the share holds what protocol,
 * size and bounds of the library leave of its channels. The pieces of a pipeline are coarser
 * here than the library's, which has them in its latency and bandwidth: they cost nothing more.
 */
#ifndef DTS_PLAN_COLL_CHOICE_PACE_H
#define DTS_PLAN_COLL_CHOICE_PACE_H

#include "plan/coll/choice/choice.h"
#include "plan/coll/coll.h"

struct dts_choice_course {
    const struct dts_coll *algorithm;
    int pieces;
    struct dts_coll_pace pace;
};

/* The library's name of a row; false: it has no such. */
bool dts_choice_algorithm_of(const struct dts_coll *row, enum dts_choice_algorithm *algorithm);

/* channels: how many the data is cut into. */
void dts_choice_course_find(const struct dts_choice_group *group, enum dts_coll_kind kind,
                            double bytes, const struct dts_choice *choice, int channels,
                            struct dts_choice_course *course);

#endif
