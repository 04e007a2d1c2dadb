/* inbox_private.h - what the files of an aggregator's inbox share
 *
 * Every message under way, in both directions, has a slot. inbox.c takes
 * messages and stores what is to be written; inbox_read.c keeps what readers
 * wish for and answers it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_INBOX_PRIVATE_H
#define ADL_INBOX_PRIVATE_H

#include "../../core/messages/message.h"
#include "inbox.h"

#define ADL_SLOTS 32

enum adl_slot_state {
    ADL_SLOT_IDLE,
    ADL_SLOT_WORDS, /* a message is coming */
    ADL_SLOT_BYTES, /* the bytes of its large part are */
    ADL_SLOT_REPLY, /* bytes are on their way back */
    ADL_SLOT_AHEAD, /* ... will be: the io thread is to read them here */
    /* No memory to keep the message elsewhere: it stays until */
    ADL_SLOT_WISH,  /* ... it is answered */
    ADL_SLOT_EARLY, /* ... its window has a buffer */
};

/* Runs that a reader wants. */
struct adl_wish {
    struct adl_wish *next;
    int slot;  /* where it stays, -1: in memory of its own */
    int ahead; /* the slot that its bytes are read into, -1: none */
    int source;
    int64_t window;
    struct adl_part part;
    size_t room;
    char *pattern;
};

struct adl_slot {
    enum adl_slot_state state;
    char *mem; /* allocated at first use */
    size_t size;
    int source;
    int64_t window;
    int inside;    /* ... which stays in memory until the slot is released */
    int64_t moved; /* bytes of it that this slot has moved by then */
    struct adl_part part;
    const char *pattern;
    char *to; /* ADL_SLOT_BYTES: where they go */
    struct adl_wish wish;
    struct adl_scatter scatter; /* ADL_SLOT_AHEAD */
};

/* A message for a window that has no buffer yet. */
struct adl_early {
    struct adl_early *next;
    int source;
    int64_t window;
    size_t size;
    char bytes[];
};

struct adl_inbox {
    struct adl_peers peers;
    size_t room;
    struct adl_service *s;
    int rc;
    uint64_t ticks;
    int busy;
    struct adl_slot slot[ADL_SLOTS];
    MPI_Request req[ADL_SLOTS];
    struct adl_wish *first, **last; /* in the order in which they came */
    struct adl_wish *unused;
    struct adl_early *early;
    uint64_t hurry_ticks;            /* when something last came or went */
    int looks;                       /* since then */
    int64_t stuck_base, stuck_since; /* see is_stuck */
    unsigned tried;                  /* see take_any */
    struct adl_traffic traffic;
};

/* The first error counts. */
void adl_inbox_fail(struct adl_inbox *in, int rc);

/* ---- slots ---- */

/* A slot with memory; -1: none. */
int adl_inbox_idle_slot(struct adl_inbox *in);
void adl_inbox_occupy(struct adl_inbox *in, int i, enum adl_slot_state state);
/* Keep the message of window `window` in its slot. */
void adl_inbox_stay(struct adl_inbox *in, int i, enum adl_slot_state state,
                    int64_t window);

/* ---- windows ---- */

int64_t adl_inbox_first_window(const struct adl_inbox *in);
int64_t adl_inbox_freed(const struct adl_inbox *in);
/* Is the window one of those that have a buffer now? Then it stays until
 * adl_inbox_leave. */
int adl_inbox_enter(const struct adl_inbox *in, int64_t window);
void adl_inbox_leave(const struct adl_inbox *in, int64_t window, int64_t bytes);
/* Must what belongs to the window wait until that has a buffer? */
int adl_inbox_is_early(const struct adl_inbox *in, int64_t window);
char *adl_inbox_buffer_of(const struct adl_inbox *in, int64_t window);
void adl_inbox_cover_of(const struct adl_inbox *in, int64_t window,
                        struct adl_cover *cover);
struct adl_runs_of adl_inbox_runs_of(const struct adl_inbox *in,
                                     const struct adl_part *part,
                                     const char *pattern);

/* ---- wishes ---- */

/* Keep what the slot's message wishes for. 1: in its slot. */
int adl_inbox_keep_wish(struct adl_inbox *in, int i,
                        const struct adl_part *part, const char *pattern);
void adl_inbox_answer(struct adl_inbox *in);
void adl_inbox_hurry(struct adl_inbox *in);
/* How many replies wait for windows that have no buffer yet? */
int adl_inbox_far_ahead(const struct adl_inbox *in);
void adl_inbox_free_wishes(struct adl_wish *w);

#endif
