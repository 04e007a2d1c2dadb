/* receive_private.h - what the files of an aggregator's receiver share
 *
 * Every header that came is a note until all of it is done:
 *
 *   KEPT ------> COMING ----> CAME ----> (its bytes are in the window: done)
 *    |   bytes, or parts     the parts of a read
 *    |   are received          |
 *    +-------------------------+-------> ASKED -> (the answer is sent: done)
 *       a read, all is in the header     marked; waits until its window is read
 *
 * A message under way between this rank and another one has a buffer: bytes
 * that come, and bytes that go back.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_RECEIVE_PRIVATE_H
#define ADL_RECEIVE_PRIVATE_H

#include "../../core/messages/message.h"
#include "inflight.h"
#include "receive.h"

#define ADL_HEADERS 16 /* receives that are posted */
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
    int buffer; /* with the bytes or parts that came; -1: none */
    struct adl_message head;
    struct adl_part part; /* the first one; of a read the only one */
    const char *pattern;  /* ... its */
    size_t size;          /* of parts */
    const char *parts;
    char bytes[]; /* as it came */
};

/* Idle: no note and not sending. */
struct adl_buffer {
    char *mem; /* made at first use */
    struct adl_note *note;
    int sending;
    char *to; /* where the bytes come */
    int held; /* `slot` of the windows is, until they have come or gone */
    int slot;
    int64_t moved; /* bytes of it that are moved then */
};

struct adl_receive {
    struct adl_peers peers;
    size_t room;
    struct adl_service *s;
    int rc;
    struct adl_inflight posted; /* number: place in `header` */
    struct adl_inflight moving; /* number: place in `buffer` */
    struct adl_note *first, **last;
    struct adl_buffer buffer[ADL_BUFFERS];
    int busy;             /* buffers that are not idle */
    int64_t freed, ready; /* as the notes were looked at last */
    uint64_t hurry_ticks; /* when a message last came or went */
    int looks;            /* since then */
    struct adl_traffic traffic;
    char header[ADL_HEADERS][ADL_HEADER_MAX];
};

/* The first error counts. */
void adl_receive_fail(struct adl_receive *in, int rc);

/* An idle buffer with memory; -1: none. */
int adl_receive_buffer(struct adl_receive *in);
/* It is in use from here on; `held`: and so is the window's buffer. */
void adl_receive_occupy(struct adl_receive *in, int i,
                        const struct adl_note *note, int held, int64_t moved);

char *adl_receive_window(const struct adl_receive *in,
                         const struct adl_note *note);
void adl_receive_cover(const struct adl_receive *in,
                       const struct adl_note *note, struct adl_cover *cover);
int adl_receive_slot(const struct adl_receive *in, const struct adl_note *note);
struct adl_runs_of adl_receive_runs(const struct adl_receive *in,
                                    const struct adl_part *part,
                                    const char *pattern);

/* ---- reply.c ---- */

/* All of a request is here: mark what it asks for. */
void adl_reply_ask(struct adl_receive *in, struct adl_note *note);
/* Answer it if that is possible now. 1: done. */
int adl_reply_try(struct adl_receive *in, const struct adl_note *note);
/* Readers may be unable to ask for all they want of a window: after a while it
 * is read with what is known. */
void adl_reply_hurry(struct adl_receive *in);

#endif
