/* envvars.c - the environment variables MPICH_MPIIO_* */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "envvars.h"
#include "setting.h"
#include "../text/wordlist.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX ADL_ENV_PREFIX
#define OTHER_PREFIX "MPICH_MPIO_" /* as the lockahead paper prints it */

enum block { BLOCK_MAIN, BLOCK_STATS, BLOCK_OWN };

struct row {
    struct adl_setting set;
    size_t offset;
    enum block block;
    const char *hint;
};

#define ADL_ENV(field, name, kind, words, min, max, def, block, hint, help) \
    ROW_##field,
enum {
#include "envvars.def"
    NROWS
};
#undef ADL_ENV

#define ADL_ENV(field, name, kind, words, min, max, def, block, hint, help) \
    {{name, words, def, help, min, max, ADL_KIND_##kind},                   \
     offsetof(struct adl_env, field),                                       \
     BLOCK_##block,                                                         \
     hint},
static const struct row rows[] = {
#include "envvars.def"
};
#undef ADL_ENV

_Static_assert(NROWS <= 64, "a bit of adl_env.given for each variable");

const char *adl_env_get(adl_getenv_fn *get, const char *suffix,
                        struct adl_notes *notes)
{
    char name[80], other[80];
    const char *value, *second;

    snprintf(name, sizeof(name), PREFIX "%s", suffix);
    snprintf(other, sizeof(other), OTHER_PREFIX "%s", suffix);
    value = get(name);
    second = get(other);
    if (!value)
        return second;
    if (second && strcmp(value, second))
        adl_notes_add(notes, "%s and %s are both set: %s is used", name, other,
                      name);
    return value;
}

/* ---- read ---------------------------------------------------------- */

static int set_variable(struct adl_env *env, const struct row *row,
                        const char *text)
{
    char *field = (char *)env + row->offset;
    int64_t v;
    int rc;

    if (row->set.kind == ADL_KIND_TEXT) {
        snprintf(field, ADL_ENV_TEXT, "%s", text);
        return 0;
    }
    rc = adl_setting_parse(&row->set, text, &v);
    if (!rc)
        memcpy(field, &v, sizeof(v));
    return rc;
}

static int is_given(const struct adl_env *env, int n)
{
    return env->given >> n & 1;
}

/* An empty variable is an unset one: `export X=` is how scripts undo. */
static void read_row(struct adl_env *env, int n, adl_getenv_fn *get,
                     struct adl_notes *notes)
{
    const struct row *row = &rows[n];
    int own = row->block == BLOCK_OWN;
    const char *text =
        own ? get(row->set.name) : adl_env_get(get, row->set.name, notes);
    char expected[160];

    set_variable(env, row, row->set.def);
    if (!text || !text[strspn(text, " \t\n")])
        return;
    if (!set_variable(env, row, text))
        env->given |= (uint64_t)1 << n;
    else
        adl_notes_add(
            notes, "%s%s=%.64s: expected %s; using %s", own ? "" : PREFIX,
            row->set.name, text,
            adl_setting_expected(&row->set, expected, sizeof(expected)),
            row->set.def);
}

int64_t adl_env_stall(const char *text)
{
    const struct adl_setting *set = &rows[ROW_stall].set;
    int64_t seconds = 0;

    if (!text || adl_setting_parse(set, text, &seconds) < 0)
        adl_setting_parse(set, set->def, &seconds);
    return seconds;
}

void adl_env_read(struct adl_env *env, adl_getenv_fn *get,
                  struct adl_notes *notes)
{
    const char *report = get(ADL_ENV_REPORT);

    memset(env, 0, sizeof(*env));
    for (int n = 0; n < NROWS; n++)
        read_row(env, n, get, notes);
    env->report = report && *report;
    env->silent = is_given(env, ROW_advice) && !env->advice;
}

static const char *row_text(const struct adl_env *env, const struct row *row,
                            char *buf, size_t size)
{
    const char *field = (const char *)env + row->offset;
    int64_t v;

    if (row->set.kind == ADL_KIND_TEXT)
        return field;
    memcpy(&v, field, sizeof(v));
    return adl_setting_format(&row->set, v, buf, size);
}

void adl_env_set_hints(const struct adl_env *env, struct adl_hints *h)
{
    char buf[32];

    for (int n = 0; n < NROWS; n++)
        if (rows[n].hint && is_given(env, n))
            adl_hints_set(h, rows[n].hint,
                          row_text(env, &rows[n], buf, sizeof(buf)),
                          ADL_FROM_VARIABLE, NULL);
}

/* ---- names --------------------------------------------------------- */

/* The suffix of MPICH_MPIIO_<suffix>=..., to buf; false for other variables. */
static bool suffix_of(const char *var, char *buf, size_t size)
{
    size_t skip;

    if (!strncmp(var, PREFIX, strlen(PREFIX)))
        skip = strlen(PREFIX);
    else if (!strncmp(var, OTHER_PREFIX, strlen(OTHER_PREFIX)))
        skip = strlen(OTHER_PREFIX);
    else
        return false;
    snprintf(buf, size, "%.*s", (int)strcspn(var + skip, "="), var + skip);
    return true;
}

/* The name in the table nearest to `suffix`; *distance: edits. */
static const char *nearest(const char *suffix, int *distance)
{
    const char *best = "HINTS";
    int d;

    *distance = adl_word_distance(suffix, best);
    for (int n = 0; n < NROWS && *distance; n++) {
        d = adl_word_distance(suffix, rows[n].set.name);
        if (rows[n].block != BLOCK_OWN && d < *distance) {
            *distance = d;
            best = rows[n].set.name;
        }
    }
    return best;
}

void adl_env_check(char *const *environ, struct adl_notes *notes)
{
    char suffix[64];
    const char *meant;
    int distance;

    for (; *environ; environ++) {
        if (!suffix_of(*environ, suffix, sizeof(suffix)))
            continue;
        meant = nearest(suffix, &distance);
        if (distance == 0)
            continue;
        if (distance > 0 && distance <= 3)
            adl_notes_add(notes,
                          "%.80s is not read; did you mean " PREFIX "%s?",
                          *environ, meant);
        else
            adl_notes_add(notes, "%.80s is not read", *environ);
    }
}

/* ---- show ---------------------------------------------------------- */

static void put_line(struct adl_strbuf *sb, const char *suffix,
                     const char *value)
{
    char name[80];

    snprintf(name, sizeof(name), PREFIX "%s", suffix);
    adl_strbuf_printf(sb, "PE 0:   %-41s = %s\n", name, value);
}

/* Line breaks in a value (scripts wrap MPICH_MPIIO_HINTS) would break the
 * block, other control characters the terminal. */
static void put_one_line(struct adl_strbuf *sb, const char *value)
{
    char *copy = strdup(value), *c;

    for (c = copy; c && *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    put_line(sb, "HINTS", copy ? copy : "?");
    free(copy);
}

static void put_block(const struct adl_env *env, enum block block,
                      const char *hints, struct adl_strbuf *sb)
{
    char buf[32];

    for (int n = 0; n < NROWS; n++) {
        if (rows[n].block != block)
            continue;
        put_line(sb, rows[n].set.name,
                 row_text(env, &rows[n], buf, sizeof(buf)));
        if (n == 0)
            put_one_line(sb, hints && *hints ? hints : "NULL");
    }
}

void adl_env_display(const struct adl_env *env, const char *hints,
                     struct adl_strbuf *sb)
{
    adl_strbuf_puts(sb, "PE 0: MPICH MPIIO environment settings:\n");
    put_block(env, BLOCK_MAIN, hints, sb);
    adl_strbuf_puts(sb, "PE 0: MPICH MPIIO statistics environment settings:\n");
    put_block(env, BLOCK_STATS, NULL, sb);
}
