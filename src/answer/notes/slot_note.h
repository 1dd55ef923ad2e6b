/* slot_note.h -- notes on platforms: NICs behind slower PCIe slots, what of a network's file is
 * not used. */
#ifndef DTS_ANSWER_NOTES_SLOT_NOTE_H
#define DTS_ANSWER_NOTES_SLOT_NOTE_H

#include "answer/scene.h"

/* Say it on stderr, once for all scenes that have the same to say. */
void dts_slot_note_tell(const struct dts_scene *scenes, int count);

#endif
