/* usual.h -- what is usual where a fabric or a topology asks for a value that a person who
 * describes a cluster may not know. All of it is marked ASSUMED in the file that is written.
 */
#ifndef DTS_CLI_USUAL_H
#define DTS_CLI_USUAL_H

#include <stdbool.h>
#include <stddef.h>

/* What is known of the cluster. */
struct dts_shape {
    int ports;              // of the network: nodes times interfaces
    double nic_bytes_per_s; // of one interface
};

/* The usual value of a key as JSON, into `text`; false: there is none. *always: worth writing
 * even where the key has a default. */
bool dts_usual(const struct dts_shape *shape, const char *key, char *text, size_t room,
               bool *always);

#endif
