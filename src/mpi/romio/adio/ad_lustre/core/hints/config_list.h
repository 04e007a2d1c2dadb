/* config_list.h - cb_config_list: which nodes may aggregate, how many ranks
 * each
 *
 *   entry[,entry...]     entry: host, host:n, host:*, *, *:n, *:*
 *
 * Without a count an entry allows 1 rank, `*` allows all, 0 forbids the node,
 * `nics` allows as many as the node has network interfaces (not ROMIO's).
 * A node's limit is that of the first entry that matches its name; a node that
 * no entry matches does not aggregate. This is ROMIO's grammar; also accepted
 * are shell patterns for hosts (nid0[1-4]*:2), and a host without its domain.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_CONFIG_LIST_H
#define ADL_CONFIG_LIST_H

#include "../text/notes.h"

struct adl_config_list;

/* A limit: as many as the node has NICs. */
#define ADL_CONFIG_NICS (-1)

/* Parse; a bad entry is noted and skipped, a count that is no number is noted
 * and taken as 1 (as in ROMIO). If nothing is left the list is `*:*`, and that
 * is noted too. 0 or -ENOMEM. */
int adl_config_list_parse(const char *text, struct adl_notes *notes,
                          struct adl_config_list **out);

/* Accepts NULL. */
void adl_config_list_destroy(struct adl_config_list *list);

/* Ranks that may aggregate on `host` (NULL: only `*` matches it), INT_MAX for
 * all, or ADL_CONFIG_NICS. *entry: number of the entry that decided, -1 if none
 * did. */
int adl_config_list_limit(const struct adl_config_list *list, const char *host,
                          int *entry);

#endif
