/* ladvise.h - LL_IOC_LADVISE: lockahead and other advice */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_LADVISE_H
#define LUSTRE_SIM_LADVISE_H

#include "proc.h"

/* `arg`: struct adl_ladvise_head, then its advices; results of lockahead are
 * written into these. 0 or -errno: the first refusal ends the call. */
int sim_ladvise(struct sim_proc *p, struct sim_open *o, int fd, void *arg);

#endif
