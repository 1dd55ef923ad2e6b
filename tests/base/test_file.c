/* test_file.c -- output is whole or not there. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/file.h"
#include "check.h"

static char folder[64];

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void begin(void)
{
    strcpy(folder, "/tmp/dtsim_file_XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
}

static void write_plainly(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    fputs(text, file);
    fclose(file);
}

static const char *content(const char *name)
{
    static char text[256];
    FILE *file = fopen(path_of(name), "r");
    size_t length = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;
    text[length] = '\0';
    if (file != NULL)
        fclose(file);
    return file != NULL ? text : NULL;
}

static int entries(void)
{
    int count = 0;
    DIR *open = opendir(folder);
    while (readdir(open) != NULL)
        count++;
    closedir(open);
    return count - 2;
}

static void a_file_appears_when_it_is_closed(void)
{
    struct dts_error err = {0};
    struct dts_output out;
    begin();
    CHECK(dts_output_open(&out, path_of("new"), &err));
    fputs("hello", out.stream);
    fflush(out.stream);
    CHECK(content("new") == NULL);
    CHECK(dts_output_close(&out, &err));
    CHECK_STRING(content("new"), "hello");
    CHECK_INT(entries(), 1);
    CHECK(unlink(path_of("new")) == 0 && rmdir(folder) == 0);
}

static void until_then_the_old_one_stays(void)
{
    struct dts_error err = {0};
    struct dts_output out;
    begin();
    write_plainly("old", "before");
    chmod(path_of("old"), 0640);
    CHECK(dts_output_open(&out, path_of("old"), &err));
    fputs("after", out.stream);
    fflush(out.stream);
    CHECK_STRING(content("old"), "before");
    dts_output_discard(&out);
    CHECK_STRING(content("old"), "before");
    CHECK_INT(entries(), 1);
    CHECK(dts_output_open(&out, path_of("old"), &err));
    fputs("after", out.stream);
    CHECK(dts_output_close(&out, &err));
    CHECK_STRING(content("old"), "after");
    struct stat status;
    CHECK(stat(path_of("old"), &status) == 0 && (status.st_mode & 0777) == 0640);
    CHECK(unlink(path_of("old")) == 0 && rmdir(folder) == 0);
}

static void a_link_stays_a_link(void)
{
    struct dts_error err = {0};
    struct dts_output out;
    struct stat status;
    begin();
    write_plainly("target", "before");
    CHECK(symlink("target", path_of("link")) == 0);
    CHECK(dts_output_open(&out, path_of("link"), &err));
    fputs("after", out.stream);
    CHECK(dts_output_close(&out, &err));
    CHECK_STRING(content("target"), "after");
    CHECK(lstat(path_of("link"), &status) == 0 && S_ISLNK(status.st_mode));
    CHECK(unlink(path_of("link")) == 0 && unlink(path_of("target")) == 0 && rmdir(folder) == 0);
}

static void what_cannot_be_written_is_said(void)
{
    struct dts_error err = {0};
    struct dts_output out;
    CHECK(!dts_output_open(&out, "/nowhere/at/all", &err));
    CHECK_STRING(err.text, "/nowhere/at/all: cannot be written: No such file or directory");
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    err = (struct dts_error){0};
    CHECK(!dts_output_open(&out, "/tmp", &err));
    CHECK_STRING(err.text, "/tmp: cannot be written: Is a directory");
    err = (struct dts_error){0};
    CHECK(!dts_output_open(&out, "", &err));
    CHECK_STRING(err.text, "\"\": cannot be written: No such file or directory");
    dts_output_discard(&out); // harmless after a failure
}

static void only_a_file_is_read_and_a_pipe_is_not_waited_for(void)
{
    struct dts_error err = {0};
    uint64_t bytes = 0;
    begin();
    CHECK(mkfifo(path_of("pipe"), 0600) == 0);
    CHECK_INT(dts_file_open(path_of("pipe"), &bytes, &err), -1);
    CHECK(strstr(err.text, "pipe: cannot be read: it is no file") != NULL);
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    err = (struct dts_error){0};
    CHECK_INT(dts_file_open("/nowhere/at/all", &bytes, &err), -1);
    CHECK_STRING(err.text, "/nowhere/at/all: cannot be read: No such file or directory");
    write_plainly("file", "seven b");
    const int file = dts_file_open(path_of("file"), &bytes, &err);
    CHECK(file >= 0 && close(file) == 0);
    CHECK_INT((int)bytes, 7);
    CHECK(unlink(path_of("pipe")) == 0 && unlink(path_of("file")) == 0 && rmdir(folder) == 0);
}

static void a_full_device_is_an_error_of_the_machine(void)
{
    struct dts_error err = {0};
    struct dts_output out;
    if (access("/dev/full", W_OK) != 0)
        SKIP("no /dev/full");
    CHECK(dts_output_open(&out, "/dev/full", &err));
    fputs("lost", out.stream);
    CHECK(!dts_output_close(&out, &err));
    CHECK_STRING(err.text, "/dev/full: cannot be written: No space left on device");
    CHECK_INT(err.cause, DTS_SYSTEM);
}

static void of_long_texts_too_it_is_said_why_they_cannot_be_written(void)
{
    struct dts_error err = {0};
    struct dts_output out;
    if (access("/dev/full", W_OK) != 0)
        SKIP("no /dev/full");
    static char text[1 << 16]; // more than a stream keeps: nothing is left when it is closed
    memset(text, 'x', sizeof(text) - 1);
    CHECK(dts_output_open(&out, "/dev/full", &err));
    fputs(text, out.stream);
    CHECK(!dts_output_close(&out, &err));
    CHECK_STRING(err.text, "/dev/full: cannot be written: No space left on device");
}

static void devices_are_written_in_place(void)
{
    struct dts_error err = {0};
    struct dts_output out;
    struct stat status;
    CHECK(dts_output_open(&out, "/dev/null", &err));
    fputs("gone", out.stream);
    CHECK(dts_output_close(&out, &err));
    CHECK(stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode));
}

static void a_dash_is_standard_output_and_stays_open(void)
{
    struct dts_error err = {0};
    struct dts_output out;
    begin();
    const int kept = dup(STDOUT_FILENO);
    fflush(stdout);
    CHECK(freopen(path_of("shown"), "w", stdout) != NULL);
    printf("one ");
    CHECK(dts_output_open(&out, "-", &err));
    fputs("two ", out.stream);
    CHECK(dts_output_close(&out, &err));
    CHECK(dts_output_open(&out, "-", &err));
    dts_output_discard(&out);
    printf("three");
    CHECK(fflush(stdout) == 0 && dup2(kept, STDOUT_FILENO) == STDOUT_FILENO);
    close(kept);
    CHECK_STRING(content("shown"), "one two three");
    CHECK(unlink(path_of("shown")) == 0 && rmdir(folder) == 0);
}

TESTS(TEST(a_file_appears_when_it_is_closed), TEST(until_then_the_old_one_stays),
      TEST(a_link_stays_a_link), TEST(what_cannot_be_written_is_said),
      TEST(only_a_file_is_read_and_a_pipe_is_not_waited_for),
      TEST(a_full_device_is_an_error_of_the_machine),
      TEST(of_long_texts_too_it_is_said_why_they_cannot_be_written),
      TEST(devices_are_written_in_place), TEST(a_dash_is_standard_output_and_stays_open))
