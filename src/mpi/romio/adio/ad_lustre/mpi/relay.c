/* relay.c - hand a node's windows on to aggregators of other nodes */
#include "relay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/pattern.h"
#include "engine.h"
#include "giveup.h"
#include "line.h"
#include "parcel.h"

/* A window on its way. */
struct flight {
    struct adl_note note;
    MPI_Request req[2]; /* note, data */
    char *packed;       /* data message, NULL: straight from the window */
};

struct adl_relay {
    struct adl_lines *lines;
    int flights;
    int64_t bytes; /* of them */
};

int adl_relay_create(struct adl_engine *eng, struct adl_relay **out)
{
    struct adl_relay *r = calloc(1, sizeof(*r));
    int rc;

    if (!r)
        return -ENOMEM;
    rc = adl_lines_create(eng, sizeof(struct flight), &r->lines);
    if (rc < 0)
        free(r);
    else
        *out = r;
    return rc;
}

void adl_relay_destroy(struct adl_relay *r)
{
    if (!r)
        return;
    adl_lines_destroy(r->lines);
    free(r);
}

void adl_relay_begin(struct adl_relay *r, int64_t call, int64_t start,
                     int shift)
{
    adl_lines_begin(r->lines, call, start, shift);
}

/* Pattern size, pattern, runs: one message. */
static int pack(struct adl_relay *r, struct flight *f, const char *buf,
                int64_t payload)
{
    struct adl_parcel_desc desc = {.window = r->lines->eng->seg->window};
    int64_t head;
    char *runs;
    int rc = adl_pattern_finish(r->lines->pattern, &desc.bytes, &desc.size);

    if (rc < 0)
        return rc;
    head = desc.size;
    f->note.bytes = sizeof(head) + head + payload;
    f->packed = malloc(f->note.bytes);
    if (!f->packed)
        return -ENOMEM;
    memcpy(f->packed, &head, sizeof(head));
    memcpy(f->packed + sizeof(head), desc.bytes, desc.size);
    runs = f->packed + sizeof(head) + head;
    return adl_parcel_gather(&desc, buf, runs, payload);
}

static void send_flight(struct adl_relay *r, struct adl_line *l,
                        struct flight *f, char *bare)
{
    adl_line_note(r->lines, l, &f->note, &f->req[0]);
    PMPI_Isend(f->packed ? f->packed : bare, (int)f->note.bytes, MPI_BYTE,
               l->peer, ADL_TAG_DATA, r->lines->eng->comm, &f->req[1]);
    r->bytes += f->note.bytes;
    r->flights++;
    l->count++;
}

/* Look at a window that nobody on this node can reach any more. 0, or -errno
 * when it could not be packed now (no memory: tried again later). */
static int look_at(struct adl_relay *r, struct adl_line *l, int64_t w)
{
    char *buf = adl_line_buf(r->lines, l, w);
    struct flight *f = adl_line_flight(r->lines, l, l->count);
    struct adl_parcel_sum sum;
    struct adl_cover cover;
    int rc;

    adl_line_cover(r->lines, l, w, &cover);
    rc = adl_parcel_describe(r->lines->pattern, &cover, &sum);
    if (rc < 0 || sum.runs == 0)
        return rc;
    memset(f, 0, sizeof(*f));
    f->note.window = w;
    f->note.frontier = w + 1;
    f->note.start = sum.first;
    f->note.bytes = sum.bytes;
    f->note.packed = sum.runs > 1;
    if (sum.runs > 1)
        rc = pack(r, f, buf, sum.bytes);
    if (rc == 0)
        send_flight(r, l, f, buf + sum.first);
    return rc;
}

/* Forget the windows at the head of the line that have arrived. */
static void land(struct adl_relay *r, struct adl_line *l)
{
    struct adl_cover cover;
    int done = 1;

    while (l->count > 0) {
        struct flight *f = adl_line_flight(r->lines, l, 0);

        for (int i = 1; i >= 0 && done; i--)
            PMPI_Test(&f->req[i], &done, MPI_STATUS_IGNORE);
        if (!done)
            return;
        adl_line_cover(r->lines, l, f->note.window, &cover);
        adl_cover_clear(&cover);
        r->bytes -= f->note.bytes;
        r->flights--;
        free(f->packed);
        adl_line_pop(r->lines, l);
    }
}

static int may_send(const struct adl_relay *r)
{
    const struct adl_env *env = &r->lines->eng->file->env;

    return r->flights == 0 ||
           (r->flights < env->max_num_isend && r->bytes < env->max_size_isend);
}

/* Announce complete windows. Beyond freed + depth nothing can have been
 * filled; with no flight left everything up to the floor is empty. */
static void advance(struct adl_relay *r, struct adl_line *l, int64_t floor)
{
    int rc, depth = r->lines->eng->seg->depth;

    while (l->next < floor && l->next < l->freed + depth && may_send(r)) {
        rc = look_at(r, l, l->next);
        if (rc < 0 && r->flights == 0)
            adl_giveup_memory(r->lines->eng->file, r->lines->eng->seg->window);
        if (rc < 0)
            return;
        l->next++;
    }
    if (l->count == 0 && l->next < floor && l->next >= l->freed + depth)
        l->next = floor;
}

static void open_gate(struct adl_relay *r, struct adl_line *l)
{
    const struct flight *first = adl_line_flight(r->lines, l, 0);
    int64_t freed = l->count > 0 ? first->note.window : l->next;

    if (freed == l->freed)
        return;
    l->freed = freed;
    adl_gate_free(r->lines->eng->seg, l->agg, r->lines->call, freed);
}

static int line_step(struct adl_relay *r, struct adl_line *l, int64_t pos)
{
    land(r, l);
    advance(r, l, adl_window_first_at(r->lines->eng->window, l->agg, pos));
    open_gate(r, l);
    adl_line_tell(r->lines, l, l->next);
    return l->count == 0 && adl_line_ended(l);
}

int adl_relay_step(struct adl_relay *r)
{
    int64_t pos = adl_segment_copied(r->lines->eng->seg);
    int done = 1;

    for (int i = 0; i < r->lines->n; i++)
        done &= line_step(r, &r->lines->line[i], pos);
    return done;
}
