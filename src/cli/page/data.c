/* data.c -- the command, and all results as JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xml.h"
#include "cli/page/page.h"
#include "cli/print/format.h"

void dts_page_memory_open(struct dts_page_memory *memory)
{
    *memory = (struct dts_page_memory){0};
    memory->stream = open_memstream(&memory->bytes, &memory->count);
    if (memory->stream == NULL) {
        fputs("dtsim: out of memory\n", stderr);
        exit(DTS_SYSTEM);
    }
}

char *dts_page_memory_take(struct dts_page_memory *memory)
{
    fclose(memory->stream);
    return memory->bytes;
}

/* In single quotes where a shell would read something else. */
static void add_quoted(struct dts_text *text, const char *word)
{
    const size_t plain = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_-+=.,:/@%");
    if (word[plain] == '\0' && plain > 0) {
        dts_text_add(text, "%s", word);
        return;
    }
    dts_text_add(text, "'");
    for (; *word != '\0'; word++)
        if (*word == '\'')
            dts_text_add(text, "'\\''");
        else
            dts_text_add_bytes(text, word, 1);
    dts_text_add(text, "'");
}

void dts_page_command(char *const *line, FILE *out)
{
    struct dts_text text = {0};
    dts_text_add(&text, "dtsim");
    for (int i = 1; line[0] != NULL && line[i] != NULL; i++) {
        dts_text_add(&text, " ");
        add_quoted(&text, line[i]);
    }
    dts_xml_words(out, dts_text_string(&text));
    dts_text_free(&text);
}

void dts_page_data(const struct dts_report *reports, int count, FILE *out)
{
    struct dts_page_memory memory;
    dts_page_memory_open(&memory);
    dts_format_json.print(reports, count, memory.stream);
    char *json = dts_page_memory_take(&memory);
    fputs("<script type=\"application/json\" id=\"data\">\n", out);
    for (const char *c = json; *c != '\0'; c++)
        if (*c == '<') // only strings have it: "</script>" would end the data
            fputs("\\u003c", out);
        else
            fputc(*c, out);
    fputs("</script>\n", out);
    free(json);
}
