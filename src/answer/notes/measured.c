/* measured.c -- one run is of one kind of strategy. */
#include "answer/notes/measured.h"

#include <stdio.h>

static bool has_several_kinds(const struct dts_scenario *scenario)
{
    for (int i = 1; i < scenario->strategy_count; i++)
        if (scenario->strategies[i].kind != scenario->strategies[0].kind)
            return true;
    return false;
}

void dts_measured_tell(const struct dts_scenario *scenario)
{
    const struct dts_cfg top = dts_doc_top(scenario->doc),
                         list = dts_cfg_member(&top, "measurements");
    if (!has_several_kinds(scenario))
        return;
    for (int i = 0; i < scenario->measurement_count; i++) {
        const struct dts_cfg item = dts_cfg_item(&list, (size_t)i);
        struct dts_error note = {0};
        if (scenario->measurements[i].strategy != NULL ||
            scenario->measurements[i].devices == 1)
            continue;
        dts_cfg_fail(
            &item, "strategy", &note,
            "names none: every strategy is levelled to this figure, so that they do not "
            "differ there");
        fprintf(stderr, "dtsim: note: %s\n", note.text);
    }
}
