/* memory.c - unit tests of sys/memory: files as the kernel writes them */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../memory.h"

#define MIB (INT64_C(1) << 20)

static char root[64];

/* The directories are made as needed. */
static void put_file(const char *path, const char *text)
{
    char full[512];
    FILE *f;

    snprintf(full, sizeof(full), "%s%s", root, path);
    for (char *c = full + strlen(root) + 1; *c; c++)
        if (*c == '/') {
            *c = 0;
            mkdir(full, 0777);
            *c = '/';
        }
    f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int setup(void **state)
{
    (void)state;
    strcpy(root, "memory-test.XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    return system(command);
}

static void test_nothing(void **state)
{
    (void)state;
    assert_true(adl_memory_left(root) == INT64_MAX);
    assert_false(adl_memory_is_strict(root));
}

static void test_machine(void **state)
{
    (void)state;
    put_file("/proc/meminfo", "MemTotal: 999999 kB\nMemAvailable:   2048 kB\n");
    assert_true(adl_memory_left(root) == 2 * MIB);
    put_file("/proc/meminfo", "MemAvailable: none\n");
    assert_true(adl_memory_left(root) == INT64_MAX);
}

static void test_version1(void **state)
{
    (void)state;
    put_file("/proc/self/cgroup",
             "9:name=systemd:/\n4:cpu,memory:/a/b\n0::/\n");
    put_file("/sys/fs/cgroup/memory/memory.limit_in_bytes",
             "9223372036854771712\n");
    put_file("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "10485760\n");
    put_file("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "9437184\n");
    put_file("/sys/fs/cgroup/memory/a/memory.stat",
             "inactive_file 0\ntotal_inactive_file 1048576\n"
             "total_active_file 2097152\n");
    put_file("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "8388608\n");
    put_file("/sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "2097152\n");
    /* a: 10 - 9 + 1 + 2; b: 8 - 2 */
    assert_true(adl_memory_left(root) == 4 * MIB);
    put_file("/sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "9437184\n");
    assert_true(adl_memory_left(root) == 0);
}

static void test_version2(void **state)
{
    (void)state;
    put_file("/proc/self/cgroup", "0::/job/step\n");
    put_file("/sys/fs/cgroup/job/memory.max", "7340032\n");
    put_file("/sys/fs/cgroup/job/memory.current", "3145728\n");
    put_file("/sys/fs/cgroup/job/memory.stat",
             "anon 5\ninactive_file 1048576\nactive_file 0\n");
    put_file("/sys/fs/cgroup/job/step/memory.max", "max\n");
    assert_true(adl_memory_left(root) == 5 * MIB);
    put_file("/proc/self/cgroup", "0::/of/the/host\n");
    put_file("/sys/fs/cgroup/memory.max", "1048576\n");
    assert_true(adl_memory_left(root) == MIB);
}

static void test_strict(void **state)
{
    (void)state;
    put_file("/proc/sys/vm/overcommit_memory", "2\n");
    assert_true(adl_memory_is_strict(root));
    put_file("/proc/sys/vm/overcommit_memory", "0\n");
    assert_false(adl_memory_is_strict(root));
}

/* Whatever is there: no crash, some number. */
static void test_here(void **state)
{
    (void)state;
    assert_true(adl_memory_left("") >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_machine, setup, teardown),
        cmocka_unit_test_setup_teardown(test_version1, setup, teardown),
        cmocka_unit_test_setup_teardown(test_version2, setup, teardown),
        cmocka_unit_test_setup_teardown(test_strict, setup, teardown),
        cmocka_unit_test(test_here),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
