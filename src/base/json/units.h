/* units.h -- numbers with units where a person types them: "100Gb/s", "64MiB", "5us". */
#ifndef DTS_BASE_JSON_UNITS_H
#define DTS_BASE_JSON_UNITS_H

#include <stdbool.h>

/* Read a text as a value of a key, in the unit that ends the key's name:
 *
 *     ..._bytes_per_s   1.25GB/s, 10Gb/s, 10Gbit/s, 10Gbps: SI and binary prefixes, bytes or
 * bits
 *     ..._bytes         25MB, 64MiB, 512kB: bytes
 *     ..._us, ..._s     250ns, 5us, 2ms, 1.5s, 3min, 2h
 *
 * False: the key has no such unit, or the text is no number with one. */
bool dts_unit_read(const char *key, const char *text, double *value);

/* An example for messages, "100Gb/s"; NULL: the key takes plain numbers alone. */
const char *dts_unit_example(const char *key);

#endif
