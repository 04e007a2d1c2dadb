/* shmem.c - memory that processes of one user on one node share */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "shmem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

static int map(int fd, int64_t bytes, void **out)
{
    void *base =
        mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (base == MAP_FAILED)
        return -errno;
    *out = base;
    return 0;
}

/* The kernel allocates a page when it is first touched, and kills a process
 * that touches a page when there is no memory left. So this asks beforehand
 * whether enough memory is free, with a reserve. Where the kernel does not
 * overcommit, fallocate can take all pages at once without that risk.
 * Elsewhere fallocate could also get the process killed, and would put all
 * pages into the memory domain of this process. */
static int reserve_shared(int fd, int64_t bytes)
{
    int64_t left = adl_memory_left("");

    if (bytes > left - left / 16)
        return -ENOMEM;
    if (!adl_memory_is_strict("") || fallocate(fd, 0, 0, bytes) == 0)
        return 0;
    return errno == ENOSPC || errno == ENOMEM ? -ENOMEM : 0;
}

int adl_shmem_create(int64_t bytes, struct adl_shmem_card *card, void **out)
{
    struct stat st;
    int fd = memfd_create("romio-lustre", MFD_CLOEXEC);
    int rc;

    if (fd < 0)
        return -errno;
    rc = ftruncate(fd, bytes) || fstat(fd, &st) ? -errno : 0;
    if (rc == 0)
        rc = reserve_shared(fd, bytes);
    if (rc == 0)
        rc = map(fd, bytes, out);
    if (rc < 0) {
        close(fd);
        return rc;
    }
    card->pid = getpid();
    card->fd = fd;
    card->dev = (int64_t)st.st_dev;
    card->ino = (int64_t)st.st_ino;
    return 0;
}

void adl_shmem_hide(struct adl_shmem_card *card)
{
    close((int)card->fd);
    card->fd = -1;
}

/* Nothing is done with what was opened before it is known to be the memory:
 * in another PID namespace the numbers may name anything. */
static int is_it(int fd, const struct adl_shmem_card *card, int64_t bytes)
{
    struct stat st;

    if (fstat(fd, &st))
        return -errno;
    return (int64_t)st.st_dev == card->dev && (int64_t)st.st_ino == card->ino &&
                   st.st_size == bytes
               ? 0
               : -ESTALE;
}

int adl_shmem_attach(const struct adl_shmem_card *card, int64_t bytes,
                     void **out)
{
    char path[64];
    int fd, rc;

    snprintf(path, sizeof(path), "/proc/%lld/fd/%lld", (long long)card->pid,
             (long long)card->fd);
    fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -errno;
    rc = is_it(fd, card, bytes);
    if (rc == 0)
        rc = map(fd, bytes, out);
    close(fd);
    return rc;
}

void adl_shmem_detach(void *base, int64_t bytes)
{
    if (base)
        munmap(base, (size_t)bytes);
}
