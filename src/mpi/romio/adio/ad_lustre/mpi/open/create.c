/* create.c - rank 0's part of an open: the file and its layout */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "create.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../core/hints/striping.h"
#include "../../core/hints/askspec.h"
#include "../../core/report/advice.h"
#include "../../sys/calls.h"
#include "../../sys/inode.h"
#include "../../sys/llite.h"
#include "../../sys/lock.h"
#include "../../sys/lustre.h"

#include "../file/job.h"
#include "../file/team.h"

/* What is known about the place of the file, before it is opened. */
struct site {
    int existed;
    int on_lustre;
    struct adl_layout_defaults def;
    struct adl_layout *inherited; /* the directory's default, or NULL */
};

/* A blob to set, and its text for people. */
struct chosen {
    void *blob;
    size_t len;
    char text[256];
};

/* ---- the place ---- */

/* The directory of a path; free it. */
static char *parent_of(const char *path)
{
    char *copy = strdup(path), *dir = copy ? strdup(dirname(copy)) : NULL;

    free(copy);
    return dir;
}

/* Asked once for each file system, because it takes requests to a server. 0:
 * unknown. */
static int osts_here(const char *dir)
{
    struct adl_filesystem *fs;
    struct stat st;

    if (stat(dir, &st))
        return 0;
    fs = adl_job_filesystem(st.st_dev);
    if (fs->osts <= 0)
        fs->osts = adl_lustre_ost_count(dir);
    return fs->osts > 0 ? fs->osts : 0;
}

static int look_at(const struct adl_file *f, struct site *site)
{
    char *dir = parent_of(f->name);
    struct adl_err err;

    if (!dir)
        return -ENOMEM;
    site->existed = adl_inode_exists(f->name);
    site->on_lustre = adl_lustre_is_path(site->existed ? f->name : dir) == 1;
    if (site->on_lustre && !f->hidden) {
        site->def.ost_count = osts_here(dir);
        if (!site->existed)
            adl_lustre_default_layout(f->name, &site->def, &site->inherited,
                                      &err);
    }
    free(dir);
    return 0;
}

/* ---- the descriptor ---- */

static int posix_flags(int amode)
{
    int flags = O_CLOEXEC;

    if (amode & ADIO_CREATE)
        flags |= O_CREAT;
    if (amode & ADIO_EXCL)
        flags |= O_EXCL;
    if (amode & ADIO_RDWR)
        return flags | O_RDWR;
    return flags | (amode & ADIO_WRONLY ? O_WRONLY : O_RDONLY);
}

/* 0666 leaves the permissions to the caller's umask, like open(2). */
static mode_t permissions(ADIO_File fd)
{
    return fd->perm == ADIO_PERM_NULL ? 0666 : (mode_t)fd->perm;
}

static int open_plainly(ADIO_File fd, int amode)
{
    return adl_call_open(fd->filename, posix_flags(amode), permissions(fd));
}

/* POSIX lets one open a directory for reading; MPI has no use for it. */
static int check_kind(ADIO_File fd, int64_t *end)
{
    struct adl_inode inode;
    int append = fd->access_mode & ADIO_APPEND;
    int rc = adl_inode_look(fd->fd_sys, append, &inode);

    if (rc < 0)
        return rc;
    *end = inode.size;
    return inode.is_dir ? -EISDIR : 0;
}

/* ---- the layout asked for ---- */

/* The first node speaks for all. */
static int nics_of_node(const struct adl_file *f)
{
    return f->team && f->team->map ? adl_nodemap_nics(f->team->map, 0) : 0;
}

/* 1: a layout was asked for, 0: there is none, or it makes no sense (noted). */
static int choose_layout(struct adl_file *f, const struct site *site,
                         struct chosen *chosen)
{
    struct adl_layout_spec spec = {0};
    struct adl_err err = {""};
    struct adl_ask ask = {.hints = &f->hints,
                          .inherited = site->inherited,
                          .osts = site->def.ost_count,
                          .nodes = f->nodes.count,
                          .nics = nics_of_node(f),
                          .hidden = f->hidden};
    int rc = adl_askspec(&ask, &f->notes, &spec, &err);

    if (rc > 0) {
        adl_layout_spec_format(&spec, chosen->text, sizeof(chosen->text));
        rc = adl_layout_spec_encode(&spec, &chosen->blob, &chosen->len, &err);
        rc = rc ? rc : 1;
    }
    if (rc < 0)
        adl_notes_add(&f->notes, "%s: the layout hints make no layout: %s",
                      f->name, err.text);
    adl_layout_spec_clear(&spec);
    return rc > 0;
}

/* lfs refuses a pool that is not there; the server, which is asked here, takes
 * any name and then any OST. */
static void check_pool(struct adl_file *f)
{
    char *dir = f->hints.pool ? parent_of(f->name) : NULL;

    if (dir && adl_llite_pool(dir, f->hints.pool) == 0)
        adl_notes_add(&f->notes,
                      "romio_lustre_pool=%s: %s has no such pool; OSTs are "
                      "taken from all",
                      f->hints.pool, dir);
    free(dir);
}

static int create_with(ADIO_File fd, struct adl_file *f, int amode,
                       const struct site *site, struct adl_creation *how)
{
    struct chosen chosen = {NULL, 0, ""};
    int rc;

    if (!site->on_lustre || !(amode & ADIO_CREATE) || site->existed ||
        !choose_layout(f, site, &chosen))
        return open_plainly(fd, amode);
    check_pool(f);
    rc = adl_lustre_create(fd->filename, posix_flags(amode), permissions(fd),
                           chosen.blob, chosen.len, &how->refused);
    how->asked = 1;
    memcpy(how->text, chosen.text, sizeof(how->text));
    free(chosen.blob);
    return rc;
}

/* ---- the layout there is ---- */

/* On Lustre a file that is opened for reading before a process has written it
 * may have no layout of its own: it will get that of its directory. */
static int find_layout(int fd, struct adl_file *f, struct site *site)
{
    struct adl_err err = {""};
    int rc = -ENODATA;

    if (site->on_lustre) {
        rc = adl_lustre_get_layout(fd, &site->def, &f->layout, &err);
        if (rc == -ENODATA)
            rc = adl_lustre_default_layout(f->name, &site->def, &f->layout,
                                           &err);
        if (rc && rc != -ENODATA)
            adl_notes_add(&f->notes, "%s: %s", f->name, err.text);
    }
    if (!rc && !adl_layout_mapped(f->layout)) {
        adl_layout_destroy(f->layout);
        f->layout = NULL;
        rc = -ENODATA;
    }
    if (rc && !f->hidden && !f->on_lustre)
        adl_notes_add(&f->notes,
                      "not Lustre: files here have no layout; one is made up "
                      "from striping_unit and striping_factor");
    return rc ? adl_striping_made_up(&f->hints, f->nodes.count, &f->layout) : 0;
}

/* The size of a file is not known when it is created: at least so many bytes a
 * rank. */
#define RANK_WRITES ((int64_t)1 << 20)

/* A file was created with the directory's layout: will it be slow? One line a
 * directory. */
static void advise(struct adl_file *f, const struct site *site)
{
    struct adl_advice_new facts = {.osts = site->def.ost_count,
                                   .ranks = f->nprocs,
                                   .nodes = f->nodes.count,
                                   .nics = nics_of_node(f)};
    struct adl_advice a;
    int64_t size, at = (int64_t)f->nprocs * RANK_WRITES;
    int stripes;
    char *dir;

    adl_layout_stripe(f->layout, at, &size, &stripes);
    facts.stripes = stripes > 1 ? stripes : 1;
    if (adl_layout_head(f->layout)->composite)
        facts.at = at;
    dir = adl_advice_new(&facts, &a) ? parent_of(f->name) : NULL;
    if (dir)
        adl_notes_add(&f->notes, "advice for %s: %s: try %s", dir, a.text,
                      a.hint);
    free(dir);
}

static void take_striping(struct adl_file *f, const struct adl_creation *how)
{
    if (f->on_lustre)
        adl_striping_take(&f->hints, f->layout, how, f->name, &f->notes);
    else
        adl_striping_take_made_up(&f->hints, f->layout);
}

/* ---- what matters to readers ---- */

/* The last part of the file has most of its bytes. */
static int last_ost(const struct adl_layout *layout)
{
    struct adl_home home = {.ost = -1};
    int n = adl_layout_objects(layout);

    if (n > 0)
        adl_layout_home(layout, n - 1, &home);
    return home.ost;
}

/* Asked once for each file system, because it is a request to a server. An OST
 * that does not answer counts as a disk. */
static int find_media(const struct adl_file *f, uint64_t dev)
{
    struct adl_filesystem *fs = adl_job_filesystem(dev);
    int ost = last_ost(f->layout), rc;
    char *dir;

    if (fs->seeks_asked && fs->ost == ost)
        return fs->seeks;
    dir = ost < 0 ? NULL : parent_of(f->name);
    rc = dir ? adl_lustre_seeks(dir, ost) : -ENODATA;
    free(dir);
    fs->seeks_asked = 1;
    fs->ost = ost;
    return fs->seeks = rc != 0;
}

static void look_for_readers(ADIO_File fd, struct adl_file *f)
{
    struct adl_inode inode;

    f->seeks = 1;
    if (!f->on_lustre || f->hidden || !f->readable ||
        adl_inode_look(fd->fd_sys, 0, &inode) < 0)
        return;
    f->seeks = find_media(f, inode.dev);
    f->gathered = adl_job_has_gathered(adl_job(), &inode);
}

/* ROMIO keeps the shared file pointer in a file that every rank locks, and ends
 * the job where it cannot. */
static int check_locks(ADIO_File fd, const struct adl_file *f)
{
    int rc = f->hidden ? adl_lock_probe(fd->fd_sys) : 0, world;

    if (!adl_lock_is_missing(rc))
        return 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &world);
    if (world == 0)
        fprintf(stderr,
                "romio-lustre: %s: shared file pointers need file locks, which "
                "this file system does not have (a mount with noflock): %s\n",
                f->name, strerror(-rc));
    return rc;
}

int adl_create_open(ADIO_File fd, struct adl_file *f, int amode)
{
    struct site site = {0};
    struct adl_creation how = {0};
    int rc = look_at(f, &site);

    if (rc < 0)
        return rc;
    rc = create_with(fd, f, amode, &site, &how);
    if (rc >= 0) {
        fd->fd_sys = rc;
        f->readable = !(amode & ADIO_WRONLY);
        f->on_lustre = site.on_lustre;
        f->reach = site.existed ? INT64_MAX : 0;
        rc = check_kind(fd, &f->end);
        rc = rc ? rc : check_locks(fd, f);
        rc = rc ? rc : find_layout(fd->fd_sys, f, &site);
        how.existed = site.existed;
        if (!rc) {
            if (f->on_lustre && !f->hidden && !f->env.silent && !site.existed &&
                !how.asked)
                advise(f, &site);
            take_striping(f, &how);
            look_for_readers(fd, f);
        }
    }
    adl_layout_destroy(site.inherited);
    return rc;
}
