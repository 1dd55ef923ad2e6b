/* like.h -- the platform that a new one begins with: `dtsim new platform NAME --like PLATFORM`.
 *
 * What depends on something that was said otherwise is not taken over: what is inside a node of
 * other devices, the keys of another topology, rates of cables of slower interfaces. A network
 * that is too small gets more of what it is made of: more below its top, or more groups.
 */
#ifndef DTS_CLI_LIKE_H
#define DTS_CLI_LIKE_H

#include "base/json/cfg.h"
#include "base/text.h"

struct dts_like {
    struct dts_doc *doc; // owned; NULL: there is none
    const char *name;    // as the command line has it
    bool other_node;     // nodes hold other devices, or another number of them
    bool other_fabric;   // of another kind
    bool other_topology; // of another kind
    bool other_nic;      // of another rate, which cables of the network follow
    int ports;           // that the network must have: nodes times interfaces; 0: not known
};

bool dts_like_open(struct dts_like *like, const char *name, struct dts_error *err);
void dts_like_close(struct dts_like *like); // leaves it empty

/* The value at a path ("nics.count"), appended: a string as it is, all else as JSON; *raw: it
 * is an object. source: where it is from. False: it is not taken over, or not there. */
bool dts_like_value(const struct dts_like *like, const char *path, struct dts_text *value,
                    struct dts_text *source, bool *raw);
bool dts_like_has(const struct dts_like *like, const char *path);

/* Is the word at a path this one? False also without such a platform. */
bool dts_like_is(const struct dts_like *like, const char *path, const char *word);

/* The number at a path; 0: there is none. */
double dts_like_number(const struct dts_like *like, const char *path);

#endif
