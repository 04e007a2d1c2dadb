/* transfer.c - one rank's part of a write or read, with its buffer */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "play_private.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAD 64 /* bytes beside the buffer that must not change */

static unsigned char guard_at(int64_t i)
{
    return (unsigned char)(0xa5 ^ (i * 31));
}

static void guard_fill(unsigned char *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = guard_at(i);
}

static void fill_data(const struct play *p, const struct transfer *t,
                      unsigned char *memory)
{
    unsigned char *origin = memory + (t->origin - t->memory);

    guard_fill(memory, t->size);
    for (int64_t i = 0; t->step->act == ACT_WRITE && i < t->runs.n; i++)
        image_values(p->sc->key, t->step->number, p->player->rank,
                     t->runs.run[i].file, t->runs.run[i].len,
                     origin + t->runs.run[i].mem);
}

/* ---- buffers on a (false) device: fake_device.c ---- */

static struct {
    int (*alloc)(void **out, size_t size);
    int (*free)(void *p);
    int (*put)(void *to, const void *from, size_t n);
    int (*get)(void *to, const void *from, size_t n);
} device;

/* Is a false device loaded? Then every buffer is on it. */
static int device_found(void)
{
    device.alloc = (__typeof__(device.alloc))dlsym(NULL, "fake_alloc");
    device.free = (__typeof__(device.free))dlsym(NULL, "fake_free");
    device.put = (__typeof__(device.put))dlsym(NULL, "fake_put");
    device.get = (__typeof__(device.get))dlsym(NULL, "fake_get");
    return device.alloc != NULL;
}

static void device_put(struct transfer *t)
{
    void *at;

    t->given = t->origin;
    if (!device_found())
        return;
    if (device.alloc(&at, t->size))
        abort();
    t->device = at;
    t->given = t->device + (t->origin - t->memory);
    device.put(at, t->memory, t->size);
}

static void device_get(const struct transfer *t)
{
    if (!t->device)
        return;
    device.get(t->memory, t->device, t->size);
}

static void transfer_begin(struct play *p, const struct step *step,
                           struct transfer *t)
{
    memset(t, 0, sizeof(*t));
    t->step = step;
    t->q = &step->of[p->player->rank];
    t->request = MPI_REQUEST_NULL;
    request_runs(t->q, &t->runs);
    t->size = t->runs.mem_high - t->runs.mem_low + 2 * PAD;
    t->memory = malloc(t->size);
    if (!t->memory)
        abort();
    t->origin = t->memory + PAD - t->runs.mem_low;
    fill_data(p, t, t->memory);
    device_put(t);
    t->type = recipe_build(t->q->type);
    if (!recipe_agrees(t->q->type, &t->type))
        play_wrong(p, "MPI and the model differ on the memory's datatype");
}

static void transfer_free(struct transfer *t)
{
    if (t->type != MPI_DATATYPE_NULL)
        MPI_Type_free(&t->type);
    runs_free(&t->runs);
    if (t->device)
        device.free(t->device);
    free(t->memory);
}

/* ---- the calls ---- */

static int call_write(struct play *p, struct transfer *t, MPI_Status *st)
{
    MPI_File fh = p->fh;
    void *buf = t->given;
    int n = t->q->count, rc;
    MPI_Datatype type = t->type;
    MPI_Offset pos = t->q->pos;

    switch (t->step->call) {
    case CALL_ALL:
        return MPI_File_write_all(fh, buf, n, type, st);
    case CALL_AT_ALL:
        return MPI_File_write_at_all(fh, pos, buf, n, type, st);
    case CALL_SPLIT:
        rc = MPI_File_write_all_begin(fh, buf, n, type);
        return rc ? rc : MPI_File_write_all_end(fh, buf, st);
    case CALL_AT_SPLIT:
        rc = MPI_File_write_at_all_begin(fh, pos, buf, n, type);
        return rc ? rc : MPI_File_write_at_all_end(fh, buf, st);
    case CALL_ORDERED:
        return MPI_File_write_ordered(fh, buf, n, type, st);
    case CALL_ORDERED_SPLIT:
        rc = MPI_File_write_ordered_begin(fh, buf, n, type);
        return rc ? rc : MPI_File_write_ordered_end(fh, buf, st);
    case CALL_IALL:
        return MPI_File_iwrite_all(fh, buf, n, type, &t->request);
    case CALL_IAT_ALL:
        return MPI_File_iwrite_at_all(fh, pos, buf, n, type, &t->request);
    case CALL_ALONE:
        return MPI_File_write(fh, buf, n, type, st);
    case CALL_ALONE_AT:
        return MPI_File_write_at(fh, pos, buf, n, type, st);
    default:
        rc = MPI_File_iwrite_at(fh, pos, buf, n, type, &t->request);
        return rc ? rc : MPI_Wait(&t->request, st);
    }
}

static int call_read(struct play *p, struct transfer *t, MPI_Status *st)
{
    MPI_File fh = p->fh;
    void *buf = t->given;
    int n = t->q->count, rc;
    MPI_Datatype type = t->type;
    MPI_Offset pos = t->q->pos;

    switch (t->step->call) {
    case CALL_ALL:
        return MPI_File_read_all(fh, buf, n, type, st);
    case CALL_AT_ALL:
        return MPI_File_read_at_all(fh, pos, buf, n, type, st);
    case CALL_SPLIT:
        rc = MPI_File_read_all_begin(fh, buf, n, type);
        return rc ? rc : MPI_File_read_all_end(fh, buf, st);
    case CALL_AT_SPLIT:
        rc = MPI_File_read_at_all_begin(fh, pos, buf, n, type);
        return rc ? rc : MPI_File_read_at_all_end(fh, buf, st);
    case CALL_ORDERED:
        return MPI_File_read_ordered(fh, buf, n, type, st);
    case CALL_ORDERED_SPLIT:
        rc = MPI_File_read_ordered_begin(fh, buf, n, type);
        return rc ? rc : MPI_File_read_ordered_end(fh, buf, st);
    case CALL_IALL:
        return MPI_File_iread_all(fh, buf, n, type, &t->request);
    case CALL_IAT_ALL:
        return MPI_File_iread_at_all(fh, pos, buf, n, type, &t->request);
    case CALL_ALONE:
        return MPI_File_read(fh, buf, n, type, st);
    case CALL_ALONE_AT:
        return MPI_File_read_at(fh, pos, buf, n, type, st);
    default:
        rc = MPI_File_iread_at(fh, pos, buf, n, type, &t->request);
        return rc ? rc : MPI_Wait(&t->request, st);
    }
}

/* ---- what came of it ---- */

static int64_t file_size(const struct play *p)
{
    struct stat st;

    return fstat(p->fd, &st) < 0 ? -1 : (int64_t)st.st_size;
}

/* Data bytes of the request that lie before the end of the file. */
static int64_t bytes_there(const struct play *p, const struct transfer *t)
{
    int64_t end = file_size(p), sum = 0;

    for (int64_t i = 0; i < t->runs.n; i++) {
        const struct run *r = &t->runs.run[i];

        if (r->file + r->len <= end)
            sum += r->len;
        else if (r->file < end)
            sum += end - r->file;
    }
    return sum;
}

/* What the buffer must be after a read: the file's bytes by pread; where there
 * are none, whatever it is. */
static void expected_read(struct play *p, const struct transfer *t,
                          unsigned char *memory)
{
    unsigned char *origin = memory + (t->origin - t->memory);
    int64_t low = INT64_MAX, high = 0, got = 0;
    unsigned char *file;

    for (int64_t i = 0; i < t->runs.n; i++) {
        const struct run *r = &t->runs.run[i];

        low = r->file < low ? r->file : low;
        high = r->file + r->len > high ? r->file + r->len : high;
    }
    if (high <= low)
        return;
    file = malloc(high - low);
    for (ssize_t k = 1; k > 0 && got<high - low; got += k> 0 ? k : 0)
        k = pread(p->fd, file + got, high - low - got, low + got);
    for (int64_t i = 0; i < t->runs.n; i++) {
        const struct run *r = &t->runs.run[i];
        int64_t there = low + got - r->file;

        there = there < 0 ? 0 : there < r->len ? there : r->len;
        memcpy(origin + r->mem, file + (r->file - low), there);
        memcpy(origin + r->mem + there, t->origin + r->mem + there,
               r->len - there);
    }
    free(file);
}

static void describe_byte(struct play *p, const struct transfer *t, int64_t at,
                          unsigned char want)
{
    int64_t mem = at - (t->origin - t->memory), data = 0;

    for (int64_t i = 0; i < t->runs.n; data += t->runs.run[i].len, i++) {
        const struct run *r = &t->runs.run[i];

        if (mem < r->mem || mem >= r->mem + r->len)
            continue;
        play_wrong(p,
                   "buffer byte %lld (data byte %lld, file offset %lld) is "
                   "0x%02x, must be 0x%02x",
                   (long long)mem, (long long)(data + mem - r->mem),
                   (long long)(r->file + mem - r->mem), t->memory[at], want);
        return;
    }
    play_wrong(p, "buffer byte %lld, outside the datatype, was changed",
               (long long)mem);
}

static void check_buffer(struct play *p, const struct transfer *t)
{
    unsigned char *want = malloc(t->size);

    if (!want)
        abort();
    device_get(t);
    fill_data(p, t, want);
    if (t->step->act == ACT_READ)
        expected_read(p, t, want);
    for (int64_t i = 0; i < t->size; i++)
        if (want[i] != t->memory[i]) {
            describe_byte(p, t, i, want[i]);
            break;
        }
    free(want);
}

/* Returns the bytes that the status tells. */
static int64_t check_status(struct play *p, const struct transfer *t,
                            MPI_Status *st)
{
    int64_t want = t->q->bytes;
    MPI_Count bytes;

    if (t->step->act == ACT_READ)
        want = bytes_there(p, t);
    MPI_Get_elements_x(st, MPI_BYTE, &bytes);
    /* In atomic mode ROMIO itself tells all bytes, whatever was read. */
    if (t->step->act == ACT_READ && t->step->on &&
        t->step->call == CALL_ALONE_IAT && bytes == t->q->bytes)
        return want;
    if (bytes != want)
        play_wrong(p, "the status tells %lld bytes, not %lld of %lld",
                   (long long)bytes, (long long)want, (long long)t->q->bytes);
    return bytes;
}

static void check_pointers(struct play *p, const struct transfer *t,
                           int64_t bytes)
{
    int64_t e = t->step->views->etype_size;
    int64_t after = t->step->after[p->player->rank];
    enum call call = t->step->call;
    MPI_Offset at;

    if (call == CALL_ALL || call == CALL_SPLIT || call == CALL_ALONE ||
        call == CALL_IALL) {
        play_must(p, "get_position", MPI_File_get_position(p->fh, &at));
        if (at != after && at != t->q->pos + bytes / e)
            play_wrong(p, "file pointer at %lld, not %lld", (long long)at,
                       (long long)after);
        if (at != after)
            play_must(p, "seek", MPI_File_seek(p->fh, after, MPI_SEEK_SET));
    }
    if ((call == CALL_ORDERED || call == CALL_ORDERED_SPLIT) &&
        p->player->rank == 0) {
        play_must(p, "get_position_shared",
                  MPI_File_get_position_shared(p->fh, &at));
        if (at != t->step->shared_after)
            play_wrong(p, "shared file pointer at %lld, not %lld",
                       (long long)at, (long long)t->step->shared_after);
    }
}

static void transfer_end(struct play *p, struct transfer *t, MPI_Status *st)
{
    check_status(p, t, st);
    check_buffer(p, t);
    transfer_free(t);
}

/* The model: rank 0 keeps it for all. */
static void model_write(struct play *p, const struct step *step)
{
    for (int r = 0; p->player->rank == 0 && r < p->sc->n; r++) {
        struct runs runs;

        request_runs(&step->of[r], &runs);
        for (int64_t i = 0; i < runs.n; i++)
            image_write(&p->img, step->number, r, runs.run[i].file,
                        runs.run[i].len);
        runs_free(&runs);
    }
    p->img.atomic[step->number] = (uint8_t)step->on;
}

static int is_alone(const struct step *step)
{
    return step->call >= CALL_ALONE;
}

static int is_nonblocking(const struct step *step)
{
    return step->call == CALL_IALL || step->call == CALL_IAT_ALL;
}

static void leave_pending(struct play *p, struct transfer *t)
{
    check_pointers(p, t, t->q->bytes);
    if (!t->step->keep)
        MPI_Type_free(&t->type);
    p->pending[p->npending++] = *t;
}

/* A rank that has read compares with the file. Where calls do not wait for each
 * other, another rank's next write could come before that. */
static int follows_a_read(const struct play *p, const struct step *step)
{
    return p->sc->no_order && p->npending == 0 && step->act == ACT_WRITE &&
           p->step > 0 && step[-1].act == ACT_READ;
}

void transfer_do(struct play *p, const struct step *step)
{
    MPI_Status st;
    struct transfer t;
    int64_t bytes;
    int rc;

    if (is_alone(step) || follows_a_read(p, step))
        MPI_Barrier(p->player->comm);
    transfer_begin(p, step, &t);
    if (t.q->active) {
        rc = step->act == ACT_WRITE ? call_write(p, &t, &st)
                                    : call_read(p, &t, &st);
        play_must(p, act_name(step), rc);
    }
    if (t.q->active && is_nonblocking(step)) {
        leave_pending(p, &t);
    } else if (t.q->active) {
        bytes = check_status(p, &t, &st);
        check_pointers(p, &t, bytes);
        check_buffer(p, &t);
        transfer_free(&t);
    } else {
        transfer_free(&t);
    }
    if (is_alone(step))
        MPI_Barrier(p->player->comm);
    if (step->act == ACT_WRITE)
        model_write(p, step);
}

/* Odd cases test in turn, even ones wait for all, some from the last on. */
void transfer_wait(struct play *p)
{
    int style = (int)(p->sc->key % 3);

    for (int i = 0; i < p->npending; i++) {
        struct transfer *t = &p->pending[style == 2 ? p->npending - 1 - i : i];
        MPI_Status st;
        int done = 0;

        while (style == 1 && !done)
            play_must(p, "test", MPI_Test(&t->request, &done, &st));
        if (!done)
            play_must(p, "wait", MPI_Wait(&t->request, &st));
        transfer_end(p, t, &st);
    }
    p->npending = 0;
    MPI_Barrier(p->player->comm);
}
