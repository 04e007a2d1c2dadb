/* special.c - the files by which a Lustre client shows itself */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "special.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "raw.h"

#define FOLDER "/" SIM_DIR "/client"

static const char *const shown[] = {
    "/sys/fs/lustre", "/sys/kernel/debug/lustre", "/proc/fs/lustre"};
static const char *const tables[] = {"/proc/mounts", "/proc/self/mounts",
                                     "/etc/mtab"};

/* ---- making ---- */

/* Folders are made as they are needed. */
static int make_folders(char *path, size_t from)
{
    for (char *at = path + from; (at = strchr(at, '/')) != NULL; at++) {
        int failed;

        *at = 0;
        failed = mkdir(path, 0777) != 0 && errno != EEXIST;
        *at = '/';
        if (failed)
            return -errno;
    }
    return 0;
}

static int put(const struct sim_conf *c, const char *text, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* One file below the folder, named by the format. */
static int put(const struct sim_conf *c, const char *text, const char *fmt, ...)
{
    char path[2 * PATH_MAX], name[512];
    va_list ap;
    int fd, rc;

    va_start(ap, fmt);
    vsnprintf(name, sizeof(name), fmt, ap);
    va_end(ap);
    snprintf(path, sizeof(path), "%s" FOLDER "/%s", c->root, name);
    rc = make_folders(path, strlen(c->root) + 1);
    if (rc)
        return rc;
    fd =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return -errno;
    rc = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -EIO;
    close(fd);
    return rc;
}

static int put_number(const struct sim_conf *c, const char *dir,
                      const char *file, long long value)
{
    char text[32];

    snprintf(text, sizeof(text), "%lld\n", value);
    return put(c, text, "%s/%s", dir, file);
}

static int put_lov(const struct sim_conf *c)
{
    char dir[128], all[SIM_MAX_OSTS * 48] = "";
    size_t used = 0;
    int rc;

    snprintf(dir, sizeof(dir), "lov/" SIM_FSNAME "-clilov-%016llx",
             (unsigned long long)c->fsid);
    rc = put_number(c, dir, "stripecount", c->stripe_count);
    rc = rc ? rc : put_number(c, dir, "stripesize", c->stripe_size);
    rc = rc ? rc : put_number(c, dir, "stripeoffset", -1);
    rc = rc ? rc : put_number(c, dir, "stripetype", 1);
    rc = rc ? rc : put_number(c, dir, "numobd", c->osts);
    rc = rc ? rc : put_number(c, dir, "activeobd", c->osts);
    for (uint32_t i = 0; i < c->osts; i++)
        used +=
            (size_t)snprintf(all + used, sizeof(all) - used,
                             "%u: " SIM_FSNAME "-OST%04x_UUID ACTIVE\n", i, i);
    return rc ? rc : put(c, all, "%s/target_obd", dir);
}

/* The folder is there without pools, too. */
static int put_pools(const struct sim_conf *c)
{
    char path[2 * PATH_MAX];
    int rc;

    snprintf(path, sizeof(path),
             "%s" FOLDER "/lov/" SIM_FSNAME "-clilov-%016llx/pools/", c->root,
             (unsigned long long)c->fsid);
    rc = make_folders(path, strlen(c->root) + 1);
    for (uint32_t i = 0; i < c->npools && rc == 0; i++) {
        char all[SIM_MAX_OSTS * 32] = "";
        size_t used = 0;

        for (uint32_t k = 0; k < c->pools[i].count; k++)
            used += (size_t)snprintf(all + used, sizeof(all) - used,
                                     SIM_FSNAME "-OST%04x_UUID\n",
                                     c->pools[i].osts[k]);
        rc = put(c, all, "lov/" SIM_FSNAME "-clilov-%016llx/pools/%s",
                 (unsigned long long)c->fsid, c->pools[i].name);
    }
    return rc;
}

static int put_lmv(const struct sim_conf *c)
{
    char dir[128];
    int rc;

    snprintf(dir, sizeof(dir), "lmv/" SIM_FSNAME "-clilmv-%016llx",
             (unsigned long long)c->fsid);
    rc = put_number(c, dir, "numobd", 1);
    rc = rc ? rc : put_number(c, dir, "activeobd", 1);
    return rc ? rc
              : put(c, "0: " SIM_FSNAME "-MDT0000_UUID ACTIVE\n",
                    "%s/target_obd", dir);
}

/* What was recorded of the client whose reads the model follows. */
static int put_llite(const struct sim_conf *c)
{
    static const struct {
        const char *file;
        long long value;
    } list[] = {
        {"hybrid_io", 0},
        {"hybrid_io_write_threshold_bytes", SIM_HYBRID_WRITE},
        {"hybrid_io_read_threshold_bytes", SIM_HYBRID_READ},
        {"max_read_ahead_per_file_mb", 69},
        {"max_read_ahead_whole_mb", 4},
        {"read_ahead_range_kb", 1024},
        {"unaligned_dio", 1},
        {"parallel_dio", 1},
    };
    char dir[128];
    int rc = 0;

    snprintf(dir, sizeof(dir), "llite/" SIM_FSNAME "-%016llx",
             (unsigned long long)c->fsid);
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]) && rc == 0; i++)
        rc = put_number(c, dir, list[i].file, list[i].value);
    return rc ? rc : put(c, "lustre\n", "%s/fstype", dir);
}

int sim_special_make(const struct sim_conf *c)
{
    char last[PATH_MAX + 64];
    int rc;

    snprintf(last, sizeof(last), "%s" FOLDER "/version", c->root);
    if (access(last, F_OK) == 0)
        return 0;
    rc = put_lov(c);
    rc = rc ? rc : put_pools(c);
    rc = rc ? rc : put_lmv(c);
    rc = rc ? rc : put_llite(c);
    return rc ? rc : put(c, SIM_SPECIAL_VERSION "\n", "version");
}

/* ---- showing ---- */

/* Behind the prefix, if there is one: "" or "/...". */
static const char *behind(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);

    if (strncmp(name, prefix, n) != 0 || (name[n] && name[n] != '/'))
        return NULL;
    return name + n;
}

int sim_special_path(const struct sim_conf *c, const char *name,
                     char path[PATH_MAX])
{
    if (!name || (name[0] != '/' || (name[1] != 's' && name[1] != 'p')))
        return 0;
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        const char *rest = behind(name, shown[i]);

        if (rest && !strstr(rest, ".."))
            return snprintf(path, PATH_MAX, "%s" FOLDER "%s", c->root, rest) <
                   PATH_MAX;
    }
    return 0;
}

int sim_special_name(const struct sim_conf *c, const char *path,
                     char name[PATH_MAX])
{
    char folder[PATH_MAX + 32];
    const char *rest;

    snprintf(folder, sizeof(folder), "%s" FOLDER, c->root);
    rest = behind(path, folder);
    return rest && snprintf(name, PATH_MAX, "%s%s", shown[0], rest) < PATH_MAX;
}

/* A file that exists only as this descriptor. */
static int in_memory(const char *text, size_t len)
{
    int fd = memfd_create("lustre-sim", MFD_CLOEXEC);

    if (fd < 0)
        return -1;
    if (raw_write(fd, text, len) != (long)len ||
        syscall(SYS_lseek, fd, 0, SEEK_SET) != 0) {
        raw_close(fd);
        return -1;
    }
    return fd;
}

static int mount_table(const struct sim_conf *c)
{
    static const char line[] = "127.0.0.1@tcp:/" SIM_FSNAME " %s lustre "
                               "rw,%sflock,user_xattr 0 0\n";
    char text[65536];
    long n = raw_slurp("/proc/self/mounts", text,
                       sizeof(text) - PATH_MAX - sizeof(line));

    if (n < 0)
        return -1;
    n += snprintf(text + n, PATH_MAX + sizeof(line), line, c->root,
                  c->noflock ? "no" : "");
    return in_memory(text, (size_t)n);
}

int sim_special_open(const struct sim_conf *c, const char *name)
{
    const char *file = name ? strrchr(name, '/') : NULL;
    char path[PATH_MAX];

    if (!file)
        return -1;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        if (strcmp(name, tables[i]) == 0)
            return mount_table(c);
    if (strcmp(file, "/hybrid_io") == 0 && sim_special_path(c, name, path))
        return in_memory(c->hybrid_io ? "1\n" : "0\n", 2);
    return -1;
}
