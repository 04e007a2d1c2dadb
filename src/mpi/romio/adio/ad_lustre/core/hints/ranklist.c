/* ranklist.c - ranks by hint: "0,8,16-31" or "0-127:8" */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "ranklist.h"
#include "../text/size.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct piece {
    int64_t first, last, step;
};

/* "a", "a-b" or "a-b:s" */
static int parse_piece(char *text, struct piece *out)
{
    char *dash = strchr(text, '-'), *colon = strchr(text, ':');
    struct piece p = {0, 0, 1};

    if (colon && !dash)
        return -EINVAL;
    if (colon)
        *colon++ = '\0';
    if (dash)
        *dash++ = '\0';
    if (adl_number_parse(text, &p.first) ||
        (dash && adl_number_parse(dash, &p.last)) ||
        (colon && adl_number_parse(colon, &p.step)))
        return -EINVAL;
    if (!dash)
        p.last = p.first;
    if (p.first < 0 || p.last < p.first || p.step < 1)
        return -EINVAL;
    *out = p;
    return 0;
}

struct list {
    int nranks, count;
    char *used; /* [nranks] */
    int *rank;
};

/* Add the ranks of one piece; false if one of them does not exist. */
static bool add_piece(struct list *list, const struct piece *p)
{
    for (int64_t r = p->first; r <= p->last && r < list->nranks; r += p->step) {
        if (!list->used[r])
            list->rank[list->count++] = (int)r;
        list->used[r] = 1;
        if (p->step > list->nranks)
            break;
    }
    return p->last < list->nranks;
}

static void take_piece(struct list *list, const char *text, size_t len,
                       struct adl_notes *notes)
{
    char copy[64];
    struct piece p;

    snprintf(copy, sizeof(copy), "%.*s", (int)(len < 63 ? len : 63), text);
    if (len > 63 || parse_piece(copy, &p))
        adl_notes_add(notes,
                      "cb_aggregator_list: '%.*s' ignored: not a rank, a-b or "
                      "a-b:step",
                      (int)(len < 63 ? len : 63), text);
    else if (!add_piece(list, &p))
        adl_notes_add(notes,
                      "cb_aggregator_list: '%.*s': there are only %d ranks",
                      (int)len, text, list->nranks);
}

int adl_ranklist_parse(const char *text, int nranks, struct adl_notes *notes,
                       int *rank)
{
    static const char separators[] = " ,;\t\n";
    struct list list = {nranks, 0, calloc(1, (size_t)nranks + 1), rank};

    if (!list.used)
        return -ENOMEM;
    for (text += strspn(text, separators); *text;
         text += strspn(text, separators)) {
        size_t len = strcspn(text, separators);

        take_piece(&list, text, len, notes);
        text += len;
    }
    free(list.used);
    if (!list.count)
        adl_notes_add(notes, "cb_aggregator_list: no usable rank; placing "
                             "automatically");
    return list.count;
}
