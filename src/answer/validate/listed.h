/* listed.h -- a scenario that is a list of cases: a family of validation/ in place of points.
 *
 *     {"summary": "...", "why": "...", "cases": "imagenet_records"}
 *
 * Each case is a scenario of its own, predicted from its own files alone: no case levels
 * another one, as `dtsim validate` has it. What was published stands beside it as a reference.
 */
#ifndef DTS_ANSWER_VALIDATE_LISTED_H
#define DTS_ANSWER_VALIDATE_LISTED_H

#include "answer/validate/cases.h"
#include "base/json/keys.h"

struct dts_listed {
    struct dts_doc *doc; // owned
    char *name;          // of the file, without folder and ".json"; owned
    const char *summary, *why;
    struct dts_case_set set; // count 0: the word names an ordinary scenario
};

/* Reads what a word of the command line names, if it is a list. Another scenario is left alone,
 * also one that cannot be read: who reads it says why. */
bool dts_listed_open(const char *word, struct dts_listed *listed, struct dts_error *err);
void dts_listed_keys(struct dts_keys *keys);      // what such a file holds
void dts_listed_close(struct dts_listed *listed); // leaves it empty

/* Case i with combination k of the changes of the command line, which go before its own values.
 * scene->setting is the case's name. */
bool dts_listed_scene(const struct dts_listed *listed, int i, const struct dts_changes *changes,
                      int k, struct dts_scene *scene, struct dts_error *err);

#endif
