/* ioctl.h - Lustre's ioctls on a descriptor of the simulated file system */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_IOCTL_H
#define LUSTRE_SIM_IOCTL_H

#include "proc.h"

/* Is it an ioctl of Lustre that the simulator serves? Others may be the
 * kernel's. */
int sim_ioctl_ours(unsigned long request);

/* What the simulator does with a request. */
enum sim_ioctl_kind {
    SIM_IOCTL_SERVE, /* sim_ioctl answers */
    SIM_IOCTL_PASS,  /* harmless, used on any descriptor: the kernel answers */
    SIM_IOCTL_REFUSE /* of other file systems (clone, extent maps): quietly
                        not supported, programs fall back */
};

/* 0 or -errno. An unknown request: -ENOTTY and a line on stderr. */
int sim_ioctl(struct sim_proc *p, struct sim_open *o, int fd,
              unsigned long request, void *arg);

enum sim_ioctl_kind sim_ioctl_kind(unsigned long request);

#endif
