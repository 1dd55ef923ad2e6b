/* simgrid_config.c -- <config> of a SimGrid file: noted, or refused.
 *
 * dtsim takes hosts, routes, bandwidths and latencies of a file; how SimGrid simulates is
 * decided here. What a setting would do to files is no small matter, and is refused by name.
 * Names: SimGrid's documentation, "Configuring SimGrid" (version 3.32).
 */
#include <string.h>
#include <strings.h>

#include "sim/net/simgrid_file/simgrid_config.h"

/* A name that ends in "/" stands for all that begin with it. */
static const struct refused {
    const char *name, *why;
} refused[] = {
    {"tracing", "would make SimGrid write files"},
    {"tracing/", "would make SimGrid write files"},
    {"model-check/", "would make SimGrid explore states, and write files"},
    {"smpi/keep-temps", "would make SimGrid leave files behind"},
    {"smpi/tmpdir", "would make SimGrid write files"},
    {"smpi/papi-events", "would make SimGrid write files"},
    {"smpi/comp-adjustment-file", "would make SimGrid read another file"},
    {"plugin", "would load a plugin"},
    {"plugin/", "would load a plugin"},
    {"cfg", "would set other settings"},
    {"cfg=", "would set other settings"},
    {"log", "would make SimGrid write files"},
    {"help", "would make SimGrid print and end"},
    {"help-", "would make SimGrid print and end"},
    {"debug/", "would change how SimGrid fails"},
};

static const char *why_refused(const struct dts_xml_span *name)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        const char *row = refused[i].name;
        const size_t length = strlen(row);
        const bool open = strchr("/=-", row[length - 1]) != NULL;
        if (open ? name->length >= length && strncasecmp(name->begin, row, length) == 0
                 : dts_xml_is(name, row))
            return refused[i].why;
    }
    return NULL;
}

static bool take_setting(const struct dts_xml *xml, const struct dts_xml_tag *tag,
                         struct dts_text *unused, struct dts_error *err)
{
    const struct dts_xml_span name = dts_xml_value(tag, "id");
    char word[64];
    const int length = (int)(name.length < sizeof(word) ? name.length : sizeof(word) - 1);
    if (!dts_xml_is(&tag->name, "prop") || name.length == 0)
        return dts_xml_fail(xml, tag->begin, err,
                            "<config> must hold <prop id=\"...\" value=\"...\"/> only");
    const char *why = why_refused(&name);
    if (why != NULL)
        return dts_xml_fail(xml, tag->begin, err, "<config>: %.*s is not accepted: it %s",
                            length, name.begin, why);
    snprintf(word, sizeof(word), "%.*s", length, name.begin);
    dts_text_add(unused, "%s", unused->length > 0 ? ", " : "");
    dts_text_add_word(unused, word, sizeof(word));
    return true;
}

bool dts_simgrid_config(struct dts_xml *xml, const struct dts_xml_tag *config,
                        struct dts_text *unused, struct dts_error *err)
{
    struct dts_xml_tag tag = *config;
    while (!tag.empty || !dts_xml_is(&tag.name, "config")) {
        bool more;
        if (!dts_xml_next(xml, &tag, &more, err))
            return false;
        if (!more)
            return dts_xml_fail(xml, config->begin, err, "<config> has no end");
        if (tag.closes && dts_xml_is(&tag.name, "config"))
            break;
        if (!tag.closes && !take_setting(xml, &tag, unused, err))
            return false;
    }
    dts_xml_blank(config->begin, tag.end);
    return true;
}
