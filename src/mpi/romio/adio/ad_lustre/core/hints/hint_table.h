/* hint_table.h - what each hint is: the one table, made from hints.def
 *
 * It has names, types and ranges; the values in force are in hints.h.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_HINT_TABLE_H
#define ADL_HINT_TABLE_H

#include "setting.h"
#include "../text/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum adl_hint {
#define ADL_HINT(field, name, aliases, kind, words, min, max, def, scope, \
                 help)                                                    \
    ADL_HINT_##field,
#include "hints.def"
#undef ADL_HINT
    ADL_HINT_COUNT
};

enum adl_scope { ADL_SCOPE_CREATE, ADL_SCOPE_OPEN, ADL_SCOPE_ANY };

/* One row; see hints.def for the columns. */
struct adl_hint_def {
    struct adl_setting set;
    const char *aliases;
    enum adl_scope scope;
};

const struct adl_hint_def *adl_hint_def(enum adl_hint id);

/* Which hint is called `name`? Returns 0, or -ENOENT. *alias: 0 for the hint's
 * own name, n for its n-th alias. *slip: a well-known misspelling. */
int adl_hint_find(const char *name, enum adl_hint *id, int *alias, bool *slip);

/* Put the name under which the hint was requested (alias as above) into buf. */
void adl_hint_alias(enum adl_hint id, int alias, char *buf, size_t size);

/* Keys that other layers put into the same MPI_Info (PnetCDF, the MPI
 * standard, other drivers): the driver ignores them and prints no warning. */
bool adl_hint_is_foreign(const char *name);

/* The hint name that `name` was probably meant to be, or NULL. */
const char *adl_hint_suggest(const char *name);

#endif
