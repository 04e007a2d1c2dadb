/* main.c - the command lustre-sim */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdio.h>
#include <string.h>
#include "cmd.h"

static const char help[] =
    "Usage: lustre-sim COMMAND [ARGUMENT]...\n"
    "A directory that behaves like a Lustre file system, for any program.\n"
    "  run        run a command that sees such a directory\n"
    "  mkfs       make such a directory\n"
    "  setstripe  create a file with a layout, set a directory's default\n"
    "  getstripe  print layouts\n"
    "  stats      print what the servers counted\n"
    "  reset      set the counters to 0\n"
    "  drop       empty the caches of all clients and cancel their locks\n"
    "`lustre-sim COMMAND --help` says more. `lustre-sim --preload` prints the\n"
    "preload library's path, `lustre-sim --version` the version.\n";

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {{"run", cmd_run},
                {"mkfs", cmd_mkfs},
                {"setstripe", cmd_setstripe},
                {"getstripe", cmd_getstripe},
                {"stats", cmd_stats},
                {"reset", cmd_reset},
                {"drop", cmd_drop},
                {"--preload", cmd_preload}};

static int command(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        fputs(help, argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("lustre-sim " VERSION);
        return 0;
    }
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "lustre-sim: no command '%s', see --help\n", argv[1]);
    return 2;
}

int main(int argc, char **argv)
{
    int rc = command(argc, argv);

    if (fflush(stdout) == 0 && !ferror(stdout))
        return rc;
    perror("lustre-sim: standard output");
    return rc ? rc : 1;
}
