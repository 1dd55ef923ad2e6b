/* references.h -- published figures that no point of a scenario is held against. */
#ifndef DTS_CLI_REFERENCES_H
#define DTS_CLI_REFERENCES_H

#include "cli/scene.h"

/* Says on stderr which references of a scenario meet no point in any of these scenes, which
 * are its combinations of the sweeps. That is no error: --set and --sweep choose the points. */
void dts_references_tell(const struct dts_scene *scenes, int count);

#endif
