/* receive.h - an aggregator takes what other nodes send, and answers readers
 *
 * Receives for headers are posted all the time. A header whose window has no
 * buffer yet is kept; when the window is admitted (node/windows.h), its bytes
 * are received: straight into the window where they are one run, else into a
 * buffer and from there into the window. Reading, a request is kept until its
 * window is in memory, then the bytes are sent back.
 *
 * Nothing is probed for, so that all of it works inside MPI's own waiting loop.
 * No message waits for another one: a header is always received, and bytes that
 * are received are for a window that has a buffer, so that their buffer becomes
 * free again without any further message.
 *
 * Memory: 32 buffers of a block's size, each made at its first use, and the
 * headers that are kept. Of these every rank elsewhere can have 32 and every
 * forwarding rank 32 under way, mostly of some 100 bytes, at the most of
 * ADL_HEADER_MAX.
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
int adl_receive_create(const struct adl_peers *peers, int64_t room,
                       struct adl_receive **out);
void adl_receive_destroy(struct adl_receive *in); /* accepts NULL */

/* adl_receive_open: a file uses the engine now; post receives on its
 * communicator. adl_receive_close: cancel them, before the communicator is
 * freed. */
void adl_receive_open(struct adl_receive *in);
void adl_receive_close(struct adl_receive *in); /* accepts NULL */

/* A new call, served by `service`. */
void adl_receive_begin(struct adl_receive *in, struct adl_service *service);
/* Receive messages and send answers, without waiting. `over`: no further
 * message will come. 1: no further message will come and nothing is left to do.
 */
int adl_receive_step(struct adl_receive *in, int over);
/* First error (a message that makes no sense, a failed read), 0 or -errno. */
int adl_receive_error(const struct adl_receive *in);

void adl_receive_count(struct adl_receive *in, struct adl_traffic *sum);
/* Grows whenever a message has come or gone. */
uint64_t adl_receive_ticks(const struct adl_receive *in);

#endif
