/* fake_device.c - a false libcuda, libamdhip64 or libze_loader, for tests
 * without a GPU
 *
 * Its memory cannot be touched by the processor: any load or store is a fault.
 * What the functions of the library copy goes through a second mapping of the
 * same pages. Copies outside an allocation end the process. FAKE_DEVICE_LOG
 * names a file to which a line is added at the end: how many copies each way,
 * their bytes, the largest, and how often a pointer was asked about.
 *
 *   cc -shared -fPIC -DFAKE_CUDA -o libcuda.so.1 fake_device.c
 *   cc -shared -fPIC -DFAKE_HIP -o libamdhip64.so.6 fake_device.c
 *   cc -shared -fPIC -DFAKE_ZE -o libze_loader.so.1 fake_device.c
 *
 * The tests' programs use fake_alloc, fake_free, fake_put and fake_get, which
 * each of them has. A page on either side of an allocation is not mapped.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST 4096

static struct block {
    char *device, *shadow;
    size_t size;
} blocks[MOST];

static struct {
    long in, out, asked, pinned;
    size_t bytes, largest;
} seen;

/* This copy from the device fails, or this one to it; 0: none. */
static long fail_at, fail_out_at;

__attribute__((constructor)) static void begin(void)
{
    const char *in = getenv("FAKE_DEVICE_FAIL");
    const char *out = getenv("FAKE_DEVICE_FAIL_OUT");

    fail_at = in ? atol(in) : 0;
    fail_out_at = out ? atol(out) : 0;
}

__attribute__((destructor)) static void end(void)
{
    const char *name = getenv("FAKE_DEVICE_LOG");
    FILE *log = name ? fopen(name, "a") : NULL;

    if (!log)
        return;
    fprintf(log, "in=%ld back=%ld bytes=%zu largest=%zu asked=%ld pinned=%ld\n",
            seen.in, seen.out, seen.bytes, seen.largest, seen.asked,
            seen.pinned);
    fclose(log);
}

static struct block *block_of(const void *p)
{
    for (int i = 0; i < MOST; i++)
        if (blocks[i].size && (char *)p >= blocks[i].device &&
            (char *)p < blocks[i].device + blocks[i].size)
            return &blocks[i];
    return NULL;
}

enum { PAGE = 4096 };

static size_t pages_of(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

int fake_alloc(void **out, size_t size)
{
    int fd = memfd_create("device", MFD_CLOEXEC), i = 0;
    size_t room = pages_of(size);
    char *at = mmap(NULL, room + 2 * PAGE, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    while (i < MOST && blocks[i].size)
        i++;
    if (fd < 0 || i == MOST || ftruncate(fd, (off_t)room) || at == MAP_FAILED)
        return 2;
    munmap(at, PAGE);
    munmap(at + PAGE + room, PAGE);
    blocks[i].device =
        mmap(at + PAGE, room, PROT_NONE, MAP_SHARED | MAP_FIXED, fd, 0);
    blocks[i].shadow =
        mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    blocks[i].size = size;
    *out = blocks[i].device;
    return 0;
}

int fake_free(void *p)
{
    struct block *b = block_of(p);

    if (!b || b->device != p)
        return 1;
    munmap(b->device, pages_of(b->size));
    munmap(b->shadow, pages_of(b->size));
    b->size = 0;
    return 0;
}

/* The shadow of [p, p + n), which must lie in one block. */
static char *shadow_of(const void *p, size_t n)
{
    struct block *b = block_of(p);
    size_t at = b ? (size_t)((char *)p - b->device) : 0;

    if (!b || n > b->size - at) {
        fprintf(stderr,
                "fake device: a copy outside its memory: %zu bytes at %p, "
                "block %p of %zu\n",
                n, p, b ? (void *)b->device : NULL, b ? b->size : 0);
        abort();
    }
    if (n > seen.largest)
        seen.largest = n;
    seen.bytes += n;
    return b->shadow + at;
}

static int to_host(void *to, const void *from, size_t n)
{
    if (++seen.in == fail_at)
        return 700;
    memcpy(to, shadow_of(from, n), n);
    return 0;
}

static int to_device(void *to, const void *from, size_t n)
{
    if (++seen.out == fail_out_at)
        return 700;
    memcpy(shadow_of(to, n), from, n);
    return 0;
}

/* Rows, one copy for the counts. */
static int rows_to_device(char *to, size_t pitch, const char *from,
                          size_t from_pitch, size_t width, size_t height)
{
    if (++seen.out == fail_out_at || pitch < width || from_pitch < width)
        return 700;
    for (size_t i = 0; i < height; i++)
        memcpy(shadow_of(to + i * pitch, width), from + i * from_pitch, width);
    return 0;
}

static int pin_host(void **p, size_t size)
{
    seen.pinned++;
    *p = malloc(size);
    return *p ? 0 : 2;
}

static int unpin_host(void *p)
{
    free(p);
    return 0;
}

/* For programs: not counted, and nothing fails. */
int fake_put(void *to, const void *from, size_t n)
{
    struct block *b = block_of(to);

    memcpy(b->shadow + ((char *)to - b->device), from, n);
    return 0;
}

int fake_get(void *to, const void *from, size_t n)
{
    struct block *b = block_of(from);

    memcpy(to, b->shadow + ((const char *)from - b->device), n);
    return 0;
}

#ifdef FAKE_CUDA
int cuPointerGetAttribute(void *data, int attribute, uintptr_t p)
{
    seen.asked++;
    if (!block_of((void *)p))
        return 1;
    if (attribute == 1) {
        *(void **)data = &seen;
        return 0;
    }
    if (attribute == 8) {
        *(unsigned *)data = 0;
        return 0;
    }
    *(unsigned *)data = 2;
    return attribute == 2 ? 0 : 1;
}

int cuMemGetAddressRange_v2(uintptr_t *base, size_t *size, uintptr_t p)
{
    struct block *b = block_of((void *)p);

    if (!b)
        return 1;
    *base = (uintptr_t)b->device;
    *size = b->size;
    return 0;
}

/* A copy needs the context, as in the real one. */
static int contexts;

int cuCtxPushCurrent_v2(void *context)
{
    contexts += context == &seen;
    return context == &seen ? 0 : 1;
}

int cuCtxPopCurrent_v2(void **context)
{
    *context = &seen;
    contexts--;
    return 0;
}

int cuMemcpyDtoH_v2(void *to, uintptr_t from, size_t n)
{
    return contexts ? to_host(to, (void *)from, n) : 201;
}

int cuMemcpyHtoD_v2(uintptr_t to, const void *from, size_t n)
{
    return contexts ? to_device((void *)to, from, n) : 201;
}

struct side {
    size_t x, y;
    int type;
    const void *host;
    uintptr_t device;
    void *array;
    size_t pitch;
};

struct rows {
    struct side from, to;
    size_t width, height;
};

int cuMemcpy2D_v2(const struct rows *r)
{
    if (!contexts || r->from.type != 1 || r->to.type != 2)
        return 201;
    return rows_to_device((char *)r->to.device, r->to.pitch, r->from.host,
                          r->from.pitch, r->width, r->height);
}

int cuMemAllocHost_v2(void **p, size_t size)
{
    return contexts ? pin_host(p, size) : 201;
}

int cuMemFreeHost(void *p)
{
    return unpin_host(p);
}
#elif defined(FAKE_HIP)
int hipRuntimeGetVersion(int *version)
{
    *version = 60000000;
    return 0;
}

int hipPointerGetAttribute(void *data, int attribute, void *p)
{
    seen.asked++;
    if (!block_of(p) || attribute != 2)
        return 1;
    *(int *)data = 2;
    return 0;
}

int hipMemGetAddressRange(void **base, size_t *size, void *p)
{
    struct block *b = block_of(p);

    if (!b)
        return 1;
    *base = b->device;
    *size = b->size;
    return 0;
}

int hipMemcpy(void *to, const void *from, size_t n, int kind)
{
    return kind == 2 ? to_host(to, from, n) : to_device(to, from, n);
}

int hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                size_t width, size_t height, int kind)
{
    return kind == 1
               ? rows_to_device(to, to_pitch, from, from_pitch, width, height)
               : 1;
}

int hipHostMalloc(void **p, size_t size, unsigned flags)
{
    return flags ? 1 : pin_host(p, size);
}

int hipHostFree(void *p)
{
    return unpin_host(p);
}
#else
/* Two drivers: the memory is known to the second one. */
static char drivers[2], contexts[2], device, list;

int zeInit(uint32_t flags)
{
    return flags;
}

int zeDriverGet(uint32_t *n, void **out)
{
    for (uint32_t i = 0; i < 2 && i < *n; i++)
        out[i] = &drivers[i];
    *n = 2;
    return 0;
}

int zeContextCreate(void *driver, const void *desc, void **out)
{
    if (*(const int *)desc != 0xd)
        return 1;
    *out = &contexts[(char *)driver - drivers];
    return 0;
}

struct properties {
    int stype;
    void *next;
    int type;
    uint64_t id, page_size;
};

/* What is not the driver's has the type "unknown". */
int zeMemGetAllocProperties(void *context, const void *p,
                            struct properties *out, void **of)
{
    seen.asked++;
    if (out->stype != 0x17)
        return 1;
    out->type = context == &contexts[1] && block_of(p) ? 2 : 0;
    *of = &device;
    return 0;
}

int zeMemGetAddressRange(void *context, const void *p, void **base,
                         size_t *size)
{
    struct block *b = block_of(p);

    if (!b || context != &contexts[1])
        return 1;
    *base = b->device;
    *size = b->size;
    return 0;
}

struct queue {
    int stype;
    const void *next;
    uint32_t ordinal, index, flags;
    int mode, priority;
};

int zeCommandListCreateImmediate(void *context, void *of,
                                 const struct queue *desc, void **out)
{
    if (context != &contexts[1] || of != &device || desc->stype != 0xe ||
        desc->mode != 1)
        return 1;
    *out = &list;
    return 0;
}

int zeCommandListAppendMemoryCopy(void *to_list, void *to, const void *from,
                                  size_t n, void *event, uint32_t waits,
                                  void *wait)
{
    if (to_list != &list || event || waits || wait)
        return 1;
    return block_of(to) ? to_device(to, from, n) : to_host(to, from, n);
}

struct region {
    uint32_t x, y, z, width, height, depth;
};

int zeCommandListAppendMemoryCopyRegion(
    void *to_list, void *to, const struct region *to_region, uint32_t to_pitch,
    uint32_t to_slice, const void *from, const struct region *from_region,
    uint32_t from_pitch, uint32_t from_slice, void *event, uint32_t waits,
    void *wait)
{
    if (to_list != &list || to_slice || from_slice || event || waits || wait ||
        memcmp(to_region, from_region, sizeof(*to_region)) || to_region->depth)
        return 1;
    return rows_to_device(to, to_pitch, from, from_pitch, to_region->width,
                          to_region->height);
}

int zeMemAllocHost(void *context, const void *desc, size_t size, size_t align,
                   void **p)
{
    (void)align;
    return context == &contexts[1] && *(const int *)desc == 0x16
               ? pin_host(p, size)
               : 1;
}

int zeMemFree(void *context, void *p)
{
    return context == &contexts[1] ? unpin_host(p) : 1;
}
#endif
