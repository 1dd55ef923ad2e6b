/* references.h -- published figures that no point of a scenario is compared with. */
#ifndef DTS_ANSWER_NOTES_REFERENCES_H
#define DTS_ANSWER_NOTES_REFERENCES_H

#include "answer/changes.h"
#include "answer/scene.h"

/* Says on stderr which references of a scenario belong to no point of these scenes, its
 * combinations of the sweeps. Says nothing where --set or --sweep chose the devices: then the
 * command line left points out, and the file is right. References that the command line itself
 * sets are reported in any case, and so is an efficiency beside others that are against another
 * number of devices. */
void dts_references_tell(const struct dts_changes *changes, const struct dts_scene *scenes,
                         int count);

#endif
