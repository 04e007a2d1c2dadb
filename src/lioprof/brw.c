/* brw.c - brw_stats of OSTs: histograms of the server's own I/O */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "brw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TARGETS 4096
#define MAX_ROWS 512

const char *const lp_brw_titles[LP_BRW_SECTIONS] = {
    "",
    "pages per bulk r/w",
    "discontiguous pages",
    "discontiguous blocks",
    "disk fragmented I/Os",
    "disk I/Os in flight",
    "I/O time (1/1000s)",
    "disk I/O size",
};

/* The entry of a target, made if need be; number + 1, 0: no room. */
static unsigned entry_of(struct lp_brw_list *b, const char *name, size_t len)
{
    struct lp_brw *more;

    for (unsigned i = 0; i < b->count; i++)
        if (strlen(b->list[i].target) == len &&
            memcmp(b->list[i].target, name, len) == 0)
            return i + 1;
    if (b->count >= MAX_TARGETS)
        return 0;
    more = realloc(b->list, (b->count + 1) * sizeof(*more));
    if (!more)
        return 0;
    b->list = more;
    more[b->count] = (struct lp_brw){.target = strndup(name, len)};
    return more[b->count].target ? ++b->count : 0;
}

void lp_brw_begin(struct lp_brw_list *b, const char *target)
{
    b->current = entry_of(b, target, strlen(target));
    b->section = LP_BRW_NONE;
}

/* obdfilter.lustre-OST0000.brw_stats= */
static int take_name(struct lp_brw_list *b, const char *text)
{
    const char *end = strstr(text, ".brw_stats="), *start;

    if (!end)
        return 0;
    for (start = end; start > text && start[-1] != '.'; start--)
        ;
    b->current = entry_of(b, start, (size_t)(end - start));
    b->section = LP_BRW_NONE;
    return 1;
}

static int take_title(struct lp_brw_list *b, const char *text)
{
    for (int i = 1; i < LP_BRW_SECTIONS; i++)
        if (strncmp(text, lp_brw_titles[i], strlen(lp_brw_titles[i])) == 0) {
            b->section = (enum lp_brw_section)i;
            return 1;
        }
    return 0;
}

static struct lp_brw_row *row_of(struct lp_brw *t, enum lp_brw_section section,
                                 const char *label)
{
    struct lp_brw_row *more;

    for (unsigned i = 0; i < t->rows; i++)
        if (t->row[i].section == section && strcmp(t->row[i].label, label) == 0)
            return &t->row[i];
    if (t->rows >= MAX_ROWS)
        return NULL;
    more = realloc(t->row, (t->rows + 1) * sizeof(*more));
    if (!more)
        return NULL;
    t->row = more;
    more[t->rows] = (struct lp_brw_row){.section = section};
    snprintf(more[t->rows].label, sizeof(more->label), "%s", label);
    return &more[t->rows++];
}

/* "  1:     108 100 100   |    39   0   0" */
static int take_row(struct lp_brw_list *b, const char *text)
{
    struct lp_brw *t = &b->list[b->current - 1];
    unsigned long long reads, writes;
    struct lp_brw_row *row;
    char label[16];

    if (b->section == LP_BRW_NONE ||
        sscanf(text, " %15[^: ]: %llu %*d %*d | %llu", label, &reads,
               &writes) != 3)
        return 0;
    row = row_of(t, b->section, label);
    if (!row)
        return 1;
    row->last[0] = reads;
    row->last[1] = writes;
    if (t->snapshots <= 1) {
        row->first[0] = reads;
        row->first[1] = writes;
    }
    return 1;
}

int lp_brw_line(struct lp_brw_list *b, const char *text, size_t len)
{
    char line[256];
    size_t blanks;

    if (len >= sizeof(line))
        return 0;
    memcpy(line, text, len);
    line[len] = '\0';
    if (take_name(b, line))
        return 1;
    if (!b->current)
        return 0;
    blanks = strspn(line, " \t");
    if (strncmp(line + blanks, "snapshot_time", 13) == 0) {
        b->list[b->current - 1].snapshots++;
        b->section = LP_BRW_NONE;
        return 1;
    }
    if (take_title(b, line + blanks) || take_row(b, line))
        return 1;
    return blanks == len || strstr(line, "read") != NULL ||
           strncmp(line + blanks, "start_time", 10) == 0 ||
           strncmp(line + blanks, "elapsed_time", 12) == 0;
}

void lp_brw_release(struct lp_brw_list *b)
{
    for (unsigned i = 0; i < b->count; i++) {
        free(b->list[i].target);
        free(b->list[i].row);
    }
    free(b->list);
    *b = (struct lp_brw_list){0};
}

uint64_t lp_brw_value(const struct lp_brw *b, const struct lp_brw_row *row,
                      int dir)
{
    uint64_t before = b->snapshots > 1 ? row->first[dir] : 0;

    return row->last[dir] > before ? row->last[dir] - before : 0;
}
