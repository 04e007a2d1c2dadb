/* figures.c - the figures of a run: virtual time, messages, memory */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "figures.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "libc/libc.h"
#include "memory.h"
#include "mpi/kinds.h"
#include "mpi/vmpi.h"

/* ---- phases ---- */

#define PHASES 6
static const char *const phase_names[PHASES] = {"start", "open",  "write",
                                                "read",  "close", "reopen"};
static int64_t phase_ns[PHASES]; /* of all rounds, on rank 0 */
static int64_t last_end;

struct figures_servers figures_servers;
static struct figures_servers told, counted[2]; /* of writing, of reading */

static int is_reading(const char *phase)
{
    return strcmp(phase, "read") == 0 || strcmp(phase, "reopen") == 0;
}

static void count_servers(struct figures_servers *to)
{
    to->locks += figures_servers.locks - told.locks;
    to->callbacks += figures_servers.callbacks - told.callbacks;
    to->write_rpcs += figures_servers.write_rpcs - told.write_rpcs;
    to->read_rpcs += figures_servers.read_rpcs - told.read_rpcs;
    told = figures_servers;
}

static void phase_ended(const char *name)
{
    kinds_end_phase(sched_rank, name);
    if (sched_rank != 0)
        return;
    for (int i = 0; i < PHASES; i++)
        if (strcmp(phase_names[i], name) == 0)
            phase_ns[i] += sched_time() - last_end;
    last_end = sched_time();
    count_servers(&counted[is_reading(name)]);
}

void figures_start(int ours)
{
    sched_phase_told = phase_ended;
    kinds_start(config.ranks, ours);
}

/* ---- all counters ---- */

static long peak_memory(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss >> 10;
}

void figures_print(void)
{
    const struct vmpi_counts *m = &vmpi_counts;
    const struct libc_counts *l = &libc_counts;
#define U(x) (unsigned long long)(x)
    printf("  %llu events, %llu switches, %llu preempted, %llu yields, %llu "
           "naps, futex %llu waits %llu wakes\n",
           U(sched_counts.events), U(sched_counts.switches),
           U(sched_counts.preempted), U(l->yields), U(l->naps),
           U(l->futex_waits), U(l->futex_wakes));
    printf("  %llu messages (%llu in MPI's collectives), %llu bytes; between "
           "nodes %llu messages, %llu bytes; %llu rendezvous; %llu bytes "
           "unexpected at most\n",
           U(m->messages), U(m->coll_messages), U(m->bytes), U(m->far_messages),
           U(m->far_bytes), U(m->rendezvous), U(m->unexpected_peak));
    kinds_print(stdout);
    printf("  %llu writes of %llu bytes, %llu reads of %llu bytes\n",
           U(l->writes), U(l->write_bytes), U(l->reads), U(l->read_bytes));
    printf("  virtual %.3f ms, cpu %.2f s, memory %ld MiB, shared between "
           "ranks %llu MiB, %zu variables' bytes a rank\n",
           (double)sched_now() / 1e6, (double)clock() / CLOCKS_PER_SEC,
           peak_memory(), U(l->shared_peak >> 20), memory_private_bytes());
#undef U
}

/* ---- one line ---- */

static void heaps(int64_t *most, int64_t *mean)
{
    int64_t sum = 0;

    *most = 0;
    for (int r = 0; r < config.ranks; r++) {
        int64_t peak = heap_peak(r);

        sum += peak;
        *most = peak > *most ? peak : *most;
    }
    *mean = sum / config.ranks;
}

void figures_line(const char *driver)
{
    const struct vmpi_counts *m = &vmpi_counts;
    int64_t most, mean, shared = (int64_t)libc_counts.shared_peak;

    heaps(&most, &mean);
    printf("scale: driver=%s ranks=%d nodes=%d osts=%d", driver, config.ranks,
           config.nodes, config.osts);
    for (int i = 1; i < PHASES; i++)
        printf(" %s_ms=%.3f", phase_names[i], (double)phase_ns[i] / 1e6);
    printf(" messages=%llu far_messages=%llu far_bytes=%llu",
           (unsigned long long)m->messages, (unsigned long long)m->far_messages,
           (unsigned long long)m->far_bytes);
    printf(" coll_messages=%llu writes=%llu reads=%llu",
           (unsigned long long)m->coll_messages,
           (unsigned long long)libc_counts.writes,
           (unsigned long long)libc_counts.reads);
    for (int i = 0; i < 2; i++)
        printf(" %s_locks=%llu %s_callbacks=%llu %s_rpcs=%llu",
               i ? "read" : "write", (unsigned long long)counted[i].locks,
               i ? "read" : "write", (unsigned long long)counted[i].callbacks,
               i ? "read" : "write",
               (unsigned long long)(i ? counted[i].read_rpcs
                                      : counted[i].write_rpcs));
    printf(" rank_kib=%lld aggregator_kib=%lld node_shared_kib=%lld "
           "memory_mib=%ld cpu_s=%.1f\n",
           (long long)mean >> 10, (long long)most >> 10,
           (long long)(shared / config.nodes) >> 10, peak_memory(),
           (double)clock() / CLOCKS_PER_SEC);
}
