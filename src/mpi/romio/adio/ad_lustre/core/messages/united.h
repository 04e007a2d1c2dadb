/* united.h - one request for all bytes that the requests in a block name
 *
 * Ranks of a node may read the same bytes of a window. Their requests are parts
 * of one message (message.h). Here they become one part, which names every byte
 * once:
 *
 *   rank 0    ##..##..##..          rank 1    ..####......
 *   united    ########..##
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_UNITED_H
#define ADL_UNITED_H

#include <stddef.h>
#include <stdint.h>

#include "packing.h"

struct adl_united;

/* For windows of at most `window` bytes and messages of at most `room` bytes.
 * All memory is allocated here. 0 or -ENOMEM. */
int adl_united_create(int64_t window, size_t room, struct adl_united **out);
void adl_united_destroy(struct adl_united *u); /* accepts NULL */

/* Replace the requests in `message`, of *size bytes, by one request with this
 * tag. *size: its bytes then; *bytes: those that it asks for. `shift`: the unit
 * of all runs, as in cover.h. 0 or -errno. */
int adl_united_make(struct adl_united *u, int shift, uint32_t tag,
                    char *message, size_t *size, int64_t *bytes);

/* The runs of a message that adl_united_make has made, also when its head was
 * changed because the part is sent apart. 0 or -EPROTO. */
int adl_united_runs(const char *message, size_t size, int64_t window,
                    struct adl_runs_of *runs);

#endif
