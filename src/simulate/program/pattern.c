/* pattern.c - one access pattern on any number of ranks, every byte compared */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../libc/libc.h"
#include "byhand.h"
#include "content.h"
#include "pieces.h"
#include "servers.h"

int lustre_sim_set_faults(const char *faults); /* lustre-sim's fault.h */

#define MOST_FILES 4
#define GUARD 0xa7

static const char *const kinds[] = {"block",  "stride",  "odd",      "holes",
                                    "random", "lattice", "lattice4", "fields"};

/* One rank's view of the run. */
struct run {
    const struct job *job;
    int rank;
    int errors; /* in this attempt a call may fail */
    int failed; /* ... and one did */
    int64_t wrong;
    MPI_File file[MOST_FILES];
    struct byhand *hand[MOST_FILES]; /* in their place */
};

/* A call under way. */
struct transfer {
    struct pieces pieces;
    unsigned char *memory; /* with the gaps */
    int64_t size;          /* of it */
    MPI_Datatype type;
    int count;
    MPI_Request request;
    uint64_t version;
    int call, write;
};

__attribute__((format(printf, 2, 3))) static void complain(struct run *r,
                                                           const char *fmt, ...)
{
    va_list ap;

    if (r->wrong++ > 3)
        return;
    fprintf(stderr, "pattern: rank %d: ", r->rank);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

static void must(const char *what, int rc)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int n;

    if (rc == MPI_SUCCESS)
        return;
    MPI_Error_string(rc, text, &n);
    fprintf(stderr, "pattern: %s: %s\n", what, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* An error of a collective call is one class on all ranks. 1: an error, which
 * is not expected unless r->errors. */
static int call_failed(struct run *r, const char *what, int rc, int collective)
{
    int own = MPI_SUCCESS, range[2];

    if (!r->errors) {
        must(what, rc);
        return 0;
    }
    MPI_Error_class(rc, &own);
    range[0] = -own;
    range[1] = own;
    if (collective)
        MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (range[1] != -range[0])
        complain(r, "%s: class %d here, from %d to %d among all ranks", what,
                 own, -range[0], range[1]);
    r->failed |= range[1] != MPI_SUCCESS;
    return own != MPI_SUCCESS;
}

/* ---- memory, in blocks with gaps between them ---- */

static int64_t place(const struct pattern *t, int64_t i)
{
    return t->gaps ? i / t->gaps * 2 * t->gaps + i % t->gaps : i;
}

static void make_type(const struct pattern *t, struct transfer *x)
{
    int64_t bytes = x->pieces.bytes, whole;
    MPI_Datatype blocks;
    int len[2];
    MPI_Aint at[2];
    MPI_Datatype types[2];

    x->type = MPI_BYTE;
    x->count = (int)bytes;
    if (!t->gaps || bytes <= t->gaps)
        return;
    whole = bytes / t->gaps;
    MPI_Type_vector((int)whole, t->gaps, 2 * t->gaps, MPI_BYTE, &blocks);
    len[0] = 1;
    len[1] = (int)(bytes % t->gaps);
    at[0] = 0;
    at[1] = whole * 2 * t->gaps;
    types[0] = blocks;
    types[1] = MPI_BYTE;
    MPI_Type_create_struct(len[1] ? 2 : 1, len, at, types, &x->type);
    MPI_Type_commit(&x->type);
    MPI_Type_free(&blocks);
    x->count = 1;
}

/* Bytes of piece k between memory and `flat`. */
static void fill_memory(const struct pattern *t, struct transfer *x)
{
    unsigned char *flat = malloc((size_t)x->pieces.bytes + 1);
    int64_t at = 0;

    for (int64_t k = 0; k < x->pieces.n; at += x->pieces.of[k++].len)
        content_fill(x->version, x->pieces.of[k].off, x->pieces.of[k].len,
                     flat + at);
    for (int64_t i = 0, n; i < x->pieces.bytes; i += n) {
        n = t->gaps ? t->gaps : x->pieces.bytes;
        n = n < x->pieces.bytes - i ? n : x->pieces.bytes - i;
        memcpy(x->memory + place(t, i), flat + i, (size_t)n);
    }
    free(flat);
}

static void check_gaps(struct run *r, const struct transfer *x)
{
    const struct pattern *t = &r->job->pattern;

    for (int64_t i = 0; t->gaps && i < x->pieces.bytes; i += t->gaps) {
        int64_t gap = place(t, i) + t->gaps;

        for (int64_t k = gap; k < gap + t->gaps && k < x->size; k++)
            if (x->memory[k] != GUARD) {
                complain(r, "call %d changed memory in a gap", x->call);
                return;
            }
    }
}

static void check_memory(struct run *r, const struct transfer *x)
{
    const struct pattern *t = &r->job->pattern;
    unsigned char *flat = malloc((size_t)x->pieces.bytes + 1);
    int64_t at = 0;

    for (int64_t i = 0, n; i < x->pieces.bytes; i += n) {
        n = t->gaps ? t->gaps : x->pieces.bytes;
        n = n < x->pieces.bytes - i ? n : x->pieces.bytes - i;
        memcpy(flat + i, x->memory + place(t, i), (size_t)n);
    }
    for (int64_t k = 0; k < x->pieces.n; at += x->pieces.of[k++].len) {
        int64_t first = 0;
        int64_t bad = content_differ(x->version, x->pieces.of[k].off,
                                     x->pieces.of[k].len, flat + at, &first);

        if (bad)
            complain(r, "call %d read %lld bytes wrong, from %lld on", x->call,
                     (long long)bad, (long long)first);
    }
    check_gaps(r, x);
    free(flat);
}

/* ---- one call ---- */

static void set_view(struct run *r, MPI_File fh, const struct pieces *p)
{
    MPI_Datatype type = MPI_BYTE;
    int *len;
    MPI_Aint *at;

    if (p->n <= 1) {
        call_failed(r, "set_view",
                    MPI_File_set_view(fh, p->n ? p->of[0].off : 0, MPI_BYTE,
                                      MPI_BYTE, "native", MPI_INFO_NULL),
                    1);
        return;
    }
    len = malloc((size_t)p->n * sizeof(*len));
    at = malloc((size_t)p->n * sizeof(*at));
    for (int64_t i = 0; i < p->n; i++) {
        len[i] = (int)p->of[i].len;
        at[i] = p->of[i].off - p->of[0].off;
    }
    MPI_Type_create_hindexed((int)p->n, len, at, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    call_failed(r, "set_view",
                MPI_File_set_view(fh, p->of[0].off, MPI_BYTE, type, "native",
                                  MPI_INFO_NULL),
                1);
    MPI_Type_free(&type);
    free(len);
    free(at);
}

static void transfer_begin(struct run *r, int file, struct transfer *x)
{
    const struct pattern *t = &r->job->pattern;

    pieces_make(r->job, r->rank, x->call, !x->write, &x->pieces);
    make_type(t, x);
    x->size = place(t, x->pieces.bytes ? x->pieces.bytes - 1 : 0) + 1;
    x->memory = malloc((size_t)x->size + 1);
    memset(x->memory, GUARD, (size_t)x->size);
    if (x->write)
        fill_memory(t, x);
    if (!t->by_hand)
        set_view(r, r->file[file], &x->pieces);
    x->request = MPI_REQUEST_NULL;
}

static int independent(const struct pattern *t, int call)
{
    return t->independent && call % t->independent == t->independent - 1;
}

static int start(struct run *r, int file, struct transfer *x, MPI_Status *st)
{
    const struct pattern *t = &r->job->pattern;
    MPI_File fh = r->file[file];
    int alone = independent(t, x->call);

    if (t->by_hand) {
        byhand_call(r->hand[file], x->call, x->write, x->memory);
        return MPI_Status_set_elements(st, MPI_BYTE, (int)x->pieces.bytes);
    }
    if (t->nonblocking && !alone)
        return x->write ? MPI_File_iwrite_at_all(fh, 0, x->memory, x->count,
                                                 x->type, &x->request)
                        : MPI_File_iread_at_all(fh, 0, x->memory, x->count,
                                                x->type, &x->request);
    if (x->write)
        return alone
                   ? MPI_File_write_at(fh, 0, x->memory, x->count, x->type, st)
                   : MPI_File_write_at_all(fh, 0, x->memory, x->count, x->type,
                                           st);
    return alone
               ? MPI_File_read_at(fh, 0, x->memory, x->count, x->type, st)
               : MPI_File_read_at_all(fh, 0, x->memory, x->count, x->type, st);
}

static void check_transfer(struct run *r, struct transfer *x, MPI_Status *st)
{
    int count;

    /* what a failed write or an eviction left out cannot be read */
    if (!x->write && (r->failed || (r->errors && r->job->lossy)))
        return;
    MPI_Get_count(st, MPI_BYTE, &count);
    if (count != x->pieces.bytes)
        complain(r, "call %d: %d bytes instead of %lld", x->call, count,
                 (long long)x->pieces.bytes);
    if (!x->write)
        check_memory(r, x);
}

/* rc: what the call returned. */
static void transfer_end(struct run *r, struct transfer *x, MPI_Status *st,
                         int rc)
{
    int alone = independent(&r->job->pattern, x->call);

    if (x->request != MPI_REQUEST_NULL)
        rc = MPI_Wait(&x->request, st);
    if (!call_failed(r, x->write ? "write" : "read", rc, !alone))
        check_transfer(r, x, st);
    if (x->type != MPI_BYTE)
        MPI_Type_free(&x->type);
    pieces_free(&x->pieces);
    free(x->memory);
    sched_accomplished();
}

static uint64_t version_of(const struct run *r, int file, int round, int call)
{
    const struct pattern *t = &r->job->pattern;

    return 1 + (uint64_t)file + 8 * (uint64_t)round +
           (t->again ? 1024 * (uint64_t)call : 0);
}

/* The same call on every file: with nonblocking calls, all at a time. */
static void call_all(struct run *r, int round, int call, int write)
{
    const struct pattern *t = &r->job->pattern;
    struct transfer x[MOST_FILES];
    MPI_Status st[MOST_FILES];
    int rc[MOST_FILES];

    for (int f = 0; f < t->files; f++) {
        x[f] = (struct transfer){
            .call = call,
            .write = write,
            .version = version_of(r, f, round,
                                  write || !t->again ? call : t->calls - 1)};
        transfer_begin(r, f, &x[f]);
        rc[f] = start(r, f, &x[f], &st[f]);
        if (!t->nonblocking)
            transfer_end(r, &x[f], &st[f], rc[f]);
    }
    for (int f = 0; t->nonblocking && f < t->files; f++)
        transfer_end(r, &x[f], &st[f], rc[f]);
}

/* ---- the file's bytes, read by rank 0 ---- */

static void check_pieces(struct run *r, int fd, uint64_t version, int rank,
                         int call)
{
    struct pieces p;

    pieces_make(r->job, rank, call, 0, &p);
    for (int64_t i = 0; i < p.n; i++) {
        unsigned char *got = malloc((size_t)p.of[i].len);
        ssize_t n = pread(fd, got, (size_t)p.of[i].len, p.of[i].off);
        int64_t first = 0;

        if (n != p.of[i].len)
            complain(r, "the file ends at %lld in call %d of rank %d",
                     (long long)(p.of[i].off + (n > 0 ? n : 0)), call, rank);
        else if (content_differ(version, p.of[i].off, n, got, &first))
            complain(r, "the file is wrong at %lld, of rank %d in call %d",
                     (long long)first, rank, call);
        free(got);
    }
    pieces_free(&p);
}

static void remaining_pieces(struct run *r, int fd, uint64_t version, int rank,
                             int call)
{
    struct pieces p;

    pieces_make(r->job, rank, call, 0, &p);
    for (int64_t i = 0; i < p.n; i++) {
        unsigned char *got = malloc((size_t)p.of[i].len);
        ssize_t n = pread(fd, got, (size_t)p.of[i].len, p.of[i].off);
        int64_t first = 0;

        if (n > 0 && content_neither(version, p.of[i].off, n, got, &first) > 0)
            complain(r, "the file has neither old nor new bytes at %lld",
                     (long long)first);
        free(got);
    }
    pieces_free(&p);
}

static void path_of(const struct job *job, int file, char *to, size_t room)
{
    snprintf(to, room, "%s/p%d", job->dir, file);
}

static void check_file(struct run *r, int file, int round)
{
    const struct pattern *t = &r->job->pattern;
    char path[300];
    int fd;

    path_of(r->job, file, path, sizeof(path));
    fd = open(path, O_RDONLY);
    if (fd < 0) {
        complain(r, "%s cannot be opened", path);
        return;
    }
    for (int c = t->again ? t->calls - 1 : 0; c < t->calls; c++)
        for (int k = 0; k < r->job->ranks; k++)
            check_pieces(r, fd, version_of(r, file, round, c), k, c);
    close(fd);
}

/* After a first round that failed a byte is the call's or was never written.
 * (Of several calls in one place it may be any one's.) */
static void check_remains(struct run *r, int file)
{
    const struct pattern *t = &r->job->pattern;
    char path[300];
    int fd;

    path_of(r->job, file, path, sizeof(path));
    fd = t->again ? -1 : open(path, O_RDONLY);
    if (fd < 0)
        return;
    for (int c = 0; c < t->calls; c++)
        for (int k = 0; k < r->job->ranks; k++)
            remaining_pieces(r, fd, version_of(r, file, 0, c), k, c);
    close(fd);
}

/* ---- the whole ---- */

static MPI_Info make_info(const struct job *job)
{
    MPI_Info info;

    MPI_Info_create(&info);
    for (int i = 0; i < job->hints; i++)
        if (!job_has_item(job, "hint:%s", job->hint[i].key))
            MPI_Info_set(info, job->hint[i].key, job->hint[i].value);
    return info;
}

/* 1: a file could not be opened; the others are closed again. */
static int open_all(struct run *r)
{
    MPI_Info info = make_info(r->job);
    char path[300], name[320];
    int failed = 0;

    for (int f = 0; f < r->job->pattern.files; f++) {
        path_of(r->job, f, path, sizeof(path));
        snprintf(name, sizeof(name), "%s%s",
                 r->job->lustre && !r->job->generic ? "lustre:" : "ufs:", path);
        r->file[f] = MPI_FILE_NULL;
        if (r->job->pattern.by_hand) {
            r->hand[f] = byhand_open(r->job, r->rank, path);
            continue;
        }
        failed |= call_failed(r, "open",
                              MPI_File_open(MPI_COMM_WORLD, name,
                                            MPI_MODE_CREATE | MPI_MODE_RDWR,
                                            info, &r->file[f]),
                              1);
    }
    MPI_Info_free(&info);
    return failed;
}

static void close_all(struct run *r)
{
    for (int f = 0; f < r->job->pattern.files; f++) {
        byhand_close(r->hand[f]);
        if (r->file[f] != MPI_FILE_NULL)
            call_failed(r, "close", MPI_File_close(&r->file[f]), 1);
    }
}

static void own_barrier(void)
{
    sched_uncounted(1);
    MPI_Barrier(MPI_COMM_WORLD);
    sched_uncounted(0);
}

static void phase(struct run *r, const char *name)
{
    own_barrier();
    if (r->rank == 0 && r->job->counted)
        servers_count(&figures_servers);
    sched_phase(name);
}

/* Ranks whose independent calls failed tell the others. */
static void share_failure(struct run *r)
{
    if (r->errors)
        MPI_Allreduce(MPI_IN_PLACE, &r->failed, 1, MPI_INT, MPI_MAX,
                      MPI_COMM_WORLD);
}

static void sync_all(struct run *r)
{
    for (int f = 0; f < r->job->pattern.files; f++)
        if (r->hand[f])
            byhand_sync(r->hand[f]);
        else
            call_failed(r, "sync", MPI_File_sync(r->file[f]), 1);
}

static void write_all(struct run *r, int round)
{
    const struct pattern *t = &r->job->pattern;

    phase(r, "open");
    for (int c = 0; c < t->calls; c++)
        call_all(r, round, c, 1);
    if (t->sync)
        sync_all(r);
    share_failure(r);
    phase(r, "write");
}

static void read_all(struct run *r, int round)
{
    const struct pattern *t = &r->job->pattern;

    for (int c = 0; c < t->calls && !t->write_only; c++)
        call_all(r, round, c, 0);
    phase(r, "read");
}

/* Close all files, empty the clients' caches and open the files again. 1: a
 * file could not be opened. */
static int reopen_all(struct run *r)
{
    int failed;

    close_all(r);
    phase(r, "close");
    servers_drop();
    phase(r, "drop");
    failed = open_all(r);
    phase(r, "reopen");
    return failed;
}

/* Open, write, read, close. 1: something failed. */
static int attempt(struct run *r, int round)
{
    int cold = r->job->pattern.cold;

    r->failed = 0;
    if (!open_all(r)) {
        write_all(r, round);
        if (!cold || !reopen_all(r))
            read_all(r, round);
    }
    close_all(r);
    share_failure(r);
    phase(r, cold ? "end" : "close");
    return r->failed;
}

/* From now on the file system does what it is asked for. */
static void end_faults(struct run *r)
{
    lustre_sim_set_faults("");
    libc_end_scarcity();
    r->errors = 0;
    own_barrier();
}

/* What failed is done once more when the cause is gone. A client that was
 * evicted may hear of it then only. */
static void one_round(struct run *r, int round)
{
    const struct job *job = r->job;
    int failed;

    r->errors = job->errors && round == 0 && !job->again;
    failed = attempt(r, round);
    end_faults(r); /* what follows reads for itself */
    if (failed) {
        for (int f = 0; r->rank == 0 && f < job->pattern.files; f++)
            check_remains(r, f);
        own_barrier();
    }
    if (failed && job->lossy) {
        r->errors = 1;
        failed = attempt(r, round);
        r->errors = 0;
    }
    if (failed)
        attempt(r, round);
    /* not before the close: the file may be under a group lock */
    for (int f = 0; r->rank == 0 && f < job->pattern.files; f++)
        check_file(r, f, round);
    own_barrier();
}

/* What a killed job left behind is whole: bytes of a call, or none. */
static void check_after_death(struct run *r)
{
    for (int f = 0; r->rank == 0 && f < r->job->pattern.files; f++)
        if (r->job->pattern.rounds == 1)
            check_remains(r, f);
    own_barrier();
}

int64_t pattern_run(const struct job *job, int rank)
{
    struct run r = {.job = job, .rank = rank};
    char path[300];

    phase(&r, "start");
    if (job->again)
        check_after_death(&r);
    for (int i = 0; i < job->pattern.rounds; i++)
        one_round(&r, i);
    for (int f = 0; rank == 0 && f < job->pattern.files; f++) {
        path_of(job, f, path, sizeof(path));
        unlink(path);
    }
    return r.wrong;
}

void pattern_print(const struct job *job, FILE *to)
{
    const struct pattern *t = &job->pattern;

    fprintf(to,
            "pattern %s: %lld bytes a rank, records of %lld, %d calls, %d "
            "files, %d rounds%s%s%s",
            kinds[t->kind], (long long)t->bytes, (long long)t->record, t->calls,
            t->files, t->rounds, t->nonblocking ? ", nonblocking" : "",
            t->overlap ? ", reads overlap" : "", t->again ? ", in place" : "");
    if (t->sync)
        fprintf(to, ", sync");
    if (t->by_hand)
        fprintf(to, ", by hand");
    if (t->gaps)
        fprintf(to, ", gaps of %d", t->gaps);
    if (t->next)
        fprintf(to, ", calls %s", t->next == 1 ? "in a row" : "in segments");
    if (t->cold)
        fprintf(to, ", cold");
    if (t->independent)
        fprintf(to, ", every %d. call independent", t->independent);
    fprintf(to, "\n");
    job_print_hints(job, to);
}
