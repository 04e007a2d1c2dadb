/* device_ze.c - Intel's devices, by Level Zero
 *
 * An allocation belongs to a context of the program. The Level Zero driver
 * keeps the allocations of all contexts in one table, so it also answers
 * queries that come from our context, if that context is of the same driver.
 * This module makes one context for each driver. A copy uses a command list
 * that executes each command at once and synchronously (an immediate list).
 * There is one such list for each device that a buffer was found on.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "device.h"

#include <dlfcn.h>
#include <errno.h>

enum {
    ZE_CONTEXT_DESC = 0xd,
    ZE_COMMAND_QUEUE_DESC = 0xe,
    ZE_HOST_MEM_ALLOC_DESC = 0x16,
    ZE_MEMORY_ALLOCATION_PROPERTIES = 0x17,
    ZE_MEMORY_DEVICE = 2,
    ZE_MODE_SYNCHRONOUS = 1,
    MOST_DRIVERS = 8,
    MOST_DEVICES = 64,
    PIN_ALIGN = 4096
};

struct ze_context_desc {
    int stype;
    const void *next;
    uint32_t flags;
};

struct ze_queue_desc {
    int stype;
    const void *next;
    uint32_t ordinal, index, flags;
    int mode, priority;
};

struct ze_host_desc {
    int stype;
    const void *next;
    uint32_t flags;
};

struct ze_properties {
    int stype;
    void *next;
    int type;
    uint64_t id, page_size;
};

struct ze_region {
    uint32_t x, y, z, width, height, depth;
};

static struct {
    int (*init)(uint32_t flags);
    int (*drivers)(uint32_t *n, void **drivers);
    int (*context)(void *driver, const struct ze_context_desc *desc,
                   void **context);
    int (*properties)(void *context, const void *p, struct ze_properties *out,
                      void **device);
    int (*range)(void *context, const void *p, void **base, size_t *size);
    int (*list)(void *context, void *device, const struct ze_queue_desc *desc,
                void **list);
    int (*copy)(void *list, void *to, const void *from, size_t n, void *event,
                uint32_t waits, void *wait);
    int (*rows)(void *list, void *to, const struct ze_region *to_region,
                uint32_t to_pitch, uint32_t to_slice, const void *from,
                const struct ze_region *from_region, uint32_t from_pitch,
                uint32_t from_slice, void *event, uint32_t waits, void *wait);
    int (*pin)(void *context, const struct ze_host_desc *desc, size_t size,
               size_t align, void **p);
    int (*unpin)(void *context, void *p);
    void *context_of[MOST_DRIVERS];
    uint32_t contexts;
    /* lists of commands, by context and device */
    struct {
        void *context, *device, *list;
    } lists[MOST_DEVICES];
    int nlists;
} ze;

static int find_ze_functions(void *lib)
{
    ADL_DEVICE_FIND(lib, ze.init, "zeInit");
    ADL_DEVICE_FIND(lib, ze.drivers, "zeDriverGet");
    ADL_DEVICE_FIND(lib, ze.context, "zeContextCreate");
    ADL_DEVICE_FIND(lib, ze.properties, "zeMemGetAllocProperties");
    ADL_DEVICE_FIND(lib, ze.range, "zeMemGetAddressRange");
    ADL_DEVICE_FIND(lib, ze.list, "zeCommandListCreateImmediate");
    ADL_DEVICE_FIND(lib, ze.copy, "zeCommandListAppendMemoryCopy");
    ADL_DEVICE_FIND(lib, ze.rows, "zeCommandListAppendMemoryCopyRegion");
    ADL_DEVICE_FIND(lib, ze.pin, "zeMemAllocHost");
    ADL_DEVICE_FIND(lib, ze.unpin, "zeMemFree");
    return ze.init && ze.drivers && ze.context && ze.properties && ze.range &&
                   ze.list && ze.copy && ze.rows && ze.pin && ze.unpin
               ? 0
               : -ENOSYS;
}

static int load_ze(void *lib)
{
    struct ze_context_desc desc = {.stype = ZE_CONTEXT_DESC};
    void *driver[MOST_DRIVERS];
    uint32_t n = MOST_DRIVERS;

    if (find_ze_functions(lib) < 0 || ze.init(0) || ze.drivers(&n, driver))
        return -ENOSYS;
    for (uint32_t i = 0; i < n && i < MOST_DRIVERS; i++)
        if (ze.context(driver[i], &desc, &ze.context_of[ze.contexts]) == 0)
            ze.contexts++;
    return ze.contexts > 0 ? 0 : -ENOSYS;
}

/* The list for a device, NULL: none can be made. */
static void *list_of(void *context, void *device)
{
    struct ze_queue_desc desc = {.stype = ZE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_MODE_SYNCHRONOUS};
    int i = 0;

    while (i < ze.nlists &&
           (ze.lists[i].context != context || ze.lists[i].device != device))
        i++;
    if (i < ze.nlists)
        return ze.lists[i].list;
    if (i == MOST_DEVICES || ze.list(context, device, &desc, &ze.lists[i].list))
        return NULL;
    ze.lists[i].context = context;
    ze.lists[i].device = device;
    ze.nlists++;
    return ze.lists[i].list;
}

static int find_in(void *context, const void *p, struct adl_device_range *out)
{
    struct ze_properties is = {.stype = ZE_MEMORY_ALLOCATION_PROPERTIES};
    void *device = NULL, *base = NULL;

    if (ze.properties(context, p, &is, &device) || is.type != ZE_MEMORY_DEVICE)
        return -ENOENT;
    if (ze.range(context, p, &base, &out->size))
        return -EFAULT;
    out->at = (uintptr_t)base;
    out->context = list_of(context, device);
    return out->context ? 0 : -EFAULT;
}

static int find_ze(const void *p, struct adl_device_range *out)
{
    int rc = -ENOENT;

    for (uint32_t i = 0; rc < 0 && i < ze.contexts; i++)
        rc = find_in(ze.context_of[i], p, out);
    return rc;
}

/* Both ways: the library sees which side is the device's. */
static int ze_copy(const struct adl_device_range *r, void *to, const void *from,
                   size_t n)
{
    return ze.copy(r->context, to, from, n, NULL, 0, NULL);
}

static int ze_rows_out(const struct adl_device_range *r, void *to,
                       const void *from, const struct adl_device_rows *rows)
{
    struct ze_region region = {.width = (uint32_t)rows->width,
                               .height = (uint32_t)rows->height};

    return ze.rows(r->context, to, &region, (uint32_t)rows->pitch, 0, from,
                   &region, (uint32_t)rows->width, 0, NULL, 0, NULL);
}

static void *context_of(const struct adl_device_range *r)
{
    int i = 0;

    while (i < ze.nlists && ze.lists[i].list != r->context)
        i++;
    return i < ze.nlists ? ze.lists[i].context : NULL;
}

static void *ze_pin(const struct adl_device_range *r, size_t size)
{
    struct ze_host_desc desc = {.stype = ZE_HOST_MEM_ALLOC_DESC};
    void *p = NULL;

    return ze.pin(context_of(r), &desc, size, PIN_ALIGN, &p) ? NULL : p;
}

static void ze_unpin(const struct adl_device_range *r, void *p)
{
    ze.unpin(context_of(r), p);
}

static const char *const names[] = {"libze_loader.so.1", "libze_loader.so",
                                    NULL};

const struct adl_device adl_device_ze = {.kind = "level_zero",
                                         .names = names,
                                         .load = load_ze,
                                         .find = find_ze,
                                         .copy_in = ze_copy,
                                         .copy_out = ze_copy,
                                         .copy_rows_out = ze_rows_out,
                                         .pin = ze_pin,
                                         .unpin = ze_unpin};
