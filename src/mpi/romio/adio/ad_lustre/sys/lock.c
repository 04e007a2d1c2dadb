/* lock.c - byte-range locks, for read-modify-write */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */

#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

/* The kernel takes all locks of one descriptor for one owner's: threads of this
 * process wait for each other here. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t dropped;
    struct adl_lock *first;
} held = {.mutex = PTHREAD_MUTEX_INITIALIZER,
          .dropped = PTHREAD_COND_INITIALIZER};

static int is_held(const struct adl_lock *lock)
{
    for (const struct adl_lock *h = held.first; h; h = h->next)
        if (h->fd == lock->fd && h->off < lock->off + lock->len &&
            lock->off < h->off + h->len)
            return 1;
    return 0;
}

static void enter_range(struct adl_lock *lock)
{
    pthread_mutex_lock(&held.mutex);
    while (is_held(lock))
        pthread_cond_wait(&held.dropped, &held.mutex);
    lock->next = held.first;
    held.first = lock;
    pthread_mutex_unlock(&held.mutex);
}

static void leave_range(struct adl_lock *lock)
{
    struct adl_lock **at = &held.first;

    pthread_mutex_lock(&held.mutex);
    while (*at != lock)
        at = &(*at)->next;
    *at = lock->next;
    pthread_cond_broadcast(&held.dropped);
    pthread_mutex_unlock(&held.mutex);
}

static int set_lock(const struct adl_lock *lock, short type)
{
    struct flock ask = {.l_type = type,
                        .l_whence = SEEK_SET,
                        .l_start = lock->off,
                        .l_len = lock->len};
    int how = F_OFD_SETLKW, rc;

    do {
        rc = fcntl(lock->fd, how, &ask);
        if (rc < 0 && errno == EINVAL && how == F_OFD_SETLKW) {
            how = F_SETLKW;
            errno = EINTR;
        }
    } while (rc < 0 && errno == EINTR);
    return rc < 0 ? -errno : 0;
}

static int take_lock(struct adl_lock *lock, short type)
{
    int rc;

    enter_range(lock);
    rc = set_lock(lock, type);
    if (rc < 0) {
        leave_range(lock);
        lock->len = 0;
    }
    return rc;
}

int adl_lock_write(int fd, int64_t off, int64_t len, struct adl_lock *lock)
{
    *lock = (struct adl_lock){.fd = fd, .off = off, .len = len};
    return take_lock(lock, F_WRLCK);
}

int adl_lock_read(int fd, int64_t off, int64_t len, struct adl_lock *lock)
{
    *lock = (struct adl_lock){.fd = fd, .off = off, .len = len};
    return take_lock(lock, F_RDLCK);
}

void adl_lock_here(int fd, int64_t off, int64_t len, struct adl_lock *lock)
{
    *lock = (struct adl_lock){.fd = fd, .off = off, .len = len, .here = 1};
    enter_range(lock);
}

void adl_lock_drop(struct adl_lock *lock)
{
    if (lock->len == 0)
        return;
    if (!lock->here)
        set_lock(lock, F_UNLCK);
    leave_range(lock);
    lock->len = 0;
}

int adl_lock_is_missing(int rc)
{
    return rc == -ENOSYS || rc == -EOPNOTSUPP;
}

int adl_lock_probe(int fd)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};

    return fcntl(fd, F_GETLK, &lock) ? -errno : 0;
}
