/* userrw.c - reads and writes of a file with the user's memory */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "userrw.h"

#include <errno.h>

#include "../core/messages/usercopy.h"
#include "../core/text/minmax.h"
#include "mem.h"
#include "rw.h"

/* Most bytes of a device's memory that are staged at a time, in pinned memory
 * if there are many times as much: to pin costs more than a few copies. */
#define DEVICE_STAGE (1 << 20)
#define DEVICE_PIN (16 * (int64_t)DEVICE_STAGE)

/* Our memory, through which a device's goes to and from the file. */
struct device_stage {
    char *buf;
    unsigned failed; /* copies before */
    int pinned;
};

static int begin_device(struct device_stage *s, const void *user, int64_t len)
{
    s->pinned = len >= DEVICE_PIN;
    s->failed = adl_mem_failed(user);
    s->buf = adl_mem_stage(user, adl_min(len, DEVICE_STAGE), &s->pinned);
    return s->buf ? 0 : -ENOMEM;
}

static int copies_failed(const struct device_stage *s, const void *user)
{
    return adl_mem_failed(user) == s->failed ? 0 : -EIO;
}

/* The system cannot access a device's memory: by way of ours. */
static int move_staged_device(int fd, int write, char *user, int64_t len,
                              int64_t off, size_t *done)
{
    struct device_stage s;
    size_t n = 0, got = 0;
    int rc = begin_device(&s, user, len);

    for (; rc == 0 && len > 0 && got == n; len -= n) {
        n = adl_min(len, DEVICE_STAGE);
        got = 0;
        if (write) {
            adl_usercopy_in(s.buf, user + *done, n);
            rc = copies_failed(&s, user);
            rc = rc ? rc : adl_rw_write(fd, s.buf, n, off + *done, &got);
        } else {
            rc = adl_rw_read(fd, s.buf, n, off + *done, &got);
            adl_usercopy_out(user + *done, s.buf, got);
            if (copies_failed(&s, user)) {
                rc = -EIO;
                got = 0;
            }
        }
        *done += got;
    }
    adl_mem_unstage(user, s.buf, s.pinned);
    return rc;
}

int adl_userrw_write(int fd, const void *user, int64_t len, int64_t off,
                     size_t *done)
{
    *done = 0;
    if (len > 0 && adl_mem_is_device(user))
        return move_staged_device(fd, 1, (char *)(uintptr_t)user, len, off,
                                  done);
    return adl_rw_write(fd, user, len, off, done);
}

int adl_userrw_read(int fd, void *user, int64_t len, int64_t off, size_t *done)
{
    *done = 0;
    if (len > 0 && adl_mem_is_device(user))
        return move_staged_device(fd, 0, user, len, off, done);
    return adl_rw_read(fd, user, len, off, done);
}
