/* locks.c - every step of locks.md, replayed: what a real Lustre counted and
 * granted must be what the model counts and grants */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "world.h"

#include "fixture.h"

#define MAX_SECTIONS 64
#define MAX_STEPS 32
#define MAX_HELD 128

struct step {
    char *action, *counters, *held;
};

struct section {
    char *title;
    unsigned ost;
    int prepared; /* D wrote [0,1M) */
    unsigned steps;
    struct step step[MAX_STEPS];
};

static struct section sections[MAX_SECTIONS];
static unsigned nsections;

/* --- parsing --- */

static void add_section(char *line)
{
    struct section *s = &sections[nsections++];
    const char *at = strstr(line, "file on OST");

    assert_true(nsections <= MAX_SECTIONS);
    assert_non_null(at);
    s->title = line + 4;
    s->ost = (unsigned)atoi(at + strlen("file on OST"));
    s->prepared = strstr(line, "prepared: D w [0,1M)") != NULL;
    if (!s->prepared)
        assert_non_null(strstr(line, "prepared: empty file"));
}

/* | step | action | counters | locks | server view | */
static void add_step(char *line)
{
    struct section *s = &sections[nsections - 1];
    struct step *t = &s->step[s->steps++];
    char *save = NULL;

    assert_true(s->steps <= MAX_STEPS);
    assert_int_equal(atoi(strtok_r(line, "|", &save)), s->steps);
    t->action = fixture_trim(strtok_r(NULL, "|", &save));
    t->counters = fixture_trim(strtok_r(NULL, "|", &save));
    t->held = fixture_trim(strtok_r(NULL, "|", &save));
}

static unsigned parse(char *text)
{
    unsigned steps = 0;
    char *save = NULL;

    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        if (strncmp(line, "### ", 4) == 0)
            add_section(line);
        else if (line[0] == '|' && isdigit((unsigned char)line[2])) {
            add_step(line);
            steps++;
        }
    }
    return steps;
}

/* --- acting --- */

static void lockahead(struct world *w, unsigned client, unsigned ost,
                      const char *text)
{
    int async = strstr(text, "ASYNC") != NULL;
    const char *s = strchr(text, ':');
    uint64_t n, size, stride, from;

    assert_non_null(s);
    s += 2;
    n = fixture_size(&s);
    s += strlen(" x ");
    size = fixture_size(&s);
    assert_memory_equal(s, " stride ", 8);
    s += 8;
    stride = fixture_size(&s);
    assert_memory_equal(s, " from ", 6);
    s += 6;
    from = fixture_size(&s);
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(lsim_lockahead(w->client[client], &w->obj[client][ost],
                                        LSIM_WRITE, async, from + i * stride,
                                        from + i * stride + size),
                         0);
}

static void act(struct world *w, unsigned ost, const char *action,
                unsigned *flags)
{
    unsigned client = (unsigned)(action[0] - 'A');
    const char *what = action + 2;
    uint64_t start, end;
    enum lsim_op op;

    assert_in_range(client, 0, 3);
    if (strncmp(what, "LOCKNOEXPAND", 12) == 0) {
        flags[client] = LSIM_NOEXPAND;
        return;
    }
    if (strncmp(what, "lockahead ", 10) == 0) {
        lockahead(w, client, ost, what);
        return;
    }
    op = strncmp(what, "writes ", 7) == 0 ? LSIM_WRITE : LSIM_READ;
    if (op == LSIM_READ)
        assert_memory_equal(what, "reads ", 6);
    what = strchr(what, '[');
    fixture_extent(&what, &start, &end);
    assert_int_equal(world_io(w, client, ost, op, start, end, flags[client], 0),
                     0);
}

/* --- comparing --- */

static int same_counts(const char *text, const struct lsim_counts *a,
                       const struct lsim_counts *b)
{
    return fixture_counter(text, "extent_enqueue") == b->enqueue - a->enqueue &&
           fixture_counter(text, "bl_callback") ==
               b->bl_callback - a->bl_callback &&
           fixture_counter(text, "cp_callback") ==
               b->cp_callback - a->cp_callback &&
           fixture_counter(text, "cancel") == b->cancel - a->cancel &&
           fixture_counter(text, "ost_read") == b->read_rpc - a->read_rpc;
}

/* A:PW[0,64K) */
static int same_lock(const char *text, const struct lsim_lock_info *l)
{
    const char *at = text + 4;
    uint64_t start, end;

    fixture_extent(&at, &start, &end);
    return text[0] - 'A' == (int)l->client && text[1] == ':' &&
           strncmp(text + 2, l->mode == LSIM_PW ? "PW" : "PR", 2) == 0 &&
           start == l->start && end == l->end;
}

/* Long lists are shortened in the middle: "first; ... (N locks) ...; last". */
static int same_held(const char *text, const struct lsim_lock_info *l, long n)
{
    char copy[2048], *item[32], *save = NULL;
    long items = 0, gap = -1, total;

    snprintf(copy, sizeof copy, "%s", text);
    if (strcmp(copy, "none") == 0)
        return n == 0;
    for (char *p = strtok_r(copy, ";", &save); p;
         p = strtok_r(NULL, ";", &save))
        item[items++] = fixture_trim(p);
    total = items;
    for (long i = 0; i < items; i++)
        if (strncmp(item[i], "... (", 5) == 0) {
            gap = i;
            total = atol(item[i] + 5);
        }
    if (n != total)
        return 0;
    for (long i = 0; i < items; i++) {
        long at = gap >= 0 && i > gap ? n - (items - i) : i;

        if (i != gap && !same_lock(item[i], &l[at]))
            return 0;
    }
    return 1;
}

static void replay_step(struct world *w, const struct section *s,
                        const struct step *t, unsigned *flags)
{
    struct lsim_lock_info held[MAX_HELD];
    struct lsim_counts before = world_counts(w->client[0]), after;
    long n;

    act(w, s->ost, t->action, flags);
    after = world_counts(w->client[0]);
    n = lsim_locks(w->client[0], &w->obj[0][s->ost], held, MAX_HELD);
    assert_in_range(n, 0, MAX_HELD);
    if (!same_counts(t->counters, &before, &after))
        fail_msg("%s: expected %s, got enqueue %d bl %d cancel %d cp %d read "
                 "%d",
                 t->action, t->counters, (int)(after.enqueue - before.enqueue),
                 (int)(after.bl_callback - before.bl_callback),
                 (int)(after.cancel - before.cancel),
                 (int)(after.cp_callback - before.cp_callback),
                 (int)(after.read_rpc - before.read_rpc));
    if (!same_held(t->held, held, n))
        fail_msg("%s: expected %s, got %s", t->action, t->held,
                 world_locks(w, 0, s->ost));
}

static void test_section(void **state)
{
    const struct section *s = *state;
    unsigned flags[4] = {0};
    struct world w;

    world_make(&w, 4, "none");
    if (s->prepared) {
        world_write(&w, 3, s->ost, 0, MIB);
        lsim_drop_cache(w.client[3], NULL);
    }
    for (unsigned i = 0; i < s->steps; i++)
        replay_step(&w, s, &s->step[i], flags);
    world_free(&w);
}

static unsigned steps;

static void test_whole_page(void **state)
{
    (void)state;
    assert_int_equal(nsections, 16);
    assert_int_equal(steps, 86);
}

int main(void)
{
    struct CMUnitTest tests[MAX_SECTIONS + 1] = {
        cmocka_unit_test(test_whole_page)};

    steps = parse(fixture_read("locks.md"));
    for (unsigned i = 0; i < nsections; i++)
        tests[i + 1] = (struct CMUnitTest){.name = sections[i].title,
                                           .test_func = test_section,
                                           .initial_state = &sections[i]};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return _cmocka_run_group_tests("locks", tests, nsections + 1, NULL, NULL);
}
