/* view.h - a study in the order in which it is shown
 *
 * Targets and clients are sorted by name. Amounts are bytes if the logs have
 * them, else requests.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_VIEW_H
#define LP_VIEW_H

#include "study.h"

enum { LP_BOTH = 2 }; /* a direction, beside 0 read and 1 write */

struct lp_view_client {
    unsigned number;
    char name[64];
};

struct lp_view_target {
    unsigned number;
    int named; /* an OST, not a host whose requests name none */
    int mdt;   /* a metadata target */
    char name[80];
};

struct lp_view {
    const struct lp_study *study;
    struct lp_view_target *target;
    unsigned targets; /* without metadata targets */
    /* metadata targets that sent callbacks, after the targets in `target` */
    unsigned mdts;
    unsigned osts; /* targets that are OSTs; all, where the logs name none */
    /* clients that moved data or took part in lock conflicts */
    struct lp_view_client *client;
    unsigned clients;
    const struct lp_pair **pair; /* [client * targets + target], or NULL */
    int bytes_known;             /* of most reads and writes */
    double seconds;              /* from the first to the last request */
};

struct lp_view *lp_view_create(const struct lp_study *s);
void lp_view_destroy(struct lp_view *v);

const char *lp_view_target(const struct lp_view *v, unsigned i);
const struct lp_target *lp_view_counts(const struct lp_view *v, unsigned i);
const struct lp_pair *lp_view_pair(const struct lp_view *v, unsigned client,
                                   unsigned target);

/* Bytes, or requests where bytes are not known. dir: 0, 1 or LP_BOTH. */
double lp_view_amount(const struct lp_view *v, const struct lp_counts *c,
                      int dir);
/* The same for one time bin of a target's (pair 0) or pair's series. */
double lp_view_at(const struct lp_view *v, const struct lp_series *s, int pair,
                  unsigned bin, int dir);
/* An amount, or (rate) an amount a second, as text. */
const char *lp_view_text(const struct lp_view *v, double amount, int rate,
                         char *out);
const char *lp_view_unit(const struct lp_view *v); /* "bytes", "requests" */

/* Clients that moved data to or from target i in a direction. */
unsigned lp_view_users(const struct lp_view *v, unsigned target, int dir);
/* Targets client i used. */
unsigned lp_view_used(const struct lp_view *v, unsigned client, int dir);

#endif
