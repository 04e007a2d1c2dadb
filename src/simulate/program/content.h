/* content.h - a byte's value is a function of file, time step and offset */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_CONTENT_H
#define SIMULATE_CONTENT_H

#include <stdint.h>

/* What stands at [off, off + len) of version `version`. */
void content_fill(uint64_t version, int64_t off, int64_t len,
                  unsigned char *to);

/* How many bytes are not what they should be; *first: where the first is. */
int64_t content_differ(uint64_t version, int64_t off, int64_t len,
                       const unsigned char *got, int64_t *first);

/* The same, where a byte may also be 0: never written. */
int64_t content_neither(uint64_t version, int64_t off, int64_t len,
                        const unsigned char *got, int64_t *first);

#endif
