/* hint_table.c - what each hint is: the one table, made from hints.def */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "hint_table.h"
#include "../text/wordlist.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ADL_HINT(field, name, aliases, kind, words, min, max, def, scope,      \
                 help)                                                         \
    [ADL_HINT_##field] = {{name, words, def, help, min, max, ADL_KIND_##kind}, \
                          aliases,                                             \
                          ADL_SCOPE_##scope},
static const struct adl_hint_def table[] = {
#include "hints.def"
};
#undef ADL_HINT

const struct adl_hint_def *adl_hint_def(enum adl_hint id)
{
    return &table[id];
}

/* ---- names --------------------------------------------------------- */

void adl_hint_alias(enum adl_hint id, int alias, char *buf, size_t size)
{
    char word[64];

    if (alias <= 0) {
        snprintf(buf, size, "%s", table[id].set.name);
        return;
    }
    adl_wordlist_get(table[id].aliases, alias - 1, word, sizeof(word));
    snprintf(buf, size, "%s", word + (word[0] == '~'));
}

/* Is `name` (exactly, info keys are case sensitive) an alias of this hint?
 * Its number, or 0. */
static int find_alias(enum adl_hint id, const char *name, bool *slip)
{
    int count = adl_wordlist_count(table[id].aliases);
    char word[64];

    for (int n = 1; n <= count; n++) {
        adl_wordlist_get(table[id].aliases, n - 1, word, sizeof(word));
        *slip = word[0] == '~';
        if (!strcmp(word + *slip, name))
            return n;
    }
    return 0;
}

int adl_hint_find(const char *name, enum adl_hint *id, int *alias, bool *slip)
{
    int n;

    *slip = false;
    for (int i = 0; i < ADL_HINT_COUNT; i++) {
        n = 0;
        if (strcmp(table[i].set.name, name) &&
            !(n = find_alias((enum adl_hint)i, name, slip)))
            continue;
        *id = (enum adl_hint)i;
        *alias = n;
        *slip = n && *slip;
        return 0;
    }
    return -ENOENT;
}

bool adl_hint_is_foreign(const char *name)
{
    static const char *const prefix[] = {
        "nc_",        "pnetcdf_", "hdf5_",        "h5_",          "mpi_",
        "mpix_",      "ibm_",     "bg_",          "gpfs_",        "panfs_",
        "pvfs_",      "daos_",    "romio_daos_",  "romio_pvfs2_", "romio_bg",
        "romio_gpfs", "gio_",     "romio_panfs_", "ompi_",        "adios_",
        "darshan_",   "thread_"};
    static const char exact[] =
        "access_style|collective_buffering|cb_block_size|chunked|chunked_item|"
        "chunked_size|filename|file_perm|io_node_list|nb_proc|num_io_nodes|"
        "romio_filesystem_type|romio_aggregator_list|romio_visibility_"
        "immediate|"
        "romio_zoidfs_enabled|romio_read_merge|romio_tunegather|"
        "romio_onesided_no_rmw|romio_onesided_inform_rmw|"
        "romio_onesided_always_rmw|romio_write_aggmethod|romio_read_aggmethod";
    enum adl_hint id;
    bool slip;
    int alias;

    if (adl_hint_find(name, &id, &alias, &slip) == 0) /* mpi_assert_... */
        return false;
    for (size_t i = 0; i < sizeof(prefix) / sizeof(prefix[0]); i++)
        if (!strncasecmp(name, prefix[i], strlen(prefix[i])))
            return true;
    return adl_wordlist_find(exact, name) >= 0;
}

/* Behind the family prefix that users forget or mix up. */
static const char *stem(const char *name)
{
    static const char *const prefix[] = {"romio_lustre_", "romio_", "cray_"};

    for (size_t i = 0; i < sizeof(prefix) / sizeof(prefix[0]); i++)
        if (!strncasecmp(name, prefix[i], strlen(prefix[i])))
            return name + strlen(prefix[i]);
    return name;
}

/* Edits between two names; a wrong prefix counts as one. */
static int name_distance(const char *a, const char *b)
{
    int whole = adl_word_distance(a, b);
    int stems = adl_word_distance(stem(a), stem(b));

    if (whole < 0 || stems < 0)
        return 1000;
    return whole < stems + 1 ? whole : stems + 1;
}

const char *adl_hint_suggest(const char *name)
{
    int best = 1000, limit = (int)strlen(name) / 4;
    const char *found = NULL;

    for (int i = 0; i < ADL_HINT_COUNT; i++) {
        int d = name_distance(name, table[i].set.name);

        if (d < best) {
            best = d;
            found = table[i].set.name;
        }
    }
    return best <= (limit < 4 ? limit : 4) || best <= 1 ? found : NULL;
}
