/* device_word.h -- how a person names a device of this machine: "cpu", "cuda", "cuda:1". */
#ifndef DTS_DEVICE_DEVICE_WORD_H
#define DTS_DEVICE_DEVICE_WORD_H

#include "base/error.h"

struct dts_device_word {
    const char *kind; // choice's
    int number;       // without one: 0
};

/* Fails where choice(0), choice(1), ... NULL lack the kind, or what follows its colon is no
 * number. `what` names the setting in that message. */
bool dts_device_word_read(struct dts_device_word *out, const char *what, const char *word,
                          const char *(*choice)(int i), struct dts_error *err);

#endif
