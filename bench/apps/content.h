/* content.h - what every byte of every file is
 *
 * A byte depends only on the seed, the file's number and its offset. So any
 * rank can make and compare data piece by piece, also in a later run, and
 * whichever rank wrote them.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef APPS_CONTENT_H
#define APPS_CONTENT_H

#include <stdint.h>

/* A number that stands for all bytes of one file. */
uint64_t content_key(uint64_t seed, int file);

void content_fill(uint64_t key, int64_t off, unsigned char *buf, int64_t len);

/* The number of bytes that differ; *first is the offset of the first one. */
int64_t content_check(uint64_t key, int64_t off, const unsigned char *buf,
                      int64_t len, int64_t *first);

#endif
