/* refusals.c - what a real Lustre answers to calls about layouts, advice and
 * group locks, by the lists of locks-2.md
 *
 * Rows of the two tables are found by their text; what each of them does is
 * said here, what is answered there.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "actors.h"

#include <pthread.h>
#include <sys/xattr.h>

#include "../xattr.h"

static char *page;
static struct stage stage;

/* The cell behind "| name |" in the part of the page that begins with
 * `part`, trimmed, cut at the next bar. */
static const char *answer_of(const char *part, const char *name, int column)
{
    static char cell[512];
    char row[128];
    const char *at = strstr(page, part);

    assert_non_null(at);
    snprintf(row, sizeof row, "\n| %s | ", name);
    at = strstr(at, row);
    if (!at)
        fail_msg("%s: not on the page", name);
    at += strlen(row);
    while (--column > 0)
        at = strchr(at, '|') + 2;
    snprintf(cell, sizeof cell, "%.*s", (int)strcspn(at, "|"), at);
    return fixture_trim(cell);
}

static const char *answer_text(int rc)
{
    switch (-rc) {
    case 0:
        return "ok";
    case EINVAL:
        return "EINVAL (22)";
    case EEXIST:
        return "EEXIST (17)";
    case ERANGE:
        return "ERANGE (34)";
    case EOPNOTSUPP:
        return "ENOTSUP (95)";
    case EFBIG:
        return "EFBIG (27)";
    case ENOTTY:
        return "ENOTTY (25)";
    case EAGAIN:
        return "EAGAIN (11)";
    case ENODATA:
        return "ENODATA (61)";
    case EBADF:
        return "EBADF (9)";
    default:
        return strerror(-rc);
    }
}

static void same_answer(const char *name, const char *want, int rc)
{
    const char *got = answer_text(rc);

    if (strncmp(want, got, strlen(got)) != 0)
        fail_msg("%s: answered %s, not %s", name, got, want);
}

/* ---- layouts ---- */

struct setting {
    const char *name;
    int by_xattr; /* 1: lustre.lov, 2: trusted.lov, 3: removed */
    uint32_t magic, size;
    uint16_t count, offset;
    size_t len;
    int flags;
};

static const struct setting settings[] = {
    /* clang-format off */
    {"SETSTRIPE ioctl, same layout (c2 S1M)", 0, ADL_LOV_MAGIC_V1, MIB, 2, 0xffff, 32, 0},
    {"SETSTRIPE ioctl, other (c1 S4M)", 0, ADL_LOV_MAGIC_V1, 4 * MIB, 1, 0xffff, 32, 0},
    {"fsetxattr lustre.lov same (c2 S1M)", 1, ADL_LOV_MAGIC_V1, MIB, 2, 0xffff, 32, 0},
    {"fsetxattr lustre.lov other (c1 S4M)", 1, ADL_LOV_MAGIC_V1, 4 * MIB, 1, 0xffff, 32, 0},
    {"fsetxattr lustre.lov XATTR_CREATE other", 1, ADL_LOV_MAGIC_V1, 4 * MIB, 1, 0xffff, 32, XATTR_CREATE},
    {"fsetxattr lustre.lov XATTR_REPLACE other", 1, ADL_LOV_MAGIC_V1, 4 * MIB, 1, 0xffff, 32, XATTR_REPLACE},
    {"fsetxattr trusted.lov other", 2, ADL_LOV_MAGIC_V1, 4 * MIB, 1, 0xffff, 32, 0},
    {"fsetxattr lustre.lov of 4 bytes", 1, ADL_LOV_MAGIC_V1, MIB, 2, 0xffff, 4, 0},
    {"fsetxattr lustre.lov bad magic", 1, 0x12345678, MIB, 2, 0xffff, 32, 0},
    {"fsetxattr lustre.lov stripe size 1000", 1, ADL_LOV_MAGIC_V1, 1000, 2, 0xffff, 32, 0},
    {"fsetxattr lustre.lov stripe count 100", 1, ADL_LOV_MAGIC_V1, MIB, 100, 0xffff, 32, 0},
    {"fsetxattr lustre.lov stripe offset 77", 1, ADL_LOV_MAGIC_V1, MIB, 2, 77, 32, 0},
    {"SETSTRIPE ioctl stripe size 1000", 0, ADL_LOV_MAGIC_V1, 1000, 2, 0xffff, 32, 0},
    {"SETSTRIPE ioctl offset 77", 0, ADL_LOV_MAGIC_V1, MIB, 2, 77, 32, 0},
    {"SETSTRIPE ioctl bad magic", 0, 0x12345678, MIB, 2, 0xffff, 32, 0},
    {"removexattr lustre.lov", 3, 0, 0, 0, 0, 0, 0},
    /* clang-format on */
};

static int set_layout(struct actor *a, const struct setting *s)
{
    struct adl_lov_user lum = {.magic = s->magic,
                               .pattern = ADL_LOV_PATTERN_RAID0,
                               .stripe_size = s->size,
                               .stripe_count = s->count,
                               .stripe_offset = s->offset};

    if (s->by_xattr == 3)
        return sim_xattr_remove(&a->p, a->fd, ADL_LUSTRE_XATTR);
    if (s->by_xattr)
        return sim_xattr_set(&a->p, a->fd,
                             s->by_xattr == 2 ? SIM_XATTR_TRUSTED
                                              : ADL_LUSTRE_XATTR,
                             &lum, s->len, s->flags);
    return sim_ioctl(&a->p, &a->buffered, a->fd, ADL_IOC_LOV_SETSTRIPE, &lum);
}

/* "lmm_stripe_count: 2 lmm_stripe_size: 1048576", or "no stripe info". */
static void layout_text(struct actor *a, char *text, size_t room)
{
    struct adl_lov_user u;
    size_t len;
    void *lov;

    snprintf(text, room, "no stripe info");
    if (sim_mds_get(&a->p.conf, a->fd, &lov, &len) != 0)
        return;
    memcpy(&u, lov, sizeof u);
    free(lov);
    snprintf(text, room, "lmm_stripe_count: %u lmm_stripe_size: %u",
             u.stripe_count, u.stripe_size);
}

/* A file made with O_LOV_DELAY_CREATE: it waits for its layout. */
static void bare_file(void)
{
    int fd;

    stage_close(&stage);
    fd = root_file(&stage.root, "f");
    assert_int_equal(
        sim_mds_open(&stage.root.conf, fd, stage.path,
                     SIM_MDS_WRITE | SIM_MDS_DELAY | SIM_MDS_CREATE, NULL),
        0);
    close(fd);
    for (unsigned c = 0; c < ACTORS; c++)
        stage_open(&stage, c);
}

static void check_settings(const char *part, int with_objects)
{
    char after[128];

    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const char *want;
        int rc;

        if (with_objects)
            stage_plain(&stage, 2, MIB, 0);
        else
            bare_file();
        rc = set_layout(&stage.actor[0], &settings[i]);
        same_answer(settings[i].name, answer_of(part, settings[i].name, 1), rc);
        layout_text(&stage.actor[0], after, sizeof after);
        want = strstr(answer_of(part, settings[i].name, 2), "->");
        if (!strstr(want, after))
            fail_msg("%s: layout %s, not %s", settings[i].name, after, want);
    }
}

static void test_layouts(void **state)
{
    (void)state;
    stage_make(&stage, "none");
    check_settings("file that has objects (c2 S1M), empty:", 1);
    check_settings("file created O_LOV_DELAY_CREATE, no layout:", 0);
    stage_free(&stage);
}

/* ---- advice ---- */

#define WRITE_MODE ADL_LADVISE_MODE_WRITE

struct advice {
    const char *name;
    struct adl_ladvise a[3];
    uint32_t count, said; /* advices there, and by the header */
    uint64_t head_flags;
    uint32_t magic;
};

#define ONE(what, mode, flags, start, end)       \
    {                                            \
        {                                        \
            what, mode, flags, start, end, 99, 0 \
        }                                        \
    }
#define LA(mode, flags, start, end)                           \
    {                                                         \
        ADL_LADVISE_LOCKAHEAD, mode, flags, start, end, 99, 0 \
    }
#define GOOD(i) LA(2, 0, (i)*MIB, (i)*MIB + MIB - 1)

static const struct advice advices[] = {
    /* clang-format off */
    {"lockahead WRITE [0,1M)", {GOOD(0)}, 1, 1, 0, 0},
    {"lockahead READ [0,1M)", {LA(1, 0, 0, MIB - 1)}, 1, 1, 0, 0},
    {"mode 0", {LA(0, 0, 0, MIB - 1)}, 1, 1, 0, 0},
    {"mode 3", {LA(3, 0, 0, MIB - 1)}, 1, 1, 0, 0},
    {"mode 9", {LA(9, 0, 0, MIB - 1)}, 1, 1, 0, 0},
    {"per-advice flags ASYNC", {LA(2, 1, 0, MIB - 1)}, 1, 1, 0, 0},
    {"per-advice flags UNSET (2) on lockahead", {LA(2, 2, 0, MIB - 1)}, 1, 1, 0, 0},
    {"per-advice flags 4", {LA(2, 4, 0, MIB - 1)}, 1, 1, 0, 0},
    {"per-advice flags 0x80000000", {LA(2, 0x80000000u, 0, MIB - 1)}, 1, 1, 0, 0},
    {"per-advice flags 3", {LA(2, 3, 0, MIB - 1)}, 1, 1, 0, 0},
    {"header flags ASYNC (1)", {GOOD(0)}, 1, 1, 1, 0},
    {"header flags UNSET (2)", {GOOD(0)}, 1, 1, 2, 0},
    {"header flags 4", {GOOD(0)}, 1, 1, 4, 0},
    {"header flags 1<<40", {GOOD(0)}, 1, 1, 1ULL << 40, 0},
    {"bad magic", {GOOD(0)}, 1, 1, 0, 0x12345678},
    {"count 0", {GOOD(0)}, 0, 0, 0, 0},
    {"start == end (one byte, [0,0])", {LA(2, 0, 0, 0)}, 1, 1, 0, 0},
    {"start == end at 4096", {LA(2, 0, 4096, 4096)}, 1, 1, 0, 0},
    {"start > end", {LA(2, 0, 8192, 4096)}, 1, 1, 0, 0},
    {"end = EOF (2^64-1)", {LA(2, 0, 0, UINT64_MAX)}, 1, 1, 0, 0},
    {"end = 2^63-1", {LA(2, 0, 0, INT64_MAX)}, 1, 1, 0, 0},
    {"start beyond end of file [64M,65M)", {GOOD(64)}, 1, 1, 0, 0},
    {"unaligned [100,200]", {LA(2, 0, 100, 200)}, 1, 1, 0, 0},
    {"advice 0", ONE(0, 2, 0, 0, MIB - 1), 1, 1, 0, 0},
    {"advice 5", ONE(5, 2, 0, 0, MIB - 1), 1, 1, 0, 0},
    {"advice 6", ONE(6, 2, 0, 0, MIB - 1), 1, 1, 0, 0},
    {"advice 7", ONE(7, 2, 0, 0, MIB - 1), 1, 1, 0, 0},
    {"advice 100", ONE(100, 2, 0, 0, MIB - 1), 1, 1, 0, 0},
    {"advice 65535", ONE(65535, 2, 0, 0, MIB - 1), 1, 1, 0, 0},
    {"LOCKNOEXPAND", ONE(3, 2, 0, 0, MIB - 1), 1, 1, 0, 0},
    {"LOCKNOEXPAND UNSET", ONE(3, 2, 2, 0, MIB - 1), 1, 1, 0, 0},
    {"LOCKNOEXPAND ASYNC flag", ONE(3, 2, 1, 0, MIB - 1), 1, 1, 0, 0},
    {"LOCKNOEXPAND flags 4", ONE(3, 2, 4, 0, MIB - 1), 1, 1, 0, 0},
    {"LOCKNOEXPAND start 5 end 5", ONE(3, 2, 0, 5, 5), 1, 1, 0, 0},
    {"LOCKNOEXPAND start 0 end 0", ONE(3, 2, 0, 0, 0), 1, 1, 0, 0},
    {"LOCKNOEXPAND UNSET again", ONE(3, 2, 2, 0, MIB - 1), 1, 1, 0, 0},
    {"WILLREAD [0,1M)", ONE(1, 0, 0, 0, MIB - 1), 1, 1, 0, 0},
    {"WILLREAD start == end", ONE(1, 0, 0, 0, 0), 1, 1, 0, 0},
    {"WILLREAD ASYNC", ONE(1, 0, 1, 0, MIB - 1), 1, 1, 0, 0},
    {"WILLREAD ASYNC in the header", ONE(1, 0, 0, 0, MIB - 1), 1, 1, 1, 0},
    {"DONTNEED [0,1M)", ONE(2, 0, 0, 0, MIB - 1), 1, 1, 0, 0},
    {"1024 advices", {GOOD(0)}, 1, 1024, 0, 0},
    {"1025 advices", {GOOD(0)}, 1, 1025, 0, 0},
    {"count 100000", {GOOD(0)}, 1, 100000, 0, 0},
    {"3: first bad (mode 9)", {LA(9, 0, 0, 4095), GOOD(1), GOOD(2)}, 3, 3, 0, 0},
    {"3: second bad (mode 9)", {GOOD(0), LA(9, 0, 0, 4095), GOOD(2)}, 3, 3, 0, 0},
    {"3: last bad (mode 9)", {GOOD(0), GOOD(1), LA(9, 0, 0, 4095)}, 3, 3, 0, 0},
    {"3: first bad (flags 4)", {LA(2, 4, 0, 4095), GOOD(1), GOOD(2)}, 3, 3, 0, 0},
    {"3: second bad (flags 4)", {GOOD(0), LA(2, 4, 0, 4095), GOOD(2)}, 3, 3, 0, 0},
    {"3: first start==end", {LA(2, 0, 5, 5), GOOD(1), GOOD(2)}, 3, 3, 0, 0},
    {"3: second start>end", {GOOD(0), LA(2, 0, 9, 5), GOOD(2)}, 3, 3, 0, 0},
    {"3: second unknown advice 100", {GOOD(0), {100, 2, 0, 0, 4095, 99, 0}, GOOD(2)}, 3, 3, 0, 0},
    {"3: first unknown advice 100", {{100, 2, 0, 0, 4095, 99, 0}, GOOD(1), GOOD(2)}, 3, 3, 0, 0},
    {"mixed NOEXPAND, LOCKAHEAD, WILLREAD", {{3, 2, 0, 0, 4095, 99, 0}, GOOD(1), {1, 0, 0, 0, 4095, 99, 0}}, 3, 3, 0, 0},
    {"NOEXPAND UNSET", ONE(3, 2, 2, 0, MIB - 1), 1, 1, 0, 0},
    {"same extent twice", {GOOD(0), GOOD(0)}, 2, 2, 0, 0},
    {"overlapping [0,64K) [32K,96K)", {LA(2, 0, 0, 65535), LA(2, 0, 32768, 98303)}, 2, 2, 0, 0},
    {"READ then WRITE same extent", {LA(1, 0, 0, 65535), LA(2, 0, 0, 65535)}, 2, 2, 0, 0},
    {"WRITE then READ same extent", {LA(2, 0, 0, 65535), LA(1, 0, 0, 65535)}, 2, 2, 0, 0},
    /* clang-format on */
};

static void check_advice(const struct advice *v)
{
    static struct {
        struct adl_ladvise_head head;
        struct adl_ladvise a[3];
    } arg;
    struct actor *actor = &stage.actor[0];
    struct lsim_counts before, after;
    char results[64] = "";
    int rc;

    stage_clear(&stage);
    actor->buffered.noexpand = 0;
    memset(&arg, 0, sizeof arg);
    arg.head.magic = v->magic ? v->magic : ADL_LADVISE_MAGIC;
    arg.head.count = v->said;
    arg.head.flags = v->head_flags;
    memcpy(arg.a, v->a, sizeof arg.a);
    before = stage_counts(&stage, 0);
    rc = sim_ladvise(&actor->p, &actor->buffered, actor->fd, &arg);
    after = stage_counts(&stage, 0);
    same_answer(v->name, answer_of("### LADVISE: errno table", v->name, 1), rc);
    if (v->count != v->said)
        return;
    for (uint32_t i = 0; i < v->count; i++)
        snprintf(results + strlen(results), sizeof results - strlen(results),
                 "%s%d", i ? "," : "", (int)arg.a[i].result);
    snprintf(results + strlen(results), sizeof results - strlen(results),
             "%s(enq %d)", v->count ? " " : "",
             (int)(after.enqueue - before.enqueue));
    if (strcmp(results, answer_of("### LADVISE: errno table", v->name, 2)))
        fail_msg("%s: %s, not %s", v->name, results,
                 answer_of("### LADVISE: errno table", v->name, 2));
}

static void test_advice(void **state)
{
    struct sim_open dir = {.refs = 1};
    char arg[64] = "";

    (void)state;
    stage_make(&stage, "none");
    stage_plain(&stage, 1, MIB, 0);
    assert_int_equal(stage_io(&stage, 0, SIM_CALL_WRITE, 0, 0, 4 * MIB), 0);
    for (size_t i = 0; i < sizeof advices / sizeof advices[0]; i++)
        check_advice(&advices[i]);
    assert_int_equal(sim_ladvise(&stage.actor[0].p, &dir, -1, arg), -ENOTTY);
    stage_free(&stage);
}

static int read_at(unsigned client, uint64_t start, uint64_t end)
{
    return stage_io(&stage, client, SIM_CALL_READ, 0, start, end);
}

static int write_at(unsigned client, uint64_t start, uint64_t end)
{
    return stage_io(&stage, client, SIM_CALL_WRITE, 0, start, end);
}

/* Rule M2: exact locks and data on the MDT. */
static void test_exact_on_mdt(void **state)
{
    struct adl_component c[2] = {{.end = MIB,
                                  .pattern = ADL_LOV_PATTERN_MDT,
                                  .stripe_size = MIB,
                                  .stripe_offset = ADL_LOV_OFFSET_ANY},
                                 {.start = MIB,
                                  .end = ADL_LAYOUT_EOF,
                                  .pattern = ADL_LOV_PATTERN_RAID0,
                                  .stripe_size = MIB,
                                  .stripe_count = 2}};
    const uint64_t at = 8192, to = 12288, end = 3 * MIB;

    (void)state;
    stage_make(&stage, "none");
    stage_file(&stage, c, 2);
    assert_int_equal(write_at(0, 0, MIB), 0);
    stage.actor[0].buffered.noexpand = stage.actor[1].buffered.noexpand = 1;
    assert_int_equal(read_at(0, at, to), 0);      /* cached */
    assert_int_equal(read_at(0, at, 2 * MIB), 0); /* and then the OSTs */
    assert_int_equal(read_at(1, at, to), -EOPNOTSUPP);
    /* The layout grows: the pages are gone, the lock is not. */
    assert_int_equal(write_at(0, MIB, end), 0);
    assert_int_equal(read_at(0, at, to), -EOPNOTSUPP);
    assert_int_equal(read_at(0, at, end), -EOPNOTSUPP);
    assert_int_equal(read_at(1, 2 * MIB, end), 0);
    assert_int_equal(write_at(2, at, to), 0);
    assert_int_equal(read_at(1, at, to), -EOPNOTSUPP);
    assert_int_equal(write_at(1, at, to), -EOPNOTSUPP);
    stage.actor[1].buffered.noexpand = 0;
    assert_int_equal(read_at(1, at, to), 0);
    stage.actor[1].buffered.noexpand = 1;
    assert_int_equal(read_at(1, at, to), 0);
    assert_int_equal(write_at(1, at, to), -EOPNOTSUPP);
    stage_free(&stage);
}

/* Across stripes: one request an object. */
static void test_advice_stripes(void **state)
{
    static const struct advice crossing[] = {
        {"lockahead on a file with 4 stripes over [0,4M) (crosses stripes)",
         {LA(2, 0, 0, 4 * MIB - 1)},
         1,
         1,
         0,
         0},
        {"the same over [512K,1536K)",
         {LA(2, 0, 512 * KIB, 1536 * KIB - 1)},
         1,
         1,
         0,
         0},
    };

    (void)state;
    stage_make(&stage, "none");
    stage_plain(&stage, 4, MIB, 0);
    for (size_t i = 0; i < 2; i++)
        check_advice(&crossing[i]);
    stage_free(&stage);
}

/* ---- group locks ---- */

static int group(struct sim_open *o, unsigned client, unsigned long what,
                 long gid)
{
    struct actor *a = &stage.actor[client];

    return sim_ioctl(&a->p, o, a->fd, what, (void *)gid);
}

#define LOCK(o, client, gid) group(o, client, ADL_IOC_GROUP_LOCK, gid)
#define UNLOCK(o, client, gid) group(o, client, ADL_IOC_GROUP_UNLOCK, gid)

static long held(void)
{
    struct lsim_lock_info info[8];
    struct lsim_object obj;

    sim_file_object(stage.actor[0].buffered.file, stage.actor[0].p.server, 0,
                    &obj);
    return lsim_locks(stage.actor[0].p.server, &obj, info, 8);
}

/* The list "group lock: errno (clean)", in its order. */
static void test_group(void **state)
{
    struct sim_open *one, two, three, nowait;
    struct sim_io io;

    (void)state;
    stage_make(&stage, "none");
    stage_plain(&stage, 1, MIB, 0);
    one = &stage.actor[0].buffered;
    two = three = *one;
    two.flags |= O_NONBLOCK;
    three.flags |= O_NONBLOCK;
    nowait = stage.actor[1].buffered;
    nowait.flags |= O_NONBLOCK;
    assert_int_equal(LOCK(one, 0, 0), -EINVAL);
    for (int i = 0; i < 3; i++) {
        static const long gid[] = {-1, -2147483648L, 2147483647};

        assert_int_equal(LOCK(one, 0, gid[i]), 0);
        assert_int_equal(held(), 1);
        assert_int_equal(UNLOCK(one, 0, gid[i]), 0);
    }
    assert_int_equal(UNLOCK(one, 0, 5), -EINVAL);
    assert_int_equal(LOCK(one, 0, 5), 0);
    assert_int_equal(LOCK(one, 0, 5), -EINVAL);
    assert_int_equal(LOCK(one, 0, 6), -EINVAL);
    assert_int_equal(UNLOCK(one, 0, 6), -EINVAL);
    assert_int_equal(LOCK(&two, 0, 5), 0);
    assert_int_equal(held(), 1);
    assert_int_equal(LOCK(&three, 0, 6), -EAGAIN);
    io = (struct sim_io){&three, stage.actor[0].fd, SIM_CALL_WRITE, 0, 4096};
    assert_int_equal(sim_io_begin(&stage.actor[0].p, &io), -EAGAIN);
    assert_int_equal(LOCK(&nowait, 1, 6), -EAGAIN);
    io = (struct sim_io){&nowait, stage.actor[1].fd, SIM_CALL_WRITE, 0, 4096};
    assert_int_equal(sim_io_begin(&stage.actor[1].p, &io), -EAGAIN);
    assert_int_equal(LOCK(&stage.actor[2].buffered, 2, 5), 0);
    assert_int_equal(held(), 2);
    assert_int_equal(UNLOCK(&stage.actor[2].buffered, 2, 5), 0);
    assert_int_equal(UNLOCK(one, 0, 5), 0);
    assert_int_equal(held(), 1);
    assert_int_equal(UNLOCK(&two, 0, 5), 0);
    assert_int_equal(held(), 0);
    stage_free(&stage);
}

static atomic_int returned;

static void *set_2(void *arg)
{
    assert_int_equal(set_layout(&stage.actor[0], &settings[0]), 0);
    returned = 1;
    return arg;
}

/* Waits now, and is done after the unlock. */
static void waits(void *(*fn)(void *), long gid)
{
    pthread_t t;

    returned = 0;
    assert_int_equal(pthread_create(&t, NULL, fn, NULL), 0);
    usleep(50000);
    assert_int_equal(returned, 0);
    assert_int_equal(UNLOCK(&stage.actor[0].buffered, 0, gid), 0);
    pthread_join(t, NULL);
    assert_int_equal(returned, 1);
}

/* L2: rc 0 and nothing held; what needs the layout waits for the unlock. */
static void test_group_without_layout(void **state)
{
    struct sim_open *one;

    (void)state;
    stage_make(&stage, "none");
    bare_file();
    one = &stage.actor[0].buffered;
    assert_int_equal(LOCK(one, 0, 5), 0);
    assert_int_equal(stage_counts(&stage, 0).enqueue, 0);
    assert_int_equal(LOCK(one, 0, 5), -EINVAL);
    assert_int_equal(stage_io(&stage, 0, SIM_CALL_WRITE, 0, 0, 4096), -EBADF);
    assert_int_equal(UNLOCK(one, 0, 6), -EINVAL);
    waits(set_2, 5);
    assert_int_equal(UNLOCK(one, 0, 5), -EINVAL);
    assert_int_equal(LOCK(one, 0, 5), 0);
    assert_int_equal(stage_counts(&stage, 0).enqueue, 2);
    assert_int_equal(UNLOCK(one, 0, 5), 0);
    stage_free(&stage);
}

static void *direct_write(void *arg)
{
    assert_int_equal(stage_io(&stage, 0, SIM_CALL_WRITE, 1, 0, MIB), 0);
    returned = 1;
    return arg;
}

/* D6 and L7: another descriptor of the same client waits, and so does
 * lockahead on the very descriptor that has the group lock. */
static void *ahead_1m(void *arg)
{
    check_advice(&advices[0]);
    returned = 1;
    return arg;
}

static void test_group_and_others(void **state)
{
    struct lsim_counts c;

    (void)state;
    stage_make(&stage, "none");
    stage_plain(&stage, 1, MIB, 0);
    assert_int_equal(LOCK(&stage.actor[0].buffered, 0, 5), 0);
    waits(direct_write, 5);
    assert_int_equal(LOCK(&stage.actor[0].buffered, 0, 5), 0);
    c = stage_counts(&stage, 0);
    check_advice(&advices[5]); /* ASYNC: one request, no lock */
    assert_int_equal(stage_counts(&stage, 0).refused - c.refused, 1);
    assert_int_equal(held(), 1);
    waits(ahead_1m, 5);
    assert_int_equal(held(), 1);
    stage_free(&stage);
}

/* ---- without a layout (L1) ---- */

static void test_bare_file(void **state)
{
    struct adl_lov_user lum = {0};
    struct actor *a = &stage.actor[0];
    struct {
        struct adl_ladvise_head head;
        struct adl_ladvise a;
    } ahead = {{.magic = ADL_LADVISE_MAGIC, .count = 1}, GOOD(0)};
    char buf[64];

    (void)state;
    stage_make(&stage, "none");
    bare_file();
    assert_int_equal(sim_xattr_get(&a->p, a->fd, ADL_LUSTRE_XATTR, buf, 64),
                     -ENODATA);
    assert_int_equal(sim_xattr_get(&a->p, a->fd, SIM_XATTR_TRUSTED, buf, 64),
                     -ENODATA);
    assert_int_equal(
        sim_ioctl(&a->p, &a->buffered, a->fd, ADL_IOC_LOV_GETSTRIPE, &lum),
        -ENODATA);
    assert_int_equal(stage_io(&stage, 0, SIM_CALL_READ, 0, 0, 4096), 0);
    assert_int_equal(sim_ladvise(&a->p, &a->buffered, a->fd, &ahead), 0);
    assert_int_equal(ahead.a.result, 0);
    assert_int_equal(stage_counts(&stage, 0).enqueue, 0);
    assert_int_equal(stage_io(&stage, 0, SIM_CALL_WRITE, 0, 0, 4096), -EBADF);
    assert_int_equal(sim_io_truncate(&a->p, &a->buffered, a->fd, MIB), 0);
    assert_int_equal(sim_xattr_get(&a->p, a->fd, ADL_LUSTRE_XATTR, buf, 64),
                     -ENODATA);
    stage_free(&stage);
}

/* ---- components ---- */

/* One component as lfs sends it. */
static int change(const char *name, uint32_t id, uint64_t start)
{
    struct {
        struct adl_lov_comp_head head;
        struct adl_lov_comp_entry entry;
        struct adl_lov_user lum;
    } lum = {.head = {.magic = ADL_LOV_MAGIC_COMP_V1,
                      .size = sizeof lum,
                      .entry_count = 1},
             .entry = {.id = id,
                       .start = start,
                       .end = UINT64_MAX,
                       .offset = sizeof lum.head + sizeof lum.entry,
                       .size = sizeof lum.lum},
             .lum = {.magic = ADL_LOV_MAGIC_V1,
                     .pattern = ADL_LOV_PATTERN_RAID0,
                     .stripe_size = MIB,
                     .stripe_count = 2,
                     .stripe_offset = 0xffff}};
    struct actor *a = &stage.actor[0];

    return sim_xattr_set(&a->p, a->fd, name, &lum, sizeof lum, 0);
}

static int components(void)
{
    struct adl_layout *l;
    size_t len;
    void *lov;
    int n;

    assert_int_equal(
        sim_mds_get(&stage.root.conf, stage.actor[0].fd, &lov, &len), 0);
    assert_int_equal(sim_mds_decode(&stage.root.conf, lov, len, &l), 0);
    free(lov);
    n = adl_layout_ncomponents(l);
    adl_layout_destroy(l);
    return n;
}

static void test_components(void **state)
{
    struct adl_component c[2] = {{.end = MIB,
                                  .pattern = ADL_LOV_PATTERN_RAID0,
                                  .stripe_size = MIB,
                                  .stripe_count = 1,
                                  .stripe_offset = ADL_LOV_OFFSET_ANY},
                                 {.start = MIB,
                                  .end = 4 * MIB,
                                  .pattern = ADL_LOV_PATTERN_RAID0,
                                  .stripe_size = MIB,
                                  .stripe_count = 2,
                                  .stripe_offset = ADL_LOV_OFFSET_ANY}};

    (void)state;
    stage_make(&stage, "none");
    stage_file(&stage, c, 2);
    assert_int_equal(stage_io(&stage, 0, SIM_CALL_WRITE, 0, 4 * MIB, 5 * MIB),
                     -ENODATA);
    assert_int_equal(change(SIM_XATTR_ADD, 0, 8 * MIB), -EINVAL);
    assert_int_equal(change(SIM_XATTR_ADD, 0, 4 * MIB), 0);
    assert_int_equal(components(), 3);
    assert_int_equal(change(SIM_XATTR_ADD, 0, 4 * MIB), -EINVAL);
    assert_int_equal(change(SIM_XATTR_DELETE, 1, 0), -EINVAL);
    assert_int_equal(change(SIM_XATTR_DELETE, 3, 0), 0);
    assert_int_equal(components(), 2);
    stage_free(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_advice),
        cmocka_unit_test(test_advice_stripes),
        cmocka_unit_test(test_exact_on_mdt),
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_group_without_layout),
        cmocka_unit_test(test_group_and_others),
        cmocka_unit_test(test_bare_file),
        cmocka_unit_test(test_components),
    };

    page = fixture_read("locks-2.md");
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
