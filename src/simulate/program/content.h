/* content.h - a byte's value is a function of file, time step and offset */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_CONTENT_H
#define SIMULATE_CONTENT_H

#include <stdint.h>

/* Write the bytes [off, off + len) of version `version` of the file to `to`. */
void content_fill(uint64_t version, int64_t off, int64_t len,
                  unsigned char *to);

/* Compare bytes with version `version`. Returns how many differ; *first is the
 * offset of the first one. */
int64_t content_differ(uint64_t version, int64_t off, int64_t len,
                       const unsigned char *got, int64_t *first);

/* The same, where a byte may also be 0: never written. */
int64_t content_neither(uint64_t version, int64_t off, int64_t len,
                        const unsigned char *got, int64_t *first);

#endif
