/* folder.h -- what is in a folder. */
#ifndef DTS_BASE_OS_FOLDER_H
#define DTS_BASE_OS_FOLDER_H

#include <stddef.h>

#include "base/error.h"

/* Names without "." and "..", sorted. */
struct dts_folder {
    char **names; // owned, and what they point to
    size_t count, room;
};

/* The first so many; a folder may have more than anybody wants to hear of. */
enum { DTS_FOLDER_NAMES = 10000 };

/* Fails where it cannot be read: "PATH: cannot be read: why". */
bool dts_folder_read(struct dts_folder *folder, const char *path, struct dts_error *err);
void dts_folder_free(struct dts_folder *folder);

bool dts_folder_is(const char *path); // is a folder, or leads to one

#endif
