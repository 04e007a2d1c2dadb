/* supply.c - an aggregator sends other nodes what they wish for */
#include "supply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "giveup.h"
#include "note.h"
#include "parcel.h"
#include "serve.h"

enum stage {
    ANNOUNCED, /* its window may not be free yet */
    COMING,    /* the wishes are being received */
    MARKED,    /* and are marked in the window */
    ANSWERED,  /* the answer is on its way */
};

/* One node's wishes in one window. */
struct order {
    struct adl_note note;
    enum stage stage;
    int source;
    MPI_Request req;
    char *wishes;
    char *answer;
    int64_t bytes; /* of the wanted runs */
    struct order *next;
};

/* What a node said. Its orders are in the order of their windows. */
struct peer {
    int64_t frontier;
    struct order *first, **last;
};

struct adl_supply {
    struct adl_engine *eng;
    struct adl_serve *serve;
    struct adl_note note; /* being received */
    MPI_Request note_req;
    int64_t first;
    int64_t wished, taken; /* as told to serve */
    int open;
    int answers; /* under way */
    int rc;
    int npeers;
    struct peer peer[]; /* [nnodes] */
};

int adl_supply_create(struct adl_engine *eng, struct adl_supply **out)
{
    int n = eng->file->nodes.count;
    struct adl_supply *sup = calloc(1, sizeof(*sup) + n * sizeof(struct peer));

    if (!sup)
        return -ENOMEM;
    sup->eng = eng;
    sup->npeers = n;
    *out = sup;
    return 0;
}

void adl_supply_destroy(struct adl_supply *sup)
{
    free(sup);
}

int adl_supply_error(const struct adl_supply *sup)
{
    return sup->rc;
}

static void post_note(struct adl_supply *sup)
{
    PMPI_Irecv(&sup->note, sizeof(sup->note), MPI_BYTE, MPI_ANY_SOURCE,
               ADL_TAG_NOTE, sup->eng->comm, &sup->note_req);
}

void adl_supply_begin(struct adl_supply *sup, struct adl_serve *serve)
{
    sup->serve = serve;
    sup->first =
        adl_window_first_at(sup->eng->window, serve->agg, serve->start);
    sup->wished = sup->taken = sup->first;
    /* Where no window can follow, nobody has a last word to say. */
    sup->open = sup->first == ADL_WINDOW_NONE ? 0 : sup->npeers - 1;
    sup->rc = 0;
    for (int i = 0; i < sup->npeers; i++) {
        struct peer *peer = &sup->peer[i];

        peer->first = NULL;
        peer->last = &peer->first;
        peer->frontier =
            i == sup->eng->file->nodes.index ? ADL_WINDOW_NONE : sup->first;
    }
    if (sup->open > 0)
        post_note(sup);
}

static void enqueue(struct adl_supply *sup, int source)
{
    struct peer *peer = &sup->peer[sup->note.node];
    struct order *o = calloc(1, sizeof(*o));

    if (o)
        o->wishes = malloc(sup->note.bytes);
    if (!o || !o->wishes) {
        adl_giveup_memory(sup->eng->file, sup->note.bytes);
        return;
    }
    o->note = sup->note;
    o->source = source;
    o->req = MPI_REQUEST_NULL;
    *peer->last = o;
    peer->last = &o->next;
}

static int note_is_sane(const struct adl_supply *sup)
{
    const struct adl_note *n = &sup->note;

    return n->node >= 0 && n->node < sup->npeers &&
           (n->window == ADL_WINDOW_NONE || n->bytes > 0);
}

static void take_notes(struct adl_supply *sup)
{
    MPI_Status status;
    int done;

    while (sup->open > 0) {
        PMPI_Test(&sup->note_req, &done, &status);
        if (!done)
            return;
        if (!note_is_sane(sup))
            PMPI_Abort(sup->eng->comm, 1); /* memory is corrupt somewhere */
        if (sup->note.window != ADL_WINDOW_NONE)
            enqueue(sup, status.MPI_SOURCE);
        sup->peer[sup->note.node].frontier = sup->note.frontier;
        if (sup->note.frontier == ADL_WINDOW_NONE)
            sup->open--;
        if (sup->open > 0)
            post_note(sup);
    }
}

static struct adl_parcel_desc describe(struct adl_supply *sup,
                                       const struct order *o)
{
    return (struct adl_parcel_desc){.bytes = o->wishes,
                                    .size = o->note.bytes,
                                    .window = sup->eng->seg->window};
}

static void mark_order(struct adl_supply *sup, struct order *o)
{
    struct adl_segment *seg = sup->eng->seg;
    struct adl_parcel_desc desc = describe(sup, o);
    struct adl_cover cover;
    int rc;

    adl_sink_cover(seg, &seg->sink[sup->serve->agg],
                   adl_window_slot(sup->eng->window, o->note.window),
                   sup->serve->shift, &cover);
    rc = adl_parcel_mark(&desc, &cover, &o->bytes);
    if (rc < 0)
        PMPI_Abort(sup->eng->comm, 1); /* our own ranks sent it */
    o->stage = MARKED;
}

/* The answer: end of file as far as we know, then the runs. */
static void answer_order(struct adl_supply *sup, struct order *o)
{
    struct adl_segment *seg = sup->eng->seg;
    struct adl_sink *sink = &seg->sink[sup->serve->agg];
    struct adl_parcel_desc desc = describe(sup, o);
    int slot = adl_window_slot(sup->eng->window, o->note.window);
    int64_t eof = __atomic_load_n(&sink->gate->eof, __ATOMIC_SEQ_CST);

    o->answer = malloc(sizeof(eof) + o->bytes);
    if (!o->answer && sup->answers == 0)
        adl_giveup_memory(sup->eng->file, o->bytes);
    if (!o->answer)
        return; /* again later, when others are through */
    memcpy(o->answer, &eof, sizeof(eof));
    adl_parcel_gather(&desc, adl_sink_buf(seg, sink, slot),
                      o->answer + sizeof(eof), o->bytes);
    PMPI_Isend(o->answer, (int)(sizeof(eof) + o->bytes), MPI_BYTE, o->source,
               ADL_TAG_ANSWER, sup->eng->comm, &o->req);
    o->stage = ANSWERED;
    sup->answers++;
}

/* Move an order one stage on, if it can. 1: it moved. */
static int order_step(struct adl_supply *sup, struct order *o, int64_t freed,
                      int64_t ready)
{
    enum stage before = o->stage;
    int done = 0;

    if (o->stage == ANNOUNCED &&
        o->note.window - freed < sup->eng->seg->depth) {
        PMPI_Irecv(o->wishes, (int)o->note.bytes, MPI_BYTE, o->source,
                   ADL_TAG_DATA, sup->eng->comm, &o->req);
        o->stage = COMING;
    } else if (o->stage == COMING) {
        PMPI_Test(&o->req, &done, MPI_STATUS_IGNORE);
        if (done)
            mark_order(sup, o);
    } else if (o->stage == MARKED && o->note.window < ready) {
        answer_order(sup, o);
    }
    return o->stage != before;
}

/* Messages of a node match in order: an order that waits holds up the rest. */
static void peer_step(struct adl_supply *sup, struct peer *peer, int64_t freed,
                      int64_t ready)
{
    for (struct order *o = peer->first; o; o = o->next) {
        while (order_step(sup, o, freed, ready))
            ;
        if (o->stage == ANNOUNCED)
            break;
    }
}

static void peer_sweep(struct adl_supply *sup, struct peer *peer)
{
    struct order *o;
    int done;

    while ((o = peer->first) && o->stage == ANSWERED) {
        PMPI_Test(&o->req, &done, MPI_STATUS_IGNORE);
        if (!done)
            return;
        peer->first = o->next;
        if (!peer->first)
            peer->last = &peer->first;
        sup->answers--;
        free(o->wishes);
        free(o->answer);
        free(o);
    }
}

/* The lowest window with an order that has not come to `stage`. */
static int64_t floor_of(const struct adl_supply *sup, enum stage stage)
{
    int64_t floor = ADL_WINDOW_NONE;

    for (int i = 0; i < sup->npeers; i++) {
        const struct peer *peer = &sup->peer[i];
        const struct order *o = peer->first;
        int64_t at;

        while (o && o->stage >= stage)
            o = o->next;
        at = o ? o->note.window : peer->frontier;
        if (at < floor)
            floor = at;
    }
    return floor;
}

static void tell_serve(struct adl_supply *sup)
{
    int64_t wished = floor_of(sup, MARKED), taken = floor_of(sup, ANSWERED);

    if (wished > sup->wished) {
        sup->wished = wished;
        adl_serve_remote(sup->serve, wished);
    }
    if (taken > sup->taken) {
        sup->taken = taken;
        adl_serve_taken(sup->serve, taken);
    }
}

int adl_supply_step(struct adl_supply *sup)
{
    struct adl_segment *seg = sup->eng->seg;
    const struct adl_gate *gate = seg->sink[sup->serve->agg].gate;
    int64_t call = sup->serve->call;
    int64_t freed = adl_gate_freed(gate, call, sup->first);
    int64_t ready = adl_gate_is_ready(gate, call, sup->first);
    int pending = 0;

    take_notes(sup);
    for (int i = 0; i < sup->npeers; i++) {
        peer_step(sup, &sup->peer[i], freed, ready);
        peer_sweep(sup, &sup->peer[i]);
        pending |= sup->peer[i].first != NULL;
    }
    tell_serve(sup);
    return sup->open == 0 && !pending;
}
