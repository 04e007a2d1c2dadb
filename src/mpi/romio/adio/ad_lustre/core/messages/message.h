/* message.h - what travels between nodes: parts, each a list of runs
 *
 * A message is for one window of one aggregator. Its parts come from one or
 * more ranks of a node; each says by a pattern (pattern.h) which runs of the
 * window it is about, and either carries their bytes or names the message that
 * will.
 *
 *   | head | part | pattern | bytes |pad| part | pattern | bytes |pad|
 *
 * An aggregator receives a message of ADL_HEADER_MAX bytes at any time, in a
 * call of few bytes one of ADL_HEADER_ROOM, and a longer one only when it has a
 * buffer for the window: then the head travels alone and the parts follow in a
 * message of their own.
 *
 * The decoder checks every field before it uses it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_MESSAGE_H
#define ADL_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

/* A part of at least this many bytes is sent in a message of its own; smaller
 * parts are combined with those of the node's other ranks. */
#define ADL_DIRECT_MIN 32768
/* Most bytes and runs of one part. A run takes two numbers of at most 9 bytes,
 * so that the pattern of a part fits into ADL_DIRECT_WORDS. */
#define ADL_DIRECT_BYTES (1 << 20)
#define ADL_DIRECT_RUNS 3500
#define ADL_DIRECT_WORDS 65536
/* A rank has at most this many parts under way. */
#define ADL_DIRECT_MOST 32
/* The same limit in a job of `ranks` ranks. It is lower in a large job, because
 * an aggregator keeps the headers of all parts until it has buffers for their
 * windows. */
int adl_direct_most(int ranks);

/* In an exact call of at most this many bytes the I/O takes less time than
 * waking the io thread, or than waiting until the messages were received. */
#define ADL_FEW_BYTES 262144

/* Bytes of the largest message that an aggregator receives without a header
 * before it: in any call, and in a call of few bytes. The latter has room for
 * 4 KiB of each of four ranks. */
#define ADL_HEADER_MAX 4096
#define ADL_HEADER_ROOM 20480

struct adl_message {
    int64_t call; /* the collective call it belongs to */
    int64_t window;
    /* bytes of the parts if they are in a message of their own; 0: they
     * follow here */
    uint32_t apart;
    uint32_t tag; /* of that message */
};

enum adl_part_kind {
    ADL_PART_DATA = 1, /* writing: the bytes follow */
    ADL_PART_APART,    /* writing: the bytes are in a message of their own */
    ADL_PART_READ,     /* reading: the aggregator sends the bytes back */
};

struct adl_part {
    uint32_t kind;    /* enum adl_part_kind */
    uint32_t tag;     /* APART, READ: tag of the message with the bytes */
    uint32_t pattern; /* bytes of the pattern */
    uint32_t unused;
    int64_t bytes; /* of all runs together */
};

/* Bytes that a part takes in a message. */
size_t adl_part_size(const struct adl_part *part);
/* Write a part's head and pattern at `at` (8-aligned). Returns the place for
 * its bytes. */
char *adl_part_put(char *at, const struct adl_part *part, const void *pattern);

struct adl_message_iter {
    const char *next, *end;
};

/* Read the head. 0 or -EPROTO. The bytes must outlive the cursor. For parts in
 * a message of their own call adl_message_parts. */
int adl_message_open(struct adl_message_iter *it, const void *bytes,
                     size_t size, struct adl_message *head);
void adl_message_parts(struct adl_message_iter *it, const void *bytes,
                       size_t size);
/* 1, the part, its pattern and (DATA) its bytes; 0 at the end; -EPROTO if the
 * message is damaged, then at every further call too. */
int adl_message_next(struct adl_message_iter *it, struct adl_part *part,
                     const char **pattern, const char **bytes);

#endif
