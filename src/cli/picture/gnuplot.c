/* gnuplot.c -- scripts for terminals, and the program that reads them. */
#include "cli/picture/gnuplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/file.h"
#include "base/os/program.h"
#include "base/os/scratch.h"

enum { WIDTH = 960, HEIGHT = 600 }; // of a picture that does not say

static const char before[] = "set encoding utf8\n"
                             "set border 3 linecolor rgb \"#555555\"\n"
                             "set tics nomirror out scale 0.6 textcolor rgb \"#222222\"\n"
                             "set grid linecolor rgb \"#e4e4e4\" linewidth 1 dashtype 1\n"
                             "set key Left reverse samplen 2 spacing 1.3\n"
                             "set style fill solid 1 noborder\n"
                             "set datafile missing \"NaN\"\n";

static char *find(struct dts_error *err)
{
    char *program = dts_program_find("gnuplot");
    if (program == NULL)
        dts_fail(
            err, DTS_UNSUPPORTED,
            "pictures need gnuplot, which is not here: apt-get install gnuplot-nox, or write "
            "the script with --output FILE.gp");
    return program;
}

bool dts_gnuplot_check(struct dts_error *err)
{
    char *program = find(err);
    free(program);
    return program != NULL;
}

void dts_gnuplot_script(const struct dts_draw *draw, enum dts_terminal terminal,
                        struct dts_text *script)
{
    const int width = draw->width > 0 ? draw->width : WIDTH,
              height = draw->height > 0 ? draw->height : HEIGHT;
    switch (terminal) {
    case DTS_TERMINAL_SVG:
        dts_text_add(script,
                     "set terminal svg size %d,%d noenhanced font \"sans-serif,12\" "
                     "background \"#ffffff\"\n",
                     width, height);
        break;
    case DTS_TERMINAL_PNG:
        dts_text_add(
            script,
            "set terminal pngcairo size %d,%d noenhanced font \"Sans,12\" fontscale 1.6 "
            "linewidth 2 pointscale 3 background \"#ffffff\"\n",
            2 * width, 2 * height);
        break;
    case DTS_TERMINAL_PDF:
        dts_text_add(script,
                     "set terminal pdfcairo size %.4gin,%.4gin noenhanced font \"Sans,12\" "
                     "fontscale 0.6 pointscale 1.4 background \"#ffffff\"\n",
                     width / 96.0, height / 96.0);
        break;
    }
    dts_text_add(script, "%s%s", before, dts_text_string(&draw->script));
}

static bool write_script(const struct dts_text *script, const char *path, struct dts_error *err)
{
    struct dts_output out;
    if (!dts_output_open(&out, path, err))
        return false;
    fputs(dts_text_string(script), out.stream);
    return dts_output_close(&out, err);
}

static bool read_picture(const char *path, struct dts_text *picture, struct dts_error *err)
{
    char bytes[65536];
    size_t count = 0, all = 0;
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return dts_fail(err, DTS_SYSTEM, "%s: cannot be read: %s", path, strerror(errno));
    while ((count = fread(bytes, 1, sizeof(bytes), in)) > 0) {
        dts_text_add_bytes(picture, bytes, count);
        all += count;
    }
    const bool good = ferror(in) == 0;
    fclose(in);
    return (good && all > 0) || dts_fail(err, DTS_SYSTEM, "gnuplot drew nothing");
}

bool dts_gnuplot_draw(const struct dts_draw *draw, enum dts_terminal terminal,
                      struct dts_text *picture, struct dts_error *err)
{
    struct dts_scratch *scratch;
    struct dts_text script = {0};
    char *program = find(err);
    if (program == NULL || !dts_scratch_open(&scratch, "picture", err)) {
        free(program);
        return false;
    }
    const struct dts_program_files files = {dts_scratch_file(scratch, "script"),
                                            dts_scratch_file(scratch, "picture"),
                                            dts_scratch_file(scratch, "said")};
    char defaults[] = "-d"; // a person's own ~/.gnuplot would change the picture
    char *const words[] = {program, defaults, NULL};
    dts_gnuplot_script(draw, terminal, &script);
    const bool good = write_script(&script, files.in, err) &&
                      dts_program_filter(words, &files, err) &&
                      read_picture(files.out, picture, err);
    dts_text_free(&script);
    dts_scratch_close(scratch);
    free(program);
    return good;
}
