/* collect.h - the commands that trace servers, as text
 *
 * Each step on a server is one shell script: start, stop, fetch. This module
 * writes the scripts; its callers run or print them. The start first records
 * the server's debug settings, so that the stop restores them even after a
 * start that failed half-way.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_COLLECT_H
#define LP_COLLECT_H

#include "core/text/strbuf.h"

struct lp_collect {
    const char *rsh; /* "ssh", "pdsh" or "local" */
    const char
        *remote_dir;    /* of the servers, made by the start; -HOST follows */
    unsigned buffer_mb; /* debug log buffer in memory */
    unsigned file_mb;   /* largest log on disk */
    int bytes;          /* also trace transfers: sizes of requests */
    int locks;          /* also trace locks: objects of callbacks */
    int iostat;
};

/* The hosts of a list "a,b c". 0, or -EINVAL if a name has characters that host
 * names do not have. */
int lp_collect_check_host(const char *host);

/* A shell command that runs a step on a host. */
void lp_collect_start(const struct lp_collect *c, const char *host,
                      struct adl_strbuf *out);
void lp_collect_stop(const struct lp_collect *c, const char *host,
                     struct adl_strbuf *out);
/* Copies the collected files to `into`, and removes them on the server. */
void lp_collect_fetch(const struct lp_collect *c, const char *host,
                      const char *into, struct adl_strbuf *out);
/* Prints the host's clock, microseconds since the epoch. */
void lp_collect_clock(const struct lp_collect *c, const char *host,
                      struct adl_strbuf *out);

/* A text as one word for the shell. */
void lp_shell_quote(struct adl_strbuf *out, const char *text);

#endif
