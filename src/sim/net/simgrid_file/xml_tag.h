/* xml_tag.h -- the tags of an XML text, one after another, as strictly as is safe: what could
 * be read in two ways is refused. */
#ifndef DTS_SIM_NET_SIMGRID_FILE_XML_TAG_H
#define DTS_SIM_NET_SIMGRID_FILE_XML_TAG_H

#include <stddef.h>

#include "base/error.h"

enum { DTS_XML_DEPTH = 100 }; // SimGrid 3.32 writes behind its buffers at 500 zones

/* A text that is being read. */
struct dts_xml {
    const char *path; // for messages
    char *text;       // ended by 0; comments are made blanks on the way
    size_t at;
    int depth; // tags that are open
};

struct dts_xml_span {
    char *begin;
    size_t length;
};

/* <name key="value">, or </name>. */
struct dts_xml_tag {
    char *begin, *end; // from "<" to behind ">"
    struct dts_xml_span name;
    char *rest; // behind the name: attributes
    bool closes, empty;
};

/* The next tag; *more is false behind the last. Messages begin with path and line. Refuses
 * entities that are not XML's own, depth, and what is no XML. */
bool dts_xml_next(struct dts_xml *xml, struct dts_xml_tag *tag, bool *more,
                  struct dts_error *err);

/* The next attribute of a tag, from *rest on, which moves behind it; false: there is none. */
bool dts_xml_attribute(char **rest, struct dts_xml_span *key, struct dts_xml_span *value);

/* Names and keys are equal, whatever their case. */
bool dts_xml_is(const struct dts_xml_span *span, const char *word);

/* The value of this key, or an empty span at NULL. */
struct dts_xml_span dts_xml_value(const struct dts_xml_tag *tag, const char *key);

/* Make it spaces; ends of lines stay, and so do the numbers of lines. */
void dts_xml_blank(char *begin, const char *end);

/* "PATH:LINE: ..." and false. */
bool dts_xml_fail(const struct dts_xml *xml, const char *at, struct dts_error *err,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
