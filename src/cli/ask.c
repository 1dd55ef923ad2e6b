/* ask.c -- one question to the person at the terminal. */
#include "cli/ask.h"

#include <stdio.h>
#include <string.h>

enum { TRIES = 5 }; // answers to one question

double dts_wanted_scale(const struct dts_wanted *wanted)
{
    return wanted->scale != 0 ? wanted->scale : 1;
}

bool dts_ask(const struct dts_wanted *wanted, const char *path, char *value, bool *usual,
             struct dts_error *err)
{
    for (int i = 0; i < TRIES; i++) {
        char line[DTS_DRAFT_VALUE];
        struct dts_error wrong = {0};
        fprintf(stderr, "%s: %s", wanted->option != NULL ? wanted->option : path, wanted->help);
        for (int c = 0; wanted->choice != NULL && wanted->choice(c) != NULL; c++)
            fprintf(stderr, "%s %s", c > 0 ? "," : ":", wanted->choice(c));
        if (wanted->usual != NULL)
            fprintf(stderr, " [%s]", wanted->usual);
        fprintf(stderr, ": ");
        if (fgets(line, sizeof(line), stdin) == NULL)
            break;
        line[strcspn(line, "\n")] = '\0';
        *usual = line[0] == '\0' && wanted->usual != NULL;
        if (dts_answer_accept(wanted, wanted->option != NULL ? wanted->option : path,
                              *usual ? wanted->usual : line, dts_wanted_scale(wanted), value,
                              &wrong))
            return true;
        fprintf(stderr, "%s\n", wrong.text);
    }
    return dts_fail(err, DTS_BAD_INPUT, "%s: no answer", path);
}
