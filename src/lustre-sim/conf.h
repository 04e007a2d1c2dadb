/* conf.h - what mkfs decides about a simulated file system
 *
 * Kept as text in ROOT/.lustre-sim/config, one "key=value" a line, written
 * once by mkfs. Pools are in the same file: "pool=NAME:OST[,OST|OST-OST]...".
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_CONF_H
#define LUSTRE_SIM_CONF_H

#include <limits.h>
#include <stdint.h>
#include "core/text/err.h"

#define SIM_DIR ".lustre-sim"
#define SIM_MAX_OSTS 1024 /* LSIM_MAX_OSTS without the MDT */
#define SIM_MAX_POOLS 32
#define SIM_HYBRID_WRITE (2 << 20) /* bytes from which hybrid I/O is direct */
#define SIM_HYBRID_READ (8 << 20)
#define SIM_POOL_NAME 16 /* with the terminating 0 */

struct sim_pool {
    char name[SIM_POOL_NAME];
    uint32_t count;
    uint16_t *osts; /* in ascending order, no repetitions */
};

struct sim_conf {
    char root[PATH_MAX]; /* canonical */
    uint64_t fsid;       /* random: identifies records of other roots */
    uint32_t osts;
    uint32_t stripe_count; /* of a file with no layout from a directory */
    uint32_t stripe_size;
    uint32_t noflock;   /* 1: mounted without file locks */
    uint32_t hybrid_io; /* 1: large buffered accesses are direct ones */
    uint32_t npools;
    struct sim_pool pools[SIM_MAX_POOLS];
};

/* The defaults: four OSTs, one stripe of 4 MiB, no pool. */
void sim_conf_init(struct sim_conf *c);
void sim_conf_clear(struct sim_conf *c);

/* Add "NAME:LIST" (blanks or '=' are accepted instead of ':'). -EINVAL with a
 * text. */
int sim_conf_add_pool(struct sim_conf *c, const char *line,
                      struct adl_err *err);

/* Read a file of such lines; # starts a comment. */
int sim_conf_read_pools(struct sim_conf *c, const char *path,
                        struct adl_err *err);

/* The pool, or NULL. `name` need not be terminated within SIM_POOL_NAME. */
const struct sim_pool *sim_conf_pool(const struct sim_conf *c,
                                     const char *name);

/* Write ROOT/.lustre-sim and its config. -EEXIST: there is one already. */
int sim_conf_create(struct sim_conf *c, const char *root, struct adl_err *err);

/* Load what mkfs wrote. -ENOENT: `root` is not a simulated file system. */
int sim_conf_load(struct sim_conf *c, const char *root, struct adl_err *err);

/* The root at or above `path` (existing), canonical. -ENOTTY: none. */
int sim_conf_find_root(const char *path, char root[PATH_MAX]);

#endif
