/* preload_special.c - intercepted calls: mount table, /sys and /proc, handles
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "preload.h"

#include <fcntl.h>
#include <glob.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "inquiry.h"
#include "path.h"
#include "special.h"

const char *sim_redirect(const char *name, char path[PATH_MAX])
{
    struct sim_proc *p;
    int there;

    if (!name || (strncmp(name, "/sys/", 5) && strncmp(name, "/proc/fs/", 9)) ||
        !(p = sim_enter()))
        return name;
    there = sim_special_path(&p->conf, name, path);
    sim_leave();
    return there ? path : name;
}

int sim_open_special(const char *name)
{
    struct sim_proc *p;
    int fd;

    if (!name ||
        (strncmp(name, "/sys/", 5) && strncmp(name, "/proc/", 6) &&
         strncmp(name, "/etc/mtab", 9)) ||
        !(p = sim_enter()))
        return -1;
    fd = sim_special_open(&p->conf, name);
    sim_leave();
    return fd;
}

SIM_EXPORT FILE *setmntent(const char *name, const char *mode)
{
    int fd = sim_open_special(name);

    return fd >= 0 ? fdopen(fd, "r") : sim_real()->setmntent(name, mode);
}

SIM_EXPORT int access(const char *name, int mode)
{
    char path[PATH_MAX];

    return sim_real()->access(sim_redirect(name, path), mode);
}

SIM_EXPORT DIR *opendir(const char *name)
{
    char path[PATH_MAX];

    return sim_real()->opendir(sim_redirect(name, path));
}

/* What the embedded Lustre keeps in its root is no part of it. That of another
 * root is an ordinary directory. */
static int is_own(DIR *dir, const struct dirent *e)
{
    char path[PATH_MAX];
    struct sim_proc *p;
    int own;

    if (strcmp(e->d_name, SIM_DIR) != 0 || !(p = sim_enter()))
        return 0;
    own = sim_path_of_fd(&p->conf, dirfd(dir), path) == 0 &&
          *sim_path_below(&p->conf, path) == '\0';
    sim_leave();
    return own;
}

SIM_EXPORT struct dirent *readdir(DIR *dir)
{
    struct dirent *e;

    do {
        e = sim_real()->readdir(dir);
    } while (e && is_own(dir, e));
    return e;
}

_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "one form");

SIM_EXPORT struct dirent64 *readdir64(DIR *dir)
{
    return (struct dirent64 *)readdir(dir);
}

/* ---- glob ---- */

#define MAX_DEPTH 8 /* braces of a pattern that are looked into */

/* Where the brace that opens at `open` closes, or NULL. */
static const char *closing(const char *open)
{
    int depth = 0;

    for (const char *at = open; *at; at++) {
        depth += *at == '{';
        depth -= *at == '}';
        if (!depth)
            return at;
    }
    return NULL;
}

/* Where the alternative at `from` ends: at a comma of its own braces or at
 * `close`. */
static const char *alternative_end(const char *from, const char *close)
{
    int depth = 0;

    for (const char *at = from; at < close; at++) {
        depth += *at == '{';
        depth -= *at == '}';
        if (*at == ',' && !depth)
            return at;
    }
    return close;
}

/* The first of a pattern's alternatives that lies in the folder, with the
 * folder's real path, malloc'ed; NULL: none. One is enough, since all names of
 * the folder show the same. lfs asks for
 * {{/proc,/sys}/fs/lustre,/sys/kernel/debug/{lnet,lustre}}/... */
static char *real_pattern(const struct sim_conf *c, const char *pattern,
                          int depth)
{
    const char *open = strchr(pattern, '{');
    const char *close = open ? closing(open) : NULL, *end;
    char path[PATH_MAX], *found = NULL;

    if (sim_special_path(c, pattern, path))
        return strdup(path);
    if (!close || depth == 0)
        return NULL;
    for (const char *from = open + 1; !found && from <= close; from = end + 1) {
        end = alternative_end(from, close);
        if (snprintf(path, sizeof(path), "%.*s%.*s%s", (int)(open - pattern),
                     pattern, (int)(end - from), from, close + 1) < PATH_MAX)
            found = real_pattern(c, path, depth - 1);
    }
    return found;
}

/* What was found is shown under its usual name. */
static void rename_found(const struct sim_conf *c, glob_t *g, size_t first)
{
    char name[PATH_MAX];

    for (size_t i = first; i < g->gl_pathc; i++) {
        char **one = &g->gl_pathv[i];
        char *copy;

        if (!sim_special_name(c, *one, name) || !(copy = strdup(name)))
            continue;
        free(*one);
        *one = copy;
    }
}

SIM_EXPORT int glob(const char *pattern, int flags,
                    int (*bad)(const char *, int), glob_t *g)
{
    struct sim_proc *p = strstr(pattern, "lustre") ? sim_enter() : NULL;
    int depth = flags & GLOB_BRACE ? MAX_DEPTH : 0;
    char *real = p ? real_pattern(&p->conf, pattern, depth) : NULL;
    size_t first = flags & GLOB_APPEND ? g->gl_pathc : 0;
    int rc = sim_real()->glob(real ? real : pattern, flags, bad, g);

    if (rc == 0 && real && !(flags & GLOB_DOOFFS))
        rename_found(&p->conf, g, first);
    free(real);
    if (p)
        sim_leave();
    return rc;
}

_Static_assert(sizeof(glob_t) == sizeof(glob64_t), "one form");

SIM_EXPORT int glob64(const char *pattern, int flags,
                      int (*bad)(const char *, int), glob64_t *g)
{
    return glob(pattern, flags, bad, (glob_t *)g);
}

/* ---- file handles: how lfs path2fid asks ---- */

#define HANDLE_SIZE 32
#define HANDLE_TYPE 151

/* The file's identifier, then its parent's, which is not used. */
static int handle_of(struct sim_proc *p, int dirfd, const char *name, int flags,
                     struct file_handle *h, int *mount)
{
    char path[PATH_MAX];
    struct sim_fid fid;
    struct stat st;
    int fd;

    if (*name == 0 && (flags & AT_EMPTY_PATH))
        fd = sim_path_of_fd(&p->conf, dirfd, path) == 0
                 ? sim_real()->fcntl(dirfd, F_DUPFD_CLOEXEC, 0)
                 : -1;
    else
        fd = sim_path_open(&p->conf, dirfd, name, !(flags & AT_SYMLINK_FOLLOW),
                           path);
    if (fd < 0)
        return -ENOENT;
    if (sim_real()->fstat(fd, &st) != 0 || h->handle_bytes < HANDLE_SIZE) {
        sim_real()->close(fd);
        h->handle_bytes = HANDLE_SIZE;
        return -EOVERFLOW;
    }
    sim_real()->close(fd);
    sim_inquiry_fid(st.st_ino, &fid);
    memset(h->f_handle, 0, HANDLE_SIZE);
    memcpy(h->f_handle, &fid, sizeof(fid));
    h->handle_bytes = HANDLE_SIZE;
    h->handle_type = HANDLE_TYPE;
    *mount = 0;
    return 0;
}

SIM_EXPORT int name_to_handle_at(int dirfd, const char *name,
                                 struct file_handle *h, int *mount, int flags)
{
    struct sim_proc *p = sim_enter();
    int rc = -ENOENT;

    if (p) {
        rc = handle_of(p, dirfd, name, flags, h, mount);
        sim_leave();
    }
    if (rc == -ENOENT) /* not ours */
        return sim_real()->name_to_handle_at(dirfd, name, h, mount, flags);
    return (int)sim_result(rc);
}

/* A file by its identifier (liblustreapi): as open of its path. */
static int open_handle(struct sim_proc *p, int mount_fd,
                       const struct file_handle *h, char path[PATH_MAX])
{
    struct sim_fid fid;

    if (h->handle_type != HANDLE_TYPE || h->handle_bytes < sizeof(fid) ||
        sim_path_of_fd(&p->conf, mount_fd, path) != 0)
        return -ENOENT;
    memcpy(&fid, h->f_handle, sizeof(fid));
    return sim_inquiry_find(&p->conf, &fid, path);
}

SIM_EXPORT int open_by_handle_at(int mount_fd, struct file_handle *h, int flags)
{
    struct sim_proc *p = sim_enter();
    char path[PATH_MAX];
    int rc = -ENOENT;

    if (p) {
        rc = open_handle(p, mount_fd, h, path);
        sim_leave();
    }
    if (rc == -ENOENT) /* not ours */
        return sim_real()->open_by_handle_at(mount_fd, h, flags);
    return rc ? (int)sim_result(rc) : open(path, flags);
}
