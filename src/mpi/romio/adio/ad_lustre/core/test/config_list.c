/* config_list.c - test cb_config_list */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../hints/config_list.h"
#include "../hints/ranklist.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define ALL INT_MAX

static const struct {
    const char *text, *host;
    int limit, entry;
    const char *note;
} rows[] = {
    {"*:*", "a", ALL, 0, NULL},
    {"*:*", NULL, ALL, 0, NULL},
    {"*", "a", 1, 0, NULL},
    {"*:3", "a", 3, 0, NULL},
    {"*:0", "a", 0, 0, NULL},
    {"a", "a", 1, 0, NULL},
    {"a", "b", 0, -1, NULL},
    {"a", NULL, 0, -1, NULL},
    {"a:2", "a", 2, 0, NULL},
    {"a:*", "a", ALL, 0, NULL},
    {"a:2,b:3", "b", 3, 1, NULL},
    {"a:2,*:1", "a", 2, 0, NULL},
    {"a:2,*:1", "c", 1, 1, NULL},
    {"a:2,a:5", "a", 2, 0, NULL},
    {"*:1,a:5", "a", 1, 0, NULL},
    {"a:0,*:*", "a", 0, 0, NULL},
    {" a : 2 , b ", "a", 2, 0, NULL},
    {" a : 2 , b ", "b", 1, 1, NULL},
    {"a,,b,", "b", 1, 1, NULL},
    {"nid1", "nid1.cluster.org", 1, 0, NULL},
    {"nid1", "nid12", 0, -1, NULL},
    {"nid1.cluster.org", "nid1", 0, -1, NULL},
    {"nid0[0-3]*:2", "nid02x", 2, 0, NULL},
    {"nid*", "nid7", 1, 0, NULL},
    {"a:99999999999", "a", ALL, 0, NULL},
    {"*:nics", "a", ADL_CONFIG_NICS, 0, NULL},
    {"b:2,a:nics", "a", ADL_CONFIG_NICS, 1, NULL},
    /* broken */
    {"", "a", ALL, 0, "no usable entry"},
    {",", "a", ALL, 0, "no usable entry"},
    {"a:x", "a", 1, 0, "'a:x': no number, taken as 1"},
    {"a:2x", "a", 1, 0, "no number"},
    {"a:-1,*", "a", 1, 0, "'a:-1' ignored: negative"},
    {":2,*", "a", 1, 0, "':2' ignored: not host:n"},
    {"a:,*:4", "a", 4, 0, "'a:' ignored"},
    {"a:1:2,*:4", "a", 4, 0, "'a:1:2' ignored"},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct adl_notes notes = ADL_NOTES_INIT;
        struct adl_config_list *list = NULL;
        int entry = -2, limit;

        assert_int_equal(adl_config_list_parse(rows[i].text, &notes, &list), 0);
        limit = adl_config_list_limit(list, rows[i].host, &entry);
        if (limit != rows[i].limit || entry != rows[i].entry ||
            notes.count != (rows[i].note != NULL) ||
            (rows[i].note && !strstr(notes.line[0], rows[i].note)))
            fail_msg("'%s' for %s: %d by entry %d, note '%s'", rows[i].text,
                     rows[i].host ? rows[i].host : "(null)", limit, entry,
                     notes.count ? notes.line[0] : "");
        adl_config_list_destroy(list);
        adl_notes_release(&notes);
    }
    adl_config_list_destroy(NULL);
}

/* Any bytes, here and in a list of ranks: no crash, ranks in range and each
 * once. */
static void test_noise(void **state)
{
    static const char alphabet[] = "a*[]:,-0129 ";
    unsigned seed = 3;
    int i, n, entry, rank[10], seen;
    char text[40];

    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct adl_config_list *list = NULL;

        for (i = 0; i < round % 39; i++) {
            seed = seed * 1103515245 + 12345;
            text[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
        }
        text[i] = '\0';
        assert_int_equal(adl_config_list_parse(text, NULL, &list), 0);
        assert_true(adl_config_list_limit(list, "a1", &entry) >= 0);
        adl_config_list_destroy(list);
        n = adl_ranklist_parse(text, 10, NULL, rank);
        assert_in_range(n, 0, 10);
        for (i = seen = 0; i < n; i++) {
            assert_in_range(rank[i], 0, 9);
            assert_false(seen >> rank[i] & 1);
            seen |= 1 << rank[i];
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_noise),
    };

    return cmocka_run_group_tests_name("config_list", tests, NULL, NULL);
}
