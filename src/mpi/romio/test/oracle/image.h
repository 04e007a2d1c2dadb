/* image.h - what the file must hold
 *
 * For each byte the image knows the last call that wrote it and which ranks
 * did in that call. A byte's value is a function of call, rank and offset, so
 * that any of those ranks' values is right, and no other. In atomic mode the
 * winners must also fit some serial order of the ranks.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ORACLE_IMAGE_H
#define ORACLE_IMAGE_H

#include <stdint.h>
#include <stdio.h>

#include "access.h"

#define IMAGE_CALLS 64
#define IMAGE_PREFILL 1 /* the call that stands for the first content */

struct image {
    uint64_t key; /* of the case */
    int64_t base; /* nothing lies below */
    int64_t size; /* of the file */
    int64_t room;
    uint16_t *call; /* 0: a hole */
    uint16_t *mask; /* ranks */
    uint8_t atomic[IMAGE_CALLS];
    uint16_t beats[IMAGE_CALLS][MAX_RANKS]; /* who lost against a rank */
};

/* What rank `rank` writes in call `call` to [off, off + len). */
void image_values(uint64_t key, int call, int rank, int64_t off, int64_t len,
                  unsigned char *to);

void image_begin(struct image *img, uint64_t key, int64_t base);
void image_free(struct image *img);
void image_write(struct image *img, int call, int rank, int64_t off,
                 int64_t len);
void image_resize(struct image *img, int64_t size);

/* Compare with a file. 0: as it must be; else a text is in `why`. */
int image_check(struct image *img, int fd, char *why, size_t room);

#endif
