/* profile.c - read the time model's numbers */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "profile.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "raw.h"

#define MIB (1024ULL * 1024)
#define FILE_MAX 8192

/* Where the numbers come from.
 *
 * Recorded (test/locks-2.md, W1 and the read-ahead settings): RPCs of 4 MiB,
 * 8 in flight. The real dirty limit was 1118 MiB and never reached; smaller
 * ones make writers meet it.
 *
 * disk, flash: a scale model, slow enough for two cores to drive all OSTs.
 * Bandwidths and times are chosen, not measured: lock, callback and commit so
 * that two clients that take a 1 MiB stripe from each other in lockstep need
 * at least twice the time (MEASURED.md). Their ratios are the model's.
 *
 * vm: the small virtual machine of the recorded runs, ten times as slow, for
 * the counts of clients that fight (s0012). Only the ratios of the times
 * decide these counts; slowed down, they are larger than what the machine
 * below takes to wake a process, so that it does not decide which process comes
 * first.
 * From the time stamps of the queues in locks-2.md (real times): a request is
 * answered in 0.2 to 5 ms, a lock comes 7 to 24 ms after the callback that 4
 * or 8 MiB of dirty data answer, 7 to 9 ms where 64 KiB do; so 6 ms for the
 * callback and about 1 GB/s for the data. The time of an RPC is a guess; those
 * of a lock (in these bounds) and of a copy, during which its lock stays, are
 * fitted to the counts of s0012 and to the free-running fights of that page. */
static const struct lsim_profile builtin[] = {
    {.name = "none",
     .dirty_limit = 64 * MIB,
     .rpcs_in_flight = 8,
     .rpc_size = 4 * MIB,
     .lru = 2000},
    {.name = "disk",
     .timed = 1,
     .bandwidth = 40 * MIB,
     .rpc_us = 500,
     .seek_us = 8000,
     .skip_us = 500,
     .lock_us = 10000,
     .callback_us = 25000,
     .commit_us = 25000,
     .dirty_limit = 32 * MIB,
     .rpcs_in_flight = 8,
     .rpc_size = 4 * MIB,
     .lru = 2000},
    {.name = "flash",
     .timed = 1,
     .bandwidth = 100 * MIB,
     .rpc_us = 200,
     .lock_us = 8000,
     .callback_us = 20000,
     .commit_us = 1000,
     .dirty_limit = 32 * MIB,
     .rpcs_in_flight = 8,
     .rpc_size = 4 * MIB,
     .lru = 2000},
    {.name = "vm",
     .timed = 1,
     .bandwidth = 100 * MIB,
     .rpc_us = 3000,
     .lock_us = 4000,
     .callback_us = 60000,
     .copy_rate = 15 * MIB,
     .copy_us = 4000,
     .dirty_limit = 1024 * MIB,
     .rpcs_in_flight = 8,
     .rpc_size = 4 * MIB,
     .lru = 2000},
};

/* Settable numbers and their limits; zero bandwidth or RPC size would divide
 * by zero, a lock pool bounds the LRU. */
static const struct setting {
    const char *name;
    size_t offset;
    uint64_t min, max;
} settings[] = {
#define S(member, min, max)                                      \
    {                                                            \
#member, offsetof(struct lsim_profile, member), min, max \
    }
    S(bandwidth, 4096, 1ULL << 50),
    S(object_bandwidth, 0, 1ULL << 50),
    S(rpc_us, 0, 60000000),
    S(seek_us, 0, 60000000),
    S(skip_us, 0, 60000000),
    S(lock_us, 0, 60000000),
    S(callback_us, 0, 60000000),
    S(commit_us, 0, 60000000),
    S(copy_rate, 0, 1ULL << 50),
    S(copy_us, 0, 60000000),
    S(dirty_limit, 65536, 1ULL << 40),
    S(rpcs_in_flight, 1, 64),
    S(rpc_size, 65536, 64 * MIB),
    S(lru, 1, 100000),
#undef S
};

static const struct lsim_profile *find_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof(builtin) / sizeof(builtin[0]); i++)
        if (strcmp(builtin[i].name, name) == 0)
            return &builtin[i];
    return NULL;
}

/* A number with an optional K, M or G. */
static int parse_profile_number(const char *word, uint64_t *out)
{
    unsigned shift = 0;
    uint64_t v;
    char *end;

    if (!isdigit((unsigned char)word[0]))
        return -EINVAL;
    errno = 0;
    v = strtoull(word, &end, 10);
    if (errno)
        return -EINVAL;
    if (*end && strchr("kKmMgG", *end)) {
        int c = toupper((unsigned char)*end++);
        shift = c == 'K' ? 10 : c == 'M' ? 20 : 30;
    }
    if (*end || (shift && v >> (64 - shift)))
        return -EINVAL;
    *out = v << shift;
    return 0;
}

static int set(struct lsim_profile *p, const char *name, const char *value)
{
    uint64_t v;

    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        const struct setting *s = &settings[i];

        if (strcmp(s->name, name) != 0)
            continue;
        if (parse_profile_number(value, &v) < 0 || v < s->min || v > s->max)
            return -EINVAL;
        memcpy((char *)p + s->offset, &v, sizeof(v));
        return 0;
    }
    return -EINVAL;
}

/* One line: nothing, `base NAME` or `name value`. */
static int parse_profile_line(struct lsim_profile *p, char *line)
{
    char *save = NULL, *name, *value;
    const struct lsim_profile *base;

    line[strcspn(line, "#")] = '\0';
    name = strtok_r(line, " \t\r=", &save);
    if (!name)
        return 0;
    value = strtok_r(NULL, " \t\r=", &save);
    if (!value || strtok_r(NULL, " \t\r", &save))
        return -EINVAL;
    if (strcmp(name, "base") != 0)
        return set(p, name, value);
    base = find_builtin(value);
    if (!base)
        return -EINVAL;
    *p = *base;
    return 0;
}

static int parse_profile(char *text, struct lsim_profile *p, char *err,
                         size_t len)
{
    unsigned number = 1;

    for (char *line = text, *next; line; line = next, number++) {
        char word[40];

        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        snprintf(word, sizeof(word), "%.39s", line);
        if (parse_profile_line(p, line) < 0) {
            snprintf(err, len, "profile line %u: cannot use '%s'", number,
                     word);
            return -EINVAL;
        }
    }
    return 0;
}

int lsim_profile_load(const char *name, struct lsim_profile *out, char *err,
                      size_t len)
{
    const struct lsim_profile *known = find_builtin(name);
    struct lsim_profile p = builtin[0];
    char text[FILE_MAX];
    const char *slash;
    long n;
    int rc;

    if (known) {
        *out = *known;
        return 0;
    }
    n = raw_slurp(name, text, sizeof(text));
    if (n < 0 || n == (long)sizeof(text)) {
        rc = n < 0 ? (int)n : -EFBIG;
        snprintf(err, len, "profile %.60s: %s", name, strerror(-rc));
        return rc;
    }
    text[n] = '\0';
    rc = parse_profile(text, &p, err, len);
    if (rc < 0)
        return rc;
    p.timed = p.bandwidth != 0;
    if (!p.timed && (p.lock_us || p.callback_us || p.rpc_us || p.seek_us)) {
        snprintf(err, len, "profile %.60s: times without a bandwidth", name);
        return -EINVAL;
    }
    slash = strrchr(name, '/');
    snprintf(p.name, sizeof(p.name), "%.31s", slash ? slash + 1 : name);
    *out = p;
    return 0;
}
