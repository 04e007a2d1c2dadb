/* attach.c - processes map the lock server's memory, and leave it */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "server.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "call.h"
#include "lock.h"
#include "procs.h"
#include "raw.h"

/* Differs after every boot. */
static uint64_t boot_hash(void)
{
    char id[64];
    long n = raw_slurp("/proc/sys/kernel/random/boot_id", id, sizeof(id));
    uint64_t h = 1;

    for (long i = 0; i < n; i++)
        h = (h ^ (unsigned char)id[i]) * 0x100000001b3ULL;
    return h;
}

static int init_shm(struct shm *shm)
{
    int rc = shm_init_mutex(&shm->mutex);

    if (rc < 0)
        return rc;
    shm->version = SHM_VERSION;
    shm->size = sizeof(*shm);
    shm->boot = boot_hash();
    __atomic_store_n(&shm->magic, SHM_MAGIC, __ATOMIC_RELEASE);
    return 0;
}

/* Few file systems have so many OSTs that a process must map more. */
#define USUAL_OSTS 257

static unsigned mapped_osts(unsigned osts)
{
    return osts > USUAL_OSTS ? osts : USUAL_OSTS;
}

static size_t mapped_bytes(unsigned osts)
{
    return offsetof(struct shm, ost) + osts * sizeof(struct ost);
}

static struct shm *map_shm(int fd, unsigned osts)
{
    long p = syscall(SYS_mmap, NULL, mapped_bytes(osts), PROT_READ | PROT_WRITE,
                     MAP_SHARED, fd, 0L);

    if (p == -1)
        return NULL;
    /* Few pages of many are used: a fault brings in one page, not a window
     * of holes around it. */
    syscall(SYS_madvise, p, mapped_bytes(osts), MADV_RANDOM);
    return (struct shm *)p;
}

static void unmap_shm(struct shm *shm, unsigned osts)
{
    syscall(SYS_munmap, shm, mapped_bytes(osts));
}

static int is_ours(const struct shm *shm)
{
    return shm->magic == SHM_MAGIC && shm->version == SHM_VERSION &&
           shm->size == sizeof(*shm) && shm->boot == boot_hash();
}

/* Whether path still names the file that fd has open. */
static int is_current(int fd, const char *path)
{
    struct stat a, b;

    return syscall(SYS_fstat, fd, &a) == 0 &&
           syscall(SYS_newfstatat, AT_FDCWD, path, &b, AT_SYMLINK_NOFOLLOW) ==
               0 &&
           a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* With the file locked: map it, make it when empty. -ESTALE: not our kind. */
static int map_server_locked(int fd, unsigned osts, struct shm **out)
{
    struct shm *shm;
    struct stat st;
    int rc = 0;

    if (syscall(SYS_fstat, fd, &st) < 0)
        return -errno;
    if (st.st_size != 0 && st.st_size != (off_t)sizeof(*shm))
        return -ESTALE;
    if (syscall(SYS_ftruncate, fd, (off_t)sizeof(*shm)) < 0)
        return -errno;
    shm = map_shm(fd, osts);
    if (!shm)
        return -errno;
    if (!shm->magic)
        rc = init_shm(shm);
    else if (!is_ours(shm))
        rc = -ESTALE;
    if (rc < 0)
        unmap_shm(shm, osts);
    else
        *out = shm;
    return rc;
}

/* A file of another version is replaced: processes that map it keep it. */
static int map_file(const char *path, unsigned osts, struct shm **out)
{
    int fd, rc;

    for (int tries = 0; tries < 8; tries++) {
        fd = raw_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
        if (fd < 0)
            return fd;
        while ((rc = (int)syscall(SYS_flock, fd, LOCK_EX)) < 0 &&
               errno == EINTR)
            ;
        if (rc < 0)
            rc = -errno;
        else if (!is_current(fd, path))
            rc = -EAGAIN;
        else
            rc = map_server_locked(fd, osts, out);
        if (rc == -ESTALE)
            syscall(SYS_unlinkat, AT_FDCWD, path, 0);
        /* The mapping keeps the open file, and so its lock, alive. */
        syscall(SYS_flock, fd, LOCK_UN);
        raw_close(fd);
        if (rc != -ESTALE && rc != -EAGAIN)
            return rc;
    }
    return -ESTALE;
}

int lsim_open(const char *path, const struct lsim_config *cfg,
              struct lsim **out)
{
    struct lsim *ls;
    int rc;

    if (!cfg->osts || cfg->osts > LSIM_MAX_OSTS ||
        cfg->client >= LSIM_MAX_CLIENTS || !cfg->profile.rpc_size)
        return -EINVAL;
    if (cfg->trace_dir && strlen(cfg->trace_dir) >= sizeof(ls->trace_dir))
        return -ENAMETOOLONG;
    ls = calloc(1, sizeof(*ls));
    if (!ls)
        return -ENOMEM;
    ls->osts = cfg->osts;
    ls->mapped = mapped_osts(cfg->osts);
    ls->mdt = cfg->mdt;
    ls->client = cfg->client;
    ls->forgets = cfg->forgets;
    ls->profile = cfg->profile;
    if (cfg->trace_dir)
        strcpy(ls->trace_dir, cfg->trace_dir);
    rc = map_file(path, ls->mapped, &ls->shm);
    if (rc < 0) {
        free(ls);
        return rc;
    }
    /* Before we are one of its processes: what an earlier, killed job left
     * of our client must not look alive. */
    rc = procs_reap(ls);
    if (rc == 0)
        rc = proc_register(ls);
    if (rc < 0) {
        unmap_shm(ls->shm, ls->mapped);
        free(ls);
        return rc;
    }
    *out = ls;
    return 0;
}

int lsim_forked(struct lsim *ls)
{
    return proc_register(ls);
}

static void give_back(struct lsim *ls, unsigned ost)
{
    struct call c;

    if (call_begin(&c, ls, ost, NULL) < 0)
        return;
    lock_forget_proc(c.o, ls->proc);
    call_end(&c);
}

void lsim_close(struct lsim *ls)
{
    int last;

    if (!ls)
        return;
    for (unsigned i = 0; i < ls->osts; i++)
        give_back(ls, i);
    proc_leave(ls, &last);
    if (last && ls->forgets)
        lsim_drop_cache(ls, NULL);
    proc_release(ls);
    unmap_shm(ls->shm, ls->mapped);
    free(ls);
}
