/* receive.h - an aggregator receives from other nodes, and answers readers
 *
 * An aggregator always has receives posted for headers. It keeps a header whose
 * window has no buffer yet. When the window is admitted (node/windows.h), it
 * receives the bytes: straight into the window if they are one run, else into a
 * buffer, from which they are copied. In a read it keeps a request until the
 * window is in memory, then sends the bytes back.
 *
 * It never probes, so that it can run inside MPI's own waiting loop. No message
 * waits for another message: a header is always received, and bytes are
 * received only for a window that has a buffer. So a receive buffer becomes
 * free again without any further message.
 *
 * Memory: 32 buffers of a block's size, each allocated at its first use, and
 * the headers that are kept. Every rank on another node can have up to 32
 * headers under way (adl_direct_most), and every forwarding rank 32 more. Most
 * have about 100 bytes, the largest ADL_HEADER_MAX.
 *
 * All functions are local.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_RECEIVE_H
#define ADL_RECEIVE_H

#include "../../node/service.h"
#include "wire.h"

struct adl_receive;

/* `room`: bytes of a block. 0 or -ENOMEM. */
int adl_receive_create(struct adl_wire *wire, int64_t room,
                       struct adl_receive **out);
void adl_receive_destroy(struct adl_receive *in); /* accepts NULL */

/* adl_receive_open: a file uses the engine now; post receives on its
 * communicator. adl_receive_close: cancel them, before the communicator is
 * freed. */
void adl_receive_open(struct adl_receive *in);
void adl_receive_close(struct adl_receive *in); /* accepts NULL */

/* Prepare for a new call; `service` moves its windows. */
void adl_receive_begin(struct adl_receive *in, struct adl_service *service);
/* Receive messages and send answers, without waiting. `over`: no further
 * message will come. 1: no further message will come and nothing is left to do.
 */
int adl_receive_step(struct adl_receive *in, int over);

#endif
