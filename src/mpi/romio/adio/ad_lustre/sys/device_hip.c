/* device_hip.c - ROCm, by HIP's interface */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "device.h"

#include <dlfcn.h>
#include <errno.h>

/* The memory types have other numbers since ROCm 6. */
enum {
    HIP_ATTRIBUTE_MEMORY_TYPE = 2,
    HIP_ROCM6 = 60000000,
    HIP_DEVICE_BEFORE = 1,
    HIP_DEVICE = 2,
    HIP_TO_DEVICE = 1,
    HIP_TO_HOST = 2
};

static struct {
    int (*version)(int *version);
    int (*pointer)(void *data, int attribute, void *p);
    int (*range)(void **base, size_t *size, void *p);
    int (*copy)(void *to, const void *from, size_t n, int kind);
    int (*rows)(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                size_t width, size_t height, int kind);
    int (*pin)(void **p, size_t size, unsigned flags);
    int (*unpin)(void *p);
    int device; /* the number of device memory */
} hip;

static int load_hip(void *lib)
{
    int version = 0;

    ADL_DEVICE_FIND(lib, hip.version, "hipRuntimeGetVersion");
    ADL_DEVICE_FIND(lib, hip.pointer, "hipPointerGetAttribute");
    ADL_DEVICE_FIND(lib, hip.range, "hipMemGetAddressRange");
    ADL_DEVICE_FIND(lib, hip.copy, "hipMemcpy");
    ADL_DEVICE_FIND(lib, hip.rows, "hipMemcpy2D");
    ADL_DEVICE_FIND(lib, hip.pin, "hipHostMalloc");
    ADL_DEVICE_FIND(lib, hip.unpin, "hipHostFree");
    if (!hip.version || !hip.pointer || !hip.range || !hip.copy || !hip.rows ||
        !hip.pin || !hip.unpin)
        return -ENOSYS;
    hip.version(&version);
    hip.device = version >= HIP_ROCM6 ? HIP_DEVICE : HIP_DEVICE_BEFORE;
    return 0;
}

static int find_hip(const void *p, struct adl_device_range *out)
{
    void *base = NULL;
    int type = -1;

    if (hip.pointer(&type, HIP_ATTRIBUTE_MEMORY_TYPE, (void *)p) ||
        type != hip.device)
        return -ENOENT;
    if (hip.range(&base, &out->size, (void *)p))
        return -EFAULT;
    out->at = (uintptr_t)base;
    out->context = NULL;
    return 0;
}

static int hip_in(const struct adl_device_range *r, void *to, const void *from,
                  size_t n)
{
    (void)r;
    return hip.copy(to, from, n, HIP_TO_HOST);
}

static int hip_out(const struct adl_device_range *r, void *to, const void *from,
                   size_t n)
{
    (void)r;
    return hip.copy(to, from, n, HIP_TO_DEVICE);
}

static int hip_rows_out(const struct adl_device_range *r, void *to,
                        const void *from, const struct adl_device_rows *rows)
{
    (void)r;
    return hip.rows(to, rows->pitch, from, rows->width, rows->width,
                    rows->height, HIP_TO_DEVICE);
}

static void *hip_pin(const struct adl_device_range *r, size_t size)
{
    void *p = NULL;

    (void)r;
    return hip.pin(&p, size, 0) ? NULL : p;
}

static void hip_unpin(const struct adl_device_range *r, void *p)
{
    (void)r;
    hip.unpin(p);
}

static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                    "libamdhip64.so.5", "libamdhip64.so", NULL};

const struct adl_device adl_device_hip = {.kind = "rocm",
                                          .names = names,
                                          .load = load_hip,
                                          .find = find_hip,
                                          .copy_in = hip_in,
                                          .copy_out = hip_out,
                                          .copy_rows_out = hip_rows_out,
                                          .pin = hip_pin,
                                          .unpin = hip_unpin};
