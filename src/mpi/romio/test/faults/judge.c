/* judge.c - whether a case went as it has to */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "judge.h"

#include <stddef.h>

typedef int class_fn(const struct seen *s);

static int open_class(const struct seen *s)
{
    return s->open;
}
static int size_class(const struct seen *s)
{
    return s->size;
}
static int sync_class(const struct seen *s)
{
    return s->sync;
}
static int close_class(const struct seen *s)
{
    return s->close;
}

static class_fn *const steps[] = {open_class, size_class, sync_class,
                                  close_class};
enum { STEPS = sizeof(steps) / sizeof(steps[0]) };

/* Nothing was left over, no byte is wrong, and afterwards all works. */
static const char *check_state(const struct seen *seen, int ranks,
                               long file_wrong)
{
    for (int r = 0; r < ranks; r++) {
        if (seen[r].data_wrong)
            return "bytes read are wrong";
        if (seen[r].count_wrong)
            return "a status count is wrong";
        if (seen[r].again != MPI_SUCCESS)
            return "the handle is not usable any more";
        if (seen[r].fds)
            return "descriptors are left open";
    }
    return file_wrong ? "bytes in the file are wrong" : NULL;
}

static const char *check_agreement(const struct fault_case *c,
                                   const struct seen *seen, int ranks)
{
    for (int r = 1; r < ranks; r++) {
        for (int s = 0; s < STEPS; s++)
            if (steps[s](&seen[r]) != steps[s](&seen[0]))
                return "ranks differ about a collective call";
        for (int k = 0; k < ROUNDS && case_collective(c); k++)
            if (seen[r].io[k] != seen[0].io[k])
                return "ranks differ about a collective read or write";
    }
    return NULL;
}

static int odd_class(const struct fault_case *c, int errclass)
{
    return errclass != MPI_SUCCESS && errclass != case_class(c);
}

static const char *check_classes(const struct fault_case *c,
                                 const struct seen *seen, int ranks)
{
    for (int r = 0; r < ranks; r++) {
        for (int s = 0; s < STEPS; s++)
            if (odd_class(c, steps[s](&seen[r])))
                return "an error of the wrong class";
        for (int k = 0; k < ROUNDS; k++) {
            if (odd_class(c, seen[r].io[k]))
                return "a read or write error of the wrong class";
            if (!case_collective(c) && seen[r].io[k] != MPI_SUCCESS &&
                !seen[r].fired)
                return "an error on a rank that nothing happened to";
        }
    }
    return NULL;
}

/* Where a layout or a lock is not available the driver makes the best of it; a
 * second open may be one it can do without. */
static const char *check_told(const struct fault_case *c,
                              const struct seen *seen, int ranks)
{
    if (c->call == CALL_OPEN || c->call == CALL_XATTR || c->call == CALL_IOCTL)
        return NULL;
    for (int r = 0; r < ranks; r++)
        if (seen[r].fired && !seen[r].errors && case_class(c) != MPI_SUCCESS)
            return "an error was lost";
    return NULL;
}

/* A nonblocking call learns of other ranks' errors without their place. */
static const char *check_texts(const struct fault_case *c,
                               const struct seen *seen, int ranks)
{
    for (int r = 0; r < ranks; r++) {
        int remote = c->kind == KIND_NONBLOCKING && !seen[r].fired;

        if (!seen[r].errors)
            continue;
        if (!(seen[r].text & TEXT_FILE))
            return "a text without the file";
        if (!(seen[r].text & TEXT_ERRNO))
            return "a text without the errno";
        if (!(seen[r].text & TEXT_RANK) && !remote)
            return "a text without the rank";
        if (!(seen[r].text & TEXT_OFFSET) && !remote &&
            (c->call == CALL_READ || c->call == CALL_WRITE))
            return "a text without the offset";
    }
    return NULL;
}

const char *judge_case(const struct fault_case *c, const struct seen *seen,
                       int ranks, long file_wrong)
{
    const char *why = check_agreement(c, seen, ranks);

    if (!why)
        why = check_classes(c, seen, ranks);
    if (!why)
        why = check_told(c, seen, ranks);
    if (!why)
        why = check_state(seen, ranks, file_wrong);
    return why ? why : check_texts(c, seen, ranks);
}
