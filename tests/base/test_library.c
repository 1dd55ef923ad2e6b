/* test_library.c -- where the library is, and what names and paths in a file mean. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json/library.h"
#include "check.h"

static char root[64];

static const char *in_root(const char *path)
{
    static char full[256];
    snprintf(full, sizeof(full), "%s%s%s", root, *path != '\0' ? "/" : "", path);
    return full;
}

static void begin(void)
{
    strcpy(root, "/tmp/dtsim_library_XXXXXX");
    CHECK(mkdtemp(root) != NULL);
}

static void make_folders(const char *const *folders)
{
    for (; *folders != NULL; folders++)
        CHECK(mkdir(in_root(*folders), 0777) == 0);
}

static void remove_folders(const char *const *folders)
{
    int count = 0;
    while (folders[count] != NULL)
        count++;
    while (count-- > 0)
        CHECK(rmdir(in_root(folders[count])) == 0);
    CHECK(rmdir(root) == 0);
}

static void check_folder(const char *program, const char *want)
{
    char *got = dts_library_folder_of(in_root(program));
    CHECK_STRING(got, in_root(want));
    free(got);
}

static void a_build_finds_the_source_tree_above_it(void)
{
    static const char *const folders[] = {"tree",       "tree/models",    "tree/platforms",
                                          "tree/build", "tree/build/src", NULL};
    begin();
    make_folders(folders);
    check_folder("tree/build/src/dtsim", "tree");
    check_folder("tree/build/dtsim", "tree");
    check_folder("tree/dtsim", "tree");
    remove_folders(folders);
}

static void an_installed_program_finds_share(void)
{
    // a source tree around it must not win
    static const char *const folders[] = {"models",  "platforms", "usr",
                                          "usr/bin", "usr/share", "usr/share/dtsim",
                                          "other",   "other/bin", NULL};
    begin();
    make_folders(folders);
    check_folder("usr/bin/dtsim", "usr/share/dtsim");
    check_folder("other/bin/dtsim", "");
    remove_folders(folders);
}

static void a_build_elsewhere_finds_its_source_tree_by_a_link(void)
{
    static const char *const folders[] = {
        "tree", "tree/models", "tree/platforms", "build", "build/src", "build/share", NULL};
    begin();
    make_folders(folders);
    CHECK(symlink("../../tree", in_root("build/share/dtsim")) == 0);
    check_folder("build/src/dtsim", "tree");
    CHECK(unlink(in_root("build/share/dtsim")) == 0);
    remove_folders(folders);
}

static void without_a_library_the_place_where_it_should_be_is_named(void)
{
    static const char *const folders[] = {"bin", NULL};
    begin();
    make_folders(folders);
    check_folder("bin/dtsim", "share/dtsim");
    char *got = dts_library_folder_of("");
    CHECK(got != NULL);
    free(got);
    remove_folders(folders);
}

static void paths_are_relative_to_the_file_that_says_them(void)
{
    struct dts_error err = {0};
    char *path = NULL;
    begin();
    char file[128], said_in[128];
    snprintf(file, sizeof(file), "%s/net.json", root);
    snprintf(said_in, sizeof(said_in), "%s/scenario.json", root);
    fclose(fopen(file, "w"));
    CHECK(dts_library_find(&path, "models", "net.json", said_in, &err));
    CHECK_STRING(path, file);
    free(path);
    CHECK(dts_library_find(&path, "models", "./net.json", said_in, &err));
    CHECK_STRING(path, file); // shorter for messages
    free(path);
    CHECK(dts_library_find(&path, "models", file, "elsewhere/x.json", &err));
    CHECK_STRING(path, file);
    free(path);
    CHECK(dts_library_find(&path, "models", file, NULL, &err));
    free(path);
    CHECK(!dts_library_find(&path, "models", "net.json", "nowhere/x.json", &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    CHECK_STRING(err.text, "no such file: nowhere/net.json");
    CHECK(unlink(file) == 0 && rmdir(root) == 0);
}

static void the_message_for_an_unknown_name_has_its_place(void)
{
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    char *path = NULL;
    CHECK(dts_doc_parse(&doc, "a/x.json", "{\"net\": {\"model\": \"zzz\\nzzz\"}}", &err));
    struct dts_cfg top = dts_doc_top(doc), net = dts_cfg_member(&top, "net");
    CHECK(!dts_library_find_for(&path, "models", "zzz\nzzz", &net, "model", &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    CHECK(strncmp(err.text, "a/x.json: net.model: no model \"zzz\\nzzz\" in the library", 55) ==
          0);
    err = (struct dts_error){0};
    CHECK(!dts_library_find_for(&path, "models", "no/net.json", &net, "model", &err));
    CHECK_STRING(err.text, "a/x.json: net.model: no such file: a/no/net.json");
    dts_doc_free(doc);
}

static void every_name_of_the_library_is_found_and_one_typo_is_seen(void)
{
    static const char *const folders[] = {"models", "devices", "stacks", "platforms",
                                          "scenarios"};
    int found = 0;
    for (size_t f = 0; f < sizeof(folders) / sizeof(folders[0]); f++) {
        char **names = dts_library_names(folders[f]);
        for (int i = 0; names[i] != NULL; i++) {
            struct dts_error err = {0};
            char *path = NULL, wrong[300], hint[300];
            CHECK(names[i + 1] == NULL || strcmp(names[i], names[i + 1]) < 0);
            CHECK(dts_library_find(&path, folders[f], names[i], "anywhere/x.json", &err));
            CHECK(path != NULL && path[0] == '/');
            free(path);
            snprintf(wrong, sizeof(wrong), "%sq", names[i]);
            snprintf(hint, sizeof(hint), "(did you mean %s?)", names[i]);
            CHECK(!dts_library_find(&path, folders[f], wrong, NULL, &err));
            CHECK(strstr(err.text, hint) != NULL);
            found++;
        }
        for (int i = 0; names[i] != NULL; i++)
            free(names[i]);
        free(names);
    }
    if (found == 0)
        SKIP("this tree has no library yet");
}

TESTS(TEST(a_build_finds_the_source_tree_above_it), TEST(an_installed_program_finds_share),
      TEST(a_build_elsewhere_finds_its_source_tree_by_a_link),
      TEST(without_a_library_the_place_where_it_should_be_is_named),
      TEST(paths_are_relative_to_the_file_that_says_them),
      TEST(the_message_for_an_unknown_name_has_its_place),
      TEST(every_name_of_the_library_is_found_and_one_typo_is_seen))
