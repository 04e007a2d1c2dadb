/* topology.c - where in the machine a process runs: memory domain and NICs */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "topology.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<hwloc.h>)
#include <hwloc.h>
#define HAVE_HWLOC 1
#endif
#endif

#define CPUS_MAX 65536

#define NICS_MAX 256

struct adl_topology {
    int ncpus, domains, nics;
    int *near;    /* [domains] NICs near each */
    int domain[]; /* of each CPU, -1: none */
};

void adl_topology_destroy(struct adl_topology *topo)
{
    if (topo)
        free(topo->near);
    free(topo);
}

int adl_topology_nics(const struct adl_topology *topo)
{
    return topo->nics;
}

int adl_topology_near(const struct adl_topology *topo, int domain)
{
    return domain < 0 || domain >= topo->domains ? 0 : topo->near[domain];
}

int adl_topology_domain(const struct adl_topology *topo, int first, int last)
{
    if (first < 0 || last < first || last >= topo->ncpus ||
        topo->domain[first] != topo->domain[last])
        return -1;
    return topo->domain[first];
}

/* The mask has no fixed size: a kernel for many CPUs refuses a short one. */
int adl_topology_binding(int *first, int *last)
{
    size_t size;
    cpu_set_t *set;
    int rc = -EINVAL;

    *first = *last = -1;
    for (int n = 1024; n <= CPUS_MAX && rc == -EINVAL; n *= 2) {
        set = CPU_ALLOC(n);
        if (!set)
            return -ENOMEM;
        size = CPU_ALLOC_SIZE(n);
        rc = sched_getaffinity(0, size, set) ? -errno : 0;
        for (int cpu = 0; rc == 0 && cpu < n; cpu++)
            if (CPU_ISSET_S(cpu, size, set)) {
                *last = cpu;
                if (*first < 0)
                    *first = cpu;
            }
        CPU_FREE(set);
    }
    return rc;
}

#ifdef HAVE_HWLOC

/* Its functions, found at run time: the driver lives inside MPI libraries and
 * must not bring a library of its own, of whatever version. */
struct hwloc {
    void *handle;
    unsigned (*api_version)(void);
    int (*init)(hwloc_topology_t *);
    int (*load)(hwloc_topology_t);
    void (*destroy)(hwloc_topology_t);
    int (*depth_of)(hwloc_topology_t, hwloc_obj_type_t);
    unsigned (*count)(hwloc_topology_t, int);
    hwloc_obj_t (*get)(hwloc_topology_t, int, unsigned);
    int (*isset)(hwloc_const_bitmap_t, unsigned);
    int (*last)(hwloc_const_bitmap_t);
    int (*intersects)(hwloc_const_bitmap_t, hwloc_const_bitmap_t);
    int (*io_filter)(hwloc_topology_t, enum hwloc_type_filter_e);
    int (*components)(hwloc_topology_t, unsigned long, const char *);
};

static int find_functions(struct hwloc *h)
{
    const struct {
        const char *name;
        void *to;
    } want[] = {{"hwloc_get_api_version", &h->api_version},
                {"hwloc_topology_init", &h->init},
                {"hwloc_topology_load", &h->load},
                {"hwloc_topology_destroy", &h->destroy},
                {"hwloc_get_type_depth", &h->depth_of},
                {"hwloc_get_nbobjs_by_depth", &h->count},
                {"hwloc_get_obj_by_depth", &h->get},
                {"hwloc_bitmap_isset", &h->isset},
                {"hwloc_bitmap_last", &h->last},
                {"hwloc_bitmap_intersects", &h->intersects},
                {"hwloc_topology_set_io_types_filter", &h->io_filter},
                {"hwloc_topology_set_components", &h->components}};

    for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
        void *f = dlsym(h->handle, want[i].name);

        if (!f)
            return -ENOENT;
        *(void **)want[i].to = f;
    }
    return h->api_version() >> 16 == HWLOC_API_VERSION >> 16 ? 0 : -ENOENT;
}

/* Depth of the objects that are our domains: there is more than one. */
static int domain_depth(const struct hwloc *h, hwloc_topology_t machine)
{
    static const hwloc_obj_type_t kinds[] = {HWLOC_OBJ_NUMANODE,
                                             HWLOC_OBJ_PACKAGE};

    for (int i = 0; i < 2; i++) {
        int depth = h->depth_of(machine, kinds[i]);

        if (depth != HWLOC_TYPE_DEPTH_UNKNOWN && h->count(machine, depth) > 1)
            return depth;
    }
    return HWLOC_TYPE_DEPTH_UNKNOWN;
}

/* ---- NICs ---- */

struct nic {
    hwloc_obj_t pci;
    int fabric;
    float speed; /* of its PCI link; 0: not known */
};

static int is_fabric(hwloc_obj_t dev)
{
    static const char *const names[] = {"hsn", "cxi", "ib", "opa", "hfi"};

    if (dev->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS)
        return 1;
    for (size_t i = 0; dev->name && i < sizeof(names) / sizeof(*names); i++)
        if (strncmp(dev->name, names[i], strlen(names[i])) == 0)
            return 1;
    return 0;
}

/* A port may have several names, as ib0 and mlx5_0. */
static int add_nic(struct nic *nic, int n, hwloc_obj_t dev)
{
    hwloc_obj_osdev_type_t type = dev->attr->osdev.type;
    int i = 0;

    if ((type != HWLOC_OBJ_OSDEV_NETWORK &&
         type != HWLOC_OBJ_OSDEV_OPENFABRICS) ||
        !dev->parent || dev->parent->type != HWLOC_OBJ_PCI_DEVICE)
        return n;
    while (i < n && nic[i].pci != dev->parent)
        i++;
    if (i == NICS_MAX)
        return n;
    if (i == n)
        nic[n++] =
            (struct nic){dev->parent, 0, dev->parent->attr->pcidev.linkspeed};
    nic[i].fabric |= is_fabric(dev);
    return n;
}

/* The ports that data goes through; returns how many are left. */
static int choose_nics(struct nic *nic, int n)
{
    int fabric = 0, kept = 0;
    float fastest = 0;

    for (int i = 0; i < n; i++)
        fabric |= nic[i].fabric;
    for (int i = 0; i < n; i++)
        if (nic[i].fabric == fabric && nic[i].speed > fastest)
            fastest = nic[i].speed;
    for (int i = 0; i < n; i++)
        if (nic[i].fabric == fabric &&
            (nic[i].speed <= 0 || 2 * nic[i].speed >= fastest))
            nic[kept++] = nic[i];
    return kept;
}

static int find_nics(const struct hwloc *h, hwloc_topology_t machine,
                     struct nic *nic)
{
    int all = (int)h->count(machine, HWLOC_TYPE_DEPTH_OS_DEVICE), n = 0;

    for (int i = 0; i < all; i++)
        n = add_nic(nic, n, h->get(machine, HWLOC_TYPE_DEPTH_OS_DEVICE, i));
    return choose_nics(nic, n);
}

static void note_nics(const struct hwloc *h, hwloc_topology_t machine,
                      int depth, struct adl_topology *topo)
{
    struct nic nic[NICS_MAX];

    topo->nics = find_nics(h, machine, nic);
    for (int k = 0; k < topo->nics; k++) {
        hwloc_obj_t at = nic[k].pci;

        while (at && !at->cpuset)
            at = at->parent;
        for (int i = 0; at && i < topo->domains; i++)
            topo->near[i] +=
                h->intersects(at->cpuset, h->get(machine, depth, i)->cpuset);
    }
}

/* ---- domains ---- */

static void note_domains(const struct hwloc *h, hwloc_topology_t machine,
                         int depth, struct adl_topology *topo)
{
    for (int cpu = 0; cpu < topo->ncpus; cpu++) {
        topo->domain[cpu] = -1;
        for (int i = 0; i < topo->domains; i++)
            if (h->isset(h->get(machine, depth, i)->cpuset, cpu))
                topo->domain[cpu] = i;
    }
}

static struct adl_topology *note_machine(const struct hwloc *h,
                                         hwloc_topology_t machine)
{
    int ncpus = h->last(h->get(machine, 0, 0)->cpuset) + 1;
    int depth = domain_depth(h, machine);
    struct adl_topology *topo;

    if (ncpus < 1 || ncpus > CPUS_MAX)
        return NULL;
    topo = calloc(1, sizeof(*topo) + sizeof(int) * ncpus);
    if (!topo)
        return NULL;
    topo->ncpus = ncpus;
    if (depth != HWLOC_TYPE_DEPTH_UNKNOWN)
        topo->domains = (int)h->count(machine, depth);
    topo->near = calloc(topo->domains + 1, sizeof(int));
    if (!topo->near) {
        free(topo);
        return NULL;
    }
    note_domains(h, machine, depth, topo);
    note_nics(h, machine, depth, topo);
    return topo;
}

/* Make hwloc look for network devices without starting a GPU. */
static void ask_for_nics(const struct hwloc *h, hwloc_topology_t machine)
{
    static const char *const not [] = {"cuda",      "nvml",   "rsmi",
                                       "levelzero", "opencl", "gl"};

    for (size_t i = 0; i < sizeof(not ) / sizeof(*not ); i++)
        h->components(machine, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                      not [i]);
    h->io_filter(machine, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
}

static struct adl_topology *discover(const struct hwloc *h)
{
    struct adl_topology *topo = NULL;
    hwloc_topology_t machine;

    if (h->init(&machine))
        return NULL;
    ask_for_nics(h, machine);
    if (h->load(machine) == 0)
        topo = note_machine(h, machine);
    h->destroy(machine);
    return topo;
}

struct adl_topology *adl_topology_load(void)
{
    struct adl_topology *topo = NULL;
    struct hwloc h;

    h.handle = dlopen("libhwloc.so.15", RTLD_LAZY | RTLD_LOCAL);
    if (!h.handle)
        return NULL;
    if (find_functions(&h) == 0)
        topo = discover(&h);
    dlclose(h.handle);
    return topo;
}

#else

struct adl_topology *adl_topology_load(void)
{
    return NULL;
}

#endif

struct adl_whereabouts adl_topology_own(void)
{
    struct adl_whereabouts own = {.domain = -1};
    struct adl_topology *topo;
    int first, last;

    if (adl_topology_binding(&first, &last) < 0 ||
        last - first + 1 >= sysconf(_SC_NPROCESSORS_ONLN))
        return own;
    topo = adl_topology_load();
    if (topo) {
        own.domain = adl_topology_domain(topo, first, last);
        own.near = adl_topology_near(topo, own.domain);
        own.nics = adl_topology_nics(topo);
    }
    adl_topology_destroy(topo);
    return own;
}
