/* world.h - a server with several clients in one process, for tests */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_TEST_WORLD_H
#define LSIM_TEST_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../server.h"

#ifndef KIB
#define KIB 1024ULL
#define MIB (1024ULL * 1024)
#endif
#define WORLD_CLIENTS 16
#define WORLD_OSTS 4

struct world {
    char dir[256];
    char path[300];
    struct lsim *client[WORLD_CLIENTS];
    unsigned clients;
    uint64_t file;                                     /* of world_file */
    struct lsim_object obj[WORLD_CLIENTS][WORLD_OSTS]; /* its handles */
};

static inline struct lsim *world_attach(struct world *w, unsigned client,
                                        const char *profile, const char *trace)
{
    struct lsim_config cfg = {
        .osts = WORLD_OSTS, .client = client, .trace_dir = trace, .forgets = 1};
    struct lsim *ls = NULL;
    char err[160] = "";

    if (lsim_profile_load(profile, &cfg.profile, err, sizeof err) < 0)
        fail_msg("%s", err);
    assert_int_equal(lsim_open(w->path, &cfg, &ls), 0);
    return ls;
}

/* A new file: one object on each OST, a handle on each for every client. */
static inline void world_file(struct world *w)
{
    w->file++;
    for (unsigned c = 0; c < w->clients; c++)
        for (unsigned i = 0; i < WORLD_OSTS; i++)
            assert_int_equal(
                lsim_object_get(w->client[c], w->file, i, i, &w->obj[c][i]), 0);
}

static inline void world_path(struct world *w)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(w->dir, sizeof w->dir, "%s/lsim-test.XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(w->dir));
    snprintf(w->path, sizeof w->path, "%s/shm", w->dir);
}

static inline void world_make(struct world *w, unsigned clients,
                              const char *profile)
{
    memset(w, 0, sizeof *w);
    world_path(w);
    w->clients = clients;
    for (unsigned c = 0; c < clients; c++)
        w->client[c] = world_attach(w, c, profile, NULL);
    world_file(w);
}

static inline void world_free(struct world *w)
{
    for (unsigned c = 0; c < w->clients; c++)
        lsim_close(w->client[c]);
    unlink(w->path);
    rmdir(w->dir);
}

static inline int world_io(struct world *w, unsigned client, unsigned ost,
                           enum lsim_op op, uint64_t start, uint64_t end,
                           unsigned flags, uint32_t gid)
{
    struct lsim_access a = {
        .op = op, .flags = flags, .start = start, .end = end, .gid = gid};

    return lsim_io(w->client[client], &w->obj[client][ost], &a);
}

static inline void world_write(struct world *w, unsigned client, unsigned ost,
                               uint64_t start, uint64_t end)
{
    assert_int_equal(world_io(w, client, ost, LSIM_WRITE, start, end, 0, 0), 0);
}

static inline void world_read(struct world *w, unsigned client, unsigned ost,
                              uint64_t start, uint64_t end)
{
    assert_int_equal(world_io(w, client, ost, LSIM_READ, start, end, 0, 0), 0);
}

/* An access to the file as a whole, cut at stripes of 1 MiB. */
static inline void world_file_io(struct world *w, unsigned client,
                                 enum lsim_op op, uint64_t pos, uint64_t len,
                                 unsigned flags, uint32_t gid)
{
    while (len) {
        uint64_t stripe = pos / MIB, in = pos % MIB;
        uint64_t n = len < MIB - in ? len : MIB - in;
        uint64_t at = stripe / WORLD_OSTS * MIB + in;

        assert_int_equal(world_io(w, client, stripe % WORLD_OSTS, op, at,
                                  at + n, flags, gid),
                         0);
        pos += n;
        len -= n;
    }
}

static inline void world_fsync(struct world *w)
{
    for (unsigned c = 0; c < w->clients; c++)
        for (unsigned i = 0; i < WORLD_OSTS; i++)
            assert_int_equal(lsim_fsync(w->client[c], &w->obj[c][i], 1), 0);
}

/* The sum over all OSTs. */
static inline struct lsim_counts world_counts(struct lsim *ls)
{
    struct lsim_counts sum = {0}, one;

    for (unsigned i = 0; i < WORLD_OSTS; i++) {
        assert_int_equal(lsim_stats_ost(ls, i, &one), 0);
#define X(name, text) sum.name += one.name;
#include "../counters.def"
#undef X
        for (unsigned j = 0; j < LSIM_HIST; j++) {
            sum.read_hist[j] += one.read_hist[j];
            sum.write_hist[j] += one.write_hist[j];
        }
    }
    return sum;
}

/* Granted locks as text, e.g. "0:PW[0,EOF] 1:PR[0,4096]". */
static inline const char *world_locks(struct world *w, unsigned client,
                                      unsigned ost)
{
    static char text[8192];
    static struct lsim_lock_info info[128];
    long n = lsim_locks(w->client[client], &w->obj[client][ost], info, 128);
    size_t used = 0;

    text[0] = '\0';
    for (long i = 0; i < n && i < 128; i++) {
        const char *mode[] = {"?", "PR", "PW", "GR"};

        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%u:%s[%llu,",
                             i ? " " : "", info[i].client, mode[info[i].mode],
                             (unsigned long long)info[i].start);
        if (info[i].end == LSIM_EOF)
            used += (size_t)snprintf(text + used, sizeof text - used, "EOF]");
        else
            used += (size_t)snprintf(text + used, sizeof text - used, "%llu)",
                                     (unsigned long long)info[i].end);
    }
    return text;
}

#define assert_locks(w, client, ost, want) \
    assert_string_equal(world_locks(w, client, ost), want)

#endif
