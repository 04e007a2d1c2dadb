/* main.c - lioprof: see what the Lustre servers saw */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdio.h>
#include <string.h>

#include "command.h"

static const struct lp_command *const commands[] = {
    &lp_collect, &lp_analyze, &lp_report, &lp_characterize, &lp_diff, &lp_plot,
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *f)
{
    fputs("usage: lioprof COMMAND [OPTION...] [ARGUMENT...]\n\n"
          "See what the Lustre servers saw of an application: from their RPC\n"
          "logs, or those of lustre-sim.\n\n",
          f);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(f, "  %-13s %s\n", commands[i]->name, commands[i]->usage);
    fputs("\nlioprof COMMAND --help says more; lioprof --version.\n"
          "Exit status: 0 all read and shown, 1 failed, 2 wrong usage,\n"
          "3 shown, but some of the input could not be used.\n",
          f);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        puts("lioprof " LIOPROF_VERSION);
        return LP_OK;
    }
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        usage(stdout);
        return LP_OK;
    }
    for (size_t i = 0; argc > 1 && i < COMMANDS; i++) {
        int rc;

        if (strcmp(argv[1], commands[i]->name) != 0)
            continue;
        rc = lp_command_main(commands[i], argc - 1, argv + 1);
        if (rc == LP_USAGE && argc == 2)
            fprintf(stderr, "usage: lioprof %s %s\n", commands[i]->name,
                    commands[i]->usage);
        return rc;
    }
    if (argc > 1)
        fprintf(stderr, "lioprof: no command '%s'\n", argv[1]);
    usage(stderr);
    return LP_USAGE;
}
