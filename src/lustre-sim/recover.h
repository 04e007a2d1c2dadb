/* recover.h - rebuild an OST's lists after a process died holding its mutex */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_RECOVER_H
#define LSIM_RECOVER_H

#include "shm.h"

/* Called with the mutex held. Afterwards the lists have exactly the live slots,
 * whatever they had before. Counters and the queue do not change. */
void ost_recover(struct ost *o);

#endif
