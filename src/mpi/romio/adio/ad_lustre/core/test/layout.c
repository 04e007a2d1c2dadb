/* layout.c - test of core/layout: decode, encode, questions */
#include "../layout.h"
#include "fixture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const fixtures[] = {FIXTURES};
#define NFIXTURES (sizeof(fixtures) / sizeof(fixtures[0]))

static void test_round_trip(void **state)
{
    char *buf = malloc(FIXTURE_MAX);
    struct adl_layout *l;
    struct adl_err err = {""};
    size_t i, len, out_len;
    void *out;

    (void)state;
    for (i = 0; i < NFIXTURES; i++) {
        len = fixture_read(fixtures[i], "bin", buf);
        if (!len || adl_layout_decode(buf, len, NULL, &l, &err))
            fail_msg("%s: %zu bytes: %s", fixtures[i], len, err.text);
        assert_int_equal(adl_layout_encode(l, &out, &out_len), 0);
        if (out_len != len || memcmp(out, buf, len))
            fail_msg("%s: encodes differently", fixtures[i]);
        free(out);
        adl_layout_destroy(l);
    }
    free(buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
