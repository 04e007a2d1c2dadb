/* root.h - a simulated root in a scratch directory, for unit tests */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_TEST_ROOT_H
#define LUSTRE_SIM_TEST_ROOT_H

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "../conf.h"

struct root {
    struct sim_conf conf;
    char dir[PATH_MAX];
};

/* `osts` OSTs, and the pool "fix" of OSTs 1 and 2 if there are three. */
static inline void root_make(struct root *r, uint32_t osts)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(r->dir, sizeof(r->dir), "%s/adl-sim.XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(r->dir));
    sim_conf_init(&r->conf);
    r->conf.osts = osts;
    if (osts > 2)
        assert_int_equal(sim_conf_add_pool(&r->conf, "fix:1-2", NULL), 0);
    assert_int_equal(sim_conf_create(&r->conf, r->dir, NULL), 0);
}

static inline int root_unlink(const char *path, const struct stat *st, int type,
                              struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static inline void root_remove(struct root *r)
{
    nftw(r->dir, root_unlink, 8, FTW_DEPTH | FTW_PHYS);
    sim_conf_clear(&r->conf);
}

static inline void root_path(const struct root *r, const char *name,
                             char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.2000s/%.1000s", r->conf.root, name);
}

/* A new file's descriptor. */
static inline int root_file(const struct root *r, const char *name)
{
    char path[PATH_MAX];
    int fd;

    root_path(r, name, path);
    fd = open(path, O_CREAT | O_RDWR, 0644);
    assert_true(fd >= 0);
    return fd;
}

#endif
