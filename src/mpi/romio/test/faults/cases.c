/* cases.c - the fault matrix: what fails, how, when, where, in which call */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "cases.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>

/* clang-format off */
static const char *const call_names[CALLS] = {
    "open",  "xattr",    "ioctl",     "write", "read",
    "fsync", "truncate", "fallocate", "close"};

static const struct {
    const char *name;
    int number;
    int errclass;
} effects[EFFECTS] = {
    {"EIO", EIO, MPI_ERR_IO},
    {"ENOSPC", ENOSPC, MPI_ERR_NO_SPACE},
    {"EDQUOT", EDQUOT, MPI_ERR_QUOTA},
    {"EINTR", EINTR, MPI_SUCCESS},
    {"EAGAIN", EAGAIN, MPI_ERR_IO},
    {"ESTALE", ESTALE, MPI_ERR_IO},
    {"EPERM", EPERM, MPI_ERR_ACCESS},
    {"short", 0, MPI_SUCCESS},
    {"slow", 0, MPI_SUCCESS},
};
/* clang-format on */

static const char *const which_names[WHICHES] = {"first", "middle", "last"};
static const char *const who_names[WHOS] = {"rank0", "aggregator", "all"};
static const char *const kind_names[KINDS] = {
    "independent", "collective", "nonblocking", "split", "ordered", "shared"};

struct fault_case case_of(int number)
{
    struct fault_case c = {.number = number};
    int rest = number;

    c.writes = rest % 2;
    rest /= 2;
    c.kind = rest % KINDS;
    rest /= KINDS;
    c.who = rest % WHOS;
    rest /= WHOS;
    c.which = rest % WHICHES;
    rest /= WHICHES;
    c.effect = rest % EFFECTS;
    rest /= EFFECTS;
    c.call = rest;
    /* Group locks are for files that only collective calls write to. */
    c.lock_mode = c.kind >= KIND_COLLECTIVE && c.kind <= KIND_SPLIT
                      ? (c.which + c.who + c.effect) % 3
                      : 0;
    return c;
}

void case_name(const struct fault_case *c, char *buf, int size)
{
    snprintf(buf, size, "%s %s %s %s %s %s", call_names[c->call],
             effects[c->effect].name, which_names[c->which], who_names[c->who],
             kind_names[c->kind], c->writes ? "write" : "read");
}

int case_valid(const struct fault_case *c)
{
    if (c->effect == EFFECT_SHORT && c->call != CALL_WRITE &&
        c->call != CALL_READ)
        return 0;
    switch (c->call) {
    case CALL_READ:
        return !c->writes;
    case CALL_WRITE:
    case CALL_FSYNC:
    case CALL_TRUNCATE:
    case CALL_FALLOCATE:
        return c->writes;
    default:
        return 1;
    }
}

int case_creates(const struct fault_case *c)
{
    return c->writes && (c->call == CALL_OPEN || c->call == CALL_XATTR ||
                         c->call == CALL_IOCTL);
}

int case_collective(const struct fault_case *c)
{
    return c->kind != KIND_INDEPENDENT && c->kind != KIND_SHARED;
}

int case_errno(const struct fault_case *c)
{
    return effects[c->effect].number;
}

int case_class(const struct fault_case *c)
{
    return effects[c->effect].errclass;
}

void case_spec(const struct fault_case *c, const char *file, long n, char *buf,
               int size)
{
    int at =
        snprintf(buf, size, "%s:file=%s:n=%ld:", call_names[c->call], file, n);

    if (c->effect == EFFECT_SHORT)
        snprintf(buf + at, size - at, "short=1000");
    else if (c->effect == EFFECT_SLOW)
        snprintf(buf + at, size - at, "delay=5");
    else
        snprintf(buf + at, size - at, "errno=%s", effects[c->effect].name);
}
