/* references.h -- published figures that no point of a scenario is held against. */
#ifndef DTS_ANSWER_REFERENCES_H
#define DTS_ANSWER_REFERENCES_H

#include "answer/changes.h"
#include "answer/scene.h"

/* Says on stderr which references of a scenario meet no point in any of these scenes, which
 * are its combinations of the sweeps. Quiet where --set or --sweep chose the devices: then the
 * person took the points away, and the file is as good as before. References that the command
 * line itself names are held to its points all the same. */
void dts_references_tell(const struct dts_changes *changes, const struct dts_scene *scenes,
                         int count);

#endif
