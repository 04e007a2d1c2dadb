/* receive_private.h - what the files of an aggregator's receiver share
 *
 * A received header is a note until its bytes are moved or answered:
 *
 *   KEPT ------> COMING ----> CAME ----> (its bytes are in the window: done)
 *    |   bytes, or parts     the parts of a read
 *    |   are received          |
 *    +-------------------------+-------> ASKED -> (the answer is sent: done)
 *       a read, all is in the header     marked; waits until its window is read
 *
 * A message under way has a buffer, for the bytes that come or for the bytes
 * that go back.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_RECEIVE_PRIVATE_H
#define ADL_RECEIVE_PRIVATE_H

#include "../../core/messages/message.h"
#include "inflight.h"
#include "receive.h"

#define ADL_HEADERS 16 /* number of posted receives */
#define ADL_BUFFERS 32

enum adl_note_state {
    ADL_NOTE_KEPT,
    ADL_NOTE_COMING,
    ADL_NOTE_CAME,
    ADL_NOTE_ASKED,
};

struct adl_note {
    struct adl_note *next;
    enum adl_note_state state;
    int source;
    int buffer; /* the buffer with the received bytes or parts; -1: none */
    struct adl_message head;
    struct adl_part part;    /* the first part; a read has only one */
    struct adl_runs_of runs; /* of this part */
    size_t size;             /* bytes of the parts */
    const char *parts;
    char bytes[]; /* the header as it was received */
};

/* Idle if it has no note and is not being sent. */
struct adl_buffer {
    char *mem; /* made at first use */
    struct adl_note *note;
    int sending;
    char *to; /* where the bytes are received */
    int held; /* `window` is held until the message is done */
    int64_t window;
    int64_t moved; /* bytes of that window that the message moves */
};

struct adl_receive {
    struct adl_wire *wire;
    size_t room;
    struct adl_service *s;
    struct adl_inflight posted; /* the numbers are indices of `header` */
    struct adl_inflight moving; /* the numbers are indices of `buffer` */
    struct adl_note *first, **last;
    struct adl_buffer buffer[ADL_BUFFERS];
    int busy;             /* buffers that are not idle */
    int64_t freed, ready; /* of the windows, when the notes were last checked */
    uint64_t ticks;       /* of the wire, when they were last checked */
    int looks;            /* checks without a message since then */
    char header[ADL_HEADERS][ADL_HEADER_ROOM];
};

/* An idle buffer with memory; -1: none. */
int adl_receive_buffer(struct adl_receive *in);
/* Mark the buffer as used; `held`: the window's buffer too. */
void adl_receive_occupy(struct adl_receive *in, int i,
                        const struct adl_note *note, int held, int64_t moved);

/* ---- reply.c ---- */

/* The whole request has come: mark the bytes that it asks for. */
void adl_reply_ask(struct adl_receive *in, struct adl_note *note);
/* Answer the request if its bytes are in memory. 1: done. */
int adl_reply_try(struct adl_receive *in, const struct adl_note *note);
/* A reader may be unable to send all its requests for a window. After a while
 * the window is read with the requests that have come. */
void adl_reply_hurry(struct adl_receive *in);

#endif
