/* display.c - what rank 0 prints at open, in the layouts users know */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "display.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Is `asked` (NULL: nothing) something else than the value shown? */
static bool differs(enum adl_hint id, const char *asked, const char *value)
{
    const struct adl_setting *set = &adl_hint_def(id)->set;
    const char *now = value ? value : set->def;
    int64_t a, b;

    if (!asked)
        return false;
    if (set->kind != ADL_KIND_TEXT && !adl_setting_parse(set, asked, &a) &&
        !adl_setting_parse(set, now, &b))
        return a != b;
    return strcmp(asked, now) != 0;
}

/* Where the value came from, and which source asked for another one. */
static void put_origin(struct adl_strbuf *sb, const struct adl_hint_state *st,
                       bool other, bool lost)
{
    if (st->origin == ADL_FROM_DEFAULT && !other && !lost)
        return;
    adl_strbuf_printf(sb, " (%s", adl_origin_text(st->origin));
    if (other)
        adl_strbuf_printf(sb, "; %s asked for %s", adl_origin_text(st->asker),
                          st->asked);
    if (lost)
        adl_strbuf_printf(sb, "; %s asked for %s", adl_origin_text(st->loser),
                          st->lost);
    adl_strbuf_putc(sb, ')');
}

static void show_hint(struct adl_strbuf *sb, const struct adl_hints *h,
                      enum adl_hint id)
{
    const struct adl_hint_state *st = &h->state[id];
    char buf[32];
    const char *value = adl_hints_text(h, id, buf, sizeof(buf));
    bool other = differs(id, st->asked, value);

    if (!value && !other)
        return;
    adl_strbuf_printf(sb, "          %-24s = %s", adl_hint_def(id)->set.name,
                      value ? value : "NULL");
    put_origin(sb, st, other, differs(id, st->lost, value));
    adl_strbuf_putc(sb, '\n');
}

void adl_display_hints(struct adl_strbuf *sb, const char *file,
                       const struct adl_hints *h)
{
    adl_strbuf_printf(sb, "PE 0: MPIIO hints for %s:\n", file);
    for (int i = 0; i < ADL_HINT_COUNT; i++)
        show_hint(sb, h, (enum adl_hint)i);
}

void adl_display_placement(struct adl_strbuf *sb, const char *file,
                           const struct adl_placement *p,
                           const struct adl_nodemap *nodes, int64_t stride)
{
    adl_strbuf_printf(sb, "Aggregator Placement for %s\n", file);
    adl_strbuf_printf(sb, "  AggPlacementStride=%" PRId64 "\n", stride);
    adl_strbuf_puts(sb, "  AGG    Rank       nid\n"
                        " ----  ------  --------\n");
    for (int a = 0; a < p->count; a++) {
        const char *name = NULL;
        char number[32];

        if (p->node[a] >= 0)
            name = adl_nodemap_name(nodes, p->node[a]);
        snprintf(number, sizeof(number), "node%d", p->node[a]);
        adl_strbuf_printf(sb, " %4d  %6d  %8s\n", a, p->rank[a],
                          name ? name : number);
    }
}
