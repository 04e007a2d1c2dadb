/* recover.h - rebuild an OST's lists after a process died holding its mutex */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_RECOVER_H
#define LSIM_RECOVER_H

#include "shm.h"

/* Called with the mutex held. Whatever the lists look like, afterwards they
 * hold exactly the live slots; counters and the queue stay. */
void ost_recover(struct ost *o);

#endif
