/* json_out.h -- writes JSON value by value, for results, traces and documents.
 *
 *     struct dts_json json = {.out = out, .lines = 2};
 *     dts_json_object(&json, NULL);
 *     dts_json_string(&json, "schema", "dtsim-result/1");
 *     dts_json_list(&json, "points");
 *     ...
 *     dts_json_end(&json); // the list
 *     dts_json_end(&json); // the object
 *
 * key is the key within an object and NULL within a list and at the top. Numbers have the
 * fewest digits that read back as the same double. NAN means absent: it is left out of an
 * object and null in a list, as is what JSON cannot say (infinity).
 */
#ifndef DTS_BASE_JSON_JSON_OUT_H
#define DTS_BASE_JSON_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { DTS_JSON_DEPTH = 80 }; // deeper is a mistake of the programmer

struct dts_json {
    FILE *out;

    /* Values down to this depth have lines of their own; deeper ones stay on the line of the
     * value that holds them. 0: all is on one line. */
    int lines;

    int depth;                 // private, as is all below
    int flat_from;             // depth of a value that is kept on one line; 0: none
    char ends[DTS_JSON_DEPTH]; // of the lists and objects that are open
    bool begun[DTS_JSON_DEPTH + 1];
};

void dts_json_object(struct dts_json *json, const char *key);
void dts_json_list(struct dts_json *json, const char *key);
void dts_json_list_flat(struct dts_json *json,
                        const char *key); // on one line, and what it holds
void dts_json_end(
    struct dts_json *json); // of the list or object begun last; a newline at the top

void dts_json_string(struct dts_json *json, const char *key, const char *value); // NULL: absent
void dts_json_number(struct dts_json *json, const char *key, double value);
void dts_json_integer(struct dts_json *json, const char *key, int64_t value);
void dts_json_bool(struct dts_json *json, const char *key, bool value);
void dts_json_null(struct dts_json *json, const char *key);

#endif
