/* cmd_mkfs.c - lustre-sim mkfs: make a directory a simulated file system */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdio.h>
#include <string.h>
#include "cmd.h"

static const char help[] =
    "Usage: lustre-sim mkfs [options] DIR\n"
    "Make DIR (created if absent) the root of a simulated Lustre. What is in\n"
    "it already stays and becomes part of it.\n" CMD_FS_HELP;

int cmd_mkfs(int argc, char **argv)
{
    struct cmd_fs fs = {0};
    struct adl_err err = {""};
    const char *dir = NULL;
    struct sim_conf c;
    int rc;

    if (cmd_help(argc, argv, help))
        return 0;
    for (int i = 1; i < argc; i++) {
        rc = cmd_fs_option(&fs, argc, argv, &i, &err);
        if (rc < 0)
            return cmd_fail(2, "mkfs", "%s", err.text);
        if (rc > 0)
            continue;
        if (argv[i][0] == '-' || dir)
            return cmd_fail(2, "mkfs", "unexpected '%s', see --help", argv[i]);
        dir = argv[i];
    }
    if (!dir)
        return cmd_fail(2, "mkfs", "which directory? See --help");
    if (cmd_fs_make(&fs, dir, &c, &err))
        return cmd_fail(1, "mkfs", "%s", err.text);
    sim_conf_clear(&c);
    return 0;
}
