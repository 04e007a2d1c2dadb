/* rules.h - the model's rules: how Lustre's extent locks grow and conflict
 *
 * Pure functions on extents [start, end) of one OST object; LSIM_RULE_EOF as
 * end is the end of file. Every rule was seen on Lustre 2.17 (test/locks.md,
 * whose numbering is used here); server.c applies them to shared memory.
 *
 *  1  Nothing conflicting held: the whole object is granted.
 *  2  A request waits until every conflicting lock that overlaps it is given
 *     back, whole; then it is granted as if it came now.
 *  3  Conflicting locks held elsewhere in the object: the lock starts at the
 *     request (no growth down) and ends before the next of them, rounded down
 *     to the request's own power-of-two alignment.
 *  4  More than 32 of them: a write lock ends at most 32 MiB after its start.
 *  5  Readers share. A client never conflicts with itself, except that its
 *     write calls back its own read locks.
 *  6  NOEXPAND, 7 lockahead: exactly the pages asked for.
 *  9  Requests that wait bound the growth of others too.
 *  Group locks exclude every access but that of their own group.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_RULES_H
#define LSIM_RULES_H

#include <stdint.h>

#define LSIM_RULE_EOF UINT64_MAX
#define LSIM_RULE_PAGE 4096ULL
#define LSIM_RULE_MANY 32                /* rule 4: more than this ... */
#define LSIM_RULE_GROWN (32ULL << 20)    /* ... grow no further than this */
#define LSIM_RULE_WAITING_NO_DOWNWARDS 4 /* rule 9: more than this */

enum lsim_rule_mode { LSIM_RULE_PR = 1, LSIM_RULE_PW, LSIM_RULE_GROUP };

/* A lock held, or one asked for. */
struct lsim_rule_lock {
    enum lsim_rule_mode mode;
    uint32_t client;
    uint32_t gid;
    uint64_t start, end;
};

/* Widen to whole pages. */
void lsim_rule_pages(uint64_t *start, uint64_t *end);

int lsim_rule_overlap(const struct lsim_rule_lock *a,
                      const struct lsim_rule_lock *b);

/* Does want conflict, by its mode, with a lock anywhere in the object? */
int lsim_rule_conflict(const struct lsim_rule_lock *want,
                       const struct lsim_rule_lock *held);

/* Must want wait for held, because they conflict and overlap? */
int lsim_rule_blocks(const struct lsim_rule_lock *want,
                     const struct lsim_rule_lock *held);

/* Does a held lock cover an access of its own client? */
int lsim_rule_covers(const struct lsim_rule_lock *held,
                     const struct lsim_rule_lock *want);

/* The growth of one request. Call begin; held for every granted lock; waiting
 * for every other waiting request; end returns the granted extent. Locks that
 * do not conflict are ignored. Locks that block the request must have been
 * given back. */
struct lsim_growth {
    const struct lsim_rule_lock *want;
    unsigned conflicting;
    uint64_t start, end;
};

void lsim_growth_begin(struct lsim_growth *g,
                       const struct lsim_rule_lock *want);
void lsim_growth_held(struct lsim_growth *g, const struct lsim_rule_lock *held);
void lsim_growth_waiting(struct lsim_growth *g,
                         const struct lsim_rule_lock *other);
void lsim_growth_end(struct lsim_growth *g, uint64_t *start, uint64_t *end);

#endif
