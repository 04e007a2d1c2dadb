/* cmd_stripe.c - lustre-sim setstripe and getstripe, as lfs has them */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "abi.h"
#include "cmd.h"
#include "core/layout/layspec.h"
#include "tools/laytext.h"
#include "core/text/strbuf.h"
#include "mds.h"
#include "../tools/layask.h"

/* lfs's exit status for options it does not take. */
#define EXIT_OPTION 4

static const char set_help[] =
    "Usage: lustre-sim setstripe [options] PATH...\n"
    "Create a file with a layout, or set a directory's default layout.\n"
    "  -c, --stripe-count N      -1: all OSTs, 0: the default\n"
    "  -C, --overstripe-count N  more than one stripe an OST; -N: N on each\n"
    "  -S, --stripe-size SIZE    a multiple of 64K; K, M, G\n"
    "  -i, --stripe-index OST    the first OST\n"
    "  -o, --ost LIST            exactly these OSTs: 0,2,4-7\n"
    "  -p, --pool NAME           OSTs of a pool\n"
    "  -E, --component-end END   components, each with the options after it;\n"
    "                            the last may end at -1 (end of file)\n"
    "  -L, --layout mdt|raid0    first component: data on the MDT\n"
    "  -z, --extension-size SIZE the component grows in such steps\n"
    "  -N, --mirror-count        another mirror begins\n"
    "  -d, --delete              remove a directory's default layout\n"
    "Exit status as of lfs: 4 for a bad option, else the errno.\n";

static const char get_help[] =
    "Usage: lustre-sim getstripe [options] PATH...\n"
    "Print layouts as `lfs getstripe -v` does.\n"
    "  -y, --yaml           as YAML\n"
    "  -d, --directory      a directory itself, not what is in it\n"
    "  -c, -S, -i, -p       only stripe count, stripe size, first OST, pool; "
    "the\n"
    "                       value alone, of several each with its name\n";

/* ---- setstripe ---- */

struct request {
    struct adl_strbuf text; /* options, for the parser */
    int unset;
    int npaths;
    char **paths; /* borrowed from argv */
};

/* The option takes the next argument: all but a few, unless it is joined. */
static int takes_value(const char *option)
{
    if (strncmp(option, "--", 2) == 0)
        return !strchr(option, '=') && strcmp(option, "--mirror-count") != 0;
    return option[2] == '\0' && option[1] != 'N';
}

static int is_unset(const char *arg)
{
    return strcmp(arg, "-d") == 0 || strcmp(arg, "--delete") == 0;
}

static int split(int argc, char **argv, struct request *r)
{
    for (int i = 1; i < argc; i++) {
        if (is_unset(argv[i])) {
            r->unset = 1;
        } else if (argv[i][0] == '-' && argv[i][1]) {
            adl_strbuf_printf(&r->text, "%s ", argv[i]);
            if (takes_value(argv[i]) && i + 1 < argc)
                adl_strbuf_printf(&r->text, "%s ", argv[++i]);
        } else {
            r->paths[r->npaths++] = argv[i];
        }
    }
    return r->text.err;
}

/* Root of the file system a path is on or will be on. */
static int conf_of(const char *path, struct sim_conf *c)
{
    char dir[PATH_MAX], root[PATH_MAX], *slash;
    int rc = sim_conf_find_root(path, root);

    if (rc == -ENOENT) {
        snprintf(dir, sizeof(dir), "%s", path);
        slash = strrchr(dir, '/');
        if (slash)
            slash[slash == dir] = '\0';
        rc = sim_conf_find_root(slash ? dir : ".", root);
    }
    return rc ? rc : sim_conf_load(c, root, NULL);
}

/* lfs asks for the pool first, the kernel would take any name. */
static int check_pools(const struct sim_conf *c,
                       const struct adl_layout_spec *spec)
{
    for (int i = 0; i < spec->ncomps; i++) {
        const char *pool = spec->comps[i].pool;

        if (pool[0] && !sim_conf_pool(c, pool))
            return cmd_fail(EINVAL, "setstripe",
                            "pool '%s fsname lustre' does not exist: %s (%d)",
                            pool, strerror(ENOENT), ENOENT);
    }
    return 0;
}

/* Open for setting: a file is created without objects. */
static int open_target(const struct sim_conf *c, const char *path)
{
    char full[PATH_MAX];
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

    if (fd >= 0)
        return fd;
    /* Below lustre-sim run the open would give it a layout. */
    fd =
        open(path, O_RDWR | O_CREAT | O_CLOEXEC | ADL_O_LOV_DELAY_CREATE, 0644);
    if (fd < 0)
        return -errno;
    rc = realpath(path, full) ? 0 : -errno;
    if (rc == 0)
        rc = sim_mds_open(c, fd, full, SIM_MDS_DELAY | SIM_MDS_CREATE, NULL);
    if (rc == 0)
        return fd;
    close(fd);
    return rc;
}

static const char *why(int error)
{
    return error == EEXIST ? "stripe already set" : strerror(error);
}

static int apply(const struct sim_conf *c, const struct request *r,
                 const struct adl_layout_spec *spec, const char *path)
{
    struct adl_err err = {""};
    void *lum = NULL;
    size_t len;
    int rc = 0, fd = open_target(c, path);

    if (fd < 0)
        return cmd_fail(-fd, "setstripe", "cannot open '%s': %s", path,
                        strerror(-fd));
    if (r->unset)
        rc = sim_mds_unset(c, fd);
    else
        rc = adl_layout_spec_encode(spec, &lum, &len, &err);
    if (rc == 0 && lum)
        rc = sim_mds_set(c, fd, lum, len);
    free(lum);
    close(fd);
    if (rc == 0)
        return 0;
    return cmd_fail(-rc, "setstripe", "setstripe error for '%s': %s%s%s", path,
                    why(-rc), *err.text ? ": " : "", err.text);
}

static int set_one(const struct request *r, const struct adl_layout_spec *spec,
                   const char *path)
{
    struct sim_conf c;
    int rc = conf_of(path, &c);

    if (rc)
        return cmd_fail(-rc, "setstripe", "setstripe error for '%s': %s", path,
                        strerror(-rc));
    rc = check_pools(&c, spec);
    if (rc == 0)
        rc = apply(&c, r, spec, path);
    sim_conf_clear(&c);
    return rc;
}

/* Without options: everything by default. */
static int parse_spec(const struct request *r, struct adl_layout_spec *spec,
                      struct adl_err *err)
{
    if (r->text.len)
        return adl_layout_spec_parse(adl_strbuf_text(&r->text), spec, err);
    if (adl_layout_spec_add(spec))
        return 0;
    return adl_err_set(err, -ENOMEM, "out of memory");
}

static int set_all(const struct request *r)
{
    struct adl_layout_spec spec = {0};
    struct adl_err err = {""};
    int status = 0, one;

    if (parse_spec(r, &spec, &err))
        return cmd_fail(EXIT_OPTION, "setstripe", "%s", err.text);
    for (int i = 0; i < r->npaths; i++) {
        one = set_one(r, &spec, r->paths[i]);
        if (status == 0)
            status = one;
    }
    adl_layout_spec_clear(&spec);
    return status;
}

int cmd_setstripe(int argc, char **argv)
{
    struct request r = {.text = ADL_STRBUF_INIT};
    int status;

    if (cmd_help(argc, argv, set_help))
        return 0;
    r.paths = calloc(argc, sizeof(*r.paths));
    if (!r.paths || split(argc, argv, &r))
        status = cmd_fail(ENOMEM, "setstripe", "out of memory");
    else if (r.npaths == 0)
        status = cmd_fail(EXIT_OPTION, "setstripe", "which file? See --help");
    else
        status = set_all(&r);
    adl_strbuf_release(&r.text);
    free(r.paths);
    return status;
}

/* ---- getstripe ---- */

/* In the order in which they are printed. */
enum { FIELD_COUNT = 1, FIELD_SIZE = 2, FIELD_INDEX = 4, FIELD_POOL = 8 };

struct view {
    int yaml;
    int dir_only;
    int fields; /* FIELD_*; 0: everything */
};

/* The component a single value is taken from: the last with objects. */
static const struct adl_component *shown(const struct adl_layout *l)
{
    int n = adl_layout_ncomponents(l);

    for (int i = n - 1; i >= 0; i--)
        if (adl_layask_instantiated(l, i))
            return adl_layout_component(l, i);
    return n ? adl_layout_component(l, n - 1) : NULL;
}

static void print_field(const struct adl_component *c, int field)
{
    if (field == FIELD_COUNT)
        printf("%d", (int)(int16_t)c->stripe_count);
    else if (field == FIELD_SIZE)
        printf("%lld", (long long)c->stripe_size);
    else if (field == FIELD_INDEX)
        printf("%d", c->nobjects ? (int)c->objects[0].ost
                                 : (int)(int16_t)c->stripe_offset);
    else
        printf("%s", c->pool);
}

/* One value is printed alone, several with their names, as lfs does: a line
 * each, of a directory in one line. */
static void print_fields(const struct adl_layout *l, int fields, int is_dir)
{
    static const char *const names[] = {"stripe_count:  ", "stripe_size:   ",
                                        "stripe_offset: ", "pool:          "};
    const struct adl_component *c = shown(l);
    int one = (fields & (fields - 1)) == 0, first = 1;

    for (int i = 0; c && i < 4; i++) {
        if (!(fields & 1 << i) || (1 << i == FIELD_POOL && !one && !c->pool[0]))
            continue;
        if (!first)
            putchar(is_dir ? ' ' : '\n');
        if (!one)
            printf("%s%s", is_dir ? "" : "lmm_", names[i]);
        print_field(c, 1 << i);
        first = 0;
    }
    if (!first)
        putchar('\n');
}

/* lfs shows what 0 stands for in a directory's default. */
static void fill_defaults(const struct sim_conf *c, void *lov, size_t len)
{
    struct adl_lov_user u;

    if (len < sizeof(u))
        return;
    memcpy(&u, lov, sizeof(u));
    if (u.magic != ADL_LOV_MAGIC_V1 && u.magic != ADL_LOV_MAGIC_V3)
        return;
    if (u.stripe_size == 0)
        u.stripe_size = c->stripe_size;
    if (u.stripe_count == 0)
        u.stripe_count = c->stripe_count;
    memcpy(lov, &u, sizeof(u));
}

static int print_layout(const struct sim_conf *c, const struct stat *st,
                        const char *path, const struct view *v, void *lov,
                        size_t len)
{
    struct adl_laytext about = {
        .path = path, .is_dir = S_ISDIR(st->st_mode), .yaml = v->yaml};
    struct adl_layout *l;
    uint64_t oid;
    char *text;
    int rc;

    if (about.is_dir)
        fill_defaults(c, lov, len);
    sim_mds_fid(st->st_ino, &about.seq, &oid);
    about.oid = oid;
    rc = sim_mds_decode(c, lov, len, &l);
    if (rc)
        return rc;
    if (v->fields) {
        print_fields(l, v->fields, about.is_dir);
    } else {
        rc = adl_laytext(l, &about, &text);
        if (rc == 0) {
            fputs(text, stdout);
            free(text);
        }
    }
    adl_layout_destroy(l);
    return rc;
}

/* A directory without a default shows the file system's. */
static int default_blob(void **lov, size_t *len)
{
    struct adl_lov_user u = {.magic = ADL_LOV_MAGIC_V1,
                             .pattern = ADL_LOV_PATTERN_RAID0,
                             .stripe_offset = ADL_LOV_OFFSET_ANY};

    *lov = malloc(sizeof(u));
    if (!*lov)
        return -ENOMEM;
    memcpy(*lov, &u, sizeof(u));
    *len = sizeof(u);
    return 0;
}

static int get_fd(const struct sim_conf *c, int fd, const char *path,
                  const struct view *v)
{
    struct stat st;
    void *lov;
    size_t len;
    int rc;

    if (fstat(fd, &st) != 0)
        return -errno;
    rc = sim_mds_get(c, fd, &lov, &len);
    if (rc == -ENODATA && S_ISDIR(st.st_mode))
        rc = default_blob(&lov, &len);
    if (rc == -ENODATA) {
        printf("%s has no stripe info\n", path);
        return 0;
    }
    if (rc)
        return rc;
    rc = print_layout(c, &st, path, v, lov, len);
    free(lov);
    return rc;
}

static int get_path(const char *path, const struct view *v)
{
    struct sim_conf c;
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

    rc = fd < 0 ? -errno : conf_of(path, &c);
    if (rc == 0) {
        rc = get_fd(&c, fd, path, v);
        sim_conf_clear(&c);
    }
    if (fd >= 0)
        close(fd);
    if (rc == 0)
        return 0;
    fflush(stdout);
    return cmd_fail(-rc, "getstripe", "getstripe for '%s' failed: %s", path,
                    strerror(-rc));
}

/* The regular files in a directory. */
static int get_children(const char *path, const struct view *v)
{
    DIR *dir = opendir(path);
    char name[PATH_MAX];
    struct dirent *e;
    struct stat st;
    int status = 0, one;

    if (!dir)
        return 0;
    while ((e = readdir(dir)) != NULL) {
        snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
        if (lstat(name, &st) != 0 || !S_ISREG(st.st_mode))
            continue;
        one = get_path(name, v);
        if (status == 0)
            status = one;
    }
    closedir(dir);
    return status;
}

static int get_one(const char *path, const struct view *v)
{
    struct stat st;
    int status = get_path(path, v);

    if (status == 0 && !v->dir_only && stat(path, &st) == 0 &&
        S_ISDIR(st.st_mode))
        status = get_children(path, v);
    return status;
}

static int view_option(struct view *v, const char *arg)
{
    if (strcmp(arg, "-y") == 0 || strcmp(arg, "--yaml") == 0)
        v->yaml = 1;
    else if (strcmp(arg, "-d") == 0 || strcmp(arg, "--directory") == 0)
        v->dir_only = 1;
    else if (strcmp(arg, "-c") == 0 || strcmp(arg, "--stripe-count") == 0)
        v->fields |= FIELD_COUNT;
    else if (strcmp(arg, "-S") == 0 || strcmp(arg, "--stripe-size") == 0)
        v->fields |= FIELD_SIZE;
    else if (strcmp(arg, "-i") == 0 || strcmp(arg, "--stripe-index") == 0)
        v->fields |= FIELD_INDEX;
    else if (strcmp(arg, "-p") == 0 || strcmp(arg, "--pool") == 0)
        v->fields |= FIELD_POOL;
    else if (strcmp(arg, "-v") != 0 && strcmp(arg, "--verbose") != 0)
        return -EINVAL;
    return 0;
}

int cmd_getstripe(int argc, char **argv)
{
    struct view v = {0};
    int status = 0, one, paths = 0;

    if (cmd_help(argc, argv, get_help))
        return 0;
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-' && view_option(&v, argv[i]))
            return cmd_fail(EXIT_OPTION, "getstripe", "unknown option '%s'",
                            argv[i]);
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            continue;
        paths++;
        one = get_one(argv[i], &v);
        if (status == 0)
            status = one;
    }
    if (!paths)
        return cmd_fail(EXIT_OPTION, "getstripe", "which file? See --help");
    return status;
}
