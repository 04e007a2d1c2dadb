/* xattr.c - Lustre's extended attributes on simulated files and directories */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "xattr.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include "abi.h"
#include "mds.h"
#include "store.h"

#define PIN_STORE "user.lustre_sim.pin" /* where SIM_XATTR_PIN is kept */

int sim_xattr_ours(const char *name)
{
    return name && (strcmp(name, ADL_LUSTRE_XATTR) == 0 ||
                    strcmp(name, SIM_XATTR_TRUSTED) == 0 ||
                    strcmp(name, SIM_XATTR_ADD) == 0 ||
                    strcmp(name, SIM_XATTR_DELETE) == 0 ||
                    strcmp(name, SIM_XATTR_PIN) == 0 ||
                    strcmp(name, SIM_XATTR_OSTS) == 0);
}

/* Size 0 asks for the length only. */
static ssize_t answer(const void *value, size_t len, void *buf, size_t size)
{
    if (size == 0)
        return len;
    if (len > size)
        return -ERANGE;
    memcpy(buf, value, len);
    return len;
}

/* ---- pins: kept, and of no effect ---- */

static const char *path_of(int fd, char path[64])
{
    /* Through /proc: an O_PATH descriptor has no fgetxattr. */
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return path;
}

static ssize_t get_pin(int fd, void *buf, size_t size)
{
    char path[64];
    ssize_t n = getxattr(path_of(fd, path), PIN_STORE, buf, size);

    return n < 0 ? -errno : n;
}

static int set_pin(int fd, const void *value, size_t size, int flags)
{
    char path[64];

    return setxattr(path_of(fd, path), PIN_STORE, value, size, flags) ? -errno
                                                                      : 0;
}

static int remove_pin(int fd)
{
    char path[64];

    return removexattr(path_of(fd, path), PIN_STORE) ? -errno : 0;
}

/* ---- all ---- */

ssize_t sim_xattr_get(struct sim_proc *p, int fd, const char *name, void *buf,
                      size_t size)
{
    char text[16];
    size_t len;
    void *lov;
    ssize_t rc;

    if (strcmp(name, SIM_XATTR_ADD) == 0 || strcmp(name, SIM_XATTR_DELETE) == 0)
        return -ENODATA;
    if (strcmp(name, SIM_XATTR_PIN) == 0)
        return get_pin(fd, buf, size);
    if (strcmp(name, SIM_XATTR_OSTS) == 0) {
        len = snprintf(text, sizeof(text), "%u", p->conf.osts);
        return answer(text, len, buf, size);
    }
    rc = sim_mds_get(&p->conf, fd, &lov, &len);
    if (rc)
        return rc;
    rc = answer(lov, len, buf, size);
    free(lov);
    return rc;
}

/* Other opens of the same file in this process see the layout at once. */
static void refresh(struct sim_proc *p, int fd)
{
    struct sim_file *f;
    struct stat st;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    f = sim_file_get(p, fd, &st, "");
    if (!f)
        return;
    sim_file_load(f, &p->conf, fd);
    sim_file_put(p, f);
}

/* Long enough for a layout, and its magic one of a layout (L3). */
static int is_layout(const void *value, size_t size)
{
    uint32_t magic;

    if (!value || size < sizeof(struct adl_lov_user) || size > SIM_LOV_MAX)
        return 0;
    memcpy(&magic, value, sizeof(magic));
    return magic == ADL_LOV_MAGIC_V1 || magic == ADL_LOV_MAGIC_V3 ||
           magic == ADL_LOV_MAGIC_SPECIFIC || magic == ADL_LOV_MAGIC_COMP_V1 ||
           magic == ADL_LOV_MAGIC_SEL || magic == ADL_LOV_MAGIC_FOREIGN;
}

int sim_xattr_set(struct sim_proc *p, int fd, const char *name,
                  const void *value, size_t size, int flags)
{
    int rc;

    if (strcmp(name, SIM_XATTR_OSTS) == 0)
        return -EOPNOTSUPP;
    if (strcmp(name, SIM_XATTR_PIN) == 0)
        return set_pin(fd, value, size, flags);
    if (flags & ~(XATTR_CREATE | XATTR_REPLACE))
        return -EINVAL;
    if (!is_layout(value, size))
        return -ERANGE;
    if (strcmp(name, SIM_XATTR_ADD) == 0)
        rc = sim_mds_add(&p->conf, fd, value, size);
    else if (strcmp(name, SIM_XATTR_DELETE) == 0)
        rc = sim_mds_delete(&p->conf, fd, value, size);
    else
        rc = sim_mds_set(&p->conf, fd, value, size);
    if (rc == 0)
        refresh(p, fd);
    /* A file that has objects keeps them, and there is no error (L3). */
    return rc == -EEXIST ? 0 : rc;
}

int sim_xattr_remove(struct sim_proc *p, int fd, const char *name)
{
    struct stat st;

    if (strcmp(name, SIM_XATTR_PIN) == 0)
        return remove_pin(fd);
    if (strcmp(name, SIM_XATTR_OSTS) == 0 || fstat(fd, &st) != 0)
        return -EOPNOTSUPP;
    return S_ISDIR(st.st_mode) ? sim_mds_unset(&p->conf, fd) : 0;
}

/* Copy the names but for the store's; returns the new length. */
static size_t copy_names(const char *list, size_t len, char *to)
{
    size_t n = 0, out = 0, one;

    while (n < len) {
        one = strnlen(list + n, len - n) + 1;
        if (n + one > len)
            break;
        if (strcmp(list + n, SIM_STORE_XATTR) != 0 &&
            strcmp(list + n, PIN_STORE) != 0) {
            memcpy(to + out, list + n, one);
            out += one;
        }
        n += one;
    }
    return out;
}

ssize_t sim_xattr_list(struct sim_proc *p, int fd, const char *list, size_t len,
                       char *buf, size_t size)
{
    char *all = malloc(len + sizeof(ADL_LUSTRE_XATTR));
    size_t n, lov_len;
    void *lov;
    ssize_t rc;

    if (!all)
        return -ENOMEM;
    n = copy_names(list, len, all);
    if (sim_mds_get(&p->conf, fd, &lov, &lov_len) == 0) {
        free(lov);
        memcpy(all + n, ADL_LUSTRE_XATTR, sizeof(ADL_LUSTRE_XATTR));
        n += sizeof(ADL_LUSTRE_XATTR);
    }
    rc = answer(all, n, buf, size);
    free(all);
    return rc;
}
