/* message.c - what travels between nodes: parts, each a list of runs */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "message.h"

#include <errno.h>
#include <string.h>

#define ALIGN 8

/* Sizes in a message that came are not to be trusted, nor may they overflow. */
#define SIZE_MAX_SANE ((int64_t)1 << 40)

static size_t aligned(size_t size)
{
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

static int64_t carried(const struct adl_part *part)
{
    return part->kind == ADL_PART_DATA ? part->bytes : 0;
}

/* Headers that an aggregator keeps, at the most: about 64 bytes each, and at
 * worst ADL_HEADER_MAX. */
#define HEADERS_KEPT 65536
#define DIRECT_LEAST 2

int adl_direct_most(int ranks)
{
    int most = HEADERS_KEPT / (ranks > 0 ? ranks : 1);

    most = most < ADL_DIRECT_MOST ? most : ADL_DIRECT_MOST;
    return most > DIRECT_LEAST ? most : DIRECT_LEAST;
}

size_t adl_part_size(const struct adl_part *part)
{
    return aligned(sizeof(*part) + part->pattern + (size_t)carried(part));
}

char *adl_part_put(char *at, const struct adl_part *part, const void *pattern)
{
    memcpy(at, part, sizeof(*part));
    memcpy(at + sizeof(*part), pattern, part->pattern);
    return at + sizeof(*part) + part->pattern;
}

static int broken(struct adl_message_iter *it)
{
    it->next = NULL;
    return -EPROTO;
}

int adl_message_open(struct adl_message_iter *it, const void *bytes,
                     size_t size, struct adl_message *head)
{
    if (size < sizeof(*head))
        return broken(it);
    memcpy(head, bytes, sizeof(*head));
    if (head->apart > 0 && size > sizeof(*head))
        return broken(it);
    adl_message_parts(it, (const char *)bytes + sizeof(*head),
                      size - sizeof(*head));
    return 0;
}

void adl_message_parts(struct adl_message_iter *it, const void *bytes,
                       size_t size)
{
    it->next = bytes;
    it->end = it->next + size;
}

static int sane(const struct adl_part *part, size_t room)
{
    if (part->kind < ADL_PART_DATA || part->kind > ADL_PART_READ)
        return 0;
    if (part->bytes < 1 || part->bytes > SIZE_MAX_SANE || part->pattern < 1)
        return 0;
    return sizeof(*part) + part->pattern + (size_t)carried(part) <= room;
}

int adl_message_next(struct adl_message_iter *it, struct adl_part *part,
                     const char **pattern, const char **bytes)
{
    size_t room, size;

    if (!it->next)
        return -EPROTO;
    if (it->next == it->end)
        return 0;
    room = (size_t)(it->end - it->next);
    if (room < sizeof(*part))
        return broken(it);
    memcpy(part, it->next, sizeof(*part));
    if (!sane(part, room))
        return broken(it);
    *pattern = it->next + sizeof(*part);
    *bytes = *pattern + part->pattern;
    size = adl_part_size(part);
    it->next += size < room ? size : room;
    return 1;
}
