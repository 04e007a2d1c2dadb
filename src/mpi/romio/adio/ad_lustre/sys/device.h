/* device.h - the functions of a device's library that the driver needs
 *
 * One table for each kind of device: CUDA, HIP, Level Zero. The driver uses a
 * library only if the process has already loaded it, and finds its functions by
 * name (dlsym). Only sys/mem.c calls these functions.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_DEVICE_H
#define ADL_DEVICE_H

#include <stddef.h>
#include <stdint.h>

/* An allocation in a device's memory. */
struct adl_device_range {
    uintptr_t at;
    size_t size;
    const struct adl_device *of;
    void *context; /* what a copy needs: CUDA's context, Level Zero's list */
};

/* `height` runs of `width` bytes. On the device they begin `pitch` bytes apart;
 * in our memory they follow each other without gaps. */
struct adl_device_rows {
    size_t width, height, pitch;
};

/* Functions return 0, or another number for a failure. */
struct adl_device {
    const char *kind;         /* as MPI 4.1 names it */
    const char *const *names; /* of the library, NULL at the end */
    int (*load)(void *lib);
    /* Is p in device memory that the processor cannot access? Fills in *out,
     * except `of`. */
    int (*find)(const void *p, struct adl_device_range *out);
    int (*copy_in)(const struct adl_device_range *r, void *to, const void *from,
                   size_t n);
    int (*copy_out)(const struct adl_device_range *r, void *to,
                    const void *from, size_t n);
    int (*copy_rows_out)(const struct adl_device_range *r, void *to,
                         const void *from, const struct adl_device_rows *rows);
    /* Allocate pinned host memory, to and from which the device copies faster;
     * NULL: none. */
    void *(*pin)(const struct adl_device_range *r, size_t size);
    void (*unpin)(const struct adl_device_range *r, void *p);
};

extern const struct adl_device adl_device_cuda, adl_device_hip, adl_device_ze;

/* Look a function up: *fn is NULL where the library has none. */
#define ADL_DEVICE_FIND(lib, fn, name) \
    ((fn) = (__typeof__(fn))dlsym((lib), (name)))

#endif
