/* test_cfg_place.c -- what was read as "other": objects key by key, lists, numbers in lists. */
#include <stdlib.h>

#include "base/json/cfg.h"
#include "check.h"

static void keys_and_elements_come_in_the_order_of_the_file(void)
{
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    CHECK(dts_doc_parse(&doc, "x.json",
                        "{\"z\": 1, \"//\": 0, \"a\": [4, 5.5, 6], \"source\": 0, \"m\": true}",
                        &err));
    struct dts_cfg top = dts_doc_top(doc);
    CHECK_INT(dts_cfg_key_count(&top), 3);
    static const int order[] = {0, 1, 2, 1, 0, 2, 2, 0}; // forward, backward, again
    static const char *const keys[] = {"z", "a", "m"};
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        CHECK_STRING(dts_cfg_key(&top, (size_t)order[i]), keys[order[i]]);
    CHECK(dts_cfg_key(&top, 3) == NULL);
    CHECK(dts_cfg_key(&top, 3) == NULL);
    CHECK_STRING(dts_cfg_key(&top, 1), "a");

    struct dts_cfg list = dts_cfg_member(&top, "a"), item = dts_cfg_item(&list, 1);
    struct dts_cfg beyond = dts_cfg_item(&list, 3), number = dts_cfg_member(&top, "z");
    double real = 0;
    CHECK_INT(dts_cfg_length(&list), 3);
    CHECK_INT(dts_cfg_length(&number), 0);
    CHECK(dts_cfg_key(&list, 0) == NULL);
    CHECK(dts_cfg_key(&beyond, 0) == NULL);
    CHECK(dts_cfg_real(&item, 0, 0, &real, &err) && real == 5.5);
    CHECK(!dts_cfg_exists(&beyond) && dts_cfg_exists(&item));
    CHECK(!dts_cfg_real(&beyond, 0, 0, &real, &err));
    CHECK_STRING(err.text, "x.json: a[3]: missing");
    dts_doc_free(doc);
}

static void walks_over_two_objects_do_not_mix(void)
{
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    CHECK(dts_doc_parse(&doc, "x.json", "{\"a\": {\"k\": 1, \"l\": 2}, \"b\": {\"m\": 3}}",
                        &err));
    struct dts_cfg top = dts_doc_top(doc), a = dts_cfg_member(&top, "a");
    struct dts_cfg b = dts_cfg_member(&top, "b");
    CHECK_STRING(dts_cfg_key(&a, 0), "k");
    CHECK_STRING(dts_cfg_key(&b, 0), "m");
    CHECK_STRING(dts_cfg_key(&a, 1), "l");
    CHECK(dts_cfg_key(&b, 1) == NULL);
    CHECK_STRING(dts_cfg_key(&top, 1), "b");
    dts_doc_free(doc);
}

static void lists_of_numbers_check_each_element(void)
{
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    CHECK(dts_doc_parse(&doc, "x.json", "{\"n\": [1, 2, 300], \"none\": [], \"w\": \"x\"}",
                        &err));
    struct dts_cfg top = dts_doc_top(doc), list = dts_cfg_member(&top, "n");
    struct dts_cfg none = dts_cfg_member(&top, "none"), word = dts_cfg_member(&top, "w");
    int *ints = NULL;
    double *reals = NULL;
    size_t count = 99;
    CHECK(dts_cfg_ints(&list, 1, 300, 3, &ints, &count, &err) && count == 3 && ints[2] == 300);
    free(ints);
    CHECK(dts_cfg_reals(&none, 0, 0, 3, &reals, &count, &err) && count == 0);
    free(reals);
    CHECK(!dts_cfg_ints(&list, 1, 299, 3, &ints, &count, &err));
    CHECK_STRING(err.text, "x.json: n[2]: must be <= 299, got 300");
    err = (struct dts_error){0};
    CHECK(!dts_cfg_reals(&list, 0, 0, 2, &reals, &count, &err));
    CHECK_STRING(err.text, "x.json: n: must have at most 2 elements, got 3");
    err = (struct dts_error){0};
    CHECK(!dts_cfg_reals(&word, 0, 0, 2, &reals, &count, &err));
    CHECK_STRING(err.text, "x.json: w: must be a list, got a string \"x\"");
    dts_doc_free(doc);
}

TESTS(TEST(keys_and_elements_come_in_the_order_of_the_file),
      TEST(walks_over_two_objects_do_not_mix), TEST(lists_of_numbers_check_each_element))
