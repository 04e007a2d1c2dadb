/* file.c - unit test: a range of a file is one range on every object */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "root.h"

#include <errno.h>
#include "../file.h"
#include "../mds.h"
#include "../store.h"
#include "core/layout/layspec.h"
#include "core/test/random.h"
#include "../../tools/layask.h"

static void set_spec(struct root *r, int fd, const char *text)
{
    struct adl_layout_spec spec = {0};
    void *lum;
    size_t len;

    assert_int_equal(adl_layout_spec_parse(text, &spec, NULL), 0);
    assert_int_equal(adl_layout_spec_encode(&spec, &lum, &len, NULL), 0);
    assert_int_equal(sim_mds_set(&r->conf, fd, lum, len), 0);
    free(lum);
    adl_layout_spec_clear(&spec);
}

/* Their number is also that of the MDT, which holds what is on no OST here. */
#define OSTS 4

/* Piece by piece, without merging: does each lie in an extent of its object,
 * and do the extents hold nothing else? */
static void check_map(const struct adl_layout *l, uint64_t off, uint64_t end,
                      const struct sim_extents *ex)
{
    uint64_t bytes = 0, covered = 0, at = off;
    struct adl_place p;
    struct adl_home home;

    while (at < end) {
        uint64_t to;
        int found = 0;

        adl_layout_locate(l, at, &p);
        adl_layout_home(l, p.number, &home);
        to = (uint64_t)p.end < end ? (uint64_t)p.end : end;
        for (int i = 0; i < ex->n; i++) {
            const struct sim_extent *e = &ex->list[i];

            if (e->number != p.number)
                continue;
            assert_true((uint64_t)adl_layask_object_off(l, &p) >= e->start);
            assert_true(adl_layask_object_off(l, &p) + (to - at) <= e->end);
            assert_int_equal(e->ost, home.ost < 0 ? OSTS : home.ost);
            assert_int_equal(e->on_mdt, home.ost < 0);
            found++;
        }
        assert_int_equal(found, 1);
        bytes += to - at;
        at = to;
    }
    for (int i = 0; i < ex->n; i++)
        covered += ex->list[i].end - ex->list[i].start;
    assert_int_equal(covered, bytes);
}

static const char *const specs[] = {
    "-c 1 -S 64K",
    "-c 4 -S 64K",
    "-c 3 -S 192K",
    "-C 40 -S 64K",
    "-E 1M -c 1 -S 64K -E 3M -c 3 -S 128K -E -1 -c 4 -S 256K",
    "-E 1M -L mdt -E 2M -c 2 -S 64K -E -1 -C 8 -S 64K",
};
#define SPECS (sizeof(specs) / sizeof(specs[0]))

static struct sim_file *make(struct root *r, size_t i, int *fd)
{
    struct sim_file *f;
    char name[16];

    snprintf(name, sizeof(name), "f%zu", i);
    *fd = root_file(r, name);
    set_spec(r, *fd, specs[i]);
    f = sim_file_create(i + 1, name);
    assert_non_null(f);
    return f;
}

static void test_map(void **state)
{
    struct rng rng = rng_begin();
    struct root r;

    (void)state;
    root_make(&r, OSTS);
    for (size_t i = 0; i < SPECS; i++) {
        struct sim_extents ex;
        struct sim_file *f;
        int fd;

        f = make(&r, i, &fd);
        assert_int_equal(sim_file_ready(f, &r.conf, fd, UINT64_MAX), 0);
        for (int k = 0; k < 300; k++) {
            uint64_t off = rng_in(&rng, 0, 8 << 20);
            uint64_t end = off + rng_in(&rng, 1, 4 << 20);

            assert_int_equal(sim_file_map(f, off, end, &ex), 0);
            check_map(f->layout, off, end, &ex);
            sim_extents_clear(&ex);
        }
        assert_int_equal(sim_file_map(f, 5, 5, &ex), 0);
        assert_int_equal(ex.n, 0);
        sim_extents_clear(&ex);
        sim_file_destroy(f);
        close(fd);
    }
    root_remove(&r);
}

/* Object sizes of a file of `size` bytes: the largest object offset of any
 * byte below, plus one. */
static void check_tail(const struct adl_layout *l, uint64_t size,
                       const struct sim_tail *t)
{
    uint64_t want[64] = {0}, at = 0;
    struct adl_place p;
    struct adl_home home;

    while (at < size) {
        uint64_t to;

        adl_layout_locate(l, at, &p);
        adl_layout_home(l, p.number, &home);
        to = (uint64_t)p.end < size ? (uint64_t)p.end : size;
        want[p.number] = adl_layask_object_off(l, &p) + (to - at);
        at = to;
    }
    for (int i = 0; i < t->n; i++)
        assert_int_equal(t->size[i], want[i]);
}

static void test_tail(void **state)
{
    struct rng rng = rng_begin();
    struct root r;

    (void)state;
    root_make(&r, OSTS);
    for (size_t i = 0; i < SPECS; i++) {
        struct sim_file *f;
        struct sim_tail t;
        int fd;

        f = make(&r, i, &fd);
        assert_int_equal(sim_file_ready(f, &r.conf, fd, UINT64_MAX), 0);
        for (int k = 0; k < 100; k++) {
            uint64_t size = k ? rng_in(&rng, 0, 12 << 20) : 0;

            assert_int_equal(sim_file_tail(f, size, &t), 0);
            check_tail(f->layout, size, &t);
            sim_tail_clear(&t);
        }
        sim_file_destroy(f);
        close(fd);
    }
    root_remove(&r);
}

/* Components get objects as writes reach them; another process's work is
 * seen. */
static void test_ready(void **state)
{
    struct sim_file *a, *b;
    struct root r;
    int fd;

    (void)state;
    root_make(&r, OSTS);
    a = make(&r, 4, &fd);
    b = sim_file_create(99, "other");
    assert_int_equal(sim_file_ready(a, &r.conf, fd, 1), 0);
    assert_int_equal(a->ready, 1 << 20);
    assert_int_equal(sim_file_ready(b, &r.conf, fd, (1 << 20) + 1), 0);
    assert_int_equal(b->ready, 3 << 20);
    assert_int_equal(a->key, b->key);
    assert_int_equal(sim_file_ready(a, &r.conf, fd, 2 << 20), 0);
    assert_int_equal(a->ready, 3 << 20);
    assert_int_equal(adl_layout_head(a->layout)->layout_gen, 4);
    assert_int_equal(sim_file_ready(a, &r.conf, fd, UINT64_MAX), 0);
    assert_true(a->ready == UINT64_MAX && a->end == UINT64_MAX);
    sim_file_destroy(a);
    sim_file_destroy(b);
    close(fd);
    fd = root_file(&r, "none");
    assert_int_equal(sim_store_put(&r.conf, fd, NULL, 0), 0);
    a = sim_file_create(100, "none");
    assert_int_equal(sim_file_ready(a, &r.conf, fd, 1), -EBADF);
    sim_file_destroy(a);
    close(fd);
    root_remove(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_tail),
        cmocka_unit_test(test_ready),
    };

    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
