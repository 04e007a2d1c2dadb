/* servers.c - lustre-sim's servers and caches, as a program sees them */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "servers.h"

#include "../../lustre-sim/proc.h"
#include "../../mpi/romio/adio/ad_lustre/mpi/file/job.h"

/* ROMIO's own drivers come without it. */
extern __typeof__(adl_job) adl_job __attribute__((weak));

void servers_count(struct figures_servers *out)
{
    struct sim_proc *p = sim_enter();
    struct lsim *ls = p ? sim_server(p) : NULL;
    struct lsim_counts c;

    *out = (struct figures_servers){0};
    for (unsigned i = 0; ls && i < p->conf.osts; i++) {
        if (lsim_stats_ost(ls, i, &c) < 0)
            continue;
        out->locks += c.enqueue;
        out->callbacks += c.bl_callback;
        out->write_rpcs += c.write_rpc;
        out->read_rpcs += c.read_rpc;
    }
    if (p)
        sim_leave();
}

void servers_drop(void)
{
    struct sim_proc *p = sim_enter();
    struct lsim *ls = p ? sim_server(p) : NULL;

    if (ls)
        lsim_drop_cache(ls, NULL);
    if (adl_job)
        adl_job()->ngathered = 0;
    if (p)
        sim_leave();
}
