/* shmem.h - memory that processes of one user on one node share
 *
 * One process creates the memory and sends a card to the others: a few numbers
 * by which they map the memory. The memory has no name in a file system, so it
 * cannot be opened by a guessed name, is not left behind by a killed job, and
 * does not depend on the size of /dev/shm. It exists as long as a process has
 * it mapped.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SHMEM_H
#define ADL_SHMEM_H

#include <stdint.h>

struct adl_shmem_card {
    int64_t pid;
    int64_t fd;
    int64_t dev, ino; /* identify the memory: checked when it is mapped */
};

/* New memory of `bytes` zeros, mapped at *out. The card is valid until
 * adl_shmem_hide. 0 or -errno (ENOSYS: not in this kernel; ENOMEM: less than
 * `bytes` is free, see memory.h). */
int adl_shmem_create(int64_t bytes, struct adl_shmem_card *card, void **out);

/* The creator calls it when all processes that need the memory have mapped it:
 * from then on the card is invalid. */
void adl_shmem_hide(struct adl_shmem_card *card);

/* Map the memory of a card in another process. 0 or -errno: ESTALE if the card
 * names other memory (in another PID namespace), EACCES, ENOENT. */
int adl_shmem_attach(const struct adl_shmem_card *card, int64_t bytes,
                     void **out);

/* Accepts NULL. */
void adl_shmem_detach(void *base, int64_t bytes);

#endif
