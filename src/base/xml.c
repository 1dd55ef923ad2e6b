/* xml.c -- words for XML and HTML. */
#include "base/xml.h"

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* How many bytes the character at `c` has; 0: it is none of XML's. The words end with a 0,
 * which is no byte of a longer character. */
static size_t character(const unsigned char *c)
{
    const size_t bytes = c[0] < 0x80 ? 1 : c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t code = bytes == 1 ? c[0] : c[0] & (0x7fu >> bytes);
    if ((c[0] >= 0x80 && c[0] < 0xc2) || c[0] > 0xf4)
        return 0;
    for (size_t b = 1; b < bytes; b++) {
        if ((c[b] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (c[b] & 0x3fu);
    }
    const int control = code < 0x20 && code != '\t' && code != '\n';
    const int surrogate = code >= 0xd800 && code < 0xe000;
    const int nobody = code == 0xfffe || code == 0xffff || (code >= 0x7f && code < 0xa0);
    return control || surrogate || nobody || code < least[bytes] || code > 0x10ffff ? 0 : bytes;
}

void dts_xml_words(FILE *out, const char *words)
{
    const unsigned char *c = (const unsigned char *)words;
    while (*c != '\0') {
        const size_t bytes = character(c);
        const char *name = bytes == 0   ? "\xef\xbf\xbd"
                           : *c == '&'  ? "&amp;"
                           : *c == '<'  ? "&lt;"
                           : *c == '>'  ? "&gt;"
                           : *c == '"'  ? "&quot;"
                           : *c == '\'' ? "&#39;"
                                        : NULL;
        if (name != NULL)
            fputs(name, out);
        else
            fwrite(c, 1, bytes, out);
        c += bytes > 0 ? bytes : 1;
    }
}

void dts_xml_isolated(FILE *out, const char *words)
{
    struct dts_text text = {0};
    dts_text_add_isolated(&text, words);
    dts_xml_words(out, dts_text_string(&text));
    dts_text_free(&text);
}
