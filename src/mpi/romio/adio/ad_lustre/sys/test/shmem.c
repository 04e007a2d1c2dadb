/* shmem.c - unit tests of sys/shmem: two processes, wrong cards */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../memory.h"
#include "../shmem.h"

#define BYTES (1 << 20)

/* In a child that has nothing mapped: attach, look, write. */
static int visit(const struct adl_shmem_card *card, int64_t bytes)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        char *mine = NULL;
        int rc = adl_shmem_attach(card, bytes, (void **)&mine);

        if (rc < 0)
            _exit(-rc);
        if (mine[0] != 'a' || mine[BYTES - 1] != 0)
            _exit(255);
        mine[BYTES - 1] = 'b';
        adl_shmem_detach(mine, bytes);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_shared(void **state)
{
    struct adl_shmem_card card;
    char *base = NULL;

    (void)state;
    assert_int_equal(adl_shmem_create(BYTES, &card, (void **)&base), 0);
    for (int i = 0; i < BYTES; i += 4096)
        assert_int_equal(base[i], 0);
    base[0] = 'a';
    assert_int_equal(visit(&card, BYTES), 0);
    assert_int_equal(base[BYTES - 1], 'b');
    adl_shmem_hide(&card);
    base[1] = 'c'; /* the mapping stays */
    adl_shmem_detach(base, BYTES);
}

static void test_wrong_cards(void **state)
{
    struct adl_shmem_card card, other;
    char *base = NULL;

    (void)state;
    assert_int_equal(adl_shmem_create(BYTES, &card, (void **)&base), 0);
    assert_int_equal(visit(&card, BYTES / 2), ESTALE);
    other = card;
    other.ino++;
    assert_int_equal(visit(&other, BYTES), ESTALE);
    other = card;
    other.dev++;
    assert_int_equal(visit(&other, BYTES), ESTALE);
    other = card;
    other.fd = 0;
    assert_int_not_equal(visit(&other, BYTES), 0);
    other = card;
    other.pid = INT64_MAX;
    assert_int_equal(visit(&other, BYTES), ENOENT);
    adl_shmem_hide(&card);
    assert_int_equal(visit(&card, BYTES), ENOENT);
    adl_shmem_detach(base, BYTES);
}

static void test_impossible(void **state)
{
    struct adl_shmem_card card;
    void *base = NULL;

    (void)state;
    assert_true(adl_shmem_create(-1, &card, &base) < 0);
    assert_true(adl_shmem_create(INT64_MAX, &card, &base) < 0);
    assert_null(base);
    adl_shmem_detach(NULL, 0);
}

/* More than is free is refused before a page of it is touched. */
static void test_reserve(void **state)
{
    int64_t left = adl_memory_left("");
    struct adl_shmem_card card;
    void *base = NULL;

    (void)state;
    if (left == INT64_MAX)
        skip();
    assert_int_equal(adl_shmem_create(left + left / 8, &card, &base), -ENOMEM);
    assert_null(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_wrong_cards),
        cmocka_unit_test(test_impossible),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
