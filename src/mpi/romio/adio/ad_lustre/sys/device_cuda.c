/* device_cuda.c - CUDA, by its driver's interface */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "device.h"

#include <dlfcn.h>
#include <errno.h>

enum {
    CU_ATTRIBUTE_CONTEXT = 1,
    CU_ATTRIBUTE_MEMORY_TYPE = 2,
    CU_ATTRIBUTE_IS_MANAGED = 8,
    CU_MEMORYTYPE_HOST = 1,
    CU_MEMORYTYPE_DEVICE = 2
};

/* One side of a copy of rows, and the copy, as cuMemcpy2D takes them. */
struct cuda_side {
    size_t x, y;
    int type;
    const void *host;
    uintptr_t device;
    void *array;
    size_t pitch;
};

struct cuda_rows {
    struct cuda_side from, to;
    size_t width, height;
};

static struct {
    int (*pointer)(void *data, int attribute, uintptr_t p);
    int (*range)(uintptr_t *base, size_t *size, uintptr_t p);
    int (*to_host)(void *to, uintptr_t from, size_t n);
    int (*to_device)(uintptr_t to, const void *from, size_t n);
    int (*rows)(const struct cuda_rows *rows);
    int (*push)(void *context);
    int (*pop)(void **context);
    int (*pin)(void **p, size_t size);
    int (*unpin)(void *p);
} cu;

static int load_cuda(void *lib)
{
    ADL_DEVICE_FIND(lib, cu.pointer, "cuPointerGetAttribute");
    ADL_DEVICE_FIND(lib, cu.range, "cuMemGetAddressRange_v2");
    ADL_DEVICE_FIND(lib, cu.to_host, "cuMemcpyDtoH_v2");
    ADL_DEVICE_FIND(lib, cu.to_device, "cuMemcpyHtoD_v2");
    ADL_DEVICE_FIND(lib, cu.rows, "cuMemcpy2D_v2");
    ADL_DEVICE_FIND(lib, cu.push, "cuCtxPushCurrent_v2");
    ADL_DEVICE_FIND(lib, cu.pop, "cuCtxPopCurrent_v2");
    ADL_DEVICE_FIND(lib, cu.pin, "cuMemAllocHost_v2");
    ADL_DEVICE_FIND(lib, cu.unpin, "cuMemFreeHost");
    return cu.pointer && cu.range && cu.to_host && cu.to_device && cu.rows &&
                   cu.push && cu.pop && cu.pin && cu.unpin
               ? 0
               : -ENOSYS;
}

static int find_cuda(const void *p, struct adl_device_range *out)
{
    uintptr_t at = (uintptr_t)p;
    unsigned type = 0, managed = 0;

    if (cu.pointer(&type, CU_ATTRIBUTE_MEMORY_TYPE, at) ||
        type != CU_MEMORYTYPE_DEVICE)
        return -ENOENT;
    if (!cu.pointer(&managed, CU_ATTRIBUTE_IS_MANAGED, at) && managed & 0xff)
        return -ENOENT;
    if (cu.range(&out->at, &out->size, at))
        return -EFAULT;
    if (cu.pointer(&out->context, CU_ATTRIBUTE_CONTEXT, at))
        out->context = NULL;
    return 0;
}

/* A thread that the program did not start on the device has no context. */
static int enter_cuda(const struct adl_device_range *r)
{
    return r->context && cu.push(r->context) == 0;
}

static void leave_cuda(int entered)
{
    void *context;

    if (entered)
        cu.pop(&context);
}

static int cuda_in(const struct adl_device_range *r, void *to, const void *from,
                   size_t n)
{
    int entered = enter_cuda(r), rc = cu.to_host(to, (uintptr_t)from, n);

    leave_cuda(entered);
    return rc;
}

static int cuda_out(const struct adl_device_range *r, void *to,
                    const void *from, size_t n)
{
    int entered = enter_cuda(r), rc = cu.to_device((uintptr_t)to, from, n);

    leave_cuda(entered);
    return rc;
}

static int cuda_rows_out(const struct adl_device_range *r, void *to,
                         const void *from, const struct adl_device_rows *rows)
{
    struct cuda_rows copy = {.from = {.type = CU_MEMORYTYPE_HOST,
                                      .host = from,
                                      .pitch = rows->width},
                             .to = {.type = CU_MEMORYTYPE_DEVICE,
                                    .device = (uintptr_t)to,
                                    .pitch = rows->pitch},
                             .width = rows->width,
                             .height = rows->height};
    int entered = enter_cuda(r), rc = cu.rows(&copy);

    leave_cuda(entered);
    return rc;
}

static void *cuda_pin(const struct adl_device_range *r, size_t size)
{
    void *p = NULL;
    int entered = enter_cuda(r);

    if (cu.pin(&p, size))
        p = NULL;
    leave_cuda(entered);
    return p;
}

static void cuda_unpin(const struct adl_device_range *r, void *p)
{
    int entered = enter_cuda(r);

    cu.unpin(p);
    leave_cuda(entered);
}

static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};

const struct adl_device adl_device_cuda = {.kind = "cuda",
                                           .names = names,
                                           .load = load_cuda,
                                           .find = find_cuda,
                                           .copy_in = cuda_in,
                                           .copy_out = cuda_out,
                                           .copy_rows_out = cuda_rows_out,
                                           .pin = cuda_pin,
                                           .unpin = cuda_unpin};
