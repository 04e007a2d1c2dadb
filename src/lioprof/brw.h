/* brw.h - brw_stats of OSTs: histograms of the server's own I/O
 *
 * The counters only grow. With two or more snapshots of a target the result is
 * the last one minus the first one; with one snapshot it is that one.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_BRW_H
#define LP_BRW_H

#include <stddef.h>
#include <stdint.h>

enum lp_brw_section {
    LP_BRW_NONE,
    LP_BRW_PAGES,      /* pages per bulk */
    LP_BRW_GAP_PAGES,  /* discontiguous pages */
    LP_BRW_GAP_BLOCKS, /* discontiguous blocks */
    LP_BRW_FRAGMENTS,  /* disk I/Os a request was cut into */
    LP_BRW_FLIGHT,     /* disk I/Os in flight */
    LP_BRW_TIME,       /* I/O time in ms */
    LP_BRW_SIZE,       /* disk I/O size */
    LP_BRW_SECTIONS
};

extern const char *const lp_brw_titles[LP_BRW_SECTIONS];

struct lp_brw_row {
    enum lp_brw_section section;
    char label[16];
    uint64_t first[2], last[2]; /* read, write */
};

struct lp_brw {
    char *target;
    unsigned snapshots;
    struct lp_brw_row *row;
    unsigned rows;
};

struct lp_brw_list {
    struct lp_brw *list;
    unsigned count;
    /* the place in the text: */
    unsigned current; /* target + 1, 0: none yet */
    enum lp_brw_section section;
};

/* A new file begins: lines without a target's name belong to `target`. */
void lp_brw_begin(struct lp_brw_list *b, const char *target);
/* One line of brw_stats, as in the file or as `lctl get_param` prints it. 1: it
 * was read; 0: it is another line. */
int lp_brw_line(struct lp_brw_list *b, const char *text, size_t len);
void lp_brw_release(struct lp_brw_list *b);

/* What a row counted between the snapshots; dir: 0 read, 1 write. */
uint64_t lp_brw_value(const struct lp_brw *b, const struct lp_brw_row *row,
                      int dir);

#endif
