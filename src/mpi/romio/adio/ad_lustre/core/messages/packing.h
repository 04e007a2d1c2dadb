/* packing.h - copies runs of a window or of the user's memory to and from
 * messages
 *
 * In a message the bytes of all runs follow each other without gaps: they are
 * packed. Received descriptions are checked. A run outside the window, a run
 * beyond the bytes that were received, and a run to be marked that is no
 * multiple of the coverage's unit give -EPROTO.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_PACKING_H
#define ADL_PACKING_H

#include <stddef.h>
#include <stdint.h>

#include "../coll/cover.h"
#include "../coll/extents.h"
#include "pattern.h"

/* The description of a rank's pieces in a cell, or of a part of them. */
struct adl_pack {
    const void *pattern; /* of the encoder, until its next reset */
    size_t pattern_size;
    int64_t bytes;
    int64_t runs;
    int64_t start; /* file offset of the first byte */
    int64_t mem;   /* offset of the first byte in the user's buffer */
    int contig;    /* the bytes are one range of memory */
};

/* Limits of a description. */
struct adl_pack_limit {
    int64_t end;   /* file offset: the cell's end */
    int64_t bytes; /* most bytes */
    int64_t runs;  /* most runs */
};

/* Describe the next pieces of `ext`, which moves past them. `shift` is added to
 * file offsets to get places in the window. Ends early where an offset does not
 * ascend (views for reading may overlap themselves). 0, or -ENOMEM: `ext` has
 * not moved. */
int adl_pack_describe(struct adl_extents *ext, int64_t shift,
                      const struct adl_pack_limit *limit,
                      struct adl_pattern *pat, struct adl_pack *out);

/* A received description of runs in [low, window). */
struct adl_runs_of {
    const void *pattern;
    size_t size;
    int64_t window;
    int64_t low;
};

/* Copy the runs of the window into a message, and back. If `cover` is not NULL
 * the runs are marked there. `bytes` must be the sum of the runs, else -EPROTO.
 */
int adl_pack_gather(const struct adl_runs_of *runs, const char *window,
                    char *packed, int64_t bytes);
int adl_pack_scatter(const struct adl_runs_of *runs, const char *packed,
                     int64_t bytes, char *window, struct adl_cover *cover);
/* Only mark the runs; *bytes is their sum. */
int adl_pack_mark(const struct adl_runs_of *runs, struct adl_cover *cover,
                  int64_t *bytes);
/* Copy the pieces of `ext` from packed runs into the user's memory, at most as
 * many bytes as the limit says. `ext` moves past them. Each piece lies inside
 * one of the runs; `shift` as above. Only the first `got` packed bytes are
 * valid. Returns the number of bytes copied. */
int64_t adl_pack_pick(const struct adl_runs_of *runs, const char *packed,
                      int64_t got, struct adl_extents *ext, int64_t shift,
                      const struct adl_pack_limit *limit, char *user);
/* The place of the only run, and its length in *len; -1 if there is not exactly
 * one run. */
int64_t adl_pack_single(const struct adl_runs_of *runs, int64_t *len);
/* Bytes of the runs that lie before `cut`, a place in the window. */
int64_t adl_pack_before(const struct adl_runs_of *runs, int64_t cut);
/* Are all runs covered? */
int adl_pack_covered(const struct adl_runs_of *runs,
                     const struct adl_cover *cover);

/* Copy the pieces of `ext`, at most `bytes` bytes, from the user's memory to
 * packed bytes, or back. `ext` moves past them. */
void adl_pack_from_user(struct adl_extents *ext, int64_t end, const char *user,
                        char *packed, int64_t bytes);
void adl_pack_to_user(struct adl_extents *ext, int64_t end, char *user,
                      const char *packed, int64_t bytes);

#endif
