/* envvars.h - the environment variables MPICH_MPIIO_*
 *
 * struct adl_env has no pointers: rank 0 reads it and broadcasts the bytes. The
 * per-file hints (MPICH_MPIIO_HINTS, ROMIO_LUSTRE_HINTS_FILE) are not in it:
 * only rank 0 parses them, see adl_env_get.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_ENVVARS_H
#define ADL_ENVVARS_H

#include "hints.h"
#include "../text/notes.h"
#include "../text/strbuf.h"

#include <stdint.h>

#define ADL_ENV_PREFIX "MPICH_MPIIO_"
#define ADL_ENV_TEXT 256

/* Path of a file with per-file hints, for launchers that do not pass colons. */
#define ADL_ENV_HINTS_FILE "ROMIO_LUSTRE_HINTS_FILE"

/* Where each file's report goes at close, as JSON; see adl_report_name. */
#define ADL_ENV_REPORT "ROMIO_LUSTRE_REPORT"
/* Seconds after which a collective call that does not move says so. */
#define ADL_ENV_STALL "ROMIO_LUSTRE_STALL"

struct adl_env {
#define ADL_FIELD_INT(field) int64_t field;
#define ADL_FIELD_SIZE(field) int64_t field;
#define ADL_FIELD_WORD(field) int64_t field;
#define ADL_FIELD_TEXT(field) char field[ADL_ENV_TEXT];
#define ADL_ENV(field, name, kind, words, min, max, def, block, hint, help) \
    ADL_FIELD_##kind(field)
#include "envvars.def"
#undef ADL_ENV
#undef ADL_FIELD_INT
#undef ADL_FIELD_SIZE
#undef ADL_FIELD_WORD
#undef ADL_FIELD_TEXT
    int64_t report; /* ROMIO_LUSTRE_REPORT names a file */
    int64_t silent; /* ROMIO_LUSTRE_ADVICE=0 */
    uint64_t given; /* bit n: the n-th variable was set (and understood) */
};

/* getenv(3), or a test's own. */
typedef char *adl_getenv_fn(const char *name);

/* The value of MPICH_MPIIO_<suffix>, or else of MPICH_MPIO_<suffix>, or NULL.
 * Where both are set and differ, a note says which one is used. */
const char *adl_env_get(adl_getenv_fn *get, const char *suffix,
                        struct adl_notes *notes);

/* Read all variables. A bad value is noted, and the variable keeps its default.
 */
void adl_env_read(struct adl_env *env, adl_getenv_fn *get,
                  struct adl_notes *notes);

/* The seconds that a value of ROMIO_LUSTRE_STALL means; the default if it is
 * not set (NULL, "") or no number. */
int64_t adl_env_stall(const char *text);

/* Note variables MPICH_MPIIO_* (or MPICH_MPIO_*) that the driver does not read,
 * with a suggestion for a near miss. environ: "NAME=value" strings, NULL at the
 * end.
 */
void adl_env_check(char *const *environ, struct adl_notes *notes);

/* Set the hints that have a job-wide variable (origin ADL_FROM_VARIABLE). */
void adl_env_set_hints(const struct adl_env *env, struct adl_hints *h);

/* The two blocks "PE 0: MPICH MPIIO environment settings:" and "... statistics
 * environment settings:". hints: text of MPICH_MPIIO_HINTS or NULL. */
void adl_env_display(const struct adl_env *env, const char *hints,
                     struct adl_strbuf *sb);

#endif
