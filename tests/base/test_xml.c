/* test_xml.c -- words become text of XML and HTML, whatever bytes they have. */
#include <stdlib.h>

#include "base/xml.h"
#include "check.h"

static void is_written(const char *words, const char *wanted)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    CHECK(out != NULL);
    dts_xml_words(out, words);
    fclose(out);
    CHECK_STRING(text, wanted);
    free(text);
}

static void what_ends_a_text_or_an_attribute_is_escaped(void)
{
    is_written("<b a=\"1\" c='2'>&amp;</b>",
               "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;");
    is_written("</script>", "&lt;/script&gt;");
    is_written("", "");
}

static void characters_of_utf_8_stay(void)
{
    is_written("\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80",
               "\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80");
    is_written("a\tb\nc", "a\tb\nc");
}

#define BAD "\xef\xbf\xbd"

static void what_xml_has_no_character_for_is_replaced(void)
{
    is_written("\x01\x1b[31m\x7f", BAD BAD "[31m" BAD);
    is_written("\xc3", BAD);                         // cut
    is_written("\xe2\x82", BAD BAD);                 // cut
    is_written("\xc0\xbc<", BAD BAD "&lt;");         // "<" in too many bytes
    is_written("\xe0\x80\xbc", BAD BAD BAD);         // the same
    is_written("\xed\xa0\x80", BAD BAD BAD);         // a half of a pair
    is_written("\xef\xbf\xbf", BAD BAD BAD);         // no character
    is_written("\xf4\x90\x80\x80", BAD BAD BAD BAD); // beyond the last
    is_written("\xf0\x9f<b>", BAD BAD "&lt;b&gt;");  // what follows is not swallowed
}

TESTS(TEST(what_ends_a_text_or_an_attribute_is_escaped), TEST(characters_of_utf_8_stay),
      TEST(what_xml_has_no_character_for_is_replaced))
