/* count_ladvise.c - a preload library that counts, and can refuse, LADVISE
 *
 * A program looks up `ladvise_count` and `ladvise_errno` (0: the calls pass).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/ioctl.h>

#define LADVISE_NUMBER 250 /* of LL_IOC_LADVISE */

int ladvise_count, ladvise_errno;

int ioctl(int fd, unsigned long request, ...)
{
    int (*next)(int, unsigned long, void *) =
        (int (*)(int, unsigned long, void *))dlsym(RTLD_NEXT, "ioctl");
    va_list args;
    void *arg;

    va_start(args, request);
    arg = va_arg(args, void *);
    va_end(args);
    if (_IOC_TYPE(request) != 'f' || _IOC_NR(request) != LADVISE_NUMBER)
        return next(fd, request, arg);
    __atomic_add_fetch(&ladvise_count, 1, __ATOMIC_RELAXED);
    if (ladvise_errno) {
        errno = ladvise_errno;
        return -1;
    }
    return next(fd, request, arg);
}
