/* striping.c - sets the striping hints to the layout that a file has */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "striping.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../layout/layspec.h"

int adl_striping_made_up(const struct adl_hints *h, int nodes,
                         struct adl_layout **out)
{
    int64_t size = h->striping_unit, count = h->striping_factor;

    if (size <= 0)
        size = 1 << 20;
    if (count <= 0)
        count = nodes;
    if (count > ADL_LOV_MAX_STRIPES)
        count = ADL_LOV_MAX_STRIPES;
    return adl_layout_plain(size, (int)count, out);
}

/* What the striping hints are called by. */
struct striping {
    int64_t size;
    int stripes; /* of the last component: where a growing file goes */
    int osts;    /* different ones among them; = stripes if not known */
    int first;   /* OST, -1: not known */
};

static int compare_ints(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int count_different(int *v, int n)
{
    int i, different = n > 0;

    qsort(v, n, sizeof(int), compare_ints);
    for (i = 1; i < n; i++)
        different += v[i] != v[i - 1];
    return n > 0 && v[0] < 0 ? n : different;
}

/* Overstriped evenly: k stripes on each of n OSTs. Otherwise stripes count as
 * if each had its own. */
static void count_osts(const struct adl_layout *layout, struct striping *s)
{
    int total = adl_layout_objects(layout), i;
    int *osts = malloc(sizeof(int) * s->stripes);
    struct adl_home home;

    s->osts = s->stripes;
    s->first = -1;
    if (!osts || total < s->stripes) {
        free(osts);
        return;
    }
    for (i = 0; i < s->stripes; i++) {
        adl_layout_home(layout, total - s->stripes + i, &home);
        osts[i] = home.ost;
    }
    s->first = osts[0];
    s->osts = count_different(osts, s->stripes);
    if (s->stripes % s->osts)
        s->osts = s->stripes;
    free(osts);
}

static void measure(const struct adl_layout *layout, struct striping *s)
{
    adl_layout_stripe(layout, ADL_LAYOUT_EOF - 1, &s->size, &s->stripes);
    if (s->stripes < 1)
        s->stripes = 1;
    count_osts(layout, s);
}

/* ---- words ---- */

static void describe(const struct adl_layout *layout, const struct striping *s,
                     char *buf, size_t size)
{
    int n = adl_layout_ncomponents(layout);

    if (adl_layout_head(layout)->composite)
        snprintf(buf, size,
                 "%d components, the last one of %d stripes of %" PRId64
                 " bytes",
                 n, s->stripes, s->size);
    else
        snprintf(buf, size, "%d stripe%s of %" PRId64 " bytes", s->stripes,
                 s->stripes == 1 ? "" : "s", s->size);
}

static void note_refusal(const struct adl_layout *layout,
                         const struct adl_creation *how,
                         const struct striping *s, const char *name,
                         struct adl_notes *notes)
{
    char words[160];

    describe(layout, s, words, sizeof(words));
    adl_notes_add(notes, "%s: layout '%s' refused: %s; created with %s", name,
                  how->text, strerror(-how->refused), words);
}

/* Lustre silently lowers a stripe count that is too large. */
static void note_less(const struct adl_hints *h, const struct striping *s,
                      struct adl_notes *notes)
{
    int64_t wanted = h->striping_factor;

    if (wanted > 0 && !h->ost_list && !h->comp_layout && s->osts < wanted)
        adl_notes_add(notes,
                      "striping_factor=%" PRId64 ": the file system gave %d",
                      wanted, s->osts);
}

/* ---- hints ---- */

static void spec_of_component(const struct adl_component *c,
                              struct adl_spec_comp *to)
{
    to->end = c->end;
    to->mirror = 0;
    adl_spec_comp_like(to, c);
}

/* The text of a composite layout that no hint asked for. Mirrors and extensions
 * cannot be set by hints: no text. */
static void composite_text(const struct adl_layout *layout, char *buf,
                           size_t size)
{
    struct adl_layout_spec spec = {.composite = 1};
    struct adl_spec_comp *to;
    int i, n = adl_layout_ncomponents(layout);

    buf[0] = '\0';
    for (i = 0; i < n; i++) {
        const struct adl_component *c = adl_layout_component(layout, i);

        if (adl_layout_nmirrors(layout) > 1 ||
            (c->flags & ADL_LCME_FL_EXTENSION))
            break;
        to = adl_layout_spec_add(&spec);
        if (!to)
            break;
        spec_of_component(c, to);
    }
    if (i == n && adl_layout_spec_format(&spec, buf, size) >= (int)size)
        buf[0] = '\0';
    adl_layout_spec_clear(&spec);
}

static void take_texts(struct adl_hints *h, const struct adl_layout *layout,
                       const struct adl_creation *how, enum adl_origin origin)
{
    int n = adl_layout_ncomponents(layout);
    int composite = adl_layout_head(layout)->composite;
    int honoured = how->asked && !how->refused;
    char text[512];

    if (!honoured || !h->comp_layout) {
        text[0] = '\0';
        if (composite)
            composite_text(layout, text, sizeof(text));
        adl_hints_adjust_text(h, ADL_HINT_comp_layout, text, origin);
    }
    if (!honoured)
        adl_hints_adjust_text(h, ADL_HINT_ost_list, "", origin);
    if (n > 0 && !composite)
        adl_hints_adjust_text(h, ADL_HINT_pool,
                              adl_layout_component(layout, 0)->pool, origin);
}

void adl_striping_take_made_up(struct adl_hints *h,
                               const struct adl_layout *layout)
{
    int64_t size;
    int count;

    adl_layout_stripe(layout, 0, &size, &count);
    if (h->striping_factor)
        adl_hints_adjust(h, ADL_HINT_striping_factor, count, ADL_FROM_DEFAULT);
    if (h->striping_unit)
        adl_hints_adjust(h, ADL_HINT_striping_unit, size, ADL_FROM_DEFAULT);
    adl_hints_adjust(h, ADL_HINT_start_iodevice, -1, ADL_FROM_DEFAULT);
    adl_hints_adjust(h, ADL_HINT_overstriping_factor, 1, ADL_FROM_DEFAULT);
    adl_hints_adjust_text(h, ADL_HINT_comp_layout, "", ADL_FROM_DEFAULT);
    adl_hints_adjust_text(h, ADL_HINT_ost_list, "", ADL_FROM_DEFAULT);
    adl_hints_adjust_text(h, ADL_HINT_pool, "", ADL_FROM_DEFAULT);
}

void adl_striping_take(struct adl_hints *h, const struct adl_layout *layout,
                       const struct adl_creation *how, const char *name,
                       struct adl_notes *notes)
{
    enum adl_origin origin = how->existed ? ADL_FROM_FILE : ADL_FROM_DIRECTORY;
    struct striping s;

    measure(layout, &s);
    if (how->refused)
        note_refusal(layout, how, &s, name, notes);
    else if (how->asked)
        note_less(h, &s, notes);
    adl_hints_adjust(h, ADL_HINT_striping_factor, s.osts, origin);
    adl_hints_adjust(h, ADL_HINT_overstriping_factor, s.stripes / s.osts,
                     origin);
    adl_hints_adjust(h, ADL_HINT_striping_unit, s.size, origin);
    adl_hints_adjust(h, ADL_HINT_start_iodevice, s.first, origin);
    take_texts(h, layout, how, origin);
}
