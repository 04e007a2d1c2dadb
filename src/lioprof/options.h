/* options.h - options of a command: one table for parsing and --help */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_OPTIONS_H
#define LP_OPTIONS_H

struct lp_option {
    char letter;      /* 0: none */
    const char *name; /* without "--"; NULL ends the table */
    const char *arg;  /* name of its value in --help; NULL: it has no value */
    const char *help; /* lines after the first are indented by --help */
    /* 0, -EINVAL if the value is not valid, -ERANGE if it contradicts an
     * earlier option. */
    int (*set)(void *into, const char *value);
};

struct lp_command {
    const char *name, *usage, *about;
    const struct lp_option *options;
    /* arguments that are no options; returns the exit status */
    int (*run)(void *into, int count, char **args);
    void *(*begin)(void); /* an empty set of options */
    void (*end)(void *into);
    /* 1: options end at the first argument that is no option */
    int stop_at_first;
};

/* Exit statuses. */
enum { LP_OK = 0, LP_FAILED = 1, LP_USAGE = 2, LP_PARTIAL = 3 };

/* Parse and run; argv[0] is the command's name. */
int lp_command_main(const struct lp_command *c, int argc, char **argv);

#endif
