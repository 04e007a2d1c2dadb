/* actors.h - four client nodes and one file, at the level of system calls
 *
 * Each actor is what a process on a client node is to the simulator, with a
 * buffered and a direct descriptor, all in this process; what the servers are
 * sent is noted down. Bytes are not moved: the file is made as long as it
 * would be.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_TEST_ACTORS_H
#define LSIM_TEST_ACTORS_H

#include <errno.h>
#include <fcntl.h>

#include "root.h"
#include "fixture.h"

#include "../abi.h"
#include "../io.h"
#include "../ioctl.h"
#include "../ladvise.h"
#include "../mds.h"
#include "../trace.h"

#define ACTORS 4
#define STAGE_OSTS 4
#define STAGE_MDT STAGE_OSTS /* the server's number of it */
#define MAX_MESSAGES 8192

struct actor {
    struct sim_proc p;
    struct sim_open buffered, direct;
    int fd;
};

struct stage {
    struct root root;
    char path[PATH_MAX];
    struct actor actor[ACTORS];
    unsigned messages;
    struct lsim_message message[MAX_MESSAGES];
};

static inline void stage_note(const struct lsim_message *m, void *arg)
{
    struct stage *s = arg;
    unsigned at = __atomic_fetch_add(&s->messages, 1, __ATOMIC_RELAXED);

    if (at < MAX_MESSAGES)
        s->message[at] = *m;
}

static inline struct lsim *stage_attach(struct stage *s, unsigned client,
                                        const char *profile)
{
    struct lsim_config cfg = {.osts = STAGE_OSTS + 1, .client = client};
    struct lsim *ls = NULL;
    char err[160] = "", path[PATH_MAX + 64];

    if (lsim_profile_load(profile, &cfg.profile, err, sizeof err) < 0)
        fail_msg("%s", err);
    snprintf(path, sizeof path, "%s/" SIM_DIR "/server", s->root.conf.root);
    assert_int_equal(lsim_open(path, &cfg, &ls), 0);
    lsim_observe(ls, stage_note, s);
    return ls;
}

static inline void stage_open(struct stage *s, unsigned client)
{
    struct actor *a = &s->actor[client];
    struct stat st;

    a->fd = open(s->path, O_RDWR | O_CREAT, 0644);
    assert_true(a->fd >= 0);
    assert_int_equal(fstat(a->fd, &st), 0);
    memset(&a->buffered, 0, sizeof a->buffered);
    pthread_mutex_init(&a->buffered.lock, NULL);
    a->buffered.refs = 1;
    a->buffered.flags = O_RDWR;
    a->buffered.file = sim_file_create(st.st_ino, s->path);
    sim_file_load(a->buffered.file, &s->root.conf, a->fd);
    a->direct = a->buffered;
    pthread_mutex_init(&a->direct.lock, NULL);
    a->direct.flags |= O_DIRECT;
    sim_io_opened(&a->p, &a->buffered);
}

static inline void stage_make(struct stage *s, const char *profile)
{
    memset(s, 0, sizeof *s);
    root_make(&s->root, STAGE_OSTS);
    root_path(&s->root, "f", s->path);
    for (unsigned c = 0; c < ACTORS; c++) {
        s->actor[c].p.conf = s->root.conf;
        s->actor[c].p.client = c;
        pthread_mutex_init(&s->actor[c].p.lock, NULL);
        s->actor[c].p.server = stage_attach(s, c, profile);
        s->actor[c].fd = -1;
    }
}

/* Forget the file's descriptors; the file goes too. */
static inline void stage_close(struct stage *s)
{
    for (unsigned c = 0; c < ACTORS; c++) {
        if (s->actor[c].fd < 0)
            continue;
        sim_file_destroy(s->actor[c].buffered.file);
        close(s->actor[c].fd);
        s->actor[c].fd = -1;
    }
    unlink(s->path);
}

static inline void stage_free(struct stage *s)
{
    stage_close(s);
    for (unsigned c = 0; c < ACTORS; c++)
        lsim_close(s->actor[c].p.server);
    root_remove(&s->root);
}

/* A new file with these components, opened by all, A first. */
static inline void stage_file(struct stage *s, struct adl_component *comps,
                              int n)
{
    struct adl_layout_head head = {.mirrors = 1, .composite = n > 1};
    struct adl_layout *l;
    void *lum;
    size_t len;
    int fd;

    stage_close(s);
    fd = root_file(&s->root, "f");
    for (int i = 0; i < n; i++)
        comps[i].magic = ADL_LOV_MAGIC_V1;
    assert_int_equal(adl_layout_create(&head, comps, n, NULL, &l, NULL), 0);
    assert_int_equal(adl_layout_encode(l, &lum, &len), 0);
    adl_layout_destroy(l);
    assert_int_equal(sim_mds_set(&s->root.conf, fd, lum, len), 0);
    free(lum);
    close(fd);
    for (unsigned c = 0; c < ACTORS; c++)
        stage_open(s, c);
}

/* `count` stripes of `size` from OST `first` on. */
static inline void stage_plain(struct stage *s, int count, uint32_t size,
                               int first)
{
    struct adl_component c = {.end = ADL_LAYOUT_EOF,
                              .pattern = ADL_LOV_PATTERN_RAID0,
                              .stripe_size = size,
                              .stripe_count = count,
                              .stripe_offset = first};

    stage_file(s, &c, 1);
}

static inline int stage_io(struct stage *s, unsigned client, enum sim_call call,
                           int direct, uint64_t start, uint64_t end)
{
    struct actor *a = &s->actor[client];
    struct sim_io io = {.open = direct ? &a->direct : &a->buffered,
                        .fd = a->fd,
                        .call = call,
                        .off = start,
                        .len = end - start};
    struct stat st;
    int rc = sim_io_begin(&a->p, &io);

    if (rc == 0 && call == SIM_CALL_WRITE && fstat(a->fd, &st) == 0 &&
        (uint64_t)st.st_size < end)
        assert_int_equal(ftruncate(a->fd, end), 0);
    return rc;
}

static inline void stage_fsync(struct stage *s, unsigned client)
{
    struct actor *a = &s->actor[client];

    assert_int_equal(sim_io_sync(&a->p, &a->buffered, a->fd), 0);
}

/* Locks and caches of all clients go, and fresh descriptors are opened. */
static inline void stage_clear(struct stage *s)
{
    for (unsigned c = 0; c < ACTORS; c++) {
        lsim_drop_cache(s->actor[c].p.server, NULL);
        memset(&s->actor[c].buffered.ahead, 0, sizeof(struct sim_readahead));
    }
}

/* Counters of the OSTs, or of the MDT. */
static inline struct lsim_counts stage_counts(struct stage *s, int mdt)
{
    struct lsim_counts sum = {0}, one;

    for (unsigned i = mdt ? STAGE_MDT : 0; i < STAGE_OSTS + (mdt ? 1u : 0u);
         i++) {
        assert_int_equal(lsim_stats_ost(s->actor[0].p.server, i, &one), 0);
#define X(name, text) sum.name += one.name;
#include "../counters.def"
#undef X
    }
    return sum;
}

static inline size_t stage_size_text(char *to, size_t room, uint64_t v)
{
    if (v == LSIM_EOF)
        return (size_t)snprintf(to, room, "EOF");
    if (v && v % MIB == 0)
        return (size_t)snprintf(to, room, "%lluM",
                                (unsigned long long)(v / MIB));
    if (v && v % KIB == 0)
        return (size_t)snprintf(to, room, "%lluK",
                                (unsigned long long)(v / KIB));
    return (size_t)snprintf(to, room, "%llu", (unsigned long long)v);
}

/* "[0,4M)" as the pages write it. */
static inline size_t stage_extent_text(char *to, size_t room, uint64_t start,
                                       uint64_t end)
{
    size_t n = (size_t)snprintf(to, room, "[");

    n += stage_size_text(to + n, room - n, start);
    n += (size_t)snprintf(to + n, room - n, ",");
    n += stage_size_text(to + n, room - n, end);
    n += (size_t)snprintf(to + n, room - n, end == LSIM_EOF ? "]" : ")");
    return n;
}

/* A data message as the pages write it: "Aw[0,7M){4M}", "Br[0,1M)@OST1". */
static inline void stage_rpc_text(char *to, size_t room,
                                  const struct lsim_message *m, int with_ost)
{
    size_t n = (size_t)snprintf(to, room, "%c%c", 'A' + (int)m->client,
                                m->opc == LSIM_OST_READ ? 'r' : 'w');

    n += stage_extent_text(to + n, room - n, m->start, m->end);
    if (m->bytes != m->end - m->start) {
        n += (size_t)snprintf(to + n, room - n, "{");
        n += stage_size_text(to + n, room - n, m->bytes);
        n += (size_t)snprintf(to + n, room - n, "}");
    }
    if (with_ost && m->ost == STAGE_MDT)
        snprintf(to + n, room - n, "@MDT0");
    else if (with_ost)
        snprintf(to + n, room - n, "@OST%u", m->ost);
}

static inline int stage_is_data(const struct lsim_message *m)
{
    return m->opc == LSIM_OST_READ || m->opc == LSIM_OST_WRITE;
}

#endif
