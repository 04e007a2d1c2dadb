/* collect.h - the commands that trace servers, as text
 *
 * Everything that is done on a server is one shell script a step: start, stop,
 * fetch. They are made here and run or only printed elsewhere. What is switched
 * on is switched off again to what it was, also when the start went wrong
 * half-way: the first thing the start does is to note how it was.
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
    unsigned file_mb;   /* most of a log on disk */
    int bytes;          /* also trace transfers: sizes of requests */
    int locks;          /* also trace locks: objects of callbacks */
    int iostat;
};

/* Words of a list "a,b c": hosts. 0 or -EINVAL: a host's name has characters
 * that none has. */
int lp_collect_check_host(const char *host);

/* A shell command that runs a step on a host. */
void lp_collect_start(const struct lp_collect *c, const char *host,
                      struct adl_strbuf *out);
void lp_collect_stop(const struct lp_collect *c, const char *host,
                     struct adl_strbuf *out);
/* Brings what was collected into `into`, and removes it there. */
void lp_collect_fetch(const struct lp_collect *c, const char *host,
                      const char *into, struct adl_strbuf *out);
/* Prints the host's clock, microseconds since the epoch. */
void lp_collect_clock(const struct lp_collect *c, const char *host,
                      struct adl_strbuf *out);

/* A text as one word for the shell. */
void lp_shell_quote(struct adl_strbuf *out, const char *text);

#endif
