/* layout_map.c - test of the mapping: against a naive model on random layouts,
 * and on layouts where the answer is known */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../layout/layout.h"
#include "fixture.h"
#include "random.h"
#include "../../../../../../tools/layask.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define K64 65536ll
#define MAXCOMPS 16

/* 0 <= x < n */
static int64_t rng_below(struct rng *r, int64_t n)
{
    return rng_in(r, 0, n - 1);
}

/* ---- the naive model: straight from the definition, with divisions ---- */

struct model {
    struct adl_component c[MAXCOMPS];
    int n;
    int from, to; /* the mirror to use */
};

static int dense_first(const struct model *m, int comp)
{
    int sum = 0;

    for (int i = m->from; i < comp; i++) {
        const struct adl_component *c = &m->c[i];
        int grows = i + 1 < m->to && m->c[i + 1].flags & ADL_LCME_FL_EXTENSION;

        if (c->flags & ADL_LCME_FL_EXTENSION)
            continue;
        if (c->start == c->end && !(grows && c[1].end > c[1].start))
            continue;
        sum += c->pattern & ADL_LOV_PATTERN_MDT ? 1 : c->stripe_count;
    }
    return sum;
}

/* The component whose extent has the offset; an extension means the one
 * before it; past the end the last with an extent. */
static int find(const struct model *m, int64_t off, int64_t *end)
{
    int hit = -1;

    for (int i = m->from; i < m->to; i++) {
        if (m->c[i].start == m->c[i].end)
            continue;
        hit = i;
        if (off < m->c[i].end)
            break;
    }
    if (m->c[hit].flags & ADL_LCME_FL_EXTENSION)
        hit--;
    *end = m->c[hit].end;
    if (hit + 1 < m->to && m->c[hit + 1].flags & ADL_LCME_FL_EXTENSION)
        *end = m->c[hit + 1].end;
    for (int i = hit + 1; i < m->to; i++)
        if (m->c[i].end > *end)
            return hit;
    *end = ADL_LAYOUT_EOF;
    return hit;
}

static struct adl_place model_locate(const struct model *m, int64_t off)
{
    struct adl_place p = {0};
    int64_t end, size, stripe;
    int i = find(m, off, &end), count;

    size = m->c[i].stripe_size;
    count = m->c[i].pattern & ADL_LOV_PATTERN_MDT ? 1 : m->c[i].stripe_count;
    stripe = off / size;
    p.comp = i;
    p.object = (int)(stripe % count);
    p.number = dense_first(m, i) + p.object;
    p.row = stripe / count;
    p.off = off;
    p.end = stripe == INT64_MAX / size ? end : (stripe + 1) * size;
    if (p.end > end)
        p.end = end;
    return p;
}

/* ---- random layouts ---- */

static int64_t random_size(struct rng *r)
{
    if (rng_below(r, 2))
        return K64 << rng_below(r, 8);
    return K64 * (1 + rng_below(r, 100));
}

static void random_component(struct rng *r, struct model *m, int64_t start,
                             int mirror)
{
    struct adl_component *c = &m->c[m->n++];

    memset(c, 0, sizeof(*c));
    c->id = (uint32_t)(mirror + 1) << 16 | (uint32_t)m->n;
    c->start = start;
    c->end = start + K64 * (1 + rng_below(r, 300));
    c->magic = ADL_LOV_MAGIC_V1;
    c->pattern = ADL_LOV_PATTERN_RAID0;
    c->stripe_size = random_size(r);
    c->stripe_count = 1 + (int)rng_below(r, 40);
    c->stripe_offset = 0xffff;
    if (start == 0 && rng_below(r, 4) == 0) {
        c->pattern = ADL_LOV_PATTERN_MDT;
        c->stripe_count = 0;
        c->stripe_size = c->end;
    }
    if (start > 0 && rng_below(r, 6) == 0)
        c->end = start;
    if (c->pattern == ADL_LOV_PATTERN_RAID0 && rng_below(r, 5) == 0) {
        struct adl_component *ext = &m->c[m->n++];

        *ext = *c;
        ext->flags = ADL_LCME_FL_EXTENSION;
        ext->start = c->end;
        ext->end = c->end + K64 * (1 + rng_below(r, 50));
    }
}

static void random_mirror(struct rng *r, struct model *m, int mirror)
{
    int comps = 1 + (int)rng_below(r, 4);
    int64_t start = 0;

    while (comps--) {
        random_component(r, m, start, mirror);
        start = m->c[m->n - 1].end;
    }
    if (rng_below(r, 4))
        m->c[m->n - 1].end = ADL_LAYOUT_EOF;
}

static struct adl_layout *random_layout(struct rng *r, struct model *m)
{
    struct adl_layout_head head = {.composite = 1, .mirrors = 1};
    int stale = rng_below(r, 4) == 0, mark;
    struct adl_layout *l = NULL;
    struct adl_err err = {""};

    m->n = 0;
    random_mirror(r, m, 0);
    m->from = 0;
    m->to = m->n;
    if (stale) {
        mark = (int)rng_below(r, m->n);
        m->c[mark].flags |= ADL_LCME_FL_STALE;
        m->from = m->n;
        random_mirror(r, m, 1);
        m->to = m->n;
        head.mirrors = 2;
    }
    if (adl_layout_create(&head, m->c, m->n, NULL, &l, &err))
        fail_msg("%s", err.text);
    return l;
}

/* ---- comparing ---- */

static void same(const char *what, const struct adl_place *got,
                 const struct adl_place *want)
{
    if (got->comp != want->comp || got->object != want->object ||
        got->number != want->number || got->row != want->row ||
        got->off != want->off || got->end != want->end)
        fail_msg("%s %lld: comp %d/%d object %d/%d number %d/%d row %lld/%lld "
                 "end %lld/%lld",
                 what, (long long)want->off, got->comp, want->comp, got->object,
                 want->object, got->number, want->number, (long long)got->row,
                 (long long)want->row, (long long)got->end,
                 (long long)want->end);
}

/* The inverse gives the start of the piece, within the component. */
static void check_inverse(const struct adl_layout *l, const struct adl_place *p)
{
    struct adl_home home;
    struct adl_place q;
    int64_t off = -1;

    assert_int_equal(adl_layask_offset(l, p->number, p->row, &off), 0);
    assert_true(off <= p->off);
    adl_layout_locate(l, off, &q);
    assert_int_equal(q.number, p->number);
    assert_int_equal(q.row, p->row);
    assert_int_equal(q.end, p->end);
    adl_layout_home(l, p->number, &home);
    assert_int_equal(home.comp, p->comp);
    assert_int_equal(home.object, p->object);
}

static void walk(const struct adl_layout *l, const struct model *m, int64_t off,
                 int steps)
{
    struct adl_place p, want;

    adl_layout_locate(l, off, &p);
    want = model_locate(m, off);
    same("at", &p, &want);
    while (steps-- && p.end < ADL_LAYOUT_EOF) {
        adl_layout_next_stripe(l, &p);
        want = model_locate(m, p.off);
        same("step to", &p, &want);
        check_inverse(l, &p);
    }
}

static void test_random(void **state)
{
    struct rng r = {20240607};
    struct model m;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct adl_layout *l = random_layout(&r, &m);

        walk(l, &m, 0, 60);
        for (int k = 0; k < 20; k++)
            walk(l, &m, rng_below(&r, K64 * 1000), 3);
        for (int k = 0; k < 5; k++)
            walk(l, &m, rng_below(&r, INT64_MAX), 3);
        walk(l, &m, INT64_MAX - 1, 3);
        adl_layout_destroy(l);
    }
}

/* Sizes that no Lustre has, for other file systems. */
static void test_random_plain(void **state)
{
    struct rng r = {4711};

    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct model m = {.n = 1, .to = 1};
        struct adl_layout *l;

        m.c[0].end = ADL_LAYOUT_EOF;
        m.c[0].stripe_size = 1 + rng_below(&r, 10000);
        m.c[0].stripe_count = 1 + (int)rng_below(&r, 2000);
        assert_int_equal(
            adl_layout_plain(m.c[0].stripe_size, m.c[0].stripe_count, &l), 0);
        for (int k = 0; k < 20; k++)
            walk(l, &m, rng_below(&r, 1ll << (10 + k * 2)), 10);
        adl_layout_destroy(l);
    }
}

/* ---- known answers ---- */

static struct adl_layout *load(const char *name)
{
    char *buf = malloc(FIXTURE_MAX);
    size_t len = fixture_read(name, "bin", buf);
    struct adl_layout *l = NULL;

    assert_int_equal(adl_layout_decode(buf, len, NULL, &l, NULL), 0);
    free(buf);
    return l;
}

#define M (1ll << 20)
#define G (1ll << 30)

static const struct {
    const char *name;
    int64_t off;
    int comp, object, number;
    int64_t row, object_off, end;
} known[] = {
    {"plain4_1M", 0, 0, 0, 0, 0, 0, M},
    {"plain4_1M", 5 * M + 7, 0, 1, 1, 1, M + 7, 6 * M},
    {"plain3_64K_i2", 3 * K64 - 1, 0, 2, 2, 0, K64 - 1, 3 * K64},
    /* stripes of a component count from 0 of the file, not its own start */
    {"pfl_full", 4 * M - 1, 0, 0, 0, 3, 4 * M - 1, 4 * M},
    {"pfl_full", 4 * M, 1, 0, 1, 2, 2 * M, 5 * M},
    {"pfl_full", 63 * M, 1, 1, 2, 31, 31 * M, 64 * M},
    {"pfl_full", 64 * M, 2, 0, 3, 4, 16 * M, 68 * M},
    {"pfl_full", 76 * M, 2, 3, 6, 4, 16 * M, 80 * M},
    {"pfl_fresh", 76 * M, 2, 3, 6, 4, 16 * M, 80 * M},
    {"dom", M - 1, 0, 0, 0, 0, M - 1, M},
    {"dom", M, 1, 1, 2, 0, 0, 2 * M},
    {"mirror_stale", 5 * M, 0, 0, 0, 1, 5 * M, 8 * M},
    /* growing components: as if they had grown */
    {"sel", 64 * M, 0, 0, 0, 16, 64 * M, 68 * M},
    {"sel", G, 2, 0, 1, 64, 256 * M, G + 4 * M},
    {"sel", G + 4 * M, 2, 1, 2, 64, 256 * M, G + 8 * M},
};

static void test_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        struct adl_layout *l = load(known[i].name);
        struct adl_place p, want = {.comp = known[i].comp,
                                    .object = known[i].object,
                                    .number = known[i].number,
                                    .row = known[i].row,
                                    .off = known[i].off,
                                    .end = known[i].end};

        adl_layout_locate(l, known[i].off, &p);
        same(known[i].name, &p, &want);
        assert_int_equal(adl_layask_object_off(l, &p), known[i].object_off);
        adl_layout_destroy(l);
    }
}

static void test_inverse_range(void **state)
{
    struct adl_layout *l = load("pfl_full");
    int64_t off = 42;

    (void)state;
    assert_int_equal(adl_layask_offset(l, -1, 0, &off), -ERANGE);
    assert_int_equal(adl_layask_offset(l, 7, 0, &off), -ERANGE);
    assert_int_equal(adl_layask_offset(l, 0, -1, &off), -ERANGE);
    assert_int_equal(adl_layask_offset(l, 0, 4, &off), -ERANGE);
    assert_int_equal(adl_layask_offset(l, 1, 1, &off), -ERANGE);
    assert_int_equal(adl_layask_offset(l, 6, INT64_MAX, &off), -ERANGE);
    assert_int_equal(adl_layask_offset(l, 6, INT64_MAX / 16 / M + 1, &off),
                     -ERANGE);
    assert_int_equal(off, 42);
    assert_int_equal(adl_layask_offset(l, 1, 2, &off), 0);
    assert_int_equal(off, 4 * M);
    adl_layout_destroy(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_random_plain),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_inverse_range),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
