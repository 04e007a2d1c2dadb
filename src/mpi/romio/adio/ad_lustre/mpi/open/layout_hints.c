/* layout_hints.c - from the layout a file has to the hints in force */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "layout_hints.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/layout/layspec.h"

int adl_layout_hints_made_up(struct adl_file *f)
{
    int64_t size = f->hints.striping_unit, count = f->hints.striping_factor;

    if (size <= 0)
        size = 1 << 20;
    if (count <= 0)
        count = f->nodes.count;
    if (count > ADL_LOV_MAX_STRIPES)
        count = ADL_LOV_MAX_STRIPES;
    if (!f->hidden && !f->on_lustre)
        adl_notes_add(&f->notes,
                      "not Lustre: files here have no layout; one is made up "
                      "from striping_unit and striping_factor");
    return adl_layout_plain(size, (int)count, &f->layout);
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

static void note_refusal(struct adl_file *f, const struct adl_outcome *out,
                         const struct striping *s)
{
    char words[160];

    describe(f->layout, s, words, sizeof(words));
    adl_notes_add(&f->notes, "%s: layout '%s' refused: %s; created with %s",
                  f->name, out->text, strerror(-out->refused), words);
}

/* Lustre cuts a count that is too large, without a word. */
static void note_less(struct adl_file *f, const struct striping *s)
{
    int64_t wanted = f->hints.striping_factor;

    if (wanted > 0 && !f->hints.ost_list && !f->hints.comp_layout &&
        s->osts < wanted)
        adl_notes_add(&f->notes,
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

/* The text of a composite layout nobody here asked for. Mirrors and extensions
 * are not hints' business: no text. */
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

static void take_texts(struct adl_file *f, const struct adl_outcome *out,
                       enum adl_origin origin)
{
    struct adl_hints *h = &f->hints;
    int n = adl_layout_ncomponents(f->layout);
    int composite = adl_layout_head(f->layout)->composite;
    int honoured = out->asked && !out->refused;
    char text[512];

    if (!honoured || !h->comp_layout) {
        text[0] = '\0';
        if (composite)
            composite_text(f->layout, text, sizeof(text));
        adl_hints_adjust_text(h, ADL_HINT_comp_layout, text, origin);
    }
    if (!honoured)
        adl_hints_adjust_text(h, ADL_HINT_ost_list, "", origin);
    if (n > 0 && !composite)
        adl_hints_adjust_text(h, ADL_HINT_pool,
                              adl_layout_component(f->layout, 0)->pool, origin);
}

/* Elsewhere than on Lustre nothing is striped: only what was asked for, and
 * taken for the domains, is in force. */
static void take_made_up(struct adl_file *f)
{
    struct adl_hints *h = &f->hints;
    int64_t size;
    int count;

    adl_layout_stripe(f->layout, 0, &size, &count);
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

void adl_layout_hints_take(struct adl_file *f, const struct adl_outcome *out)
{
    enum adl_origin origin = out->existed ? ADL_FROM_FILE : ADL_FROM_DIRECTORY;
    struct adl_hints *h = &f->hints;
    struct striping s;

    if (!f->on_lustre) {
        take_made_up(f);
        return;
    }
    measure(f->layout, &s);
    if (out->refused)
        note_refusal(f, out, &s);
    else if (out->asked)
        note_less(f, &s);
    adl_hints_adjust(h, ADL_HINT_striping_factor, s.osts, origin);
    adl_hints_adjust(h, ADL_HINT_overstriping_factor, s.stripes / s.osts,
                     origin);
    adl_hints_adjust(h, ADL_HINT_striping_unit, s.size, origin);
    adl_hints_adjust(h, ADL_HINT_start_iodevice, s.first, origin);
    take_texts(f, out, origin);
}
