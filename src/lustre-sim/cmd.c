/* cmd.c - what the subcommands share */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "abi.h"
#include "core/text/size.h"
#include "special.h"

int cmd_fail(int status, const char *name, const char *fmt, ...)
{
    va_list ap;

    fprintf(stderr, "lustre-sim %s: ", name);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    return status;
}

int cmd_help(int argc, char **argv, const char *text)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            fputs(text, stdout);
            return 1;
        }
    return 0;
}

int cmd_number(const char *text, long min, long max, long *out)
{
    char *end;
    long v;

    errno = 0;
    v = text && *text ? strtol(text, &end, 10) : (errno = EINVAL);
    if (errno || *end || v < min || v > max)
        return -EINVAL;
    *out = v;
    return 0;
}

int cmd_root(const char *name, const char *arg, struct sim_conf *c)
{
    char root[PATH_MAX];
    struct adl_err err = {""};

    if (!arg)
        arg = getenv(SIM_ENV_ROOT);
    if (!arg || !*arg) {
        if (sim_conf_find_root(".", root) != 0)
            return cmd_fail(1, name,
                            "no root: give one, set " SIM_ENV_ROOT
                            " or go below it");
        arg = root;
    }
    if (sim_conf_load(c, arg, &err) != 0)
        return cmd_fail(1, name, "%s", err.text);
    return 0;
}

static int fs_value(struct cmd_fs *fs, const char *option, const char *value,
                    struct adl_err *err)
{
    int64_t size;

    if (strcmp(option, "--pools") == 0) {
        fs->pools = value;
        return 1;
    }
    if (strcmp(option, "--osts") == 0 &&
        cmd_number(value, 1, SIM_MAX_OSTS, &fs->osts) == 0)
        return 1;
    if (strcmp(option, "--stripe-count") == 0 &&
        cmd_number(value, -1, SIM_MAX_OSTS, &fs->stripe_count) == 0)
        return 1;
    if (strcmp(option, "--stripe-size") == 0 &&
        adl_size_parse(value, &size) == 0 && size > 0 && size <= UINT32_MAX) {
        fs->stripe_size = size;
        return 1;
    }
    return adl_err_set(err, -EINVAL, "bad value '%.60s' of %s", value, option);
}

int cmd_fs_option(struct cmd_fs *fs, int argc, char **argv, int *i,
                  struct adl_err *err)
{
    static const char *const names[] = {"--osts", "--pools", "--stripe-count",
                                        "--stripe-size"};

    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        size_t n = strlen(names[k]);

        if (strncmp(argv[*i], names[k], n) != 0)
            continue;
        if (argv[*i][n] == '=')
            return fs_value(fs, names[k], argv[*i] + n + 1, err);
        if (argv[*i][n])
            continue;
        if (*i + 1 >= argc)
            return adl_err_set(err, -EINVAL, "%s needs a value", names[k]);
        return fs_value(fs, names[k], argv[++*i], err);
    }
    return 0;
}

int cmd_special(const struct sim_conf *c, struct adl_err *err)
{
    int rc = sim_special_make(c);

    if (rc)
        adl_err_set(err, rc, "%.90s/" SIM_DIR "/client: %s", c->root,
                    strerror(-rc));
    return rc;
}

int cmd_fs_make(const struct cmd_fs *fs, const char *root, struct sim_conf *c,
                struct adl_err *err)
{
    int rc = 0;

    sim_conf_init(c);
    if (fs->osts)
        c->osts = fs->osts;
    if (fs->stripe_count)
        c->stripe_count = fs->stripe_count < 0 ? ADL_LOV_ALL_STRIPES
                                               : (uint32_t)fs->stripe_count;
    if (fs->stripe_size)
        c->stripe_size = fs->stripe_size;
    if (fs->pools)
        rc = sim_conf_read_pools(c, fs->pools, err);
    rc = rc ? rc : sim_conf_create(c, root, err);
    return rc ? rc : cmd_special(c, err);
}
