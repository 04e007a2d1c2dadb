/* servers.h - lustre-sim's servers and caches, as a program sees them */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_SERVERS_H
#define SIMULATE_SERVERS_H

#include "../figures.h"

/* What all OSTs have counted until now. */
void servers_count(struct figures_servers *out);

/* Empty the caches of this rank's client and give its locks back, as a new job
 * finds them; the driver forgets that this job wrote the file. */
void servers_drop(void);

#endif
