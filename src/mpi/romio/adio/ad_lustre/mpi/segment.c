/* segment.c - the memory that the ranks of a node share */
#include "segment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../sys/shmem.h"

#define PAGE 4096

static int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* A rank's part: its seat, the gates of the sinks it serves, their buffers.
 *   | seat | gate gate ... |pad| windows, coverages | windows, coverages | ...
 */
static int64_t sink_bytes(const struct adl_segment *seg)
{
    return seg->depth * (seg->window + seg->cover);
}

static int64_t head_bytes(int served)
{
    return round_up(sizeof(struct adl_seat) + sizeof(struct adl_meeting) +
                        served * sizeof(struct adl_gate),
                    PAGE);
}

static int server_rank(int server)
{
    return server >= 0 ? server : -1 - server;
}

static int count_served(const int *server, int n, int rank)
{
    int count = 0;

    for (int a = 0; a < n; a++)
        count += server_rank(server[a]) == rank;
    return count;
}

static void place_sink(struct adl_segment *seg, struct adl_sink *sink,
                       char *part, int served, int index)
{
    char *gates = part + sizeof(struct adl_seat) + sizeof(struct adl_meeting);

    sink->gate = (struct adl_gate *)gates + index;
    sink->buf = part + head_bytes(served) + index * sink_bytes(seg);
    sink->bits = sink->buf + seg->depth * seg->window;
}

/* Where everything is, from the ranks' base addresses in this process. */
static int find_parts(struct adl_segment *seg, const int *server)
{
    int *served = calloc(seg->size, sizeof(*served));
    int *next = calloc(seg->size, sizeof(*next));

    if (served && next) {
        for (int a = 0; a < seg->nsinks; a++)
            served[server_rank(server[a])]++;
        for (int a = 0; a < seg->nsinks; a++) {
            int r = server_rank(server[a]);

            seg->sink[a].server = r;
            seg->sink[a].remote = server[a] < 0;
            place_sink(seg, &seg->sink[a], (char *)seg->seat[r], served[r],
                       next[r]++);
        }
    }
    free(next);
    if (!served)
        return -ENOMEM;
    free(served);
    return 0;
}

static void clear_mark(struct adl_mark *mark)
{
    memset(mark, 0, sizeof(*mark));
    mark->pos = mark->want = ADL_POS_END;
}

/* The memory is new and private to us until the barrier at creation's end. */
static void clear_own(struct adl_segment *seg)
{
    clear_mark(&seg->seat[seg->rank]->copied);
    clear_mark(&seg->seat[seg->rank]->wished);
    memset(seg->seat[seg->rank] + 1, 0, sizeof(struct adl_meeting));
    for (int a = 0; a < seg->nsinks; a++)
        if (seg->sink[a].server == seg->rank) {
            memset(seg->sink[a].gate, 0, sizeof(struct adl_gate));
            seg->sink[a].gate->want = INT64_MAX;
            if (!seg->base) /* our own memory is zeros, and stays untouched */
                memset(seg->sink[a].bits, 0, seg->depth * seg->cover);
        }
}

static int allocate_window(struct adl_segment *seg, int64_t bytes)
{
    MPI_Info info;
    MPI_Errhandler old;
    char *mine;
    int rc;

    PMPI_Info_create(&info);
    PMPI_Info_set(info, "alloc_shared_noncontig", "true");
    PMPI_Comm_get_errhandler(seg->comm, &old);
    PMPI_Comm_set_errhandler(seg->comm, MPI_ERRORS_RETURN);
    rc = PMPI_Win_allocate_shared(bytes, 1, info, seg->comm, &mine, &seg->win);
    PMPI_Comm_set_errhandler(seg->comm, old);
    if (old != MPI_ERRORS_RETURN && old != MPI_ERRORS_ARE_FATAL)
        PMPI_Errhandler_free(&old);
    PMPI_Info_free(&info);
    if (rc) {
        seg->win = MPI_WIN_NULL;
        return -ENOMEM;
    }
    for (int r = 0; r < seg->size; r++) {
        MPI_Aint size;
        int unit;

        PMPI_Win_shared_query(seg->win, r, &size, &unit, &seg->seat[r]);
    }
    return 0;
}

/* Bytes of a rank's part, whole pages: near its memory, aligned for direct I/O.
 */
static int64_t part_bytes(const struct adl_segment *seg, const int *server,
                          int rank)
{
    int served = count_served(server, seg->nsinks, rank);

    return round_up(head_bytes(served) + served * sink_bytes(seg), PAGE);
}

static void seat_ranks(struct adl_segment *seg, const int *server)
{
    char *at = seg->base;

    for (int r = 0; r < seg->size; r++) {
        seg->seat[r] = (struct adl_seat *)at;
        at += part_bytes(seg, server, r);
    }
}

/* Memory of our own. A window of MPI does the same, but MPICH needs tens of
 * milliseconds to make one, more than many a file takes to write. */
static int allocate_own(struct adl_segment *seg, const int *server)
{
    struct adl_shmem_card card = {.fd = -1};
    void *base = NULL;
    int64_t bytes = 0;
    int rc = 0, worst;

    for (int r = 0; r < seg->size; r++)
        bytes += part_bytes(seg, server, r);
    if (seg->rank == 0)
        rc = adl_shmem_create(bytes, &card, &base);
    PMPI_Bcast(&card, sizeof(card), MPI_BYTE, 0, seg->comm);
    if (seg->rank > 0)
        rc = card.fd < 0 ? -ENOSYS : adl_shmem_attach(&card, bytes, &base);
    PMPI_Allreduce(&rc, &worst, 1, MPI_INT, MPI_MIN, seg->comm);
    if (seg->rank == 0 && rc == 0)
        adl_shmem_hide(&card);
    if (worst < 0) {
        adl_shmem_detach(base, bytes);
        return worst;
    }
    seg->base = base;
    seg->bytes = bytes;
    seat_ranks(seg, server);
    return 0;
}

static int build(struct adl_segment *seg, const int *server)
{
    int rc, worst;

    seg->seat = calloc(seg->size, sizeof(*seg->seat));
    seg->sink = calloc(seg->nsinks, sizeof(*seg->sink));
    rc = seg->seat && seg->sink ? 0 : -ENOMEM;
    PMPI_Allreduce(&rc, &worst, 1, MPI_INT, MPI_MIN, seg->comm);
    if (worst == 0 && allocate_own(seg, server) < 0)
        worst = allocate_window(seg, part_bytes(seg, server, seg->rank));
    if (worst < 0)
        return worst;
    seg->meeting = (struct adl_meeting *)(seg->seat[0] + 1);
    rc = find_parts(seg, server);
    if (rc == 0)
        clear_own(seg);
    PMPI_Allreduce(&rc, &worst, 1, MPI_INT, MPI_MIN, seg->comm);
    return worst;
}

int adl_segment_create(MPI_Comm comm, int nsinks, const int *server, int depth,
                       int64_t window, struct adl_segment **out)
{
    struct adl_segment *seg = calloc(1, sizeof(*seg));
    int rc;

    if (!seg)
        return -ENOMEM;
    seg->comm = comm;
    seg->win = MPI_WIN_NULL;
    seg->nsinks = nsinks;
    seg->depth = depth;
    seg->window = round_up(window, PAGE);
    seg->cover = round_up(adl_cover_memory(seg->window, 0), 64);
    PMPI_Comm_rank(comm, &seg->rank);
    PMPI_Comm_size(comm, &seg->size);
    rc = build(seg, server);
    if (rc < 0)
        adl_segment_destroy(seg);
    else
        *out = seg;
    return rc;
}

void adl_segment_destroy(struct adl_segment *seg)
{
    if (!seg)
        return;
    if (seg->win != MPI_WIN_NULL)
        PMPI_Win_free(&seg->win);
    adl_shmem_detach(seg->base, seg->bytes);
    free(seg->seat);
    free(seg->sink);
    free(seg);
}

void adl_sink_cover(const struct adl_segment *seg, const struct adl_sink *sink,
                    int slot, int shift, struct adl_cover *cover)
{
    adl_cover_init(cover, sink->bits + slot * seg->cover, seg->window, shift);
}

void adl_mark_reset(struct adl_mark *mark, int64_t pos)
{
    __atomic_store_n(&mark->pos, pos, __ATOMIC_SEQ_CST);
}

/* The store must be visible before we look for a sleeper, who notes `want`
 * before it looks at our position: one of us sees the other. */
void adl_mark_publish(struct adl_mark *mark, int64_t pos)
{
    __atomic_store_n(&mark->pos, pos, __ATOMIC_SEQ_CST);
    if (pos < __atomic_load_n(&mark->want, __ATOMIC_SEQ_CST))
        return;
    __atomic_store_n(&mark->want, ADL_POS_END, __ATOMIC_SEQ_CST);
    adl_bell_ring(&mark->bell);
}

static int64_t mark_pos(const struct adl_mark *mark)
{
    return __atomic_load_n(&mark->pos, __ATOMIC_SEQ_CST);
}

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t adl_segment_copied(const struct adl_segment *seg)
{
    int64_t low = ADL_POS_END;

    for (int r = 0; r < seg->size; r++)
        low = min64(low, mark_pos(&seg->seat[r]->copied));
    return low;
}

int64_t adl_segment_wished(const struct adl_segment *seg)
{
    int64_t low = ADL_POS_END;

    for (int r = 0; r < seg->size; r++)
        low = min64(low, mark_pos(&seg->seat[r]->wished));
    return low;
}

/* Several sleepers share one `want`: the lowest counts, the others are woken
 * too early and note theirs again. */
static void lower(int64_t *want, int64_t value)
{
    int64_t old = __atomic_load_n(want, __ATOMIC_SEQ_CST);

    while (value < old &&
           !__atomic_compare_exchange_n(want, &old, value, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
        ;
}

static void mark_await(struct adl_mark *mark, int64_t pos)
{
    while (mark_pos(mark) < pos) {
        uint32_t seen = adl_bell_read(&mark->bell);

        lower(&mark->want, pos);
        if (mark_pos(mark) >= pos)
            break;
        adl_bell_wait(&mark->bell, seen);
    }
}

void adl_segment_await_copied(struct adl_segment *seg, int64_t pos)
{
    for (int r = 0; r < seg->size; r++)
        mark_await(&seg->seat[r]->copied, pos);
}

void adl_segment_await_wished(struct adl_segment *seg, int64_t pos)
{
    for (int r = 0; r < seg->size; r++)
        mark_await(&seg->seat[r]->wished, pos);
}

void adl_gate_free(struct adl_segment *seg, int a, int64_t call, int64_t freed)
{
    struct adl_gate *gate = seg->sink[a].gate;

    if (gate->call != call) {
        gate->ready = freed;
        gate->eof = INT64_MAX;
    }
    __atomic_store_n(&gate->freed, freed, __ATOMIC_SEQ_CST);
    __atomic_store_n(&gate->call, call, __ATOMIC_SEQ_CST);
    adl_bell_ring(&seg->meeting->gates);
    if (freed < __atomic_load_n(&gate->want, __ATOMIC_SEQ_CST))
        return;
    __atomic_store_n(&gate->want, INT64_MAX, __ATOMIC_SEQ_CST);
    adl_bell_ring(&gate->bell);
}

void adl_gate_ready(struct adl_segment *seg, int a, int64_t ready, int64_t eof)
{
    struct adl_gate *gate = seg->sink[a].gate;

    __atomic_store_n(&gate->eof, eof, __ATOMIC_SEQ_CST);
    __atomic_store_n(&gate->ready, ready, __ATOMIC_SEQ_CST);
    adl_bell_ring(&seg->meeting->gates);
    adl_bell_ring(&gate->bell);
}

/* Not woken before it is worth it: ranks far ahead would otherwise wake at
 * every window, and keep those that are behind off the cores. */
void adl_gate_await(struct adl_gate *gate, int64_t call, int64_t first,
                    int64_t freed, struct adl_pause *pause)
{
    uint32_t seen = adl_bell_read(&gate->bell);

    lower(&gate->want, freed);
    if (adl_gate_freed(gate, call, first) < freed)
        adl_pause(pause, &gate->bell, seen);
}

/* Reading `call` first: when it is this call's, the rest is at least as new.
 * A server cannot be a call ahead of us, it waits for us at the end. */
static int64_t gate_value(const struct adl_gate *gate, const int64_t *value,
                          int64_t call, int64_t first)
{
    if (__atomic_load_n(&gate->call, __ATOMIC_SEQ_CST) != call)
        return first;
    return __atomic_load_n(value, __ATOMIC_SEQ_CST);
}

int64_t adl_gate_freed(const struct adl_gate *gate, int64_t call, int64_t first)
{
    return gate_value(gate, &gate->freed, call, first);
}

int64_t adl_gate_is_ready(const struct adl_gate *gate, int64_t call,
                          int64_t first)
{
    return gate_value(gate, &gate->ready, call, first);
}
