/* mds.c - unit test: layouts are set, refused, inherited, instantiated */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "root.h"

#include <errno.h>
#include "../mds.h"
#include "../store.h"
#include "core/layout/layspec.h"
#include "core/test/fixture.h"
#include "core/test/random.h"
#include "../../tools/layask.h"

static int setup(void **state)
{
    struct root *r = test_malloc(sizeof(*r));

    root_make(r, 4);
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    root_remove(*state);
    test_free(*state);
    return 0;
}

static int set_spec(struct root *r, int fd, const char *text)
{
    struct adl_layout_spec spec = {0};
    void *lum;
    size_t len;
    int rc;

    assert_int_equal(adl_layout_spec_parse(text, &spec, NULL), 0);
    assert_int_equal(adl_layout_spec_encode(&spec, &lum, &len, NULL), 0);
    rc = sim_mds_set(&r->conf, fd, lum, len);
    free(lum);
    adl_layout_spec_clear(&spec);
    return rc;
}

static struct adl_layout *get(struct root *r, int fd)
{
    struct adl_layout *l;
    void *lov;
    size_t len;

    if (sim_mds_get(&r->conf, fd, &lov, &len))
        return NULL;
    assert_int_equal(sim_mds_decode(&r->conf, lov, len, &l), 0);
    free(lov);
    return l;
}

/* OSTs of component i as text: "2 3 0". */
static const char *osts(const struct adl_layout *l, int i, char *text)
{
    const struct adl_component *c = adl_layout_component(l, i);
    char *at = text;

    *at = '\0';
    for (int k = 0; k < c->nobjects; k++)
        at += sprintf(at, "%s%u", k ? " " : "", c->objects[k].ost);
    return text;
}

static void test_round_robin(void **state)
{
    static const struct {
        const char *spec, *osts;
    } cases[] = {
        {"-c 1", "0"},           {"-c 1", "1"},          {"-c 3", "2 3 0"},
        {"-c 4", "1 2 3 0"},     {"-c 2 -i 3", "3 0"},   {"-c 1", "1"},
        {"-C 6", "2 3 0 1 2 3"}, {"-o 3,1,2", "3 1 2"},  {"-c 9", "0 1 2 3"},
        {"-p fix -c 2", "1 2"},  {"-p fix -c 4", "1 2"}, {"-o 0,0", "0 0"},
    };
    struct root *r = *state;
    struct adl_layout *l;
    char name[16], text[64];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int fd;

        snprintf(name, sizeof(name), "f%zu", i);
        fd = root_file(r, name);
        assert_int_equal(set_spec(r, fd, cases[i].spec), 0);
        l = get(r, fd);
        assert_string_equal(osts(l, 0, text), cases[i].osts);
        adl_layout_destroy(l);
        assert_int_equal(set_spec(r, fd, "-c 1"), -EEXIST);
        close(fd);
    }
}

/* No object number is ever given twice on an OST. */
static void test_unique(void **state)
{
    struct root *r = *state;
    unsigned char seen[256] = {0};
    char path[PATH_MAX];

    root_path(r, "f", path);
    for (int i = 0; i < 100; i++) {
        int fd = root_file(r, "f");
        struct adl_layout *l;
        uint32_t oid;

        assert_int_equal(set_spec(r, fd, "-c 1 -i 2"), 0);
        l = get(r, fd);
        oid = adl_layout_component(l, 0)->objects[0].oid;
        assert_true(oid < 256 && !seen[oid]);
        seen[oid] = 1;
        adl_layout_destroy(l);
        close(fd);
        unlink(path);
    }
}

static void test_instantiate(void **state)
{
    static const struct {
        uint64_t end;
        int inited;
        uint32_t gen;
    } steps[] = {{1, 1, 3},        {4 << 20, 1, 3},    {(4 << 20) + 1, 2, 4},
                 {64 << 20, 2, 4}, {UINT64_MAX, 3, 5}, {UINT64_MAX, 3, 5}};
    struct root *r = *state;
    int fd = root_file(r, "f");

    assert_int_equal(
        set_spec(r, fd, "-E 4M -c 1 -S 1M -E 64M -c 2 -E -1 -c 4 -S 4M"), 0);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct adl_layout *l;
        int n = 0;

        assert_int_equal(sim_mds_instantiate(&r->conf, fd, steps[i].end), 0);
        l = get(r, fd);
        for (int k = 0; k < 3; k++)
            n += adl_layask_instantiated(l, k);
        assert_int_equal(n, steps[i].inited);
        assert_int_equal(adl_layout_head(l)->layout_gen, steps[i].gen);
        adl_layout_destroy(l);
    }
    close(fd);
}

static int count_of(struct root *r, int fd)
{
    struct adl_layout *l = get(r, fd);
    int n = l ? adl_layout_component(l, 0)->stripe_count : -1;

    adl_layout_destroy(l);
    return n;
}

static void test_open(void **state)
{
    struct root *r = *state;
    char path[PATH_MAX], dir[PATH_MAX];
    int fd, d, had = -1;

    root_path(r, "d", dir);
    root_path(r, "d/f", path);
    assert_int_equal(mkdir(dir, 0755), 0);
    d = open(dir, O_RDONLY);
    assert_int_equal(set_spec(r, d, "-c 3"), 0);
    fd = root_file(r, "d/f");
    assert_int_equal(sim_mds_open(&r->conf, fd, path, 0, &had), 0);
    assert_int_equal(count_of(r, fd), -1); /* empty, read: still none */
    assert_int_equal(had, 0);
    assert_int_equal(sim_mds_open(&r->conf, fd, path, SIM_MDS_WRITE, &had), 0);
    assert_int_equal(count_of(r, fd), 3);
    assert_int_equal(sim_mds_open(&r->conf, fd, path, SIM_MDS_WRITE, &had), 0);
    assert_int_equal(had, 1);
    close(fd);
    unlink(path);
    assert_int_equal(sim_mds_unset(&r->conf, d), 0);
    fd = root_file(r, "d/f");
    assert_int_equal(write(fd, "x", 1), 1); /* made outside, with data */
    assert_int_equal(sim_mds_open(&r->conf, fd, path, 0, NULL), 0);
    assert_int_equal(count_of(r, fd), 1);
    close(fd);
    close(d);
}

static void test_delay(void **state)
{
    struct root *r = *state;
    const int delay = SIM_MDS_DELAY | SIM_MDS_CREATE | SIM_MDS_WRITE;
    char path[PATH_MAX];
    int fd = root_file(r, "f");

    root_path(r, "f", path);
    assert_int_equal(sim_mds_open(&r->conf, fd, path, delay, NULL), 0);
    assert_int_equal(count_of(r, fd), -1);
    assert_int_equal(
        sim_mds_open(&r->conf, fd, path, SIM_MDS_DELAY | SIM_MDS_WRITE, NULL),
        0);
    assert_int_equal(count_of(r, fd), -1);
    assert_int_equal(set_spec(r, fd, "-c 2"), 0);
    assert_int_equal(count_of(r, fd), 2);
    close(fd);
}

/* Recorded layouts with bytes changed: every answer is fine, but no crash,
 * and what was accepted can be read and instantiated. */
static void test_mutated(void **state)
{
    static const char *const names[] = {FIXTURES};
    struct root *r = *state;
    struct rng rng = rng_begin();
    static char blob[FIXTURE_MAX];
    char path[PATH_MAX];

    root_path(r, "f", path);
    for (int i = 0; i < 3000; i++) {
        size_t k = rng_in(&rng, 0, sizeof(names) / sizeof(names[0]) - 1);
        size_t len = fixture_read(names[k], "bin", blob);
        int fd = root_file(r, "f"), n = rng_in(&rng, 0, 3);

        if (!len)
            skip();
        while (n--)
            blob[rng_in(&rng, 0, len - 1)] = rng_in(&rng, 0, 255);
        if (rng_chance(&rng, 10))
            len = rng_in(&rng, 0, len);
        if (rng_chance(&rng, 20))
            sim_store_put(&r->conf, fd, blob, len);
        else if (sim_mds_set(&r->conf, fd, blob, len) == 0)
            adl_layout_destroy(get(r, fd));
        sim_mds_instantiate(&r->conf, fd, UINT64_MAX);
        close(fd);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_robin, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unique, setup, teardown),
        cmocka_unit_test_setup_teardown(test_instantiate, setup, teardown),
        cmocka_unit_test_setup_teardown(test_open, setup, teardown),
        cmocka_unit_test_setup_teardown(test_delay, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mutated, setup, teardown),
    };

    return cmocka_run_group_tests_name("mds", tests, NULL, NULL);
}
