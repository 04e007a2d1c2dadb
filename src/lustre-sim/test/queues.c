/* queues.c - every queue of locks-2.md, replayed: who waits for a lock, in
 * which order requests are granted and with which extents
 *
 * Requests arrive in the recorded order, each in a thread of its own, while
 * the holder's lock is a group lock or takes long to be called back. A
 * machine so busy that one arrives too late gets a longer callback.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "actors.h"

#include <pthread.h>

#define MAX_RUNS 64
#define MAX_LINES 40
#define MAX_REQUESTS 12
#define TRIES 5

struct run {
    const char *title;
    char *head, *lines[MAX_LINES];
    unsigned nlines;
};

struct request {
    struct stage *s;
    unsigned client;
    enum sim_call call;
    uint64_t start, end;
    int started, rc;
    atomic_int done;
    pthread_t thread;
};

struct play {
    const struct run *run;
    struct stage s;
    struct request request[MAX_REQUESTS];
    unsigned requests;
};

static struct run runs[MAX_RUNS];
static unsigned nruns;

static void parse(char *text)
{
    const char *title = "";
    char *save = NULL;
    int in = 0;

    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        if (line[0] == '#')
            title = line;
        if (strncmp(line, "run ", 4) == 0) {
            assert_true(nruns < MAX_RUNS);
            runs[nruns++] =
                (struct run){.title = title, .head = strchr(line, ':') + 2};
            in = 1;
        } else if (in && strncmp(line, "    ", 4) == 0) {
            runs[nruns - 1].lines[runs[nruns - 1].nlines++] = line + 4;
        } else {
            in = 0;
        }
    }
}

/* --- the set-up --- */

/* "A holds ...; Bw[64K,128K) Cr[128K,192K); counters" */
static void add_requests(struct play *p)
{
    const char *at = strchr(p->run->head, ';') + 2;

    while (*at >= 'A' && *at <= 'D' && strchr("rw", at[1])) {
        struct request *r = &p->request[p->requests++];

        r->s = &p->s;
        r->client = (unsigned)(*at - 'A');
        r->call = at[1] == 'w' ? SIM_CALL_WRITE : SIM_CALL_READ;
        at += 2;
        fixture_extent(&at, &r->start, &r->end);
        at += *at == ' ' || *at == ';';
    }
}

static void group(struct play *p, unsigned long what)
{
    struct actor *a = &p->s.actor[0];

    assert_int_equal(sim_ioctl(&a->p, &a->buffered, a->fd, what, (void *)7L),
                     0);
}

static int by_group(const struct play *p)
{
    return strncmp(p->run->head, "A holds group lock", 18) == 0;
}

/* Something to read; then what A holds. */
static void hold(struct play *p)
{
    const char *at = strstr(p->run->head, "with ");

    stage_plain(&p->s, 1, MIB, 0);
    assert_int_equal(stage_io(&p->s, 3, SIM_CALL_WRITE, 0, 0, 32 * MIB), 0);
    stage_clear(&p->s);
    if (by_group(p)) {
        group(p, ADL_IOC_GROUP_LOCK);
    } else if (at) {
        at += 5;
        assert_int_equal(
            stage_io(&p->s, 0, SIM_CALL_WRITE, 0, 0, fixture_size(&at)), 0);
    }
    p->s.messages = 0;
}

/* --- requests --- */

static void *ask(void *arg)
{
    struct request *r = arg;

    r->rc = stage_io(r->s, r->client, r->call, 0, r->start, r->end);
    r->done = 1;
    return NULL;
}

static long waiting(struct play *p)
{
    struct lsim_object obj;

    assert_int_equal(sim_file_object(p->s.actor[0].buffered.file,
                                     p->s.actor[0].p.server, 0, &obj),
                     0);
    return lsim_waiting(p->s.actor[0].p.server, &obj);
}

/* Until the request is done or one more waits. */
static void start(struct play *p, struct request *r)
{
    long before = waiting(p);

    r->started = 1;
    assert_int_equal(pthread_create(&r->thread, NULL, ask, r), 0);
    while (!r->done && waiting(p) <= before)
        usleep(500);
}

static struct request *next_of(struct play *p, unsigned client)
{
    for (unsigned i = 0; i < p->requests; i++)
        if (!p->request[i].started && p->request[i].client == client)
            return &p->request[i];
    fail_msg("%s: who arrives?", p->run->head);
    return NULL;
}

/* Which client's lock does an arrival call back? -1: no lock. */
static int calls_back(const struct run *run, unsigned line)
{
    for (unsigned i = line + 1; i < run->nlines; i++) {
        const char *at = strstr(run->lines[i], "bl to ");

        if (strstr(run->lines[i], "arrives"))
            return -1;
        if (at)
            return at[6] - 'A';
    }
    return -1;
}

/* A request whose lock is called back by the next one was granted before. */
static void let_finish(struct play *p, int client)
{
    for (unsigned i = 0; i < p->requests; i++)
        while (p->request[i].started && !p->request[i].done &&
               (int)p->request[i].client == client)
            usleep(500);
}

/* All arrive. 0: one came too late, a grant was earlier than recorded. */
static int arrive(struct play *p)
{
    long expected = 0;

    for (unsigned i = 0; i < p->run->nlines; i++) {
        const char *at = strstr(p->run->lines[i], " arrives");
        int before;

        if (!at)
            continue;
        before = calls_back(p->run, i);
        if (before >= 0 && !(before == 0 && strstr(p->run->head, "A holds")))
            let_finish(p, before);
        if (before >= 0)
            expected = waiting(p);
        if (waiting(p) != expected)
            return 0;
        start(p, next_of(p, (unsigned)(at[-1] - 'A')));
        expected += waiting(p) > expected;
    }
    return 1;
}

static void finish(struct play *p)
{
    for (unsigned i = 0; i < p->requests; i++)
        if (p->request[i].started) {
            assert_int_equal(pthread_join(p->request[i].thread, NULL), 0);
            assert_int_equal(p->request[i].rc, 0);
        }
}

/* --- comparing --- */

static const char *held_text(struct play *p)
{
    static const char *const mode[] = {"?", "PR", "PW", "GROUP"};
    static char text[2048];
    struct lsim_lock_info info[32];
    struct lsim_object obj;
    size_t used = 0;
    long n;

    sim_file_object(p->s.actor[0].buffered.file, p->s.actor[0].p.server, 0,
                    &obj);
    n = lsim_locks(p->s.actor[0].p.server, &obj, info, 32);
    text[0] = '\0';
    for (long i = 0; i < n; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%c:%s",
                                 'A' + (int)info[i].client, mode[info[i].mode]);
        used += stage_extent_text(text + used, sizeof text - used,
                                  info[i].start, info[i].end);
        used += (size_t)snprintf(text + used, sizeof text - used, "; ");
    }
    snprintf(text + used, sizeof text - used, "server same");
    return text;
}

static void same_held(struct play *p)
{
    const char *last = p->run->lines[p->run->nlines - 1];

    assert_int_equal(strncmp(last, "held at the end: ", 17), 0);
    assert_string_equal(held_text(p), last + 17);
}

/* "cp to D: granted PW[192K,EOF] ...": the order in which they are sent. */
static void same_grants(struct play *p)
{
    unsigned m = 0;
    char text[64];

    for (unsigned i = 0; i < p->run->nlines; i++) {
        const char *at = strstr(p->run->lines[i], "cp to ");

        if (!at)
            continue;
        while (m < p->s.messages &&
               p->s.message[m].opc != LSIM_LDLM_CP_CALLBACK)
            m++;
        assert_true(m < p->s.messages);
        assert_int_equal(at[6] - 'A', p->s.message[m].client);
        stage_extent_text(text, sizeof text, p->s.message[m].start,
                          p->s.message[m].end);
        assert_non_null(strstr(at, text));
        m++;
    }
}

/* Of 8 MiB that A wrote all has left; the page found a rest in 1 of 8. */
static void same_counts(struct play *p, const struct lsim_counts *a,
                        const struct lsim_counts *b)
{
    const char *text = strchr(strchr(p->run->head, ';') + 2, ';') + 2;

    assert_int_equal(b->bl_callback - a->bl_callback,
                     fixture_counter(text, "bl_callback"));
    assert_int_equal(b->cancel - a->cancel, fixture_counter(text, "cancel"));
    assert_int_equal(b->cp_callback - a->cp_callback,
                     fixture_counter(text, "cp_callback"));
    assert_int_equal(b->enqueue - a->enqueue,
                     fixture_counter(text, "extent_enqueue"));
    if (!strstr(p->run->head, "with 8M dirty"))
        assert_int_equal(b->write_rpc - a->write_rpc,
                         fixture_counter(text, "ost_write"));
}

/* --- playing --- */

static void write_profile(char *path, unsigned callback_ms)
{
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");

    assert_non_null(f);
    fprintf(f, "bandwidth 1000G\ncallback_us %u\n", callback_ms * 1000);
    fclose(f);
}

/* 0: too late, to be done again. */
static int play(const struct run *run, unsigned callback_ms)
{
    static struct play p;
    const char *tmp = getenv("TMPDIR");
    struct lsim_counts before, after;
    char path[256];
    int good;

    memset(&p, 0, sizeof p);
    p.run = run;
    snprintf(path, sizeof path, "%s/lsim-profile.XXXXXX", tmp ? tmp : "/tmp");
    write_profile(path, callback_ms);
    stage_make(&p.s, strstr(run->head, "A holds group") ? "none" : path);
    unlink(path);
    add_requests(&p);
    hold(&p);
    before = stage_counts(&p.s, 0);
    good = arrive(&p);
    if (by_group(&p))
        group(&p, ADL_IOC_GROUP_UNLOCK);
    finish(&p);
    after = stage_counts(&p.s, 0);
    if (good) {
        same_held(&p);
        same_grants(&p);
        same_counts(&p, &before, &after);
    }
    stage_free(&p.s);
    return good;
}

static void test_run(void **state)
{
    const struct run *run = *state;
    unsigned ms = 60;

    for (unsigned i = 0; i < TRIES; i++, ms *= 3)
        if (play(run, ms))
            return;
    fail_msg("this machine is too busy for %u ms", ms / 3);
}

static void test_whole_page(void **state)
{
    (void)state;
    assert_int_equal(nruns, 38);
}

int main(void)
{
    static struct CMUnitTest tests[MAX_RUNS + 1] = {
        cmocka_unit_test(test_whole_page)};

    parse(fixture_read("locks-2.md"));
    for (unsigned i = 0; i < nruns; i++)
        tests[i + 1] = (struct CMUnitTest){.name = runs[i].title + 4,
                                           .test_func = test_run,
                                           .initial_state = &runs[i]};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return _cmocka_run_group_tests("queues", tests, nruns + 1, NULL, NULL);
}
