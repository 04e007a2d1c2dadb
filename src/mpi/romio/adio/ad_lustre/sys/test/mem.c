/* mem.c - test of sys/mem, which plays the libraries of devices
 *
 * dlopen and dlsym are wrapped: a library is "loaded" when the test says so,
 * and its functions are those below. The device's memory is an array of the
 * test; what counts is which copies are made.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../mem.h"

#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/messages/usercopy.h"
#include "../userrw.h"

#define SIZE (1 << 20)

static struct {
    const char *loaded; /* the name of a library */
    char memory[2 * SIZE];
    size_t size; /* of the allocation, at `memory`; 0: none */
    int asked, in, out, rows, pins;
    int fail;     /* copies from the n-th on */
    int searches; /* by the linker, for a file */
    size_t bytes;
} it;

static int in_device(const void *p)
{
    return (uintptr_t)p - (uintptr_t)it.memory < it.size;
}

static int copied(void *to, const void *from, size_t n)
{
    it.in += in_device(from);
    it.out += in_device(to);
    it.bytes += n;
    if (it.fail && it.in + it.out >= it.fail)
        return 1;
    memcpy(to, from, n);
    return 0;
}

/* ---- CUDA ---- */

static int cu_pointer(void *data, int attribute, uintptr_t p)
{
    it.asked += attribute == 2;
    if (!in_device((void *)p))
        return 1;
    if (attribute == 1)
        *(void **)data = NULL;
    else
        *(unsigned *)data = attribute == 2 ? 2 : 0;
    return 0;
}

static int cu_range(uintptr_t *base, size_t *size, uintptr_t p)
{
    (void)p;
    *base = (uintptr_t)it.memory;
    *size = it.size;
    return 0;
}

static int cu_to_host(void *to, uintptr_t from, size_t n)
{
    return copied(to, (void *)from, n);
}

static int cu_to_device(uintptr_t to, const void *from, size_t n)
{
    return copied((void *)to, from, n);
}

struct cu_side {
    size_t x, y;
    int type;
    const void *host;
    uintptr_t device;
    void *array;
    size_t pitch;
};

struct cu_rows {
    struct cu_side from, to;
    size_t width, height;
};

static int cu_rows(const struct cu_rows *r)
{
    int out = it.out;

    for (size_t i = 0; i < r->height; i++)
        copied((char *)r->to.device + i * r->to.pitch,
               (const char *)r->from.host + i * r->from.pitch, r->width);
    it.out = out;
    it.rows++;
    return it.fail;
}

static int cu_nothing(void)
{
    return 0;
}

static int cu_pin(void **p, size_t size)
{
    it.pins++;
    *p = malloc(size);
    return 0;
}

static int cu_unpin(void *p)
{
    it.pins--;
    free(p);
    return 0;
}

/* ---- the linker ---- */

void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlsym(void *lib, const char *name);
int __wrap_dl_iterate_phdr(int (*note)(struct dl_phdr_info *, size_t, void *),
                           void *data);

/* The program, and a library that has a name of the file it was loaded from. */
int __wrap_dl_iterate_phdr(int (*note)(struct dl_phdr_info *, size_t, void *),
                           void *data)
{
    struct dl_phdr_info object = {.dlpi_name = ""};
    char path[64];
    int rc = note(&object, sizeof(object), data);

    snprintf(path, sizeof(path), "/usr/lib/%s", it.loaded ? it.loaded : "");
    object.dlpi_name = path;
    return rc ? rc : note(&object, sizeof(object), data);
}

/* It searches for a library that is not there. */
void *__wrap_dlopen(const char *name, int flags)
{
    (void)flags;
    it.searches += !it.loaded || strcmp(name, it.loaded) != 0;
    return it.loaded && strcmp(name, it.loaded) == 0 ? &it : NULL;
}

void *__wrap_dlsym(void *lib, const char *name)
{
    static const struct {
        const char *name;
        void *fn;
    } known[] = {{"cuPointerGetAttribute", (void *)cu_pointer},
                 {"cuMemGetAddressRange_v2", (void *)cu_range},
                 {"cuMemcpyDtoH_v2", (void *)cu_to_host},
                 {"cuMemcpyHtoD_v2", (void *)cu_to_device},
                 {"cuMemcpy2D_v2", (void *)cu_rows},
                 {"cuCtxPushCurrent_v2", (void *)cu_nothing},
                 {"cuCtxPopCurrent_v2", (void *)cu_nothing},
                 {"cuMemAllocHost_v2", (void *)cu_pin},
                 {"cuMemFreeHost", (void *)cu_unpin}};

    assert_ptr_equal(lib, &it);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].fn;
    return NULL;
}

/* ---- */

static void start(void)
{
    it.size = SIZE;
    it.asked = it.in = it.out = it.rows = it.fail = 0;
    it.bytes = 0;
    for (int i = 0; i < SIZE; i++)
        it.memory[i] = (char)(i * 7 + i / 251);
}

/* Before any library is loaded; after one that lacks functions. */
static void none(void **state)
{
    struct adl_mem_hold *hold = NULL;

    (void)state;
    start();
    adl_mem_look();
    assert_string_equal(adl_mem_kinds(), "system,mpi");
    assert_int_equal(it.searches, 0);
    it.loaded = "libamdhip64.so.6";
    adl_mem_look();
    assert_string_equal(adl_mem_kinds(), "system,mpi");
    assert_int_equal(adl_mem_hold(&hold, it.memory), 0);
    assert_null(hold);
    assert_int_equal(it.asked, 0);
    it.loaded = "libcuda.so.1";
    adl_mem_look();
    assert_string_equal(adl_mem_kinds(), "system,mpi,cuda");
}

static void kinds(void **state)
{
    static const struct {
        const char *list;
        int host;
    } rows[] = {{"", 0},
                {"system", 1},
                {"system,mpi", 1},
                {" mpi , system ", 1},
                {"mpi:alloc_mem", 1},
                {"system,cuda", 0},
                {"cuda:device", 0},
                {"system,cuda:host", 1},
                {"cuda:host:managed,rocm:managed", 1},
                {"cuda:host:device", 0},
                {"level_zero:shared", 1},
                {"level_zero", 0},
                {"cuda:", 0},
                {":", 0},
                {"systems", 0}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (adl_mem_kinds_host(rows[i].list) != rows[i].host)
            fail_msg("\"%s\"", rows[i].list);
}

/* Memory counts as long as a call holds it, and is asked about once. */
static void holds(void **state)
{
    struct adl_mem_hold *a = NULL, *b = NULL, *host = NULL;
    char mine[8] = "";

    (void)state;
    start();
    assert_int_equal(adl_mem_hold(&host, mine), 0);
    assert_null(host);
    assert_null(adl_usercopy_device);
    assert_int_equal(adl_mem_hold(&a, it.memory + 100), 0);
    assert_non_null(a);
    assert_int_equal(it.asked, 2);
    assert_int_equal(adl_mem_hold(&a, it.memory + 200), 0);
    assert_int_equal(adl_mem_hold(&b, it.memory + 300), 0);
    assert_int_equal(it.asked, 2);
    assert_true(adl_mem_is_device(it.memory));
    assert_false(adl_mem_is_device(it.memory + SIZE));
    adl_mem_release(a);
    assert_true(adl_mem_is_device(it.memory));
    adl_mem_release(b);
    assert_false(adl_mem_is_device(it.memory));
    assert_null(adl_usercopy_device);
    adl_mem_release(NULL);

    /* freed, and the processor's since */
    it.size = 0;
    assert_int_equal(adl_mem_hold(&host, it.memory), 0);
    assert_null(host);
    adl_usercopy_in(mine, it.memory + 4, 8);
    assert_memory_equal(mine, it.memory + 4, 8);
    assert_int_equal(it.in, 0);
}

/* From the device: runs with small gaps are one copy, others are not. */
static void in_runs(void **state)
{
    static const struct {
        size_t run, gap;
        int most; /* copies for 1,000 runs */
    } rows[] = {{8, 8, 2},
                {8, 1000, 18},
                {100, 0, 4},
                {8, 8192, 1000},
                {4096, 64, 1000}};
    char to[4096];

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        struct adl_mem_hold *hold = NULL;
        size_t pitch = rows[k].run + rows[k].gap, n = SIZE / pitch;

        start();
        n = n < 1000 ? n : 1000;
        adl_mem_hold(&hold, it.memory);
        for (size_t i = 0; i < n; i++) {
            adl_usercopy_in(to, it.memory + i * pitch, rows[k].run);
            assert_memory_equal(to, it.memory + i * pitch, rows[k].run);
        }
        assert_int_equal(adl_mem_finish(hold), 0);
        assert_true(it.in <= rows[k].most);
        if (rows[k].most == 1000) /* and nothing beside them */
            assert_int_equal(it.bytes, n * rows[k].run);
        adl_mem_release(hold);
    }
}

/* To the device: runs of one length and distance are one copy of rows; the gaps
 * are not touched. */
static void out_runs(void **state)
{
    static const struct {
        size_t run, gap;
        int copies, rows; /* at most, for 1,000 runs */
    } rows[] = {{8, 8, 0, 1},
                {8, 1000, 0, 1},
                {100, 0, 2, 0},
                {60, 4, 0, 1},
                {4096, 64, 1000, 0}};
    static char want[SIZE], from[4096];

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        struct adl_mem_hold *hold = NULL;
        size_t pitch = rows[k].run + rows[k].gap, n = SIZE / pitch;

        start();
        n = n < 1000 ? n : 1000;
        memcpy(want, it.memory, SIZE);
        adl_mem_hold(&hold, it.memory);
        for (size_t i = 0; i < n; i++) {
            memset(from, (int)i, rows[k].run);
            memset(want + i * pitch, (int)i, rows[k].run);
            adl_usercopy_out(it.memory + i * pitch, from, rows[k].run);
        }
        assert_int_equal(adl_mem_finish(hold), 0);
        assert_memory_equal(it.memory, want, SIZE);
        assert_true(it.out <= rows[k].copies);
        assert_true(it.rows <= rows[k].rows);
        assert_int_equal(it.bytes, n * rows[k].run);
        adl_mem_release(hold);
    }
}

/* Runs of any length and order, both ways, against the processor's memory. */
static void any_runs(void **state)
{
    static char want[SIZE], bytes[8192], got[8192];
    struct adl_mem_hold *hold = NULL;
    unsigned seed = 1;

    (void)state;
    start();
    memcpy(want, it.memory, SIZE);
    adl_mem_hold(&hold, it.memory);
    for (size_t i = 0, at = 0; i < 20000; i++) {
        size_t n = 1 + rand_r(&seed) % (i % 50 ? 40 : 8000);

        switch (rand_r(&seed) % 4) {
        case 0:
            at += n;
            break;
        case 1:
            at += 64;
            break;
        case 2:
            at = (size_t)rand_r(&seed) % SIZE;
            break;
        default:
            break;
        }
        at %= SIZE - sizeof(bytes);
        if (rand_r(&seed) % 3) {
            memset(bytes, (int)i, n);
            memset(want + at, (int)i, n);
            adl_usercopy_out(it.memory + at, bytes, n);
        } else {
            adl_usercopy_in(got, it.memory + at, n);
            assert_memory_equal(got, want + at, n);
        }
    }
    assert_int_equal(adl_mem_finish(hold), 0);
    assert_memory_equal(it.memory, want, SIZE);
    adl_mem_release(hold);
}

/* A failed copy is an error of the calls under way, not of a later one. */
static void errors(void **state)
{
    struct adl_mem_hold *a = NULL, *b = NULL, *c = NULL;
    char bytes[8] = "";

    (void)state;
    start();
    adl_mem_hold(&a, it.memory);
    adl_mem_hold(&b, it.memory + 8);
    it.fail = 1;
    adl_usercopy_out(it.memory, bytes, 8);
    assert_int_equal(adl_mem_failed(it.memory), 1);
    it.fail = 0;
    adl_mem_hold(&c, it.memory);
    assert_true(adl_mem_finish(a) < 0);
    assert_true(adl_mem_finish(b) < 0);
    assert_int_equal(adl_mem_finish(c), 0);
    adl_mem_release(a);
    adl_mem_release(b);
    adl_mem_release(c);
}

static void stages(void **state)
{
    struct adl_mem_hold *hold = NULL;
    int pinned = 1, not = 0;
    void *p, *q;

    (void)state;
    start();
    adl_mem_hold(&hold, it.memory);
    p = adl_mem_stage(it.memory, 100, &pinned);
    q = adl_mem_stage(it.memory, 100, &not );
    assert_true(pinned && !not );
    assert_int_equal(it.pins, 1);
    adl_mem_unstage(it.memory, p, pinned);
    adl_mem_unstage(it.memory, q, not );
    assert_int_equal(it.pins, 0);
    adl_mem_release(hold);
}

/* What was moved before a copy failed is counted, and no more. */
static void files_in_part(void **state)
{
    struct adl_mem_hold *hold = NULL;
    FILE *f = tmpfile();
    size_t done;

    (void)state;
    assert_non_null(f);
    start();
    it.size = sizeof(it.memory);
    adl_mem_hold(&hold, it.memory);
    it.fail = 2;
    assert_int_equal(adl_userrw_write(fileno(f), it.memory, it.size, 0, &done),
                     -EIO);
    assert_int_equal(done, SIZE);
    it.fail = 0;
    assert_int_equal(adl_userrw_write(fileno(f), it.memory, it.size, 0, &done),
                     0);
    it.in = it.out = 0;
    it.fail = 2;
    assert_int_equal(adl_userrw_read(fileno(f), it.memory, it.size, 0, &done),
                     -EIO);
    assert_int_equal(done, SIZE);
    adl_mem_release(hold);
    fclose(f);
}

/* A file and device memory, both ways, by way of a buffer. */
static void files(void **state)
{
    struct adl_mem_hold *hold = NULL;
    FILE *f = tmpfile();
    static char want[SIZE];
    size_t done;

    (void)state;
    assert_non_null(f);
    start();
    for (int i = 0; i < SIZE; i++)
        want[i] = it.memory[i] = (char)(i * 7);
    adl_mem_hold(&hold, it.memory);
    assert_int_equal(adl_userrw_write(fileno(f), it.memory, SIZE, 5, &done), 0);
    assert_int_equal(done, SIZE);
    assert_true(it.in > 0);
    memset(it.memory, 0, SIZE);
    assert_int_equal(adl_userrw_read(fileno(f), it.memory, SIZE, 5, &done), 0);
    assert_int_equal(adl_mem_finish(hold), 0);
    assert_int_equal(done, SIZE);
    assert_memory_equal(it.memory, want, SIZE);
    it.fail = 1;
    assert_int_equal(adl_userrw_write(fileno(f), it.memory, SIZE, 0, &done),
                     -EIO);
    assert_int_equal(done, 0);
    it.fail = 0;
    adl_mem_release(hold);
    /* ordinary memory */
    assert_int_equal(adl_userrw_read(fileno(f), want, 9, SIZE, &done), 0);
    assert_int_equal(done, 5);
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none),     cmocka_unit_test(kinds),
        cmocka_unit_test(holds),    cmocka_unit_test(in_runs),
        cmocka_unit_test(out_runs), cmocka_unit_test(any_runs),
        cmocka_unit_test(errors),   cmocka_unit_test(stages),
        cmocka_unit_test(files),    cmocka_unit_test(files_in_part)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
