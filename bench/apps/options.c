/* options.c - the command line of all proxies */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "options.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct options, field)

static const struct option_spec common[] = {
    {"scale", 0, OPTION_REAL, "F", "multiply the size by F (default 1)",
     AT(scale), 1e-6},
    {"reps", 'n', OPTION_NUMBER, "N", "repetitions (default 1)", AT(reps), 1},
    {"hint", 'h', OPTION_HINT, "KEY=VALUE",
     "an MPI-IO hint for all files; may be repeated", AT(hints), 0},
    {"write", 'w', OPTION_FLAG, "", "write the files", AT(write), 0},
    {"read", 'r', OPTION_FLAG, "",
     "read them as they were written, and compare", AT(read), 0},
    {"verify", 'v', OPTION_FLAG, "",
     "read whole files in equal parts, and compare", AT(verify), 0},
    {"api", 'a', OPTION_WORD, "mpiio|hdf5|hand|posix|fpp|gio",
     "interface (default mpiio); hand: alltoallv and pwrite", AT(api), 0},
    {"again", 0, OPTION_NUMBER, "N",
     "every call N more times, timed on their own (default 0)", AT(again), 0},
    {"gaps", 0, OPTION_FLAG, "",
     "memory with a gap after every 64 bytes (mpiio only)", AT(gaps), 0},
    {"independent", 'i', OPTION_FLAG, "",
     "independent calls instead of collective ones", AT(independent), 0},
    {"sync", 0, OPTION_FLAG, "", "sync and fsync before every close", AT(sync),
     0},
    {"keep", 'k', OPTION_FLAG, "", "do not delete the files at the end",
     AT(keep), 0},
    {"seed", 0, OPTION_NUMBER, "N", "other data (default 0)", AT(seed), 0},
    {"json", 'j', OPTION_FLAG, "", "a line of JSON for every result", AT(json),
     0},
    {"progress", 0, OPTION_REAL, "S",
     "print progress every S seconds (default 10); -1: never", AT(progress),
     -1},
    {"help", 0, OPTION_FLAG, "", "print this and end", AT(help), 0},
    {NULL, 0, 0, NULL, NULL, 0, 0},
};

void options_init(struct options *o)
{
    *o = (struct options){.scale = 1, .reps = 1, .progress = 10};
    MPI_Info_create(&o->hints);
}

void options_destroy(struct options *o)
{
    MPI_Info_free(&o->hints);
}

/* ---- values ---- */

static int parse_whole(const char *text, int sized, int64_t *out)
{
    static const char units[] = "KMG";
    const char *unit;
    int64_t n;
    char *end;

    if (*text < '0' || *text > '9')
        return -1;
    errno = 0;
    n = strtoll(text, &end, 10);
    if (sized && *end && (unit = strchr(units, *end))) {
        int shift = 10 * (int)(unit - units + 1);

        if (n > INT64_MAX >> shift)
            return -1;
        n <<= shift;
        end++;
    }
    *out = n;
    return *end || errno ? -1 : 0;
}

static int parse_real(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return *end || end == text || !(*out > -1e9 && *out < 1e9) ? -1 : 0;
}

/* words: "a|b|c" */
static int parse_word(const char *text, const char *words, int *out)
{
    size_t len = strlen(text);

    for (int i = 0; len; i++) {
        size_t n = strcspn(words, "|");

        if (n == len && !memcmp(words, text, n)) {
            *out = i;
            return 0;
        }
        if (!words[n])
            break;
        words += n + 1;
    }
    return -1;
}

static int parse_hint(const char *text, MPI_Info info)
{
    char key[MPI_MAX_INFO_KEY];
    const char *eq = strchr(text, '=');

    if (!eq || eq == text || eq - text >= MPI_MAX_INFO_KEY || !eq[1] ||
        strlen(eq + 1) >= MPI_MAX_INFO_VAL)
        return -1;
    memcpy(key, text, eq - text);
    key[eq - text] = 0;
    return MPI_Info_set(info, key, eq + 1) ? -1 : 0;
}

static int store(const struct option_spec *s, void *field, const char *text)
{
    switch (s->kind) {
    case OPTION_FLAG:
        *(int *)field = 1;
        return 0;
    case OPTION_NUMBER:
    case OPTION_SIZE:
        return parse_whole(text, s->kind == OPTION_SIZE, field) ||
                       (double)*(int64_t *)field < s->min
                   ? -1
                   : 0;
    case OPTION_REAL:
        return parse_real(text, field) || *(double *)field < s->min ? -1 : 0;
    case OPTION_WORD:
        return parse_word(text, s->arg, field);
    case OPTION_HINT:
        return parse_hint(text, *(MPI_Info *)field);
    }
    return -1;
}

/* ---- the command line ---- */

static int is_named(const struct option_spec *s, const char *arg)
{
    size_t n = strlen(s->name);

    if (arg[1] != '-')
        return s->letter && arg[1] == s->letter && !arg[2];
    return !strncmp(arg + 2, s->name, n) && (!arg[n + 2] || arg[n + 2] == '=');
}

static const struct option_spec *find(const struct option_spec *specs,
                                      const char *arg)
{
    for (; specs && specs->name; specs++)
        if (is_named(specs, arg))
            return specs;
    return NULL;
}

/* One option, at argv[*i]; *i moves on over a value that stands apart. */
static void parse_option(struct options *o, const struct option_table *own,
                         char **argv, int *i, struct verdict *v)
{
    const char *arg = argv[*i];
    const char *text = arg[1] == '-' ? strchr(arg, '=') : NULL;
    const struct option_spec *s = find(common, arg);
    void *base = o;

    if (!s) {
        s = find(own->specs, arg);
        base = own->settings;
    }
    if (!s || (text && s->kind == OPTION_FLAG)) {
        verdict_set(v, APP_USAGE, "no option %s; see --help", arg);
        return;
    }
    if (text)
        text++;
    else if (s->kind != OPTION_FLAG)
        text = argv[++*i];
    if (!text && s->kind != OPTION_FLAG)
        verdict_set(v, APP_USAGE, "%s needs %s", arg, s->arg);
    else if (store(s, (char *)base + s->at, text))
        verdict_set(v, APP_USAGE, "--%s: '%s' is not a valid %s", s->name, text,
                    s->arg);
}

void options_parse(struct options *o, const struct option_table *own, int argc,
                   char **argv, struct verdict *v)
{
    for (int i = 1; i < argc && !v->code && !o->help; i++) {
        if (argv[i][0] == '-' && argv[i][1])
            parse_option(o, own, argv, &i, v);
        else if (o->dir)
            verdict_set(v, APP_USAGE, "one directory only, not '%s' too",
                        argv[i]);
        else
            o->dir = argv[i];
    }
    if (!o->dir && !o->help)
        verdict_set(v, APP_USAGE, "no directory given; see --help");
    if (!o->write && !o->read && !o->verify)
        o->write = o->read = o->verify = 1;
}

/* ---- help ---- */

static void print_table(const char *title, const struct option_spec *specs)
{
    if (!specs || !specs->name)
        return;
    printf("\n%s\n", title);
    for (; specs->name; specs++) {
        char left[80], letter[5] = "    ";

        if (specs->letter)
            snprintf(letter, sizeof(letter), "-%c, ", specs->letter);
        snprintf(left, sizeof(left), "%s--%s%s%s", letter, specs->name,
                 *specs->arg ? " " : "", specs->arg);
        printf("  %-28s  %s\n", left, specs->help);
    }
}

void options_help(const struct option_table *own)
{
    print_table("own options:", own->specs);
    print_table("options of all proxies (without -w, -r, -v: all three):",
                common);
    printf("\nsizes may end in K, M or G. Exit status: 0 done and right, 1 "
           "an error,\n2 wrong usage, 3 the data read are wrong\n");
}
