/* slot_note.c -- a note on platforms whose NICs are behind slower PCIe slots. */
#include "answer/notes/slot_note.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 4 }; // different ones: a sweep may have thousands

void dts_slot_note_tell(const struct dts_scene *scenes, int count)
{
    struct dts_error told[MOST];
    int told_count = 0;
    for (int s = 0; s < count && told_count < MOST; s++) {
        struct dts_error note = {0};
        bool is_new = dts_platform_slow_slot(&scenes[s].platform, &note);
        for (int i = 0; i < told_count; i++)
            is_new = is_new && strcmp(told[i].text, note.text) != 0;
        if (!is_new)
            continue;
        told[told_count++] = note;
        fprintf(stderr, "dtsim: note: %s\n", note.text);
    }
}
