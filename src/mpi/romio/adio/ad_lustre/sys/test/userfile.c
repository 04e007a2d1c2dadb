/* userfile.c - unit tests of sys/userfile */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../userfile.h"

/* A directory of its own for each test, which works in it. */
static int enter(void **state)
{
    char *dir = strdup("/tmp/adl-userfile.XXXXXX");

    if (!dir || !mkdtemp(dir) || chdir(dir))
        return -1;
    *state = dir;
    return 0;
}

static int leave(void **state)
{
    char command[100];

    snprintf(command, sizeof(command), "rm -rf '%s'", (char *)*state);
    free(*state);
    return chdir("/") || system(command);
}

static void expect_text(const char *path, const char *want)
{
    char *text = NULL;

    assert_int_equal(adl_userfile_read(path, 1000, &text), 0);
    assert_string_equal(text, want);
    free(text);
}

static void test_plain(void **state)
{
    char path[200], *text;

    assert_int_equal(adl_userfile_append("f", 0, "one ", 4), 0);
    assert_int_equal(adl_userfile_append("./f", 0, "two", 3), 0);
    expect_text("f", "one two");
    snprintf(path, sizeof(path), "%s/f", (char *)*state);
    expect_text(path, "one two");
    assert_int_equal(adl_userfile_append(path, O_TRUNC, "three", 5), 0);
    expect_text("f", "three");
    assert_int_equal(adl_userfile_read("f", 4, &text), -EFBIG);
    assert_int_equal(adl_userfile_read("none", 4, &text), -ENOENT);
    assert_int_equal(adl_userfile_read("no/dir", 4, &text), -ENOENT);
    assert_int_equal(adl_userfile_append("no/dir", 0, "x", 1), -ENOENT);
}

/* Neither blocks; a FIFO with a reader takes what fits. */
static void test_fifo(void **state)
{
    char *text, got[10] = "";
    int fd;

    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(adl_userfile_append("fifo", 0, "x", 1), -ENXIO);
    assert_int_equal(adl_userfile_read("fifo", 10, &text), -EINVAL);
    fd = open("fifo", O_RDONLY | O_NONBLOCK);
    assert_int_equal(adl_userfile_append("fifo", 0, "text", 4), 0);
    assert_int_equal(read(fd, got, sizeof(got) - 1), 4);
    assert_string_equal(got, "text");
    close(fd);
    assert_int_equal(adl_userfile_read(".", 10, &text), -EINVAL);
    assert_int_equal(adl_userfile_append("/dev/null", 0, "x", 1), 0);
}

static void test_own_link(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0700), 0);
    assert_int_equal(symlink("d/f", "link"), 0);
    assert_int_equal(adl_userfile_append("link", 0, "text", 4), 0);
    expect_text("d/f", "text");
    expect_text("link", "text");
    assert_int_equal(unlink("link"), 0);
    assert_int_equal(symlink("d", "link"), 0);
    expect_text("link/f", "text");
}

/* Only root can make a link that belongs to another user. */
static void test_foreign_link(void **state)
{
    struct stat st;
    char *text;

    (void)state;
    if (geteuid() != 0) {
        print_message("not root: no link of another user can be made\n");
        skip();
    }
    assert_int_equal(adl_userfile_append("secret", 0, "text", 4), 0);
    assert_int_equal(symlink("secret", "link"), 0);
    assert_int_equal(lchown("link", 65534, 65534), 0);
    assert_int_equal(adl_userfile_append("link", 0, "more", 4), -ELOOP);
    assert_int_equal(adl_userfile_append("link", O_TRUNC, "more", 4), -ELOOP);
    assert_int_equal(adl_userfile_read("link", 100, &text), -ELOOP);
    expect_text("secret", "text");
    /* of the directory's owner: yes */
    assert_int_equal(chown(".", 65534, 65534), 0);
    expect_text("link", "text");
    assert_int_equal(chown(".", 0, 0), 0);
    /* one that leads nowhere creates nothing */
    assert_int_equal(symlink("new", "dangling"), 0);
    assert_int_equal(lchown("dangling", 65534, 65534), 0);
    assert_int_equal(adl_userfile_append("dangling", 0, "x", 1), -ELOOP);
    assert_int_equal(stat("new", &st), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_plain, enter, leave),
        cmocka_unit_test_setup_teardown(test_fifo, enter, leave),
        cmocka_unit_test_setup_teardown(test_own_link, enter, leave),
        cmocka_unit_test_setup_teardown(test_foreign_link, enter, leave),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
