/* united.c - one request for all bytes that the requests in a block name */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "united.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

struct adl_united {
    int64_t window;
    struct adl_pattern *pattern;
    void *bits; /* of a coverage; zeros between two calls */
};

int adl_united_create(int64_t window, size_t room, struct adl_united **out)
{
    struct adl_united *u = calloc(1, sizeof(*u));

    if (!u)
        return -ENOMEM;
    u->window = window;
    u->bits = calloc(1, adl_cover_memory(window, 0));
    if (!u->bits || adl_pattern_create(&u->pattern) < 0 ||
        adl_pattern_reserve(u->pattern, room) < 0) {
        adl_united_destroy(u);
        return -ENOMEM;
    }
    *out = u;
    return 0;
}

void adl_united_destroy(struct adl_united *u)
{
    if (!u)
        return;
    adl_pattern_destroy(u->pattern);
    free(u->bits);
    free(u);
}

/* Mark the runs of all parts. */
static int mark_parts(const struct adl_united *u, struct adl_cover *cover,
                      struct adl_message_iter *it)
{
    struct adl_part part;
    const char *pattern, *bytes;
    int64_t n;
    int more, rc = 0;

    while (rc == 0 && (more = adl_message_next(it, &part, &pattern, &bytes))) {
        struct adl_runs_of runs = {pattern, part.pattern, u->window, 0};

        rc = more < 0 ? more : adl_pack_mark(&runs, cover, &n);
    }
    return rc;
}

/* Describe what is marked, and unmark it, after an error too. */
static int describe_marked(struct adl_united *u, struct adl_cover *cover,
                           struct adl_part *part, const void **pattern)
{
    int64_t start, len;
    size_t size = 0;
    int rc = 0;

    adl_pattern_reset(u->pattern);
    for (int64_t from = 0; adl_cover_next(cover, from, u->window, &start, &len);
         from = start + len) {
        if (rc == 0)
            rc = adl_pattern_add(u->pattern, start, len);
        part->bytes += len;
        adl_cover_remove(cover, start, len);
    }
    if (rc == 0)
        rc = adl_pattern_finish(u->pattern, pattern, &size);
    part->pattern = (uint32_t)size;
    return rc;
}

int adl_united_make(struct adl_united *u, int shift, uint32_t tag,
                    char *message, size_t *size, int64_t *bytes)
{
    struct adl_part part = {.kind = ADL_PART_READ, .tag = tag};
    const void *pattern = NULL;
    struct adl_message_iter it;
    struct adl_message head;
    struct adl_cover cover;
    int rc = adl_message_open(&it, message, *size, &head), rc2;

    adl_cover_init(&cover, u->bits, u->window, shift);
    if (rc == 0)
        rc = mark_parts(u, &cover, &it);
    rc2 = describe_marked(u, &cover, &part, &pattern);
    if (rc < 0 || rc2 < 0)
        return rc < 0 ? rc : rc2;
    adl_part_put(message + sizeof(head), &part, pattern);
    *size = sizeof(head) + adl_part_size(&part);
    *bytes = part.bytes;
    return 0;
}

int adl_united_runs(const char *message, size_t size, int64_t window,
                    struct adl_runs_of *runs)
{
    const size_t head = sizeof(struct adl_message);
    struct adl_message_iter it;
    struct adl_part part;
    const char *pattern, *bytes;

    if (size < head)
        return -EPROTO;
    adl_message_parts(&it, message + head, size - head);
    if (adl_message_next(&it, &part, &pattern, &bytes) != 1)
        return -EPROTO;
    *runs = (struct adl_runs_of){pattern, part.pattern, window, 0};
    return 0;
}
