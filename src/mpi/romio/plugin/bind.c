/* bind.c - the plug-in's MPI names where MPI is loaded after the plug-in
 *
 * An ordinary program is linked with MPI: the dynamic linker has bound every
 * name before main, and this module does nothing. Python loads an extension
 * module, and MPI with it, later and in a scope of its own (dlopen without
 * RTLD_GLOBAL). The module's calls find the plug-in, which was preloaded, but
 * the plug-in's weak names do not find MPI: they are 0, or would be after the
 * first call. At the first call into the plug-in this module therefore looks
 * for the MPI library among the loaded ones. It fills in the places that hold
 * the addresses of MPI's functions (the relocations against undefined MPI
 * names). MPI stays in its scope.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "plugin.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int plugin_is_bound;

static pthread_once_t bind_once = PTHREAD_ONCE_INIT;
static void *mpi_library; /* NULL: MPI's names are in the global scope */

void *plugin_symbol(const char *name)
{
    return dlsym(mpi_library ? mpi_library : RTLD_DEFAULT, name);
}

void *plugin_behind(const char *name)
{
    return dlsym(mpi_library ? mpi_library : RTLD_NEXT, name);
}

/* ---- which library is MPI ---- */

/* Names of the loaded libraries, one after the other, each with its 0. */
struct loaded {
    char *names;
    size_t used;
};

static int add_name(struct dl_phdr_info *info, size_t size, void *into)
{
    struct loaded *l = into;
    size_t len = strlen(info->dlpi_name) + 1;
    char *grown;

    (void)size;
    if (len == 1)
        return 0;
    grown = realloc(l->names, l->used + len);
    if (!grown)
        return -1;
    memcpy(grown + l->used, info->dlpi_name, len);
    l->names = grown;
    l->used += len;
    return 0;
}

/* The library that has PMPI_Init, if it is `name` or one that `name` is linked
 * with. It stays loaded. */
static void *mpi_of(const char *name)
{
    void *any = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    void *init = any ? dlsym(any, "PMPI_Init") : NULL;
    void *mpi = NULL;
    Dl_info where;

    if (init && dladdr(init, &where))
        mpi = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (any)
        dlclose(any);
    return mpi;
}

/* The names are copied first: dl_iterate_phdr holds a lock of the dynamic
 * linker, under which dlopen may not be called. */
static void *find_mpi(void)
{
    struct loaded l = {0};
    void *mpi = NULL;

    dl_iterate_phdr(add_name, &l);
    for (size_t at = 0; !mpi && at < l.used; at += strlen(l.names + at) + 1)
        mpi = mpi_of(l.names + at);
    free(l.names);
    return mpi;
}

/* ---- this library's own relocations ---- */

struct self {
    uintptr_t base;
    const ElfW(Dyn) * dynamic;
    uintptr_t relro, relro_end; /* read-only after the dynamic linker's work */
};

static int find_self(struct dl_phdr_info *info, size_t size, void *into)
{
    struct self *self = into, here = {.base = info->dlpi_addr};
    uintptr_t mine = (uintptr_t)&bind_once;
    int is_mine = 0;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t at = here.base + p->p_vaddr;

        if (p->p_type == PT_LOAD && mine >= at && mine < at + p->p_memsz)
            is_mine = 1;
        if (p->p_type == PT_DYNAMIC)
            here.dynamic = (const ElfW(Dyn) *)at;
        if (p->p_type == PT_GNU_RELRO) {
            here.relro = at;
            here.relro_end = at + p->p_memsz;
        }
    }
    if (is_mine)
        *self = here;
    return is_mine;
}

/* Some dynamic linkers put addresses into the table, others leave offsets. */
static uintptr_t entry_of(const struct self *self, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *d = self->dynamic; d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return d->d_un.d_ptr;
    return 0;
}

static const void *table_of(const struct self *self, ElfW(Sxword) tag)
{
    uintptr_t at = entry_of(self, tag);

    return (const void *)(at >= self->base ? at : self->base + at);
}

/* Stock ROMIO, for comparisons, calls MPI by both kinds of names. */
static int is_mpi_name(const char *name)
{
    return strncmp(name + (*name == 'P'), "MPI", 3) == 0;
}

static void bind_table(const struct self *self, const ElfW(Rela) * rela,
                       size_t bytes)
{
    const ElfW(Sym) *symbols = table_of(self, DT_SYMTAB);
    const char *names = table_of(self, DT_STRTAB);

    for (size_t i = 0; i < bytes / sizeof(*rela); i++) {
        const ElfW(Sym) *s = &symbols[ELF64_R_SYM(rela[i].r_info)];
        const char *name = names + s->st_name;
        uintptr_t *slot = (uintptr_t *)(self->base + rela[i].r_offset);
        void *fn;

        if (s->st_shndx != SHN_UNDEF || !is_mpi_name(name))
            continue;
        fn = plugin_symbol(name);
        if (fn)
            *slot = (uintptr_t)fn + (uintptr_t)rela[i].r_addend;
    }
}

static int protect_relro(const struct self *self, int mode)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = self->relro & ~(page - 1);
    uintptr_t to = self->relro_end & ~(page - 1);

    return to > from ? mprotect((void *)from, to - from, mode) : 0;
}

static int bind_self(void)
{
    struct self self = {0};

    dl_iterate_phdr(find_self, &self);
    if (!self.dynamic || protect_relro(&self, PROT_READ | PROT_WRITE) < 0)
        return -1;
    bind_table(&self, table_of(&self, DT_RELA), entry_of(&self, DT_RELASZ));
    bind_table(&self, table_of(&self, DT_JMPREL), entry_of(&self, DT_PLTRELSZ));
    return protect_relro(&self, PROT_READ);
}

static void bind_late(void)
{
    mpi_library = find_mpi();
    if (!mpi_library) {
        fprintf(stderr, "romio-lustre: an MPI_File call, but no MPI library is "
                        "loaded: is it linked statically?\n");
        abort();
    }
    plugin_check_fit();
    if (bind_self() < 0) {
        perror("romio-lustre: cannot bind the names of the MPI library, which "
               "was loaded late");
        abort();
    }
    __atomic_store_n(&plugin_is_bound, 1, __ATOMIC_RELEASE);
}

void plugin_bind_late(void)
{
    pthread_once(&bind_once, bind_late);
}

/* A process without MPI (a shell between mpiexec and the program, Python at its
 * start) is left alone. */
__attribute__((constructor)) static void bind_at_start(void)
{
    if (!plugin_symbol("PMPI_Init"))
        return;
    plugin_check_fit();
    plugin_is_bound = 1;
}
