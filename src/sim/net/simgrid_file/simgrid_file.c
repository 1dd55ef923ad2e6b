/* simgrid_file.c -- looks through a SimGrid file for what is not accepted. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/os/file.h"
#include "sim/net/simgrid_file/simgrid_file.h"

enum { MOST_BYTES = 64 << 20 };

/* Looked for in comments, too: a file cannot hide one behind what only looks like a comment. */
static const struct forbidden {
    const char *text, *why;
} forbidden[] = {
    {"<config", "would change SimGrid itself, and can write files"},
    {"<trace", "would read another file: rates do not change with time here"},
    {"availability_file", "would read another file: rates do not change with time here"},
    {"bandwidth_file", "would read another file: rates do not change with time here"},
    {"latency_file", "would read another file: rates do not change with time here"},
    {"speed_file", "would read another file: rates do not change with time here"},
    {"state_file", "would read another file: rates do not change with time here"},
};

static int line_of(const char *text, const char *at)
{
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static bool check_words(const char *path, const char *text, struct dts_error *err)
{
    for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++) {
        const char *at = strcasestr(text, forbidden[i].text);
        if (at != NULL)
            return dts_fail(err, DTS_BAD_INPUT, "%s:%d: %s is not accepted: it %s", path,
                            line_of(text, at), forbidden[i].text, forbidden[i].why);
    }
    return true;
}

/* The hosts of a list of numbers and ranges, "0-15,20", up to the quote that ends it. */
static double hosts_in(const char *list)
{
    double hosts = 0;
    while (*list != '\0' && *list != '"' && *list != '\'') {
        char *end;
        double first = strtod(list, &end), last = first;
        if (end == list)
            return hosts;
        if (*end == '-')
            last = strtod(end + 1, &end);
        hosts += last >= first ? last - first + 1 : 0;
        list = *end == ',' ? end + 1 : end;
    }
    return hosts;
}

/* SimGrid makes all hosts of a cluster before anyone can count them. */
static bool check_clusters(const char *path, const char *text, struct dts_error *err)
{
    static const char key[] = "radical";
    for (const char *at = text; (at = strcasestr(at, key)) != NULL; at++) {
        const char *list = at + strlen(key);
        list += strspn(list, " \t\r\n=\"'");
        double hosts = hosts_in(list);
        if (hosts > DTS_SIMGRID_MOST_HOSTS)
            return dts_fail(err, DTS_BAD_INPUT,
                            "%s:%d: radical: must name at most %d hosts, names %.0f", path,
                            line_of(text, at), DTS_SIMGRID_MOST_HOSTS, hosts);
    }
    return true;
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

bool dts_simgrid_file_check(const char *path, struct dts_error *err)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return dts_fail(err, DTS_BAD_INPUT, "%s: %s", path, strerror(errno));
    if (!S_ISREG(file.st_mode))
        return dts_fail(err, DTS_BAD_INPUT, "%s: must be a file", path);
    if (file.st_size > MOST_BYTES)
        return dts_fail(err, DTS_BAD_INPUT, "%s: larger than %d MiB", path, MOST_BYTES >> 20);
    char *text = read_text(path, (size_t)file.st_size, err);
    bool ok = text != NULL && check_words(path, text, err) && check_clusters(path, text, err);
    free(text);
    return ok;
}
