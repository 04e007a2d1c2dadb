/* reader.h - buffered reads: locks, cache, what is read ahead
 *
 * The real client reads stripe by stripe, each under its lock. From the first
 * missing byte it reads ahead as far as the reader's window (readahead.h) and
 * the client's locks reach. So does this module.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_READER_H
#define LUSTRE_SIM_READER_H

#include "io.h"

/* Read [io->off, end) of a file of `size` bytes. 0 or -errno. */
int sim_reader_read(struct lsim *ls, const struct sim_io *io, uint64_t end,
                    uint64_t size, unsigned flags);

#endif
