/* cmd.h - the subcommands of lustre-sim
 *
 * Each takes its own argv (argv[0] is its name) and returns the exit status. 2:
 * wrong usage. setstripe and getstripe have the exit statuses of lfs.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_CMD_H
#define LUSTRE_SIM_CMD_H

#include "conf.h"

int cmd_run(int argc, char **argv);
int cmd_mkfs(int argc, char **argv);
int cmd_setstripe(int argc, char **argv);
int cmd_getstripe(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_reset(int argc, char **argv);
int cmd_drop(int argc, char **argv);

/* Print the preload library's path. */
int cmd_preload(int argc, char **argv);

/* Print "lustre-sim NAME: text" and return status. */
int cmd_fail(int status, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Is any argument before "--" -h or --help? Then print it and return 1. */
int cmd_help(int argc, char **argv, const char *text);

/* Parse an unsigned number in [min, max]; the whole text must be the number. */
int cmd_number(const char *text, long min, long max, long *out);

/* Find and load the root: the argument, else LUSTRE_SIM_ROOT, else the one
 * above the working directory. 0, or an exit status after a message. */
int cmd_root(const char *name, const char *arg, struct sim_conf *c);

/* Options that mkfs and run share: --osts N, --pools FILE, --stripe-count N,
 * --stripe-size SIZE. 1: taken (*i moved on), 0: not one, else -errno. */
struct cmd_fs {
    long osts; /* 0: not said */
    const char *pools;
    long stripe_count; /* 0: not said */
    long stripe_size;
};
int cmd_fs_option(struct cmd_fs *fs, int argc, char **argv, int *i,
                  struct adl_err *err);

/* Make the file system. */
int cmd_fs_make(const struct cmd_fs *fs, const char *root, struct sim_conf *c,
                struct adl_err *err);

/* Make the files of a client below /sys and /proc, if they do not exist. */
int cmd_special(const struct sim_conf *c, struct adl_err *err);

#define CMD_FS_HELP                                                        \
    "  --osts N          number of OSTs, 1 to 1024 (default 4)\n"          \
    "  --pools FILE      OST pools, a line each: NAME: 0,2-5\n"            \
    "  --stripe-count N  default stripe count (default 1; -1: all OSTs)\n" \
    "  --stripe-size S   default stripe size (default 4M)\n"

#endif
