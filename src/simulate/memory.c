/* memory.c - gives each rank its own copy of the library's variables */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "memory.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sched.h"

/* A part of the library's writable memory. */
struct part {
    char *at;
    size_t len, off;
};

static struct {
    void *handle;
    const char *name; /* what dl_iterate_phdr is to find */
    struct part part[4];
    int parts;
    size_t bytes;       /* of all parts */
    char *images;       /* of all ranks */
    char *fresh;        /* as they were loaded */
    int resident;       /* whose variables are in place, -1: none's */
    const char *locals; /* first content of the thread-local variables */
    size_t locals_file, locals_size;
} memory = {.resident = -1};

void memory_gone(void)
{
    fprintf(stderr, "simulate: out of memory\n");
    exit(2);
}

void *must_calloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);

    if (!p)
        memory_gone();
    return p;
}

void *must_realloc(void *old, size_t size)
{
    void *p = realloc(old, size ? size : 1);

    if (!p)
        memory_gone();
    return p;
}

static void add_part(char *from, char *to)
{
    struct part *p = &memory.part[memory.parts++];

    if (to <= from) {
        memory.parts--;
        return;
    }
    p->at = from;
    p->len = (size_t)(to - from);
    p->off = memory.bytes;
    memory.bytes += (p->len + 63) & ~(size_t)63;
}

/* Variables that are common to all ranks, as the library says. */
static void leave_out(char **from, char **to)
{
    char *const *common = dlsym(memory.handle, "simulate_common");

    if (!common || common[0] < *from || common[1] > *to)
        return;
    add_part(*from, common[0]);
    *from = common[1];
}

static void take_segment(const struct dl_phdr_info *info, const ElfW(Phdr) * p,
                         char **low, char **relro)
{
    char *at = (char *)info->dlpi_addr + p->p_vaddr;

    if (p->p_type == PT_LOAD && (p->p_flags & PF_W)) {
        low[0] = at;
        low[1] = at + p->p_memsz;
    }
    if (p->p_type == PT_GNU_RELRO)
        *relro =
            (char *)(((uintptr_t)at + p->p_memsz + 4095) & ~(uintptr_t)4095);
    if (p->p_type == PT_TLS) {
        memory.locals = at;
        memory.locals_file = p->p_filesz;
        memory.locals_size = p->p_memsz;
    }
}

static int find_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    char *range[2] = {NULL, NULL}, *relro = NULL;

    (void)size;
    (void)arg;
    if (strcmp(info->dlpi_name, memory.name) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        take_segment(info, &info->dlpi_phdr[i], range, &relro);
    if (relro > range[0])
        range[0] = relro;
    leave_out(&range[0], &range[1]);
    add_part(range[0], range[1]);
    return 1;
}

const char *memory_load(const char *path)
{
    struct link_map *map;

    memory.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!memory.handle)
        return dlerror();
    dlinfo(memory.handle, RTLD_DI_LINKMAP, &map);
    memory.name = map->l_name;
    memory.parts = 0;
    memory.bytes = 0;
    return dl_iterate_phdr(find_library, NULL) ? NULL : "it has no variables";
}

void *memory_symbol(const char *name)
{
    return dlsym(memory.handle, name);
}

size_t memory_private_bytes(void)
{
    return memory.bytes;
}

int memory_is_variable(const void *at)
{
    for (int i = 0; i < memory.parts; i++) {
        const struct part *p = &memory.part[i];

        if ((const char *)at >= p->at && (const char *)at < p->at + p->len)
            return 1;
    }
    return 0;
}

static void save_to(char *image)
{
    for (int i = 0; i < memory.parts; i++)
        memcpy(image + memory.part[i].off, memory.part[i].at,
               memory.part[i].len);
}

static void save(int rank)
{
    save_to(memory.images + (size_t)rank * memory.bytes);
}

static void load(int rank)
{
    const char *image = memory.images + (size_t)rank * memory.bytes;

    for (int i = 0; i < memory.parts; i++)
        memcpy(memory.part[i].at, image + memory.part[i].off,
               memory.part[i].len);
}

void memory_start(int ranks)
{
    if (!memory.images) {
        memory.fresh = must_calloc(1, memory.bytes);
        save_to(memory.fresh);
        memory.images =
            mmap(NULL, memory.bytes * (size_t)ranks + 1, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory.images == MAP_FAILED)
            memory_gone();
    }
    for (int r = 0; r < ranks; r++)
        memcpy(memory.images + (size_t)r * memory.bytes, memory.fresh,
               memory.bytes);
    memory.resident = -1;
}

void memory_of_rank(int rank)
{
    if (memory.resident == rank)
        return;
    if (memory.resident >= 0)
        save(memory.resident);
    load(rank);
    memory.resident = rank;
}

/* ---- thread-local variables ----
 *
 * The library asks for their address by this function under another name, with
 * the module and the offset that the linker put there. */

struct tls_index {
    unsigned long module, offset;
};
void *simulate_tls_get_addr(const struct tls_index *index);

void *simulate_tls_get_addr(const struct tls_index *index)
{
    static char *outside; /* of no fiber */
    void **locals =
        sched_current ? sched_fiber_locals(sched_current) : (void **)&outside;

    if (!*locals) {
        *locals = must_calloc(1, memory.locals_size);
        memcpy(*locals, memory.locals, memory.locals_file);
    }
    return (char *)*locals + index->offset;
}
