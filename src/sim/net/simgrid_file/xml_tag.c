/* xml_tag.c -- finds the tags of an XML text. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sim/net/simgrid_file/xml_tag.h"

bool dts_xml_fail(const struct dts_xml *xml, const char *at, struct dts_error *err,
                  const char *format, ...)
{
    char what[512];
    int line = 1;
    va_list list;
    for (const char *c = xml->text; c < at; c++)
        line += *c == '\n';
    va_start(list, format);
    vsnprintf(what, sizeof(what), format, list);
    va_end(list);
    return dts_fail(err, DTS_BAD_INPUT, "%s:%d: %s", xml->path, line, what);
}

void dts_xml_blank(char *begin, const char *end)
{
    for (; begin < end; begin++)
        if (*begin != '\n' && *begin != '\r')
            *begin = ' ';
}

bool dts_xml_is(const struct dts_xml_span *span, const char *word)
{
    return span->length == strlen(word) && strncasecmp(span->begin, word, span->length) == 0;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == ':' || c == '.';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char *skip_spaces(char *at)
{
    while (is_space(*at))
        at++;
    return at;
}

static char *skip_name(char *at)
{
    while (is_name(*at))
        at++;
    return at;
}

bool dts_xml_attribute(char **rest, struct dts_xml_span *key, struct dts_xml_span *value)
{
    char *at = skip_spaces(*rest);
    key->begin = at;
    at = skip_name(at);
    key->length = (size_t)(at - key->begin);
    at = skip_spaces(at);
    if (key->length == 0 || *at != '=')
        return false;
    at = skip_spaces(at + 1);
    if (*at != '"' && *at != '\'')
        return false;
    char *end = strchr(at + 1, *at);
    if (end == NULL)
        return false;
    value->begin = at + 1;
    value->length = (size_t)(end - value->begin);
    *rest = end + 1;
    return true;
}

struct dts_xml_span dts_xml_value(const struct dts_xml_tag *tag, const char *key)
{
    struct dts_xml_span found, value;
    char *rest = tag->rest;
    while (dts_xml_attribute(&rest, &found, &value))
        if (dts_xml_is(&found, key))
            return value;
    return (struct dts_xml_span){NULL, 0};
}

/* XML's own five; in text numeric ones, too: in a value one could hide what a limit is for. */
static bool check_entities(const struct dts_xml *xml, const char *begin, const char *end,
                           bool in_value, struct dts_error *err)
{
    static const char *const own[] = {"amp;", "lt;", "gt;", "quot;", "apos;"};
    for (const char *at = begin; at < end && (at = memchr(at, '&', (size_t)(end - at))) != NULL;
         at++) {
        bool known = at[1] == '#' && !in_value;
        for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
            known |= strncmp(at + 1, own[i], strlen(own[i])) == 0;
        size_t length = 1;
        while (length < 20 && (isalnum((unsigned char)at[length]) || at[length] == '#'))
            length++;
        if (!known)
            return dts_xml_fail(xml, at, err,
                                "the entity %.*s; is not accepted: write the character itself",
                                (int)length, at);
    }
    return true;
}

/* Behind it, or NULL: it has no end. */
static char *behind(char *at, const char *end)
{
    at = strstr(at, end);
    return at != NULL ? at + strlen(end) : NULL;
}

/* "<!DOCTYPE platform SYSTEM "...">": as long as it defines nothing. */
static bool pass_document_type(struct dts_xml *xml, char *at, struct dts_error *err)
{
    for (char *c = at; *c != '\0'; c++) {
        if (*c == '"' || *c == '\'') {
            char *end = strchr(c + 1, *c);
            if (end == NULL)
                break;
            c = end;
        } else if (*c == '[') {
            return dts_xml_fail(xml, c, err,
                                "a <!DOCTYPE with definitions of its own is not accepted");
        } else if (*c == '>') {
            xml->at = (size_t)(c + 1 - xml->text);
            return true;
        }
    }
    return dts_xml_fail(xml, at, err, "<!DOCTYPE has no end");
}

/* Comments and instructions, made blank, but for what opens the text; document types. */
static bool pass_other(struct dts_xml *xml, char *at, struct dts_error *err)
{
    static const char comment[] = "<!--", instruction[] = "<?", type[] = "<!DOCTYPE";
    char *end;
    if (strncmp(at, comment, strlen(comment)) == 0)
        end = behind(at + strlen(comment), "-->");
    else if (strncmp(at, instruction, strlen(instruction)) == 0)
        end = behind(at + strlen(instruction), "?>");
    else if (strncasecmp(at, type, strlen(type)) == 0)
        return pass_document_type(xml, at, err);
    else
        return dts_xml_fail(xml, at, err, "%.9s is not accepted", at);
    if (end == NULL)
        return dts_xml_fail(xml, at, err, "%s has no end", at[1] == '?' ? "<?" : "<!--");
    if (strncasecmp(at, "<?xml", strlen("<?xml")) != 0)
        dts_xml_blank(at, end);
    xml->at = (size_t)(end - xml->text);
    return true;
}

/* From its "<" on; its attributes are checked on the way. */
static bool read_tag(struct dts_xml *xml, char *at, struct dts_xml_tag *tag,
                     struct dts_error *err)
{
    struct dts_xml_span key, value;
    tag->begin = at++;
    tag->closes = *at == '/';
    at += tag->closes;
    tag->name.begin = at;
    at = skip_name(at);
    tag->name.length = (size_t)(at - tag->name.begin);
    if (tag->name.length == 0)
        return dts_xml_fail(xml, tag->begin, err, "a tag must have a name behind its \"<\"");
    tag->rest = at;
    while (dts_xml_attribute(&at, &key, &value)) {
        if (memchr(value.begin, '<', value.length) != NULL)
            return dts_xml_fail(xml, value.begin, err, "%.*s: a value must have no \"<\"",
                                (int)(key.length < 40 ? key.length : 40), key.begin);
        if (!check_entities(xml, value.begin, value.begin + value.length, true, err))
            return false;
    }
    at = skip_spaces(at);
    tag->empty = *at == '/';
    at += tag->empty;
    if (*at != '>' || (tag->closes && tag->empty))
        return dts_xml_fail(
            xml, tag->begin, err, "the tag %.*s must be key=\"value\" ... up to its \">\"",
            (int)(tag->name.length < 40 ? tag->name.length : 40), tag->name.begin);
    tag->end = at + 1;
    return true;
}

bool dts_xml_next(struct dts_xml *xml, struct dts_xml_tag *tag, bool *more,
                  struct dts_error *err)
{
    for (;;) {
        char *from = xml->text + xml->at, *at = strchr(from, '<');
        *more = at != NULL;
        if (!check_entities(xml, from, at != NULL ? at : from + strlen(from), false, err))
            return false;
        if (at == NULL)
            return true;
        if (at[1] != '!' && at[1] != '?') {
            xml->at = (size_t)(at - xml->text);
            break;
        }
        if (!pass_other(xml, at, err))
            return false;
    }
    if (!read_tag(xml, xml->text + xml->at, tag, err))
        return false;
    xml->at = (size_t)(tag->end - xml->text);
    if (tag->closes)
        xml->depth -= xml->depth > 0; // SimGrid says what is closed too often
    else
        xml->depth += !tag->empty;
    if (xml->depth > DTS_XML_DEPTH)
        return dts_xml_fail(xml, tag->begin, err, "more than %d tags are open within another",
                            DTS_XML_DEPTH);
    return true;
}
