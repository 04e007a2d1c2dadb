/* striping.c - tests of core/hints/striping: what captured layouts come to */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../hints/striping.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"

#define MiB 1048576

static const struct row {
    const char *name;
    int64_t factor, over, unit, first;
    const char *pool, *text;
} rows[] = {
    {"plain1", 1, 1, 4 * MiB, 3, "", ""},
    {"plain4_1M", 4, 1, MiB, 0, "", ""},
    {"ostlist3", 3, 1, MiB, 3, "", ""},
    {"pool2", 2, 1, MiB, 2, "fix", ""},
    {"over8", 4, 2, MiB, 3, "", ""}, /* two stripes on each of four OSTs */
    {"pfl_full", 4, 1, 4 * MiB, 3, "",
     "-E 4M -c 1 -S 1M -E 64M -c 2 -S 1M -E -1 -c 4 -S 4M"},
};

static struct adl_layout *captured(const char *name)
{
    static char buf[FIXTURE_MAX];
    size_t len = fixture_read(name, "bin", buf);
    struct adl_layout *layout = NULL;

    assert_int_equal(adl_layout_decode(buf, len, NULL, &layout, NULL), 0);
    return layout;
}

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static void test_captured(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *r = &rows[i];
        struct adl_layout *layout = captured(r->name);
        struct adl_creation how = {.existed = 1};
        struct adl_notes notes = ADL_NOTES_INIT;
        struct adl_hints h;

        assert_int_equal(adl_hints_init(&h), 0);
        adl_striping_take(&h, layout, &how, "f", &notes);
        assert_int_equal(h.striping_factor, r->factor);
        assert_int_equal(h.overstriping_factor, r->over);
        assert_int_equal(h.striping_unit, r->unit);
        assert_int_equal(h.start_iodevice, r->first);
        assert_string_equal(text_of(h.pool), r->pool);
        assert_string_equal(text_of(h.comp_layout), r->text);
        assert_int_equal(h.state[ADL_HINT_striping_unit].origin, ADL_FROM_FILE);
        assert_int_equal(notes.count, 0);
        adl_hints_release(&h);
        adl_layout_destroy(layout);
    }
}

/* More OSTs than there are; a layout that was refused. */
static void test_notes(void **state)
{
    struct adl_layout *layout = captured("plain4_1M");
    struct adl_creation how = {.asked = 1, .text = "-c 9"};
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_hints h;

    (void)state;
    assert_int_equal(adl_hints_init(&h), 0);
    assert_int_equal(
        adl_hints_set(&h, "striping_factor", "9", ADL_FROM_INFO, &notes), 0);
    adl_hints_settle(&h, &notes);
    adl_striping_take(&h, layout, &how, "f", &notes);
    assert_int_equal(notes.count, 1);
    assert_string_equal(notes.line[0],
                        "striping_factor=9: the file system gave 4");
    how.refused = -EINVAL;
    adl_striping_take(&h, layout, &how, "f", &notes);
    assert_int_equal(notes.count, 2);
    assert_string_equal(notes.line[1],
                        "f: layout '-c 9' refused: Invalid argument; created "
                        "with 4 stripes of 1048576 bytes");
    adl_notes_release(&notes);
    adl_hints_release(&h);
    adl_layout_destroy(layout);
}

/* Away from Lustre: as many domains as nodes, none of it in the hints. */
static void test_made_up(void **state)
{
    struct adl_layout *layout = NULL;
    struct adl_hints h;
    int64_t size;
    int count;

    (void)state;
    assert_int_equal(adl_hints_init(&h), 0);
    assert_int_equal(adl_striping_made_up(&h, 3, &layout), 0);
    adl_layout_stripe(layout, 0, &size, &count);
    assert_int_equal(size, MiB);
    assert_int_equal(count, 3);
    adl_striping_take_made_up(&h, layout);
    assert_int_equal(h.striping_factor, 0);
    assert_int_equal(h.striping_unit, 0);
    assert_int_equal(h.overstriping_factor, 1);
    adl_layout_destroy(layout);
    adl_hints_release(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_captured),
                                       cmocka_unit_test(test_notes),
                                       cmocka_unit_test(test_made_up)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
