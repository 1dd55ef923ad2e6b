/* simgrid_file.c -- looks through a SimGrid file for what is not accepted, or not used. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/os/file.h"
#include "sim/net/simgrid_file/simgrid_config.h"
#include "sim/net/simgrid_file/simgrid_file.h"

enum { MOST_BYTES = 64 << 20, SAID = 300 };

/* What is read, and what was found. */
struct look {
    struct dts_xml xml;
    double hosts;
    struct dts_text settings; // of <config>
    bool speeds;              // of hosts change
};

static const char others_rate[] = "would read another file: rates do not change with time here";

static const char *const forbidden_tags[] = {"include", "trace", "trace_connect"};

static const char *const forbidden_keys[] = {"bandwidth_file", "latency_file", "state_file"};

/* Of hosts, whose speeds are not used. */
static const char *const blanked_keys[] = {"speed_file", "availability_file"};

static bool is_one_of(const struct dts_xml_span *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (dts_xml_is(word, list[i]))
            return true;
    return false;
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* The hosts of a list of numbers and ranges, "0-15,20"; < 0: it is none. */
static double hosts_in(const struct dts_xml_span *list)
{
    double hosts = 0;
    const char *at = list->begin, *stop = list->begin + list->length;
    while (at < stop) {
        char *end;
        const double first = strtod(at, &end);
        double last = first;
        if (end == at)
            return -1;
        if (*end == '-') {
            at = end + 1;
            last = strtod(at, &end);
            if (end == at)
                return -1;
        }
        hosts += last >= first ? last - first + 1 : 0;
        end += strspn(end, " \t\r\n");
        if (end < stop && *end != ',')
            return -1;
        at = end + (end < stop);
    }
    return hosts;
}

/* SimGrid makes all hosts of a cluster before anyone can count them. */
static bool count_hosts(struct look *look, const struct dts_xml_tag *tag, struct dts_error *err)
{
    const struct dts_xml_span list = dts_xml_value(tag, "radical");
    if (dts_xml_is(&tag->name, "host") || dts_xml_is(&tag->name, "peer"))
        look->hosts++;
    if (list.begin != NULL) {
        const double hosts = hosts_in(&list);
        if (hosts < 0)
            return dts_xml_fail(&look->xml, list.begin, err,
                                "radical: must be numbers and ranges (0-15,20), got \"%.*s\"",
                                (int)(list.length < 60 ? list.length : 60), list.begin);
        look->hosts += hosts;
    }
    if (look->hosts > DTS_SIMGRID_MOST_IN_FILE)
        return dts_xml_fail(&look->xml, tag->begin, err,
                            "%smust name at most %d hosts in all, names %.0f up to here",
                            list.begin != NULL ? "radical: " : "", DTS_SIMGRID_MOST_IN_FILE,
                            look->hosts);
    return true;
}

static bool check_attributes(struct look *look, const struct dts_xml_tag *tag,
                             struct dts_error *err)
{
    struct dts_xml_span key, value;
    for (char *rest = tag->rest; dts_xml_attribute(&rest, &key, &value);) {
        if (value.length == 0)
            continue;
        if (is_one_of(&key, forbidden_keys, COUNT(forbidden_keys)))
            return dts_xml_fail(&look->xml, key.begin, err, "%.*s is not accepted: it %s",
                                (int)key.length, key.begin, others_rate);
        if (is_one_of(&key, blanked_keys, COUNT(blanked_keys))) {
            dts_xml_blank(key.begin, rest);
            look->speeds = true;
        }
    }
    return true;
}

static bool check_tag(struct look *look, const struct dts_xml_tag *tag, struct dts_error *err)
{
    if (tag->closes)
        return true;
    if (is_one_of(&tag->name, forbidden_tags, COUNT(forbidden_tags)))
        return dts_xml_fail(&look->xml, tag->begin, err, "<%.*s> is not accepted: it %s",
                            (int)tag->name.length, tag->name.begin, others_rate);
    if (dts_xml_is(&tag->name, "config"))
        return dts_simgrid_config(&look->xml, tag, &look->settings, err);
    return check_attributes(look, tag, err) && count_hosts(look, tag, err);
}

static bool look_through(struct look *look, struct dts_error *err)
{
    struct dts_xml_tag tag;
    bool more = true;
    while (more) {
        if (!dts_xml_next(&look->xml, &tag, &more, err))
            return false;
        if (more && !check_tag(look, &tag, err))
            return false;
    }
    return true;
}

static void say(struct look *look, struct dts_error *note)
{
    struct dts_text line = {0};
    dts_text_add(&line, "%s: not used:", look->xml.path);
    if (look->settings.length > 0)
        dts_text_add(&line, " <config> (%.*s%s)", SAID, look->settings.chars,
                     look->settings.length > SAID ? "..." : "");
    if (look->speeds)
        dts_text_add(&line, "%s speeds of hosts that change",
                     look->settings.length > 0 ? " and" : "");
    dts_text_add(&line, "; dtsim takes hosts, routes, bandwidths and latencies");
    if (look->settings.length > 0 || look->speeds)
        dts_fail(note, DTS_BAD_INPUT, "%s", line.chars);
    dts_text_free(&line);
}

/* The whole file with a zero behind it; zeros within become spaces, which hide nothing. */
static char *read_text(const char *path, size_t size, struct dts_error *err)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        dts_fail(err, dts_file_cause(errno), "%s: %s", path, strerror(errno));
        return NULL;
    }
    char *text = dts_alloc(size + 1, 1);
    size_t got = fread(text, 1, size, file);
    fclose(file);
    for (size_t i = 0; i < got; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    return text;
}

bool dts_simgrid_file_read(const char *path, char **text, struct dts_error *note,
                           struct dts_error *err)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return dts_fail(err, DTS_BAD_INPUT, "%s: %s", path, strerror(errno));
    if (!S_ISREG(file.st_mode))
        return dts_fail(err, DTS_BAD_INPUT, "%s: must be a file", path);
    if (file.st_size > MOST_BYTES)
        return dts_fail(err, DTS_BAD_INPUT, "%s: larger than %d MiB", path, MOST_BYTES >> 20);
    struct look look = {.xml = {.path = path}};
    look.xml.text = read_text(path, (size_t)file.st_size, err);
    const bool good = look.xml.text != NULL && look_through(&look, err);
    if (good) {
        say(&look, note);
        *text = look.xml.text;
    } else {
        free(look.xml.text);
    }
    dts_text_free(&look.settings);
    return good;
}
