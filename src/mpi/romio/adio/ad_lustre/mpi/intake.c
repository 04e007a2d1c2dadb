/* intake.c - an aggregator takes in what other nodes send */
#include "intake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "giveup.h"
#include "note.h"
#include "parcel.h"
#include "serve.h"

/* An announced window that has not been taken in yet. */
struct parcel {
    struct adl_note note;
    int source;
    MPI_Request req;
    char *packed; /* receive buffer, NULL: straight into the window */
    int started;
    struct parcel *next;
};

/* What a node said. Its parcels are in the order of their windows. */
struct peer {
    int64_t frontier;
    struct parcel *first, **last;
};

struct adl_intake {
    struct adl_engine *eng;
    struct adl_serve *serve;
    struct adl_note note; /* being received */
    MPI_Request note_req;
    int64_t first; /* lowest window of the call */
    int open;      /* nodes that have not said their last word */
    int active;    /* receives under way */
    int64_t floor; /* as told to serve */
    int rc;
    int npeers;
    struct peer peer[]; /* [nnodes] */
};

static void post_note(struct adl_intake *in)
{
    PMPI_Irecv(&in->note, sizeof(in->note), MPI_BYTE, MPI_ANY_SOURCE,
               ADL_TAG_NOTE, in->eng->comm, &in->note_req);
}

int adl_intake_create(struct adl_engine *eng, struct adl_intake **out)
{
    int n = eng->file->nodes.count;
    struct adl_intake *in = calloc(1, sizeof(*in) + n * sizeof(struct peer));

    if (!in)
        return -ENOMEM;
    in->eng = eng;
    in->npeers = n;
    *out = in;
    return 0;
}

void adl_intake_begin(struct adl_intake *in, struct adl_serve *serve)
{
    in->serve = serve;
    in->first = adl_window_first_at(in->eng->window, serve->agg, serve->start);
    in->floor = in->first;
    /* Where no window can follow, nobody has a last word to say. */
    in->open = in->first == ADL_WINDOW_NONE ? 0 : in->npeers - 1;
    in->rc = 0;
    for (int i = 0; i < in->npeers; i++) {
        struct peer *peer = &in->peer[i];

        peer->first = NULL;
        peer->last = &peer->first;
        peer->frontier = in->first;
        if (i == in->eng->file->nodes.index)
            peer->frontier = ADL_WINDOW_NONE;
    }
    if (in->open > 0)
        post_note(in);
}

void adl_intake_destroy(struct adl_intake *in)
{
    free(in);
}

int adl_intake_error(const struct adl_intake *in)
{
    return in->rc;
}

static void enqueue(struct adl_intake *in, int source)
{
    struct peer *peer = &in->peer[in->note.node];
    struct parcel *p = calloc(1, sizeof(*p));

    if (!p) {
        adl_giveup_memory(in->eng->file, sizeof(*p));
        return;
    }
    p->note = in->note;
    p->source = source;
    p->req = MPI_REQUEST_NULL;
    *peer->last = p;
    peer->last = &p->next;
}

static int note_is_sane(const struct adl_intake *in)
{
    const struct adl_note *n = &in->note;
    int64_t size = in->eng->seg->window;

    if (n->node < 0 || n->node >= in->npeers)
        return 0;
    if (n->window == ADL_WINDOW_NONE)
        return 1;
    return n->bytes > 0 && n->start >= 0 && n->start <= size &&
           (n->packed || n->bytes <= size - n->start);
}

static void take_notes(struct adl_intake *in)
{
    MPI_Status status;
    int done;

    while (in->open > 0) {
        PMPI_Test(&in->note_req, &done, &status);
        if (!done)
            return;
        if (!note_is_sane(in))
            PMPI_Abort(in->eng->comm, 1); /* memory is corrupt somewhere */
        if (in->note.window != ADL_WINDOW_NONE)
            enqueue(in, status.MPI_SOURCE);
        in->peer[in->note.node].frontier = in->note.frontier;
        if (in->note.frontier == ADL_WINDOW_NONE)
            in->open--;
        if (in->open > 0)
            post_note(in);
    }
}

static char *window_buf(struct adl_intake *in, int64_t w)
{
    struct adl_segment *seg = in->eng->seg;

    return adl_sink_buf(seg, &seg->sink[in->serve->agg],
                        adl_window_slot(in->eng->window, w));
}

static void window_cover(struct adl_intake *in, int64_t w,
                         struct adl_cover *cover)
{
    struct adl_segment *seg = in->eng->seg;

    adl_sink_cover(seg, &seg->sink[in->serve->agg],
                   adl_window_slot(in->eng->window, w), in->serve->shift,
                   cover);
}

/* Receive a parcel whose window is free. One run goes where it belongs. */
static int start_parcel(struct adl_intake *in, struct parcel *p)
{
    char *to;

    if (p->note.packed) {
        p->packed = malloc(p->note.bytes);
        if (!p->packed && in->active == 0)
            adl_giveup_memory(in->eng->file, p->note.bytes);
        if (!p->packed)
            return 0; /* again later, when others are through */
    }
    to = p->packed ? p->packed : window_buf(in, p->note.window) + p->note.start;
    PMPI_Irecv(to, (int)p->note.bytes, MPI_BYTE, p->source, ADL_TAG_DATA,
               in->eng->comm, &p->req);
    p->started = 1;
    in->active++;
    return 1;
}

static void start_parcels(struct adl_intake *in)
{
    struct adl_segment *seg = in->eng->seg;
    struct adl_gate *gate = seg->sink[in->serve->agg].gate;
    int64_t freed = adl_gate_freed(gate, in->serve->call, in->first);

    for (int i = 0; i < in->npeers; i++)
        for (struct parcel *p = in->peer[i].first; p; p = p->next) {
            if (p->started)
                continue;
            if (p->note.window - freed >= seg->depth ||
                in->active >= in->eng->file->env.max_num_irecv ||
                !start_parcel(in, p))
                break;
        }
}

/* Spread the runs of a packed message over the window. */
static int unpack(struct adl_intake *in, struct parcel *p)
{
    struct adl_parcel_desc desc = {.window = in->eng->seg->window};
    struct adl_cover cover;
    int64_t head, room = p->note.bytes - (int64_t)sizeof(head);
    char *runs;

    if (room < 0)
        return -EPROTO;
    memcpy(&head, p->packed, sizeof(head));
    if (head < 0 || head > room)
        return -EPROTO;
    desc.bytes = p->packed + sizeof(head);
    desc.size = head;
    runs = p->packed + sizeof(head) + head;
    window_cover(in, p->note.window, &cover);
    return adl_parcel_scatter(&desc, runs, room - head,
                              window_buf(in, p->note.window), &cover);
}

static void finish_parcel(struct adl_intake *in, struct parcel *p)
{
    struct adl_cover cover;
    int rc = 0;

    if (p->packed) {
        rc = unpack(in, p);
    } else {
        window_cover(in, p->note.window, &cover);
        adl_cover_add(&cover, p->note.start, p->note.bytes);
    }
    if (rc < 0 && in->rc == 0)
        in->rc = rc;
    free(p->packed);
    in->active--;
}

/* Parcels of a node complete in order: the first one bounds its floor. */
static void finish_parcels(struct adl_intake *in, struct peer *peer)
{
    struct parcel *p;
    int done;

    while ((p = peer->first) && p->started) {
        PMPI_Test(&p->req, &done, MPI_STATUS_IGNORE);
        if (!done)
            return;
        finish_parcel(in, p);
        peer->first = p->next;
        if (!peer->first)
            peer->last = &peer->first;
        free(p);
    }
}

static void update_floor(struct adl_intake *in)
{
    int64_t floor = ADL_WINDOW_NONE, at;

    for (int i = 0; i < in->npeers; i++) {
        at = in->peer[i].first ? in->peer[i].first->note.window
                               : in->peer[i].frontier;
        if (at < floor)
            floor = at;
    }
    if (floor > in->floor) {
        in->floor = floor;
        adl_serve_remote(in->serve, floor);
    }
}

int adl_intake_step(struct adl_intake *in)
{
    int pending = 0;

    take_notes(in);
    start_parcels(in);
    for (int i = 0; i < in->npeers; i++) {
        finish_parcels(in, &in->peer[i]);
        pending |= in->peer[i].first != NULL;
    }
    update_floor(in);
    return in->open == 0 && !pending;
}
