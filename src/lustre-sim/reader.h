/* reader.h - buffered reads: locks, cache, what is read ahead
 *
 * As the real client does it: stripe by stripe, each with its lock, and from
 * the first byte that is missing as far ahead as the reader's window reaches
 * (readahead.h) and its client has locks.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_READER_H
#define LUSTRE_SIM_READER_H

#include "io.h"

/* Read [io->off, end) of a file of `size` bytes. 0 or -errno. */
int sim_reader_read(struct lsim *ls, const struct sim_io *io, uint64_t end,
                    uint64_t size, unsigned flags);

#endif
