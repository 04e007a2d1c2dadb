/* topology.c - which memory domain of the machine a process runs in */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "topology.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<hwloc.h>)
#include <hwloc.h>
#define HAVE_HWLOC 1
#endif
#endif

#define CPUS_MAX 65536

struct adl_topology {
    int ncpus;
    int domain[]; /* of each CPU, -1: none */
};

void adl_topology_destroy(struct adl_topology *topo)
{
    free(topo);
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
                {"hwloc_bitmap_last", &h->last}};

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

static struct adl_topology *note_domains(const struct hwloc *h,
                                         hwloc_topology_t machine, int depth)
{
    int ncpus = h->last(h->get(machine, 0, 0)->cpuset) + 1;
    struct adl_topology *topo;

    if (ncpus < 1 || ncpus > CPUS_MAX)
        return NULL;
    topo = malloc(sizeof(*topo) + sizeof(int) * ncpus);
    if (!topo)
        return NULL;
    topo->ncpus = ncpus;
    for (int cpu = 0; cpu < ncpus; cpu++) {
        topo->domain[cpu] = -1;
        for (int i = 0; i < (int)h->count(machine, depth); i++)
            if (h->isset(h->get(machine, depth, i)->cpuset, cpu))
                topo->domain[cpu] = i;
    }
    return topo;
}

static struct adl_topology *discover(const struct hwloc *h)
{
    struct adl_topology *topo = NULL;
    hwloc_topology_t machine;
    int depth;

    if (h->init(&machine))
        return NULL;
    if (h->load(machine) == 0) {
        depth = domain_depth(h, machine);
        if (depth != HWLOC_TYPE_DEPTH_UNKNOWN)
            topo = note_domains(h, machine, depth);
    }
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

int adl_topology_own(void)
{
    struct adl_topology *topo;
    int first, last, domain = -1;

    if (adl_topology_binding(&first, &last) < 0 ||
        last - first + 1 >= sysconf(_SC_NPROCESSORS_ONLN))
        return -1;
    topo = adl_topology_load();
    if (topo)
        domain = adl_topology_domain(topo, first, last);
    adl_topology_destroy(topo);
    return domain;
}
