/* xml.h -- words for XML and HTML, whatever somebody wrote in them. */
#ifndef DTS_BASE_XML_H
#define DTS_BASE_XML_H

#include <stdio.h>

/* Write words so that they are text, between tags and in quoted attributes alike: what ends
 * either is escaped, what XML 1.0 has no character for (control characters, bytes that are no
 * UTF-8) becomes U+FFFD. */
void dts_xml_words(FILE *out, const char *words);

/* The same for who reads them, as dts_text_add_isolated() has it; not for who copies them. */
void dts_xml_isolated(FILE *out, const char *words);

#endif
