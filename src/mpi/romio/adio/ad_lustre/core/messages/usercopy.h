/* usercopy.h - copies between the user's memory and ours
 *
 * The user's memory may be device memory, which the processor cannot touch. A
 * module that can copy such memory (sys/mem.h) registers its function here. As
 * long as a process has registered none, a copy is memcpy.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_USERCOPY_H
#define ADL_USERCOPY_H

#include <string.h>

/* The copy functions of a process that uses device memory. */
struct adl_usercopy {
    void (*in)(void *to, const void *user, size_t n);
    void (*out)(void *user, const void *from, size_t n);
};

/* NULL: there is none. */
extern const struct adl_usercopy *adl_usercopy_device;

/* From the user's memory. */
static inline void adl_usercopy_in(void *to, const void *user, size_t n)
{
    const struct adl_usercopy *device =
        __atomic_load_n(&adl_usercopy_device, __ATOMIC_RELAXED);

    if (device)
        device->in(to, user, n);
    else
        memcpy(to, user, n);
}

/* To the user's memory. */
static inline void adl_usercopy_out(void *user, const void *from, size_t n)
{
    const struct adl_usercopy *device =
        __atomic_load_n(&adl_usercopy_device, __ATOMIC_RELAXED);

    if (device)
        device->out(user, from, n);
    else
        memcpy(user, from, n);
}

#endif
