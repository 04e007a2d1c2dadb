/* inode.c - unit tests of sys/inode */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../inode.h"

static void test_file(void **state)
{
    char name[] = "inode-test.XXXXXX";
    int fd = mkstemp(name);
    struct adl_inode inode;
    struct stat st;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 12345), 0);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(adl_inode_look(fd, 1, &inode), 0);
    assert_int_equal(inode.size, 12345);
    assert_true(inode.number == st.st_ino);
    assert_int_equal(inode.is_dir, 0);
    assert_int_equal(adl_inode_look(fd, 0, &inode), 0);
    assert_int_equal(inode.size, 0);
    assert_int_equal(adl_inode_size_seen(fd), 12345);
    assert_int_equal(adl_inode_exists(name), 1);
    assert_int_equal(adl_inode_is_named(name), 1);
    unlink(name);
    assert_int_equal(adl_inode_exists(name), 0);
    assert_int_equal(adl_inode_is_named(name), 0);
    assert_int_equal(symlink("nowhere", name), 0);
    assert_int_equal(adl_inode_exists(name), 0);
    assert_int_equal(adl_inode_is_named(name), 1);
    unlink(name);
    close(fd);
    assert_int_equal(adl_inode_look(fd, 0, &inode), -EBADF);
    assert_int_equal(adl_inode_size_seen(fd), 0);
}

static void test_directory(void **state)
{
    int fd = open(".", O_RDONLY | O_DIRECTORY);
    struct adl_inode inode;

    (void)state;
    assert_int_equal(adl_inode_look(fd, 0, &inode), 0);
    assert_int_equal(inode.is_dir, 1);
    assert_int_equal(adl_inode_exists("."), 1);
    assert_int_equal(adl_inode_exists(""), 0);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_directory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
