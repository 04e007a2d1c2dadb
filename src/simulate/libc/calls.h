/* calls.h - the functions of the C library that the simulation replaces */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_CALLS_H
#define SIMULATE_CALLS_H

#include <aio.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define LIBC(name) __typeof__(name) libc_##name

LIBC(fcntl);
LIBC(flock);
LIBC(close);
LIBC(pwrite);
LIBC(pread);
LIBC(pwritev);
LIBC(preadv);
LIBC(write);
LIBC(read);
LIBC(aio_write);
LIBC(aio_read);
LIBC(aio_error);
LIBC(aio_return);
LIBC(aio_suspend);
LIBC(uname);
LIBC(sysconf);
LIBC(sched_getaffinity);
LIBC(getenv);
LIBC(open);
LIBC(readlink);
LIBC(dlopen);
LIBC(dlsym);
LIBC(mmap);
LIBC(munmap);
LIBC(syscall);
LIBC(malloc);
LIBC(calloc);
LIBC(realloc);
LIBC(free);
LIBC(strdup);
LIBC(memcpy);
LIBC(memmove);
LIBC(pthread_create);
LIBC(pthread_join);
LIBC(pthread_detach);
LIBC(pthread_mutex_init);
LIBC(pthread_mutex_destroy);
LIBC(pthread_mutex_consistent);
LIBC(pthread_mutex_lock);
LIBC(pthread_mutex_trylock);
LIBC(pthread_mutex_unlock);
LIBC(pthread_cond_init);
LIBC(pthread_cond_destroy);
LIBC(pthread_cond_wait);
LIBC(pthread_cond_timedwait);
LIBC(pthread_cond_signal);
LIBC(pthread_cond_broadcast);
LIBC(sched_yield);
LIBC(nanosleep);
LIBC(sleep);
LIBC(alarm);
LIBC(clock_gettime);
LIBC(clock_nanosleep);
LIBC(time);

#undef LIBC

/* The programs' own, see Makemodule.am. */
__typeof__(malloc) program_malloc;
__typeof__(calloc) program_calloc;
__typeof__(realloc) program_realloc;
__typeof__(free) program_free;

#endif
