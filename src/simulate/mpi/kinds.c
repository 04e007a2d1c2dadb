/* kinds.c - messages between nodes, by phase and by what they are for */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "kinds.h"

#include <stdlib.h>
#include <string.h>

#include "../memory.h"
#include "mpi/file/tags.h"

#define MOST 32   /* kinds in a phase */
#define PHASES 16 /* with different names */

struct kind {
    const char *name;
    uint64_t messages, bytes;
};
struct kinds {
    const char *phase;
    struct kind of[MOST];
};
static struct kinds *now; /* [ranks]: of the phase that each is in */
static int ranks, by_tag;
static struct kinds phases[PHASES]; /* that have ended */

void kinds_start(int n, int tags)
{
    free(now);
    now = must_calloc((size_t)n, sizeof(*now));
    ranks = n;
    by_tag = tags;
}

/* Ascending: the last one that is not above a tag. */
static const struct {
    int tag;
    const char *name;
} tags[] = {{0, "romio"},
            {ADL_TAG_HEADER, "header"},
            {ADL_TAG_DIRECT, "part"},
            {ADL_TAG_PARTS, "block"},
            {ADL_TAG_REPLY, "reply"},
            {ADL_TAG_TELL, "tell"},
            {ADL_TAG_REDUCE, "agree"},
            {ADL_TAG_REDUCE + 1, "frontier"},
            {ADL_TAG_REDUCE + 2, "other"}};

static const char *name_of(int tag)
{
    const char *name = "other";

    if (!by_tag)
        return "message";
    for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
        if (tag >= tags[i].tag)
            name = tags[i].name;
    return name;
}

/* There are fewer than MOST names. */
static void add(struct kinds *k, const char *name, uint64_t messages,
                uint64_t bytes)
{
    struct kind *at = k->of;

    while (at->name && strcmp(at->name, name) != 0)
        at++;
    at->name = name;
    at->messages += messages;
    at->bytes += bytes;
}

void kinds_count(int rank, const char *collective, int tag, int64_t bytes)
{
    if (now)
        add(&now[rank], collective ? collective : name_of(tag), 1,
            (uint64_t)bytes);
}

void kinds_end_phase(int rank, const char *name)
{
    struct kinds *to = phases;

    if (!now)
        return;
    while (to->phase && strcmp(to->phase, name) != 0)
        to++;
    to->phase = name;
    for (struct kind *k = now[rank].of; k->name; k++)
        add(to, k->name, k->messages, k->bytes);
    memset(&now[rank], 0, sizeof(now[rank]));
}

static int by_messages(const void *a, const void *b)
{
    const struct kind *x = a, *y = b;

    return (x->messages < y->messages) - (x->messages > y->messages);
}

void kinds_print(FILE *to)
{
    for (int r = 0; r < ranks; r++)
        kinds_end_phase(r, "end");
    for (struct kinds *p = phases; p->phase; p++) {
        size_t n = 0;

        while (p->of[n].name)
            n++;
        if (n == 0)
            continue;
        qsort(p->of, n, sizeof(*p->of), by_messages);
        fprintf(to, "  %s:", p->phase);
        for (size_t i = 0; i < n; i++)
            fprintf(to, " %s=%llu/%llu", p->of[i].name,
                    (unsigned long long)p->of[i].messages,
                    (unsigned long long)p->of[i].bytes);
        fputc('\n', to);
    }
}
