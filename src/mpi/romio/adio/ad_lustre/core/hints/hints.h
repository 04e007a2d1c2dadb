/* hints.h - the hints in force for one file, and where each came from
 *
 * Life: adl_hints_init; adl_hints_set for each source in any order (a higher
 * origin wins whatever the order); adl_hints_settle; pack on rank 0, broadcast,
 * unpack; adl_hints_adjust with what open found out; adl_hints_freeze. After
 * that only hints of scope ANY change.
 *
 * Reading: h->cb_nodes etc.; the fields are those of hints.def.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_HINTS_H
#define ADL_HINTS_H

#include "hint_table.h"
#include "hintspec.h"
#include "../text/notes.h"
#include "../text/strbuf.h"

/* Where a value came from; a later one outranks an earlier one. A job-wide
 * variable (MPICH_MPIIO_CB_ALIGN) is a default for all files, so MPI_Info
 * outranks it; MPICH_MPIIO_HINTS is written for this file and outranks
 * MPI_Info; a hints file (ROMIO_LUSTRE_HINTS_FILE) lies between the two. */
enum adl_origin {
    ADL_FROM_DEFAULT,
    ADL_FROM_DIRECTORY, /* the directory's default layout */
    ADL_FROM_FILE,      /* the layout that an existing file has */
    ADL_FROM_VARIABLE,  /* a job-wide environment variable */
    ADL_FROM_INFO,
    ADL_FROM_HINT_FILE,
    ADL_FROM_ENVIRONMENT, /* MPICH_MPIIO_HINTS */
    ADL_ADJUSTED,         /* what was asked for is not available */
    ADL_ORIGIN_COUNT
};

const char *adl_origin_text(enum adl_origin origin);

/* What is known about one hint besides its value. */
struct adl_hint_state {
    enum adl_origin origin; /* of the value in force */
    enum adl_origin asker;  /* of the request, if any */
    int alias;              /* name used by the request: adl_hint_alias */
    char *asked;            /* requested text, NULL if not requested */
    enum adl_origin loser;  /* of a request that a higher origin overruled, */
    char *lost;             /* and its text, NULL if there is none */
};

struct adl_hints {
#define ADL_FIELD_INT int64_t
#define ADL_FIELD_SIZE int64_t
#define ADL_FIELD_WORD int64_t
#define ADL_FIELD_TEXT char *
#define ADL_HINT(field, name, aliases, kind, words, min, max, def, scope, \
                 help)                                                    \
    ADL_FIELD_##kind field;
#include "hints.def"
#undef ADL_HINT
#undef ADL_FIELD_INT
#undef ADL_FIELD_SIZE
#undef ADL_FIELD_WORD
#undef ADL_FIELD_TEXT
    struct adl_hint_state state[ADL_HINT_COUNT];
    bool frozen;
    bool incomplete; /* malloc failed: a request is missing */
};

/* Defaults. 0 or -ENOMEM (then nothing needs releasing). */
int adl_hints_init(struct adl_hints *h);
void adl_hints_release(struct adl_hints *h);

/* One request. Returns
 *   0        it is in force (or it changes nothing)
 *   1        a higher origin has set it already
 *   -ENOENT  unknown hint (noted with a suggestion, unless it is foreign, or
 *            in an MPI_Info and like none of ours)
 *   -EINVAL, -ERANGE  bad value (noted)
 *   -EBUSY   frozen, and the hint cannot change any more (noted)
 *   -ENOMEM  the hints are `incomplete`: adl_hints_pack fails, too */
int adl_hints_set(struct adl_hints *h, const char *name, const char *value,
                  enum adl_origin origin, struct adl_notes *notes);

/* All pairs of `spec` (may be NULL) that hold for `file`. Per hint the first
 * one wins, under whichever of its names. */
void adl_hints_set_spec(struct adl_hints *h, const struct adl_hintspec *spec,
                        const char *file, enum adl_origin origin,
                        struct adl_notes *notes);

/* Resolve hints that depend on each other: lock_ahead_write=1 means lock mode
 * 2, mode 1 needs no_indep_rw, direct_io means both directions, cb_align is 2,
 * ... Call it after the last set and before pack, never after freeze. */
void adl_hints_settle(struct adl_hints *h, struct adl_notes *notes);

/* Put the value into force that MPI_File_open found or decided. Its origin
 * becomes that of the request if the request has this value, ADL_ADJUSTED if
 * the request has another value, and `origin` if there was no request. `text`
 * is for TEXT hints; NULL or "" means unset. */
void adl_hints_adjust(struct adl_hints *h, enum adl_hint id, int64_t value,
                      enum adl_origin origin);
int adl_hints_adjust_text(struct adl_hints *h, enum adl_hint id,
                          const char *text, enum adl_origin origin);

void adl_hints_freeze(struct adl_hints *h);

/* Text of the value in force: in buf, or memory of h. NULL if there is nothing
 * to show (unset, or still undecided as cb_nodes before open). */
const char *adl_hints_text(const struct adl_hints *h, enum adl_hint id,
                           char *buf, size_t size);

/* Call fn for every hint that has a value to show, in table order. With
 * `aliases` (for MPI_File_get_info) also for the name under which it was
 * requested. */
typedef void adl_hints_fn(void *arg, const char *name, const char *value);
void adl_hints_each(const struct adl_hints *h, bool aliases, adl_hints_fn *fn,
                    void *arg);

/* Pack all hints into one buffer, for one broadcast; the caller releases sb. */
int adl_hints_pack(const struct adl_hints *h, struct adl_strbuf *sb);

/* Replace all of h (initialised) by the content of a packed buffer. -EINVAL:
 * the buffer is not valid, and h has its defaults. */
int adl_hints_unpack(struct adl_hints *h, const void *buf, size_t len);

/* A number for one pair of an MPI_Info, 0 for a hint that the driver does not
 * have. Two ranks passed the same hints if the sums over their pairs are equal;
 * the order of the pairs does not matter. */
uint64_t adl_hints_digest(const char *name, const char *value);

#endif
