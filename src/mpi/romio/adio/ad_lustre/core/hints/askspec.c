/* askspec.c - from hints to the layout to ask for */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "askspec.h"

#include <errno.h>

/* One NIC of a client node drives about this many OSTs (disk ones; a flash OST
 * or two fill it). */
#define OSTS_PER_NIC 4

static int asked(const struct adl_hints *h, enum adl_hint id)
{
    return h->state[id].asked != NULL;
}

static int anything_asked(const struct adl_hints *h)
{
    return h->striping_factor || h->striping_unit || h->start_iodevice >= 0 ||
           h->overstriping_factor > 1 || h->ost_list || h->pool || h->striping;
}

/* What the directory would have given: a new file's own values then replace
 * it one by one. */
static void inherit_directory(const struct adl_layout *layout,
                              struct adl_spec_comp *to)
{
    int n = layout ? adl_layout_ncomponents(layout) : 0;
    const struct adl_component *from;

    if (n == 0)
        return;
    from = adl_layout_component(layout, n - 1);
    if (from->pattern & ADL_LOV_PATTERN_MDT)
        return;
    adl_spec_comp_like(to, from);
    if (!adl_layout_head(layout)->composite &&
        from->stripe_offset != ADL_LOV_OFFSET_ANY)
        to->start_ost = from->stripe_offset;
}

static int osts_per_node(int nics)
{
    return OSTS_PER_NIC * (nics > 1 ? nics : 1);
}

int64_t adl_askspec_stripes(int64_t osts, int nodes, int nics)
{
    int64_t count = (int64_t)nodes * osts_per_node(nics);

    if (osts <= 0)
        return 0;
    return count < osts ? count : osts;
}

static int automatic_count(const struct adl_ask *ask, struct adl_notes *notes)
{
    int64_t count = adl_askspec_stripes(ask->osts, ask->nodes, ask->nics);

    if (count == 0) {
        adl_notes_add(notes, "striping=auto: the number of OSTs is not known; "
                             "the directory's stripe count is kept");
        return 0;
    }
    adl_notes_add(notes,
                  "striping=auto: %d node%s, %d OST%s: stripe count %d (the "
                  "OSTs, at most %d for each node)",
                  ask->nodes, ask->nodes == 1 ? "" : "s", ask->osts,
                  ask->osts == 1 ? "" : "s", (int)count,
                  osts_per_node(ask->nics));
    return (int)count;
}

static void choose_count(const struct adl_ask *ask, struct adl_notes *notes,
                         struct adl_spec_comp *comp)
{
    int count = (int)ask->hints->striping_factor;

    if (count == 0 && ask->hints->striping)
        count = automatic_count(ask, notes);
    if (count == 0)
        return;
    comp->stripe_count = count;
    comp->overstriped = 0;
}

/* k stripes on each OST. "All OSTs" has a form of its own up to 32 each. */
static void overstripe(const struct adl_ask *ask, struct adl_spec_comp *comp)
{
    int64_t k = ask->hints->overstriping_factor, n = comp->stripe_count;

    if (k <= 1 || comp->nosts)
        return;
    if (n <= 0 && ask->osts > 0)
        n = n == 0 ? 1 : ask->osts;
    if (n < 0 && k <= 32)
        n = -k;
    else
        n = (n > 0 ? n : 1) * k;
    comp->stripe_count = n > ADL_LOV_MAX_STRIPES ? ADL_LOV_MAX_STRIPES : (int)n;
    comp->overstriped = 1;
}

static int choose_osts(const struct adl_hints *h, struct adl_notes *notes,
                       struct adl_spec_comp *comp, struct adl_err *err)
{
    int rc;

    if (!h->ost_list)
        return 0;
    comp->overstriped = 0;
    comp->stripe_count = 0;
    comp->start_ost = -1;
    rc = adl_spec_comp_osts(comp, h->ost_list, err);
    if (!rc && h->striping_factor > 0 && h->striping_factor != comp->nosts)
        adl_notes_add(notes,
                      "striping_factor=%d: romio_lustre_ost_list names %d "
                      "OSTs, which are used",
                      (int)h->striping_factor, comp->nosts);
    return rc;
}

static int ask_plain(const struct adl_ask *ask, struct adl_notes *notes,
                     struct adl_spec_comp *comp, struct adl_err *err)
{
    const struct adl_hints *h = ask->hints;
    int rc = 0;

    inherit_directory(ask->inherited, comp);
    choose_count(ask, notes, comp);
    if (h->striping_unit)
        comp->stripe_size = h->striping_unit;
    if (h->start_iodevice >= 0)
        comp->start_ost = (int)h->start_iodevice;
    if (h->pool)
        rc = adl_spec_comp_pool(comp, h->pool, err);
    if (!rc)
        rc = choose_osts(h, notes, comp, err);
    overstripe(ask, comp);
    return rc;
}

static int ask_composite(const struct adl_hints *h, struct adl_notes *notes,
                         struct adl_layout_spec *spec, struct adl_err *err)
{
    static const enum adl_hint others[] = {
        ADL_HINT_striping_factor, ADL_HINT_striping_unit,
        ADL_HINT_start_iodevice,  ADL_HINT_overstriping_factor,
        ADL_HINT_ost_list,        ADL_HINT_pool,
        ADL_HINT_striping};

    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (asked(h, others[i]))
            adl_notes_add(notes,
                          "%s ignored: romio_lustre_comp_layout sets the "
                          "whole layout",
                          adl_hint_def(others[i])->set.name);
    return adl_layout_spec_parse(h->comp_layout, spec, err);
}

int adl_askspec(const struct adl_ask *ask, struct adl_notes *notes,
                struct adl_layout_spec *spec, struct adl_err *err)
{
    struct adl_spec_comp *comp;
    int rc;

    if (!ask->hidden && !ask->hints->comp_layout && !anything_asked(ask->hints))
        return 0;
    if (!ask->hidden && ask->hints->comp_layout) {
        rc = ask_composite(ask->hints, notes, spec, err);
        return rc ? rc : 1;
    }
    comp = adl_layout_spec_add(spec);
    if (!comp)
        return adl_err_set(err, -ENOMEM, "out of memory");
    if (ask->hidden) {
        comp->stripe_count = 1;
        return 1;
    }
    rc = ask_plain(ask, notes, comp, err);
    return rc ? rc : 1;
}
