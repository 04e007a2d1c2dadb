/* conf.c - what mkfs decides about a simulated file system */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "conf.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONF_MAX (256 * 1024) /* no config we write is longer */

void sim_conf_init(struct sim_conf *c)
{
    memset(c, 0, sizeof(*c));
    c->osts = 4;
    c->stripe_count = 1;
    c->stripe_size = 4 << 20;
}

void sim_conf_clear(struct sim_conf *c)
{
    for (uint32_t i = 0; i < c->npools; i++)
        free(c->pools[i].osts);
    c->npools = 0;
}

const struct sim_pool *sim_conf_pool(const struct sim_conf *c, const char *name)
{
    for (uint32_t i = 0; i < c->npools; i++)
        if (strncmp(c->pools[i].name, name, SIM_POOL_NAME) == 0)
            return &c->pools[i];
    return NULL;
}

/* One number of an OST list; moves *p behind it. */
static int parse_ost(const char **p, uint32_t osts, uint32_t *ost)
{
    unsigned long v;
    char *end;

    if (!isdigit((unsigned char)**p))
        return -EINVAL;
    errno = 0;
    v = strtoul(*p, &end, 10);
    if (errno || v >= osts)
        return -EINVAL;
    *p = end;
    *ost = v;
    return 0;
}

/* Mark the OSTs of "1,3-5" in `member`; text after the list is refused. */
static int parse_ost_list(const char *p, uint32_t osts, char *member)
{
    uint32_t a, b;

    for (;;) {
        if (parse_ost(&p, osts, &a))
            return -EINVAL;
        b = a;
        if (*p == '-') {
            p++;
            if (parse_ost(&p, osts, &b) || b < a)
                return -EINVAL;
        }
        memset(member + a, 1, b - a + 1);
        if (*p != ',')
            break;
        p++;
    }
    return p[strspn(p, " \t\r\n")] ? -EINVAL : 0;
}

static int pool_fill(struct sim_pool *pool, const char *member, uint32_t osts)
{
    pool->count = 0;
    pool->osts = malloc(osts * sizeof(*pool->osts));
    if (!pool->osts)
        return -ENOMEM;
    for (uint32_t i = 0; i < osts; i++)
        if (member[i])
            pool->osts[pool->count++] = i;
    return 0;
}

int sim_conf_add_pool(struct sim_conf *c, const char *line, struct adl_err *err)
{
    struct sim_pool *pool = &c->pools[c->npools];
    char member[SIM_MAX_OSTS] = {0};
    size_t n;
    int rc;

    line += strspn(line, " \t");
    n = strcspn(line, " \t:=\r\n");
    if (n == 0 || n >= SIM_POOL_NAME)
        return adl_err_set(err, -EINVAL, "bad pool name in '%.60s'", line);
    if (c->npools == SIM_MAX_POOLS)
        return adl_err_set(err, -EINVAL, "more than %d pools", SIM_MAX_POOLS);
    memset(pool->name, 0, sizeof(pool->name));
    memcpy(pool->name, line, n);
    if (sim_conf_pool(c, pool->name))
        return adl_err_set(err, -EINVAL, "pool '%s' twice", pool->name);
    line += n;
    line += strspn(line, " \t:=");
    if (parse_ost_list(line, c->osts, member))
        return adl_err_set(err, -EINVAL, "pool '%s': bad OST list '%.60s'",
                           pool->name, line);
    rc = pool_fill(pool, member, c->osts);
    if (rc == 0)
        c->npools++;
    return rc;
}

/* Whole small text file, terminated; the caller frees. */
static int read_text(const char *path, char **text)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;
    char *buf;
    int rc;

    if (fd < 0)
        return -errno;
    buf = malloc(CONF_MAX + 1);
    if (!buf) {
        close(fd);
        return -ENOMEM;
    }
    n = read(fd, buf, CONF_MAX);
    close(fd);
    rc = n < 0               ? -EIO
         : n == CONF_MAX     ? -EFBIG
         : memchr(buf, 0, n) ? -EINVAL
                             : 0;
    if (rc) {
        free(buf);
        return rc;
    }
    buf[n] = '\0';
    *text = buf;
    return 0;
}

int sim_conf_read_pools(struct sim_conf *c, const char *path,
                        struct adl_err *err)
{
    char *text, *save = NULL, *line;
    int rc = read_text(path, &text);

    if (rc)
        return adl_err_set(err, rc, "%.100s: %s", path, strerror(-rc));
    for (line = strtok_r(text, "\n", &save); line && rc == 0;
         line = strtok_r(NULL, "\n", &save)) {
        line[strcspn(line, "#")] = '\0';
        if (line[strspn(line, " \t\r")])
            rc = sim_conf_add_pool(c, line, err);
    }
    free(text);
    return rc;
}

static void print_pool(FILE *f, const struct sim_pool *pool)
{
    fprintf(f, "pool=%s:", pool->name);
    for (uint32_t i = 0; i < pool->count; i++)
        fprintf(f, "%s%u", i ? "," : "", (unsigned)pool->osts[i]);
    fputc('\n', f);
}

static int write_conf(const struct sim_conf *c, int dirfd)
{
    int fd =
        openat(dirfd, "config", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    FILE *f;
    int bad;

    if (fd < 0)
        return -errno;
    f = fdopen(fd, "w");
    if (!f) {
        close(fd);
        return -ENOMEM;
    }
    fprintf(f, "version=1\nfsid=%llx\nosts=%u\nstripe_count=%u\n",
            (unsigned long long)c->fsid, c->osts, c->stripe_count);
    fprintf(f, "stripe_size=%u\n", c->stripe_size);
    for (uint32_t i = 0; i < c->npools; i++)
        print_pool(f, &c->pools[i]);
    bad = ferror(f);
    return fclose(f) || bad ? -EIO : 0;
}

static int check_limits(const struct sim_conf *c, struct adl_err *err)
{
    if (c->osts == 0 || c->osts > SIM_MAX_OSTS)
        return adl_err_set(err, -EINVAL, "OSTs must be 1 to %d", SIM_MAX_OSTS);
    if (c->stripe_count == 0)
        return adl_err_set(err, -EINVAL, "default stripe count 0");
    if (c->stripe_size == 0 || c->stripe_size % 65536)
        return adl_err_set(err, -EINVAL,
                           "default stripe size is no multiple of 64K");
    return 0;
}

int sim_conf_create(struct sim_conf *c, const char *root, struct adl_err *err)
{
    int rc = check_limits(c, err), rootfd, dirfd;

    if (rc)
        return rc;
    if (getrandom(&c->fsid, sizeof(c->fsid), 0) != sizeof(c->fsid))
        return adl_err_set(err, -EIO, "no random numbers");
    if ((mkdir(root, 0777) && errno != EEXIST) || !realpath(root, c->root))
        return adl_err_set(err, -errno, "%.100s: %s", root, strerror(errno));
    rootfd = open(c->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (rootfd < 0 || (mkdirat(rootfd, SIM_DIR, 0777) && errno != EEXIST)) {
        rc = adl_err_set(err, -errno, "%.100s: %s", root, strerror(errno));
        goto out;
    }
    dirfd = openat(rootfd, SIM_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rc = dirfd < 0 ? -errno : write_conf(c, dirfd);
    if (rc)
        adl_err_set(err, rc, "%.100s/" SIM_DIR "/config: %s", root,
                    strerror(-rc));
    if (dirfd >= 0)
        close(dirfd);
out:
    if (rootfd >= 0)
        close(rootfd);
    return rc;
}

/* One line of the config. Unknown keys are of newer versions: ignored. */
static int parse_line(struct sim_conf *c, const char *line, struct adl_err *err)
{
    unsigned long long fsid;
    unsigned v;

    if (strncmp(line, "pool=", 5) == 0)
        return sim_conf_add_pool(c, line + 5, err);
    if (sscanf(line, "fsid=%llx", &fsid) == 1)
        c->fsid = fsid;
    else if (sscanf(line, "osts=%u", &v) == 1)
        c->osts = v;
    else if (sscanf(line, "stripe_count=%u", &v) == 1)
        c->stripe_count = v;
    else if (sscanf(line, "stripe_size=%u", &v) == 1)
        c->stripe_size = v;
    else if (sscanf(line, "version=%u", &v) == 1 && v != 1)
        return adl_err_set(err, -EINVAL, "config of version %u", v);
    /* Pools follow and are checked against the OSTs: check these now. */
    return check_limits(c, err);
}

int sim_conf_load(struct sim_conf *c, const char *root, struct adl_err *err)
{
    char path[PATH_MAX + 32], *text, *save = NULL, *line;
    int rc;

    sim_conf_init(c);
    if (!realpath(root, c->root))
        return adl_err_set(err, -errno, "%.100s: %s", root, strerror(errno));
    snprintf(path, sizeof(path), "%s/" SIM_DIR "/config", c->root);
    rc = read_text(path, &text);
    if (rc)
        return adl_err_set(err, rc, "%.90s: not a lustre-sim file system: %s",
                           root, strerror(-rc));
    for (line = strtok_r(text, "\n", &save); line && rc == 0;
         line = strtok_r(NULL, "\n", &save))
        rc = parse_line(c, line, err);
    free(text);
    if (rc)
        sim_conf_clear(c);
    return rc;
}

int sim_conf_find_root(const char *path, char root[PATH_MAX])
{
    char conf[PATH_MAX + 32], *slash;

    if (!realpath(path, root))
        return -errno;
    for (;;) {
        snprintf(conf, sizeof(conf), "%s/" SIM_DIR "/config", root);
        if (access(conf, F_OK) == 0)
            return 0;
        slash = strrchr(root, '/');
        if (!slash || slash == root)
            return -ENOTTY;
        *slash = '\0';
    }
}
