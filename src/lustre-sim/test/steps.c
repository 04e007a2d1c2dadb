/* steps.c - every step of the tables of locks-2.md, replayed: direct and
 * hybrid I/O, data on the MDT, composite layouts, clients in turn
 *
 * Compared are the answer of each call, what the OSTs counted, the extent
 * locks held and every data RPC with its range. Of the metadata server's
 * inode bits the model has only the one that protects data (0x40): who holds
 * it, and the RPCs under it. Where the page says that data was written back
 * in the background (a sync without a request), so it is here.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "actors.h"

#define MAX_SECTIONS 32
#define MAX_STEPS 40
#define MAX_ITEMS 32

struct step {
    char *action, *counters, *held, *view;
};

struct section {
    char *title;
    int hybrid;
    unsigned steps;
    struct step step[MAX_STEPS];
};

static struct section sections[MAX_SECTIONS];
static unsigned nsections, nsteps;

/* --- parsing --- */

/* | step | action | counters | locks | server view | */
static void add_step(struct section *s, char *line)
{
    struct step *t = &s->step[s->steps++];
    char *save = NULL;

    assert_true(s->steps <= MAX_STEPS);
    assert_int_equal(atoi(strtok_r(line, "|", &save)), s->steps);
    t->action = fixture_trim(strtok_r(NULL, "|", &save));
    t->counters = fixture_trim(strtok_r(NULL, "|", &save));
    t->held = fixture_trim(strtok_r(NULL, "|", &save));
    t->view = fixture_trim(strtok_r(NULL, "|", &save));
    nsteps++;
}

/* A section counts when it turns out to have a table of steps. */
static void parse(char *text)
{
    char *save = NULL, *title = NULL;
    int table = 0, hybrid = 0;

    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        if (strncmp(line, "## ", 3) == 0)
            hybrid = 0;
        if (strncmp(line, "hybrid_io=", 10) == 0)
            hybrid = line[10] == '1';
        if (line[0] == '#') {
            title = strchr(line, ' ') + 1;
            table = 0;
        } else if (strncmp(line, "| step | action", 15) == 0) {
            assert_true(nsections < MAX_SECTIONS);
            sections[nsections++] =
                (struct section){.title = title, .hybrid = hybrid};
            table = 1;
        } else if (table && line[0] == '|' && isdigit((unsigned char)line[2])) {
            add_step(&sections[nsections - 1], line);
        }
    }
}

/* --- the file --- */

/* Which OST the real file's second component began on. */
static const struct {
    const char *title;
    int first, second;
} placed[] = {
    {"DoM: LOCKNOEXPAND", 0, 1},  {"DoM: lockahead", 0, 0},
    {"DoM: group lock", 0, 2},    {"DoM: O_DIRECT", 0, 1},
    {"DoM, OST component", 0, 3}, {"PFL: lockahead", 1, 2},
};

static void composite_file(struct stage *s, const char *title)
{
    int mdt = strstr(title, "-L mdt") != NULL;
    struct adl_component c[2] = {
        {.end = MIB,
         .pattern = mdt ? ADL_LOV_PATTERN_MDT : ADL_LOV_PATTERN_RAID0,
         .stripe_size = MIB,
         .stripe_count = mdt ? 0 : 1,
         .stripe_offset = ADL_LOV_OFFSET_ANY},
        {.start = MIB,
         .end = ADL_LAYOUT_EOF,
         .pattern = ADL_LOV_PATTERN_RAID0,
         .stripe_size = MIB,
         .stripe_count = 2}};

    for (size_t i = 0; i < sizeof placed / sizeof placed[0]; i++)
        if (strncmp(title, placed[i].title, strlen(placed[i].title)) == 0) {
            if (!mdt)
                c[0].stripe_offset = placed[i].first;
            c[1].stripe_offset = placed[i].second;
            stage_file(s, c, 2);
            return;
        }
    fail_msg("where is the file of %s?", title);
}

/* "prepared: D w [a,b)": written, locks gone; A opens it before the others. */
static void prepare(struct stage *s, const char *title)
{
    const char *at = strstr(title, "file on OST");
    uint64_t start, end;

    if (at)
        stage_plain(s, 1, MIB, atoi(at + strlen("file on OST")));
    else
        composite_file(s, title);
    at = strstr(title, "prepared: D w ");
    if (!at)
        return;
    at += strlen("prepared: D w ");
    fixture_extent(&at, &start, &end);
    assert_int_equal(stage_io(s, 3, SIM_CALL_WRITE, 0, start, end), 0);
    stage_clear(s);
    for (unsigned c = 0; c < ACTORS; c++)
        sim_io_opened(&s->actor[c].p, &s->actor[c].buffered);
}

/* --- acting --- */

static struct sim_open *descriptor(struct actor *a, const char *what)
{
    return strstr(what, "O_DIRECT") ? &a->direct : &a->buffered;
}

/* The answer as the page writes it: "rc 0 results {0: 1, 99: 2}". */
static void advise(struct actor *a, const char *what, char *answer, size_t room)
{
    struct {
        struct adl_ladvise_head head;
        struct adl_ladvise advice[16];
    } arg = {.head = {.magic = ADL_LADVISE_MAGIC}};
    const char *at = strchr(what, ':');
    int ahead = strncmp(what, "lockahead", 9) == 0, rc, n[2] = {0};
    struct adl_ladvise one = {
        .advice = ahead ? ADL_LADVISE_LOCKAHEAD : ADL_LADVISE_LOCKNOEXPAND,
        .mode = strstr(what, "mode READ") ? ADL_LADVISE_MODE_READ
                                          : ADL_LADVISE_MODE_WRITE,
        .flags = strstr(what, " ASYNC")  ? 1u
                 : strstr(what, "UNSET") ? 2u
                                         : 0,
        .result = 99};

    for (at = ahead ? strchr(at, '[') : NULL; at && at < strstr(what, " -> ");
         at = strchr(at, '[')) {
        uint64_t start, end;

        fixture_extent(&at, &start, &end);
        one.start = start;
        one.end = end - 1;
        arg.advice[arg.head.count++] = one;
    }
    if (!ahead)
        arg.advice[arg.head.count++] = one;
    rc = sim_ladvise(&a->p, descriptor(a, what), a->fd, &arg);
    for (uint32_t i = 0; i < arg.head.count; i++)
        n[arg.advice[i].result == 99]++;
    room -= (size_t)snprintf(answer, room, "%s results {%s%.0d%s%s%.0d}",
                             rc == -EOPNOTSUPP ? "ENOTSUP"
                             : rc == 0         ? "rc 0"
                                               : "other",
                             n[0] ? "0: " : "", n[0], n[0] && n[1] ? ", " : "",
                             n[1] ? "99: " : "", n[1]);
    assert_true(room > 0);
}

static int group(struct actor *a, const char *what)
{
    int lock = strncmp(what, "group lock", 10) == 0;
    long gid = atol(strstr(what, "gid ") + 4);

    return sim_ioctl(&a->p, descriptor(a, what), a->fd,
                     lock ? ADL_IOC_GROUP_LOCK : ADL_IOC_GROUP_UNLOCK,
                     (void *)gid);
}

static int transfer(struct stage *s, unsigned client, const char *what,
                    uint64_t *bytes)
{
    const char *at = strchr(what, '[');
    uint64_t start, end;

    fixture_extent(&at, &start, &end);
    *bytes = end - start;
    return stage_io(s, client,
                    strstr(what, "writes") ? SIM_CALL_WRITE : SIM_CALL_READ,
                    strncmp(what, "O_DIRECT", 8) == 0, start, end);
}

static void act(struct stage *s, const char *action)
{
    unsigned client = (unsigned)(action[0] - 'A');
    const char *what = action + 2, *want = strstr(action, " -> ") + 4;
    char answer[80];
    uint64_t bytes;
    int rc;

    assert_in_range(client, 0, 3);
    if (strncmp(what, "lockahead", 9) == 0 ||
        strncmp(what, "LOCKNOEXPAND", 12) == 0) {
        advise(&s->actor[client], what, answer, sizeof answer);
    } else if (strncmp(what, "group", 5) == 0) {
        snprintf(answer, sizeof answer, "%d", group(&s->actor[client], what));
    } else {
        rc = transfer(s, client, what, &bytes);
        snprintf(answer, sizeof answer, rc == -EOPNOTSUPP ? "ENOTSUP" : "%llu",
                 (unsigned long long)(rc ? (uint64_t)-rc : bytes));
    }
    if (strcmp(answer, want) != 0)
        fail_msg("%s: answered %s", action, answer);
}

/* --- comparing --- */

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

typedef char item[64];

/* Sort and join, for a message that shows all. */
static const char *joined(item *list, size_t n)
{
    static char text[2][4096];
    static int which;
    char *to = text[which ^= 1];
    size_t used = 0;

    qsort(list, n, sizeof list[0], by_text);
    to[0] = '\0';
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(to + used, sizeof text[0] - used, "%s%s",
                                 i ? "; " : "", list[i]);
    return to;
}

/* The lock of the metadata server counts if it protects data. */
static int has_data_bit(const char *p)
{
    const char *bits = strstr(p, "(bits 0x");

    return !bits || (strtoul(bits + 8, NULL, 16) & 0x40);
}

static size_t locks_wanted(const char *text, item *list)
{
    char copy[2048], *save = NULL;
    size_t n = 0;

    snprintf(copy, sizeof copy, "%s", text);
    for (char *p = strtok_r(copy, ";", &save); p;
         p = strtok_r(NULL, ";", &save)) {
        char *one = fixture_trim(p), *bits = strstr(one, "(bits");

        if (strcmp(one, "none") == 0 || !has_data_bit(one))
            continue;
        assert_true(n < MAX_ITEMS);
        if (bits)
            snprintf(list[n++], sizeof(item), "%.*s@MDT0", (int)(bits - one),
                     one);
        else
            snprintf(list[n++], sizeof(item), "%.60s", one);
    }
    return n;
}

static void lock_text(const struct lsim_lock_info *l, unsigned ost,
                      int with_ost, char *to)
{
    static const char *const mode[] = {"?", "PR", "PW", "GROUP"};
    size_t n = (size_t)snprintf(to, sizeof(item), "%c:%s", 'A' + (int)l->client,
                                mode[l->mode]);

    if (ost == STAGE_MDT) {
        snprintf(to + n, sizeof(item) - n, "@MDT0");
        return;
    }
    n += stage_extent_text(to + n, sizeof(item) - n, l->start, l->end);
    if (l->mode == LSIM_GROUP)
        n += (size_t)snprintf(to + n, sizeof(item) - n, "gid%u", l->gid);
    if (with_ost)
        snprintf(to + n, sizeof(item) - n, "@OST%u", ost);
}

static size_t locks_held(struct stage *s, int with_ost, item *list)
{
    struct lsim *ls = s->actor[0].p.server;
    struct lsim_lock_info info[MAX_ITEMS];
    struct lsim_object *objs;
    size_t objects, n = 0;

    sim_file_load(s->actor[0].buffered.file, &s->root.conf, s->actor[0].fd);
    assert_int_equal(
        sim_file_objects(s->actor[0].buffered.file, ls, &objs, &objects, NULL),
        0);
    for (size_t i = 0; i < objects; i++) {
        long held = lsim_locks(ls, &objs[i], info, MAX_ITEMS);

        assert_in_range(held, 0, MAX_ITEMS);
        for (long k = 0; k < held && n < MAX_ITEMS; k++)
            lock_text(&info[k], objs[i].ost, with_ost, list[n++]);
    }
    free(objs);
    return n;
}

/* The ranges of data on the MDT are not compared: "Aw@MDT0". */
static void cut_mdt(char *one)
{
    char *at = strstr(one, "@MDT0");

    if (at)
        memmove(one + 2, at, strlen(at) + 1);
}

static size_t rpcs_wanted(const char *view, item *list)
{
    const char *at = strstr(view, "RPC ");
    char copy[1024], *save = NULL;
    size_t n = 0;

    if (!at)
        return 0;
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(at + 4, ";"), at + 4);
    for (char *p = strtok_r(copy, " ", &save); p;
         p = strtok_r(NULL, " ", &save)) {
        snprintf(list[n], sizeof(item), "%.60s", p);
        cut_mdt(list[n++]);
    }
    return n;
}

static size_t rpcs_sent(const struct stage *s, int with_ost, item *list)
{
    size_t n = 0;

    for (unsigned i = 0; i < s->messages && n < MAX_ITEMS; i++)
        if (stage_is_data(&s->message[i])) {
            stage_rpc_text(list[n], sizeof(item), &s->message[i], with_ost);
            cut_mdt(list[n++]);
        }
    return n;
}

/* Callbacks of OSTs: the counter has those of the MDT in it where there are
 * data on the MDT or the layout changes, the notes name the place. */
static uint64_t callbacks_wanted(const struct step *t)
{
    uint64_t n = 0;

    if (!strstr(t->view, "@MDT0"))
        return fixture_counter(t->counters, "bl_callback");
    if (!fixture_counter(t->counters, "bl_callback"))
        return 0;
    for (const char *at = strstr(t->view, "bl to"); at && *at && *at != ';';
         at++)
        if (strncmp(at, "@OST", 4) == 0)
            n += strtoull(at + 6, NULL, 10);
    return n;
}

/* All of the counters that are the OSTs' alone. */
static void same_counts(const struct step *t, const struct lsim_counts *a,
                        const struct lsim_counts *b, int on_mdt)
{
    const struct {
        const char *name;
        uint64_t want, got;
    } row[] = {
        {"extent_enqueue", fixture_counter(t->counters, "extent_enqueue"),
         b->enqueue - a->enqueue},
        {"bl_callback", callbacks_wanted(t), b->bl_callback - a->bl_callback},
        {"glimpse_enqueue", fixture_counter(t->counters, "glimpse_enqueue"),
         b->glimpse - a->glimpse},
        {"gl_callback", fixture_counter(t->counters, "gl_callback"),
         b->gl_callback - a->gl_callback},
        {"ost_read", fixture_counter(t->counters, "ost_read"),
         b->read_rpc - a->read_rpc},
        {"ost_write", fixture_counter(t->counters, "ost_write"),
         b->write_rpc - a->write_rpc},
        {"cancel",
         strstr(t->view, "@MDT0") ? b->cancel - a->cancel
                                  : fixture_counter(t->counters, "cancel"),
         b->cancel - a->cancel},
        {"cp_callback",
         on_mdt ? b->cp_callback - a->cp_callback
                : fixture_counter(t->counters, "cp_callback"),
         b->cp_callback - a->cp_callback},
    };

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (row[i].want != row[i].got)
            fail_msg("%s: %s is %d, not %d", t->action, row[i].name,
                     (int)row[i].got, (int)row[i].want);
}

static void same_list(const struct step *t, const char *what, item *want,
                      size_t wants, item *got, size_t gots)
{
    const char *a = joined(want, wants), *b = joined(got, gots);

    if (strcmp(a, b) != 0)
        fail_msg("%s: %s are %s, not %s", t->action, what, b, a);
}

static void replay_step(struct stage *s, const struct section *sec,
                        const struct step *t)
{
    int with_ost = strstr(sec->title, "file on OST") == NULL;
    struct lsim_counts before = stage_counts(s, 0), after;
    static item want[MAX_ITEMS], got[MAX_ITEMS];

    s->messages = 0;
    act(s, t->action);
    if (fixture_counter(t->counters, "ost_sync"))
        stage_fsync(s, (unsigned)(t->action[0] - 'A'));
    after = stage_counts(s, 0);
    same_counts(t, &before, &after, strstr(sec->title, "DoM") != NULL);
    same_list(t, "locks", want, locks_wanted(t->held, want), got,
              locks_held(s, with_ost, got));
    if (strstr(t->view, "RPC ") || !fixture_counter(t->counters, "ost_write"))
        same_list(t, "RPCs", want, rpcs_wanted(t->view, want), got,
                  rpcs_sent(s, with_ost, got));
}

static void test_section(void **state)
{
    const struct section *sec = *state;
    static struct stage s;

    stage_make(&s, "none");
    for (unsigned c = 0; c < ACTORS; c++)
        s.actor[c].p.conf.hybrid_io = sec->hybrid;
    prepare(&s, sec->title);
    for (unsigned i = 0; i < sec->steps; i++)
        replay_step(&s, sec, &sec->step[i]);
    stage_free(&s);
}

static void test_whole_page(void **state)
{
    (void)state;
    assert_int_equal(nsections, 19);
    assert_int_equal(nsteps, 151);
}

int main(void)
{
    struct CMUnitTest tests[MAX_SECTIONS + 1] = {
        cmocka_unit_test(test_whole_page)};

    parse(fixture_read("locks-2.md"));
    for (unsigned i = 0; i < nsections; i++)
        tests[i + 1] = (struct CMUnitTest){.name = sections[i].title,
                                           .test_func = test_section,
                                           .initial_state = &sections[i]};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return _cmocka_run_group_tests("steps", tests, nsections + 1, NULL, NULL);
}
