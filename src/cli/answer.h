/* answer.h -- is what a person answered a value that the file can hold? */
#ifndef DTS_CLI_ANSWER_H
#define DTS_CLI_ANSWER_H

#include "base/json/cfg.h"

enum { DTS_DRAFT_VALUE = 256 }; // bytes of a value, with its zero

/* One value that the file needs. */
struct dts_wanted {
    const char *key;
    const char *option; // that answers it; NULL: only --set PATH=VALUE does
    const char *help;
    const char *usual;            // when nobody says; NULL: somebody has to
    const char *source;           // of the usual value; NULL: it is assumed
    const char *(*choice)(int i); // NULL: any value
    bool word;                    // it is a string
    const char *folder;           // of the library, in which it names a file; NULL: it does not
    const struct dts_field *field; // type and range; NULL: what the platform's reader has
    double scale;                  // the answer to the option times this; 0: 1
};

/* Check one answer, and scale it to the unit of the file: `value` has DTS_DRAFT_VALUE bytes.
 * `what` begins the message. */
bool dts_answer_accept(const struct dts_wanted *wanted, const char *what, const char *answer,
                       double scale, char *value, struct dts_error *err);

#endif
