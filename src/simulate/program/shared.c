/* shared.c - calls by the shared file pointer: every record once, and whole */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "../sched.h"
#include "program.h"

#define MOST_RECORDS 6 /* of a rank */

/* A rank's part. A record has its rank and number in front. */
struct run {
    int rank, ranks, records;
    int64_t bytes; /* of a record */
    MPI_File file;
    unsigned char *record;
    int *seen; /* [ranks * MOST_RECORDS]: how often each record was found */
    int64_t wrong;
};

static void sizes(const struct job *job, int *records, int64_t *bytes)
{
    static const int64_t some[] = {8, 13, 100, 4096, 5000, 70000, 300000};

    *records = 1 + (int)(job->number / 7 % MOST_RECORDS);
    *bytes = some[job->number % 7];
}

void shared_print(const struct job *job, FILE *to)
{
    int64_t bytes;
    int n;

    sizes(job, &n, &bytes);
    fprintf(to, "shared pointer: %d records of %lld bytes a rank\n", n,
            (long long)bytes);
    job_print_hints(job, to);
}

static void complain(struct run *r, const char *what, int64_t got, int64_t want)
{
    if (r->wrong++ < 4)
        fprintf(stderr, "shared: rank %d: %s: %lld, not %lld\n", r->rank, what,
                (long long)got, (long long)want);
}

static void must(struct run *r, const char *what, int rc)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int n;

    if (rc == MPI_SUCCESS)
        return;
    MPI_Error_string(rc, text, &n);
    fprintf(stderr, "shared: rank %d: %s: %s\n", r->rank, what, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void fill(struct run *r, int rank, int i, unsigned char *to)
{
    for (int64_t k = 0; k < r->bytes; k++)
        to[k] = (unsigned char)(k * 7 + rank * 31 + i * 13);
    memcpy(to, &rank, sizeof(rank));
    memcpy(to + sizeof(rank), &i, sizeof(i));
}

/* A record that was found: is it one, and whole? */
static void look(struct run *r, const unsigned char *at)
{
    unsigned char *want = malloc((size_t)r->bytes);
    int rank, i;

    memcpy(&rank, at, sizeof(rank));
    memcpy(&i, at + sizeof(rank), sizeof(i));
    if (!want || rank < 0 || rank >= r->ranks || i < 0 || i >= r->records) {
        complain(r, "no record: its rank", rank, r->ranks);
    } else {
        fill(r, rank, i, want);
        if (memcmp(at, want, (size_t)r->bytes) != 0)
            complain(r, "a record is not whole: its number", i, i);
        r->seen[rank * r->records + i]++;
    }
    free(want);
}

static void must_count(struct run *r, const MPI_Status *s, int64_t want)
{
    int n;

    MPI_Get_count(s, MPI_BYTE, &n);
    if (n != want)
        complain(r, "the count of a call", n, want);
}

/* The kinds of calls in turn, other ones on other ranks: but all ranks take
 * part in a collective one. */
static void transfer(struct run *r, int i, int write)
{
    int n = (int)r->bytes, rc, kind = i % 3 == 2 ? 2 : (r->rank + i) % 2;
    MPI_Request request;
    MPI_Status s;

    if (kind == 2)
        rc = write ? MPI_File_write_ordered(r->file, r->record, n, MPI_BYTE, &s)
                   : MPI_File_read_ordered(r->file, r->record, n, MPI_BYTE, &s);
    else if (kind == 1)
        rc = write ? MPI_File_write_shared(r->file, r->record, n, MPI_BYTE, &s)
                   : MPI_File_read_shared(r->file, r->record, n, MPI_BYTE, &s);
    else
        rc = write ? MPI_File_iwrite_shared(r->file, r->record, n, MPI_BYTE,
                                            &request)
                   : MPI_File_iread_shared(r->file, r->record, n, MPI_BYTE,
                                           &request);
    must(r, write ? "write" : "read", rc);
    if (kind == 0)
        must(r, "wait", MPI_Wait(&request, &s));
    must_count(r, &s, n);
    sched_accomplished();
}

static int64_t total(const struct run *r)
{
    return (int64_t)r->ranks * r->records * r->bytes;
}

static void check_pointer(struct run *r)
{
    MPI_Offset at;

    MPI_Barrier(MPI_COMM_WORLD);
    must(r, "position", MPI_File_get_position_shared(r->file, &at));
    if (at != total(r))
        complain(r, "the shared pointer", at, total(r));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_seen(struct run *r)
{
    for (int i = 0; i < r->ranks * r->records; i++) {
        if (r->seen[i] != 1)
            complain(r, "how often a record is there", r->seen[i], 1);
        r->seen[i] = 0;
    }
}

/* Rank 0 looks at the whole file. */
static void check_file(struct run *r)
{
    int64_t n = (int64_t)r->ranks * r->records;
    MPI_Status s;

    must(r, "sync", MPI_File_sync(r->file));
    MPI_Barrier(MPI_COMM_WORLD);
    must(r, "sync", MPI_File_sync(r->file));
    for (int64_t i = 0; r->rank == 0 && i < n; i++) {
        must(r, "read_at",
             MPI_File_read_at(r->file, i * r->bytes, r->record, (int)r->bytes,
                              MPI_BYTE, &s));
        must_count(r, &s, r->bytes);
        look(r, r->record);
    }
    if (r->rank == 0)
        check_seen(r);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void write_and_read(struct run *r)
{
    int n = r->ranks * r->records;

    for (int i = 0; i < r->records; i++) {
        fill(r, r->rank, i, r->record);
        transfer(r, i, 1);
    }
    check_pointer(r);
    check_file(r);
    must(r, "seek", MPI_File_seek_shared(r->file, 0, MPI_SEEK_SET));
    for (int i = 0; i < r->records; i++) {
        memset(r->record, 0, (size_t)r->bytes);
        transfer(r, i, 0);
        look(r, r->record);
    }
    check_pointer(r);
    MPI_Allreduce(MPI_IN_PLACE, r->seen, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check_seen(r);
}

int64_t shared_run(const struct job *job, int rank)
{
    struct run r = {.rank = rank, .ranks = job->ranks};
    char name[300];
    MPI_Info info;

    sizes(job, &r.records, &r.bytes);
    r.record = malloc((size_t)r.bytes);
    r.seen = calloc((size_t)(r.ranks * r.records), sizeof(*r.seen));
    if (!r.record || !r.seen)
        abort();
    MPI_Info_create(&info);
    for (int i = 0; i < job->hints; i++)
        if (!job_has_item(job, "hint:%s", job->hint[i].key))
            MPI_Info_set(info, job->hint[i].key, job->hint[i].value);
    snprintf(name, sizeof(name), "%s%s/shared",
             job->lustre ? "lustre:" : "ufs:", job->dir);
    must(&r, "open",
         MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &r.file));
    MPI_Info_free(&info);
    write_and_read(&r);
    must(&r, "close", MPI_File_close(&r.file));
    free(r.record);
    free(r.seen);
    return r.wrong;
}
