/* preload_fault.c - intercepted calls: a program changes its own faults */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "preload.h"

SIM_EXPORT int lustre_sim_set_faults(const char *text);
SIM_EXPORT long lustre_sim_faults_seen(void);

int lustre_sim_set_faults(const char *text)
{
    struct sim_faults *faults;
    struct adl_err err = {""};
    struct sim_proc *p = sim_enter();
    int rc;

    if (!p)
        return ENODEV;
    rc = sim_faults_parse(text, &faults, &err);
    if (rc == 0) {
        sim_faults_destroy(p->faults);
        p->faults = faults;
    } else {
        sim_complain("%s", err.text);
    }
    sim_leave();
    return -rc;
}

long lustre_sim_faults_seen(void)
{
    struct sim_proc *p = sim_enter();
    long n = p ? sim_faults_seen(p->faults) : 0;

    if (p)
        sim_leave();
    return n;
}
