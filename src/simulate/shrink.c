/* shrink.c - makes a case that fails as small as possible */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "shrink.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define CPU 60

struct search {
    const struct sim_case *whole;
    const struct world_options *options;
    enum verdict verdict;
    int tries;
    char **item;
    char *gone; /* [n] */
    int n;
    const char *given;
};

static char *join(const struct search *s)
{
    size_t room = strlen(s->given) + 2;
    char *text;

    for (int i = 0; i < s->n; i++)
        room += strlen(s->item[i]) + 1;
    text = must_calloc(1, room);
    strcpy(text, s->given);
    for (int i = 0; i < s->n; i++)
        if (s->gone[i]) {
            if (*text)
                strcat(text, ",");
            strcat(text, s->item[i]);
        }
    return text;
}

static int still_fails(struct search *s)
{
    struct child_result result;
    struct sim_case c = *s->whole;
    char *items = join(s);

    s->tries--;
    case_cut(&c, items);
    child_run(&c, s->options, 1, CPU, &result);
    free(result.output);
    free(items);
    return result.verdict == s->verdict;
}

/* Items [first, first + len) go if the case fails without them too; 1: done. */
static int try_without(struct search *s, int first, int len)
{
    char before[JOB_ITEMS];
    int some = 0;

    memcpy(before, s->gone, (size_t)s->n);
    for (int i = first; i < first + len && i < s->n; i++) {
        some |= !s->gone[i];
        s->gone[i] = 1;
    }
    if (!some)
        return 0;
    if (s->tries > 0 && still_fails(s))
        return 1;
    memcpy(s->gone, before, (size_t)s->n);
    return 0;
}

char *shrink(const struct sim_case *whole, const char *items,
             const struct world_options *options, enum verdict verdict,
             int tries)
{
    struct search s = {whole, options, verdict, tries, NULL, NULL, 0, items};
    struct sim_case c = *whole;
    char *result;
    int some = 1;

    case_cut(&c, items);
    s.item = child_items(&c, options, &s.n);
    if (s.n > JOB_ITEMS)
        s.n = JOB_ITEMS;
    s.gone = must_calloc((size_t)s.n + 1, 1);
    for (int len = s.n / 2; len > 1; len /= 2)
        for (int i = 0; i < s.n; i += len)
            try_without(&s, i, len);
    while (some && s.tries > 0) {
        some = 0;
        for (int i = 0; i < s.n; i++)
            some |= try_without(&s, i, 1);
    }
    result = join(&s);
    for (int i = 0; i < s.n; i++)
        free(s.item[i]);
    free(s.item);
    free(s.gone);
    return result;
}
