/* profile.h - the time model's numbers: built in or from a small text file
 *
 * A file holds one `name value` a line, # starts a comment, names as the
 * members below; sizes take K, M or G. A first line `base disk` starts from
 * a built-in profile instead of `none`.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_PROFILE_H
#define LSIM_PROFILE_H

#include <stddef.h>
#include <stdint.h>

struct lsim_profile {
    char name[32];
    int timed;                 /* 0: nothing sleeps (profile none) */
    uint64_t bandwidth;        /* bytes a second of one OST */
    uint64_t object_bandwidth; /* ... of one object; 0: as the OST */
    uint64_t rpc_us;           /* time an RPC occupies its OST, without data */
    uint64_t seek_us;          /* RPC that does not continue the last one */
    uint64_t skip_us;          /* gap inside one RPC */
    uint64_t lock_us;          /* lock round trip */
    uint64_t callback_us;      /* blocking callback, cancel and completion */
    uint64_t commit_us;        /* write-back forced by a callback */
    uint64_t copy_rate;        /* bytes a second into the cache; 0: no time */
    uint64_t copy_us;          /* a copy, without its bytes */
    uint64_t dirty_limit;      /* bytes a client may have unwritten per OST */
    uint64_t rpcs_in_flight;   /* of one client to one OST */
    uint64_t rpc_size;         /* largest RPC in bytes */
    uint64_t lru;              /* unused locks a client keeps per OST */
};

/* Read profile NAME: none, disk, flash, vm or a file's path. Returns 0,
 * -ENOENT, or -EINVAL with a text naming line and word in err (of size len). */
int lsim_profile_load(const char *name, struct lsim_profile *out, char *err,
                      size_t len);

#endif
