/* shmem.h - memory that processes of one user on one node share
 *
 * One process makes it and gives the others a card, a few numbers by which
 * they find it: no name anywhere that could be guessed, stay behind or be
 * limited by the size of a mounted file system. It lives as long as anybody
 * has it mapped.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SHMEM_H
#define ADL_SHMEM_H

#include <stdint.h>

struct adl_shmem_card {
    int64_t pid;
    int64_t fd;
    int64_t dev, ino; /* of the memory: a card must not lead elsewhere */
};

/* New memory of `bytes` zeros, mapped at *out. The card is valid until
 * adl_shmem_hide. 0 or -errno (ENOSYS: not in this kernel). */
int adl_shmem_create(int64_t bytes, struct adl_shmem_card *card, void **out);

/* The maker calls it when everybody has the memory who shall have it. */
void adl_shmem_hide(struct adl_shmem_card *card);

/* Map the memory of a card in another process. 0 or -errno: ESTALE where the
 * card leads to something else (another PID namespace), EACCES, ENOENT. */
int adl_shmem_attach(const struct adl_shmem_card *card, int64_t bytes,
                     void **out);

/* Accepts NULL. */
void adl_shmem_detach(void *base, int64_t bytes);

#endif
