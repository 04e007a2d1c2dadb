/* reads.c - every read of locks-2.md, replayed: which RPCs a client sends
 * for it, with their ranges, and what it reads ahead
 *
 * The page names its cases in words; the table below says what they do. A
 * case that was recorded with pauses tells which pread caused which RPC.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "actors.h"

#define MAX_RPCS 64

/* Preads of len bytes, count of them, stride apart from `from`; runs: so many
 * in a row before each stride. at: instead of that, these offsets. */
static const struct reads {
    const char *name;
    unsigned client;
    int stripes;
    uint32_t stripe_size;
    uint64_t size;
    uint64_t from, len, stride;
    unsigned count, runs;
    const uint64_t *at;
} reads[] = {
#define K *KIB
#define M *MIB
#define FEW(...)             \
    .at = (const uint64_t[]) \
    {                        \
        __VA_ARGS__          \
    }
    /* clang-format off */
    {"sequential preads of 64K", 0, 1, 1 M, 16 M, 0, 64 K, 64 K, 256, 0, NULL},
    {"sequential preads of 256K", 0, 1, 1 M, 16 M, 0, 256 K, 256 K, 64, 0, NULL},
    {"sequential preads of 1M", 0, 1, 1 M, 16 M, 0, 1 M, 1 M, 16, 0, NULL},
    {"sequential preads of 4M", 0, 1, 1 M, 16 M, 0, 4 M, 4 M, 4, 0, NULL},
    {"1M preads of every 4th MiB (4)", 0, 1, 1 M, 16 M, 0, 1 M, 4 M, 4, 0, NULL},
    {"64 MiB file: 1M preads of every 4th MiB (16)", 0, 1, 1 M, 64 M, 0, 1 M, 4 M, 16, 0, NULL},
    {"64 MiB file: 16M pread x4", 0, 1, 1 M, 64 M, 0, 16 M, 16 M, 4, 0, NULL},
    {"one 1M pread at 8M of 16M", 0, 1, 1 M, 16 M, 8 M, 1 M, 0, 1, 0, NULL},
    {"one 64K pread at 8M of 16M", 0, 1, 1 M, 16 M, 8 M, 64 K, 0, 1, 0, NULL},
    {"one 4K pread at 0", 0, 1, 1 M, 16 M, 0, 4 K, 0, 1, 0, NULL},
    {"one 4K pread at 8M", 0, 1, 1 M, 16 M, 8 M, 4 K, 0, 1, 0, NULL},
    {"16M in one pread", 0, 1, 1 M, 16 M, 0, 16 M, 0, 1, 0, NULL},
    {"stripes 0,4,8,...: 16 preads of 1M", 0, 4, 1 M, 64 M, 0, 1 M, 4 M, 16, 0, NULL},
    {"stripes 1,5,9,...: 16 preads of 1M", 0, 4, 1 M, 64 M, 1 M, 1 M, 4 M, 16, 0, NULL},
    {"stripes 0,4,8,...: 64 preads of 256K", 0, 4, 1 M, 64 M, 0, 256 K, 4 M, 64, 4, NULL},
    {"16 MiB file, stripes 0,4,8,12: 4 preads of 1M", 0, 4, 1 M, 16 M, 0, 1 M, 4 M, 4, 0, NULL},
    {"16 MiB file, all: 16 preads of 1M", 0, 4, 1 M, 16 M, 0, 1 M, 1 M, 16, 0, NULL},
    {"2M file: 4K preads at 0, 4K, 8K, 1M", 0, 1, 1 M, 2 M, 0, 4 K, 0, 4, 0, FEW(0, 4 K, 8 K, 1 M)},
    {"2M file: one 4K pread at 1M, then 64K", 0, 1, 1 M, 2 M, 0, 4 K, 0, 2, 0, FEW(1 M, 64 K)},
    {"4M file: 4K preads at 0, 4K, 8K, 1M", 0, 1, 1 M, 4 M, 0, 4 K, 0, 4, 0, FEW(0, 4 K, 8 K, 1 M)},
    {"4M file: one 4K pread at 1M, then 64K", 0, 1, 1 M, 4 M, 0, 4 K, 0, 2, 0, FEW(1 M, 64 K)},
    {"5M file: 4K preads at 0, 4K, 8K, 1M", 0, 1, 1 M, 5 M, 0, 4 K, 0, 4, 0, FEW(0, 4 K, 8 K, 1 M)},
    {"5M file: one 4K pread at 1M, then 64K", 0, 1, 1 M, 5 M, 0, 4 K, 0, 2, 0, FEW(1 M, 64 K)},
    {"16M file, 100000-byte preads", 0, 1, 1 M, 16 M, 0, 100000, 100000, 12, 0, NULL},
    {"16M file, 64K preads from 6M (not from 0)", 0, 1, 1 M, 16 M, 6 M, 64 K, 64 K, 10, 0, NULL},
    {"16M file, backwards 1M preads", 0, 1, 1 M, 16 M, 0, 1 M, 0, 8, 0,
     FEW(15 M, 14 M, 13 M, 12 M, 11 M, 10 M, 9 M, 8 M)},
    {"16M file, random 64K preads", 0, 1, 1 M, 16 M, 0, 64 K, 0, 8, 0,
     FEW(192 K, 4928 K, 768 K, 8960 K, 12864 K, 3520 K, 576 K, 11520 K)},
    {"16M file, 256K of every 512K (12)", 0, 1, 1 M, 16 M, 0, 256 K, 512 K, 12, 0, NULL},
    {"16M file, 64K of every 256K (16)", 0, 1, 1 M, 16 M, 0, 64 K, 256 K, 16, 0, NULL},
    {"A reads only object 0: 16 preads of 1M", 0, 4, 1 M, 64 M, 0, 1 M, 4 M, 16, 0, NULL},
    {"B reads only object 1: 16 preads of 1M", 1, 4, 1 M, 64 M, 1 M, 1 M, 4 M, 16, 0, NULL},
    {"C reads only object 2: 16 preads of 1M", 2, 4, 1 M, 64 M, 2 M, 1 M, 4 M, 16, 0, NULL},
    {"D reads only object 3: 16 preads of 1M", 3, 4, 1 M, 64 M, 3 M, 1 M, 4 M, 16, 0, NULL},
    {"A reads [0M,16M): 16 preads of 1M", 0, 4, 1 M, 64 M, 0, 1 M, 1 M, 16, 0, NULL},
    {"B reads [16M,32M): 16 preads of 1M", 1, 4, 1 M, 64 M, 16 M, 1 M, 1 M, 16, 0, NULL},
    {"C reads [32M,48M): 16 preads of 1M", 2, 4, 1 M, 64 M, 32 M, 1 M, 1 M, 16, 0, NULL},
    {"D reads [48M,64M): 16 preads of 1M", 3, 4, 1 M, 64 M, 48 M, 1 M, 1 M, 16, 0, NULL},
    {"A reads [0M,16M): 4 preads of 4M", 0, 4, 1 M, 64 M, 0, 4 M, 4 M, 4, 0, NULL},
    {"B reads [16M,32M): 4 preads of 4M", 1, 4, 1 M, 64 M, 16 M, 4 M, 4 M, 4, 0, NULL},
    {"A reads [0M,16M): 1 pread of 16M", 0, 4, 1 M, 64 M, 0, 16 M, 0, 1, 0, NULL},
    {"B reads [16M,32M): 1 pread of 16M", 1, 4, 1 M, 64 M, 16 M, 16 M, 0, 1, 0, NULL},
    {"4M stripes: A reads only object 0: 4 preads of 4M", 0, 4, 4 M, 64 M, 0, 4 M, 16 M, 4, 0, NULL},
    {"4M stripes: B reads only object 1: 4 preads of 4M", 1, 4, 4 M, 64 M, 4 M, 4 M, 16 M, 4, 0, NULL},
    {"2 stripes, 32M: A reads only object 0: 16 preads of 1M", 0, 2, 1 M, 32 M, 0, 1 M, 2 M, 16, 0, NULL},
    {"2 stripes, 32M: B reads only object 1: 16 preads of 1M", 1, 2, 1 M, 32 M, 1 M, 1 M, 2 M, 16, 0, NULL},
/* clang-format on */
#undef FEW
#undef M
#undef K
};

/* A case of the page: its head line, then one line a pread or one for all. */
struct recorded {
    char name[80], *head, *lines[80];
    unsigned nlines;
    int paused;
};

static struct recorded recorded[80];
static unsigned nrecorded;
static struct stage stage;

static void add_recorded(char *line)
{
    struct recorded *r = &recorded[nrecorded++];
    char *how = strstr(line, " (pause between preads)");

    assert_true(nrecorded < sizeof recorded / sizeof recorded[0]);
    r->paused = how != NULL;
    if (!how)
        how = strstr(line, " (free running)");
    assert_non_null(how);
    snprintf(r->name, sizeof r->name, "%.*s", (int)(how - line), line);
    r->head = strstr(how, "): ") + 3;
}

static void parse(char *text)
{
    char *save = NULL;
    int in = 0;

    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        if (strstr(line, " RPCs, sizes ")) {
            add_recorded(line);
            in = 1;
        } else if (in && strncmp(line, "    ", 4) == 0) {
            struct recorded *r = &recorded[nrecorded - 1];

            r->lines[r->nlines++] = line + 4;
        } else {
            in = 0;
        }
    }
}

/* Words of a text, sorted. */
static const char *sorted(const char *text)
{
    static char out[2][8192];
    static int which;
    char copy[4096], *word[MAX_RPCS], *save = NULL, *to = out[which ^= 1];
    size_t n = 0, used = 0;

    snprintf(copy, sizeof copy, "%s", text);
    for (char *p = strtok_r(copy, " ", &save); p && n < MAX_RPCS;
         p = strtok_r(NULL, " ", &save))
        word[n++] = p;
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && strcmp(word[k], word[k - 1]) < 0; k--) {
            char *swap = word[k];

            word[k] = word[k - 1];
            word[k - 1] = swap;
        }
    to[0] = '\0';
    for (size_t i = 0; i < n; i++)
        used +=
            (size_t)snprintf(to + used, sizeof out[0] - used, "%s ", word[i]);
    return to;
}

/* Append what was sent since `first` to text. */
static void add_sent(char *text, size_t room, unsigned first, int with_ost)
{
    size_t used = strlen(text);

    for (unsigned i = first; i < stage.messages; i++)
        if (stage_is_data(&stage.message[i])) {
            stage_rpc_text(text + used, room - used, &stage.message[i],
                           with_ost);
            strncat(text, " ", room - strlen(text) - 1);
            used = strlen(text);
        }
}

static uint64_t offset_of(const struct reads *c, unsigned i)
{
    if (c->at)
        return c->at[i];
    if (c->runs)
        return c->from + i / c->runs * c->stride + i % c->runs * c->len;
    return c->from + i * c->stride;
}

/* What the page has for the pread [off, off + len): "" for nothing. */
static const char *line_of(const struct recorded *r, uint64_t off, uint64_t len)
{
    char head[64] = "pread ";
    size_t n = stage_extent_text(head + 6, sizeof head - 6, off, off + len) + 6;

    for (unsigned i = 0; i < r->nlines; i++)
        if (strncmp(r->lines[i], head, n) == 0)
            return r->lines[i] + n + 1;
    return "";
}

static void do_reads(const struct reads *c, const struct recorded *r)
{
    int with_ost = r->nlines && strchr(r->lines[0], '@') != NULL;
    char all[8192] = "", one[4096];

    for (unsigned i = 0; i < c->count; i++) {
        uint64_t off = offset_of(c, i);
        unsigned first = stage.messages;

        assert_int_equal(
            stage_io(&stage, c->client, SIM_CALL_READ, 0, off, off + c->len),
            0);
        one[0] = '\0';
        add_sent(one, sizeof one, first, with_ost);
        if (r->paused && strcmp(sorted(one), sorted(line_of(r, off, c->len))))
            fail_msg("pread %llu: sent %s, not %s", (unsigned long long)off,
                     sorted(one), sorted(line_of(r, off, c->len)));
        strncat(all, one, sizeof all - strlen(all) - 1);
    }
    if (!r->paused && strcmp(sorted(all), sorted(r->lines[0])))
        fail_msg("sent %s, not %s", sorted(all), sorted(r->lines[0]));
}

static const struct reads *case_of(const char *name)
{
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++)
        if (strcmp(reads[i].name, name) == 0)
            return &reads[i];
    fail_msg("what does '%s' read?", name);
    return NULL;
}

/* D wrote the file, all locks are gone. */
static void written(int stripes, uint32_t stripe_size, uint64_t size)
{
    stage_make(&stage, "none");
    stage_plain(&stage, stripes, stripe_size, 0);
    assert_int_equal(stage_io(&stage, 3, SIM_CALL_WRITE, 0, 0, size), 0);
    stage_clear(&stage);
    stage.messages = 0;
}

static void test_case(void **state)
{
    const struct recorded *r = *state;
    const struct reads *c = case_of(r->name);
    struct lsim_counts before, after;

    written(c->stripes, c->stripe_size, c->size);
    before = stage_counts(&stage, 0);
    do_reads(c, r);
    after = stage_counts(&stage, 0);
    assert_int_equal(after.enqueue - before.enqueue,
                     fixture_counter(r->head, "extent_enqueue"));
    assert_int_equal(after.read_rpc - before.read_rpc,
                     strtoul(strstr(r->head, "ost_read=") + 9, NULL, 10));
    stage_free(&stage);
}

/* POSIX_FADV_RANDOM: one RPC a pread (R7). */
static void test_random(void **state)
{
    (void)state;
    written(4, MIB, 16 * MIB);
    stage.actor[0].buffered.random = 1;
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(stage_io(&stage, 0, SIM_CALL_READ, 0, i * 4 * MIB,
                                  i * 4 * MIB + MIB),
                         0);
    assert_int_equal(stage_counts(&stage, 0).read_rpc, 4);
    assert_int_equal(stage_counts(&stage, 0).read_bytes, 4 * MIB);
    stage_free(&stage);
}

/* Under a group lock there are no extent locks, and as much is read ahead. */
static void test_group(void **state)
{
    (void)state;
    written(4, MIB, 16 * MIB);
    assert_int_equal(sim_ioctl(&stage.actor[0].p, &stage.actor[0].buffered,
                               stage.actor[0].fd, ADL_IOC_GROUP_LOCK,
                               (void *)5L),
                     0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(
            stage_io(&stage, 0, SIM_CALL_READ, 0, i * MIB, (i + 1) * MIB), 0);
    assert_int_equal(stage_counts(&stage, 0).read_bytes, 4 * MIB);
    stage_free(&stage);
}

static void test_whole_page(void **state)
{
    (void)state;
    assert_int_equal(nrecorded, 53);
}

int main(void)
{
    enum { OWN = 3 };
    static struct CMUnitTest tests[80 + OWN] = {
        cmocka_unit_test(test_whole_page), cmocka_unit_test(test_random),
        cmocka_unit_test(test_group)};

    parse(fixture_read("locks-2.md"));
    for (unsigned i = 0; i < nrecorded; i++)
        tests[OWN + i] = (struct CMUnitTest){.name = recorded[i].name,
                                             .test_func = test_case,
                                             .initial_state = &recorded[i]};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return _cmocka_run_group_tests("reads", tests, OWN + nrecorded, NULL, NULL);
}
