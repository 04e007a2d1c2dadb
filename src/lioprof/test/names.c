/* names.c - test of names and index: small numbers for texts, found again */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../index.h"

static unsigned add(struct lp_names *n, const char *text)
{
    return lp_names_add(n, text, strlen(text));
}

static unsigned find(const struct lp_names *n, const char *text)
{
    return lp_names_find(n, text, strlen(text));
}

static void test_numbers(void **state)
{
    struct lp_names *n = lp_names_create(100, "(others)");

    (void)state;
    assert_non_null(n);
    assert_int_equal(lp_names_count(n), 1);
    assert_string_equal(lp_names_text(n, 0), "(others)");
    assert_int_equal(add(n, "one"), 1);
    assert_int_equal(add(n, "two"), 2);
    assert_int_equal(add(n, "one"), 1);
    assert_int_equal(lp_names_count(n), 3);
    assert_string_equal(lp_names_text(n, 2), "two");
    assert_int_equal(find(n, "two"), 2);
    assert_int_equal(find(n, "three"), 0);
    assert_int_equal(lp_names_count(n), 3);
    /* a front of another, and what follows the text does not count */
    assert_int_equal(add(n, "on"), 3);
    assert_int_equal(lp_names_add(n, "one more", 3), 1);
    /* no such number: as number 0 */
    assert_string_equal(lp_names_text(n, 999), "(others)");
    lp_names_destroy(n);
    lp_names_destroy(NULL);
}

/* Texts past the limit are number 0, those before keep theirs. */
static void test_limit(void **state)
{
    struct lp_names *n = lp_names_create(50, "rest");
    char text[16];

    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        unsigned got;

        snprintf(text, sizeof(text), "name%u", i);
        got = add(n, text);
        assert_int_equal(got, i < 50 ? i + 1 : 0);
    }
    for (unsigned i = 0; i < 200; i++) {
        snprintf(text, sizeof(text), "name%u", i);
        assert_int_equal(find(n, text), i < 50 ? i + 1 : 0);
        assert_string_equal(lp_names_text(n, find(n, text)),
                            i < 50 ? text : "rest");
    }
    assert_int_equal(lp_names_count(n), 51);
    lp_names_destroy(n);
}

/* Many: the table grows, and finds all of them. */
static void test_many(void **state)
{
    struct lp_names *n = lp_names_create(20000, "");
    char text[24];

    (void)state;
    for (unsigned i = 0; i < 10000; i++) {
        snprintf(text, sizeof(text), "192.168.%u.%u@tcp", i / 250, i % 250);
        assert_int_equal(add(n, text), i + 1);
    }
    for (unsigned i = 0; i < 10000; i++) {
        snprintf(text, sizeof(text), "192.168.%u.%u@tcp", i / 250, i % 250);
        assert_int_equal(find(n, text), i + 1);
    }
    lp_names_destroy(n);
}

static void test_index(void **state)
{
    struct lp_index *x = lp_index_create();
    uint32_t key[3];

    (void)state;
    assert_non_null(x);
    for (uint32_t i = 0; i < 5000; i++) {
        key[0] = i % 50;
        key[1] = i / 50;
        key[2] = i % 7;
        assert_int_equal(lp_index_find(x, key), 0);
        assert_int_equal(lp_index_add(x, key, i + 1), 0);
        assert_int_equal(lp_index_find(x, key), i + 1);
    }
    for (uint32_t i = 0; i < 5000; i++) {
        key[0] = i % 50;
        key[1] = i / 50;
        key[2] = i % 7;
        assert_int_equal(lp_index_find(x, key), i + 1);
        key[2] = 7; /* none has that */
        assert_int_equal(lp_index_find(x, key), 0);
    }
    lp_index_destroy(x);
    lp_index_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_limit),
        cmocka_unit_test(test_many), cmocka_unit_test(test_index)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
