/* input_note.h -- notes on input: what nobody says of it, and what has no effect. */
#ifndef DTS_ANSWER_NOTES_INPUT_NOTE_H
#define DTS_ANSWER_NOTES_INPUT_NOTE_H

#include "answer/scene.h"

/* Say on stderr, of all scenes of a command: samples that are decoded by nobody, and keys of
 * input that the command line sets where nothing is read. */
void dts_input_note_tell(const struct dts_changes *changes, const struct dts_scene *scenes,
                         int count);

#endif
