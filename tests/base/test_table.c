/* test_table.c -- cells as aligned text and as CSV. */
#include <stdlib.h>

#include "base/table.h"
#include "check.h"

static const struct dts_column columns[] = {
    {.title = "strategy", .name = "strategy"},
    {.title = "devices", .name = "devices", .unit = "", .digits = 1},
    {.title = "step",
     .name = "step",
     .unit = "s",
     .digits = 3,
     .text_scale = 1e3,
     .text_unit = "ms"},
    {.title = "basis", .name = "basis"},
};

static char *printed(void (*print)(FILE *, const struct dts_column *, int,
                                   const struct dts_cell *, int),
                     const struct dts_cell *cells, int rows)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    print(stream, columns, 4, cells, rows);
    fclose(stream);
    return text;
}

static void text_aligns_words_left_and_numbers_right(void)
{
    const struct dts_cell cells[] = {
        {.word = "ring"},
        {.number = 8},
        {.number = 0.23456},
        {.word = "paper"},
        {.word = "\xC3\xA9t\xC3\xA9"},
        {.number = 27648},
        {.number = NAN},
        {.word = NULL},
    };
    char *text = printed(dts_table_print_text, cells, 2);
    CHECK_STRING(text, "strategy  devices  step [ms]  basis\n"
                       "ring            8        235  paper\n"
                       "\xC3\xA9t\xC3\xA9         27648          -  -\n");
    free(text);
}

static void numbers_show_significant_digits_and_lose_no_thousands(void)
{
    static const struct {
        double number;
        const char *want;
    } cases[] = {
        {1.23456e-3, "1.23\n"},  {12.3456e-3, "12.3\n"},
        {0.9996e-3, "1.00\n"},   {9.996e-3, "10.0\n"},
        {123456, "123456000\n"}, {1e-6, "0.00100\n"},
        {1.5e-12, "1.50e-09\n"}, {0, "0\n"},
        {-2.5e-3, "-2.50\n"},    {INFINITY, "inf\n"},
        {1e300, "1.00e+303\n"},  {0.99999e-3 * 1000, "1000\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct dts_cell cell = {.number = cases[i].number};
        char *text = NULL;
        size_t length;
        FILE *stream = open_memstream(&text, &length);
        dts_table_print_text(stream, &columns[2], 1, &cell, 1);
        fclose(stream);
        const char *number = strchr(text, '\n') + 1;
        CHECK_STRING(number + strspn(number, " "), cases[i].want);
        free(text);
    }
}

static void csv_quotes_and_does_not_scale(void)
{
    const struct dts_cell cells[] = {
        {.word = "a,b"},       {.number = 8},          {.number = 0.123456789123},
        {.word = "say \"x\""}, {.word = "two\nlines"}, {.number = 1e6},
        {.number = NAN},       {.word = NULL},
    };
    char *text = printed(dts_table_print_csv, cells, 2);
    CHECK_STRING(text, "strategy,devices,step_s,basis\n"
                       "\"a,b\",8,0.123456789,\"say \"\"x\"\"\"\n"
                       "\"two\nlines\",1000000,,\n");
    free(text);
}

static void csv_holds_nothing_that_a_spreadsheet_would_compute(void)
{
    static const char *const begin[] = {"=", "+", "-", "@"};
    for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++) {
        char word[32], other[32], want[128];
        snprintf(word, sizeof(word), "%s1+1", begin[i]);
        snprintf(other, sizeof(other), "%scmd(1,2)", begin[i]);
        snprintf(want, sizeof(want), "strategy,devices,step_s,basis\n'%s,-1,-2,\"'%s\"\n", word,
                 other);
        const struct dts_cell cells[] = {
            {.word = word}, {.number = -1}, {.number = -2}, {.word = other}};
        char *text = printed(dts_table_print_csv, cells, 1);
        CHECK_STRING(text, want);
        free(text);
    }
}

static void hostile_words_stay_on_their_line(void)
{
    const struct dts_cell cells[] = {
        {.word = "a\nb\x1b[2J"}, {.number = 1}, {.number = 1}, {.word = "c"}};
    char *text = printed(dts_table_print_text, cells, 1);
    CHECK(strstr(text, "a\\nb\\u001B[2J") != NULL);
    free(text);
}

static void a_table_without_rows_is_its_titles(void)
{
    char *text = printed(dts_table_print_text, NULL, 0);
    CHECK_STRING(text, "strategy  devices  step [ms]  basis\n");
    free(text);
    text = printed(dts_table_print_csv, NULL, 0);
    CHECK_STRING(text, "strategy,devices,step_s,basis\n");
    free(text);
}

static void titles_of_several_lines_end_together(void)
{
    static const struct dts_column tall[] = {
        {.title = "strategy", .name = "strategy"},
        {.title = "exposed\ncomm", .name = "exposed", .unit = "s", .digits = 2},
    };
    const struct dts_cell cells[] = {{.word = "ring"}, {.number = 12}};
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    dts_table_print_text(stream, tall, 2, cells, 1);
    fclose(stream);
    CHECK_STRING(text, "           exposed\n"
                       "strategy  comm [s]\n"
                       "ring            12\n");
    free(text);
}

static void html_has_the_words_of_the_text_and_the_numbers_behind_them(void)
{
    const struct dts_column titled[] = {
        {.title = "<name>"},
        {.title = "effi-\nciency\n",
         .unit = "",
         .digits = 3,
         .text_scale = 100,
         .text_unit = "%"},
        {.title = "device-\nhours\n", .unit = "", .digits = 3},
        {.title = "published", .valued = true},
        {.title = "predicted", .valued = true},
    };
    const struct dts_cell cells[] = {{.word = "a & \"b\""},
                                     {.number = 0.98765},
                                     {.number = NAN},
                                     {.word = "1.03 h", .number = 3708},
                                     {.word = "", .number = NAN}};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    dts_table_print_html(out, titled, 5, cells, 1);
    fclose(out);
    CHECK(strstr(text, "<button>&lt;name&gt; </button>") != NULL);
    CHECK(strstr(text, "<button>efficiency <small>[%]</small></button>") != NULL);
    CHECK(strstr(text, "<button>device-hours </button>") != NULL);
    CHECK(strstr(text, "<td>a &amp; &quot;b&quot;</td>") != NULL);
    CHECK(strstr(text, "<td class=\"n\" data-v=\"0.98765\">98.8</td>") != NULL);
    CHECK(strstr(text, "<td class=\"n\">-</td>") != NULL);
    CHECK(strstr(text, "<td class=\"n\" data-v=\"3708\">1.03 h</td>") != NULL);
    CHECK(strstr(text, "<td class=\"n\"></td>") != NULL);
    free(text);
}

static void a_table_knows_its_width_and_ends_no_line_with_blanks(void)
{
    static const struct dts_column tall[] = {
        {.title = "step", .name = "step", .unit = "s", .digits = 2},
        {.title = "time\nof all\n", .name = "time", .right = true},
    };
    const struct dts_cell cells[] = {
        {.number = 12}, {.word = "9 s"}, {.number = 1}, {.word = "12 h"}};
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    dts_table_print_text(stream, tall, 2, cells, 2);
    fclose(stream);
    CHECK_STRING(text, "            time\n"
                       "          of all\n"
                       "step [s]\n"
                       "      12     9 s\n"
                       "     1.0    12 h\n");
    CHECK_INT(dts_table_width(tall, 2, cells, 2), 16);
    CHECK_INT(dts_table_width(tall, 1, cells, 2), 8);
    free(text);
}

TESTS(TEST(html_has_the_words_of_the_text_and_the_numbers_behind_them),
      TEST(text_aligns_words_left_and_numbers_right),
      TEST(numbers_show_significant_digits_and_lose_no_thousands),
      TEST(csv_quotes_and_does_not_scale),
      TEST(csv_holds_nothing_that_a_spreadsheet_would_compute),
      TEST(hostile_words_stay_on_their_line), TEST(a_table_without_rows_is_its_titles),
      TEST(titles_of_several_lines_end_together),
      TEST(a_table_knows_its_width_and_ends_no_line_with_blanks))
