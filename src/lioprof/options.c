/* options.c - options of a command: one table for parsing and --help */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show_help(const struct lp_command *c)
{
    char left[80];

    printf("usage: lioprof %s %s\n\n%s\n", c->name, c->usage, c->about);
    for (const struct lp_option *o = c->options; o->name; o++) {
        int n = 0;

        if (o->letter)
            n = snprintf(left, sizeof(left), "-%c, ", o->letter);
        snprintf(left + n, sizeof(left) - (size_t)n, "--%s%s%s", o->name,
                 o->arg ? " " : "", o->arg ? o->arg : "");
        printf("  %-26s %s\n", left, o->help);
    }
    printf("  %-26s %s\n", "--help", "this text");
}

static const struct lp_option *find_option(const struct lp_command *c,
                                           const char *arg, const char **value)
{
    const char *equals = strchr(arg, '=');
    size_t len = equals ? (size_t)(equals - arg) : strlen(arg);

    *value = NULL;
    for (const struct lp_option *o = c->options; o->name; o++) {
        if (arg[1] != '-' && o->letter == arg[1] && !arg[2])
            return o;
        if (arg[1] == '-' && strlen(o->name) == len - 2 &&
            memcmp(o->name, arg + 2, len - 2) == 0) {
            *value = equals ? equals + 1 : NULL;
            return o;
        }
    }
    return NULL;
}

static int complain(const struct lp_command *c, const char *what,
                    const char *arg)
{
    fprintf(stderr, "lioprof %s: %s%s%s; see lioprof %s --help\n", c->name,
            what, arg ? " " : "", arg ? arg : "", c->name);
    return LP_USAGE;
}

/* One option at argv[*at]; moves on over its value. */
static int take_option(const struct lp_command *c, void *into, int argc,
                       char **argv, int *at)
{
    const char *value;
    const struct lp_option *o = find_option(c, argv[*at], &value);
    int rc;

    if (!o)
        return complain(c, "no such option:", argv[*at]);
    if (!o->arg && value)
        return complain(c, "takes no value:", argv[*at]);
    if (o->arg && !value && *at + 1 >= argc)
        return complain(c, "needs a value:", argv[*at]);
    if (o->arg && !value)
        value = argv[++*at];
    rc = o->set(into, value);
    if (rc == -ERANGE)
        fprintf(stderr, "lioprof %s: --%s: '%s' contradicts another option\n",
                c->name, o->name, value);
    else if (rc < 0)
        fprintf(stderr, "lioprof %s: --%s: '%s' is no %s\n", c->name, o->name,
                value ? value : "", o->arg ? o->arg : "option");
    return rc < 0 ? LP_USAGE : 0;
}

static int parse(const struct lp_command *c, void *into, int argc, char **argv)
{
    int count = 0, plain = 0, rc;

    for (int i = 1; i < argc; i++) {
        if (!plain && strcmp(argv[i], "--") == 0) {
            plain = 1;
            continue;
        }
        if (!plain && strcmp(argv[i], "--help") == 0) {
            show_help(c);
            return LP_OK;
        }
        if (plain || argv[i][0] != '-' || !argv[i][1]) {
            argv[count++] = argv[i];
            plain |= c->stop_at_first;
            continue;
        }
        rc = take_option(c, into, argc, argv, &i);
        if (rc)
            return rc;
    }
    return c->run(into, count, argv);
}

int lp_command_main(const struct lp_command *c, int argc, char **argv)
{
    void *into = c->begin();
    int rc;

    if (!into) {
        fprintf(stderr, "lioprof: no memory\n");
        return LP_FAILED;
    }
    rc = parse(c, into, argc, argv);
    c->end(into);
    return rc;
}
