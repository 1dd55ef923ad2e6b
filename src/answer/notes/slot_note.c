/* slot_note.c -- notes on platforms: NICs behind slower PCIe slots, files that are not used
 * wholly. */
#include "answer/notes/slot_note.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { MOST = 4 }; // different ones: a sweep may have thousands

struct told {
    struct dts_error notes[MOST];
    int count;
};

static void tell(struct told *told, const struct dts_error *note)
{
    for (int i = 0; i < told->count; i++)
        if (strcmp(told->notes[i].text, note->text) == 0)
            return;
    if (told->count == MOST)
        return;
    told->notes[told->count++] = *note;
    struct dts_text line = {0};
    dts_text_add_line(&line, note->text);
    fprintf(stderr, "dtsim: note: %s\n", line.chars);
    dts_text_free(&line);
}

void dts_slot_note_tell(const struct dts_scene *scenes, int count)
{
    struct told told = {.count = 0};
    for (int s = 0; s < count; s++) {
        const struct dts_platform *platform = &scenes[s].platform;
        struct dts_error note = {0};
        if (dts_platform_slow_slot(platform, &note))
            tell(&told, &note);
        if (platform->network_note.cause != DTS_NO_ERROR)
            tell(&told, &platform->network_note);
    }
}
