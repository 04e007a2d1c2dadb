/* play.c - the calls of one case, and what each rank saw */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include "play.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../expect.h"

/* lustre-sim's preload library has these */
static int set_faults(const char *text)
{
    int (*fn)(const char *) =
        (int (*)(const char *))dlsym(RTLD_DEFAULT, "lustre_sim_set_faults");

    EXPECT(fn);
    return fn(text);
}

static long faults_seen(void)
{
    long (*fn)(void) =
        (long (*)(void))dlsym(RTLD_DEFAULT, "lustre_sim_faults_seen");

    EXPECT(fn);
    return fn();
}

/* ---- bytes ---- */

/* By place; where a rank does not know which block it gets, all are alike. */
static unsigned char byte_at(const struct fault_case *c, int fresh,
                             MPI_Offset off)
{
    unsigned place = (unsigned)(off / 64 + off % 61);

    if (c->kind == KIND_SHARED)
        place = 0;
    if (!fresh)
        return case_creates(c) ? 0 : 1 + place % 100;
    return 128 + (place + c->number) % 100;
}

/* Where byte `i` of this rank's block in a round is in the file: pieces in turn
 * where a file view makes it so, else whole blocks. */
static MPI_Offset place_of(const struct play *p, const struct fault_case *c,
                           int round, int i)
{
    MPI_Offset start = (MPI_Offset)round * p->size * BLOCK;

    if (c->kind >= KIND_COLLECTIVE && c->kind <= KIND_SPLIT)
        return start + (MPI_Offset)(i / PIECE * p->size + p->rank) * PIECE +
               i % PIECE;
    return start + (MPI_Offset)p->rank * BLOCK + i;
}

static void fill(struct play *p, const struct fault_case *c, int round)
{
    for (int i = 0; i < BLOCK; i++)
        p->buf[i] = byte_at(c, 1, place_of(p, c, round, i));
}

static int differences(const struct play *p, const struct fault_case *c,
                       int round, int n)
{
    int wrong = 0;

    for (int i = 0; i < n; i++)
        wrong += p->buf[i] != byte_at(c, 0, place_of(p, c, round, i));
    return wrong;
}

/* Local, rank 0, without faults: the file as it is before the case. */
static void make_file(const struct play *p, const struct fault_case *c)
{
    unsigned char *all;
    int fd;

    if (case_creates(c)) {
        unlink(p->plain);
        return;
    }
    all = malloc(p->bytes);
    EXPECT(all);
    for (MPI_Offset i = 0; i < p->bytes; i++)
        all[i] = byte_at(c, 0, i);
    fd = open(p->plain, O_CREAT | O_WRONLY, 0666);
    EXPECT(fd >= 0);
    EXPECT_EQ(pwrite(fd, all, p->bytes, 0), p->bytes);
    EXPECT_EQ(ftruncate(fd, p->bytes), 0);
    close(fd);
    free(all);
}

/* Local, rank 0. Bytes that are neither old nor new; with `whole`, not new. */
static long check_file(const struct play *p, const struct fault_case *c,
                       int whole)
{
    unsigned char *all = calloc(1, p->bytes);
    int fd = open(p->plain, O_RDONLY);
    long wrong = 0;

    EXPECT(all);
    if (fd < 0 || pread(fd, all, p->bytes, 0) < 0)
        wrong = whole;
    for (MPI_Offset i = 0; fd >= 0 && i < p->bytes; i++)
        wrong += all[i] != byte_at(c, c->writes, i) &&
                 (whole || all[i] != byte_at(c, 0, i));
    if (fd >= 0)
        close(fd);
    free(all);
    return wrong;
}

/* ---- errors ---- */

/* Everything an error's text has to say: the words of strerror, the file, and
 * "rank N" and "offset N" or "at N". */
static int look_at_text(const struct play *p, const struct fault_case *c,
                        int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len, has = 0;

    MPI_Error_string(code, text, &len);
    if (strstr(text, p->name))
        has |= TEXT_FILE;
    if (strstr(text, strerror(case_errno(c))))
        has |= TEXT_ERRNO;
    if (strstr(text, "rank "))
        has |= TEXT_RANK;
    if (strstr(text, "offset "))
        has |= TEXT_OFFSET;
    if (getenv("FAULTS_TEXTS"))
        fprintf(stderr, "%d: %s\n", p->rank, text);
    return has;
}

static int note(const struct play *p, const struct fault_case *c, int code,
                struct seen *seen)
{
    if (code == MPI_SUCCESS)
        return MPI_SUCCESS;
    if (seen->errors++ == 0)
        seen->text = -1;
    seen->text &= look_at_text(p, c, code);
    return class_of(code);
}

/* ---- MPI calls ---- */

static MPI_Info make_info(const struct fault_case *c)
{
    MPI_Info info;

    MUST(MPI_Info_create(&info));
    MUST(MPI_Info_set(info, "striping_unit", "65536"));
    MUST(MPI_Info_set(info, "striping_factor", "2"));
    MUST(MPI_Info_set(info, "cb_buffer_size", "262144"));
    MUST(MPI_Info_set(info, "romio_cb_write", "enable"));
    MUST(MPI_Info_set(info, "romio_cb_read", "enable"));
    if (c->lock_mode) {
        char mode[2] = {'0' + c->lock_mode, '\0'};

        MUST(MPI_Info_set(info, "cray_cb_write_lock_mode", mode));
        MUST(MPI_Info_set(info, "romio_no_indep_rw", "true"));
    }
    return info;
}

static int open_file(const struct play *p, const struct fault_case *c,
                     MPI_File *fh)
{
    MPI_Info info = make_info(c);
    int rc = MPI_File_open(p->comm, p->path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                           info, fh);

    MPI_Info_free(&info);
    return rc;
}

static void set_view(const struct play *p, const struct fault_case *c,
                     MPI_File fh)
{
    MPI_Datatype pieces, view;

    if (c->kind < KIND_COLLECTIVE || c->kind > KIND_SPLIT)
        return;
    MUST(MPI_Type_vector(BLOCK / PIECE, PIECE, PIECE * p->size, MPI_BYTE,
                         &pieces));
    MUST(MPI_Type_create_resized(pieces, 0, (MPI_Aint)BLOCK * p->size, &view));
    MUST(MPI_Type_free(&pieces));
    MUST(MPI_Type_commit(&view));
    MUST(MPI_File_set_view(fh, (MPI_Offset)p->rank * PIECE, MPI_BYTE, view,
                           "native", MPI_INFO_NULL));
    MUST(MPI_Type_free(&view));
}

static int move_at(const struct play *p, const struct fault_case *c,
                   MPI_File fh, int round, MPI_Status *status)
{
    MPI_Offset off = place_of(p, c, round, 0);

    if (c->writes)
        return MPI_File_write_at(fh, off, p->buf, BLOCK, MPI_BYTE, status);
    return MPI_File_read_at(fh, off, p->buf, BLOCK, MPI_BYTE, status);
}

static int move_all(const struct play *p, const struct fault_case *c,
                    MPI_File fh, int round, MPI_Status *status)
{
    MPI_Offset off = (MPI_Offset)round * BLOCK;

    if (c->writes)
        return MPI_File_write_at_all(fh, off, p->buf, BLOCK, MPI_BYTE, status);
    return MPI_File_read_at_all(fh, off, p->buf, BLOCK, MPI_BYTE, status);
}

static int move_nonblocking(const struct play *p, const struct fault_case *c,
                            MPI_File fh, int round, MPI_Status *status)
{
    MPI_Offset off = (MPI_Offset)round * BLOCK;
    MPI_Request request = MPI_REQUEST_NULL;
    int rc;

    if (c->writes)
        rc = MPI_File_iwrite_at_all(fh, off, p->buf, BLOCK, MPI_BYTE, &request);
    else
        rc = MPI_File_iread_at_all(fh, off, p->buf, BLOCK, MPI_BYTE, &request);
    return rc ? rc : MPI_Wait(&request, status);
}

/* A begin that failed is ended all the same: ROMIO counts it. */
static int move_split(const struct play *p, const struct fault_case *c,
                      MPI_File fh, int round, MPI_Status *status)
{
    MPI_Offset off = (MPI_Offset)round * BLOCK;
    int begun, ended;

    if (c->writes) {
        begun = MPI_File_write_at_all_begin(fh, off, p->buf, BLOCK, MPI_BYTE);
        ended = MPI_File_write_at_all_end(fh, p->buf, status);
    } else {
        begun = MPI_File_read_at_all_begin(fh, off, p->buf, BLOCK, MPI_BYTE);
        ended = MPI_File_read_at_all_end(fh, p->buf, status);
    }
    return begun ? begun : ended;
}

static int move_ordered(const struct play *p, const struct fault_case *c,
                        MPI_File fh, int round, MPI_Status *status)
{
    (void)round;
    if (c->writes)
        return MPI_File_write_ordered(fh, p->buf, BLOCK, MPI_BYTE, status);
    return MPI_File_read_ordered(fh, p->buf, BLOCK, MPI_BYTE, status);
}

static int move_shared(const struct play *p, const struct fault_case *c,
                       MPI_File fh, int round, MPI_Status *status)
{
    (void)round;
    if (c->writes)
        return MPI_File_write_shared(fh, p->buf, BLOCK, MPI_BYTE, status);
    return MPI_File_read_shared(fh, p->buf, BLOCK, MPI_BYTE, status);
}

typedef int move_fn(const struct play *, const struct fault_case *, MPI_File,
                    int, MPI_Status *);

static move_fn *const movers[KINDS] = {
    move_at, move_all, move_nonblocking, move_split, move_ordered, move_shared};

/* ---- one case ---- */

/* The count of a call that went well is its length; of one that failed it is
 * what was moved, and for an independent write those bytes are in the file. */
static void check_count(const struct play *p, const struct fault_case *c,
                        int round, int code, const MPI_Status *status,
                        struct seen *seen)
{
    int n = -1;
    unsigned char *was;
    int fd;

    MPI_Get_count(status, MPI_BYTE, &n);
    if (code == MPI_SUCCESS || n < 0 || n > BLOCK) {
        seen->count_wrong += n != BLOCK;
        return;
    }
    if (n == 0 || !c->writes || c->kind != KIND_INDEPENDENT)
        return;
    was = malloc(n);
    fd = open(p->plain, O_RDONLY);
    EXPECT(was && fd >= 0);
    if (pread(fd, was, n, place_of(p, c, round, 0)) != n ||
        memcmp(was, p->buf, n))
        seen->count_wrong++;
    close(fd);
    free(was);
}

static int move_round(struct play *p, const struct fault_case *c, MPI_File fh,
                      int round, struct seen *seen)
{
    MPI_Status status;
    int code;

    memset(&status, 0, sizeof(status));
    memset(p->buf, 0, BLOCK);
    if (c->writes)
        fill(p, c, round);
    code = movers[c->kind](p, c, fh, round, &status);
    check_count(p, c, round, code, &status, seen);
    if (!c->writes && code == MPI_SUCCESS)
        seen->data_wrong += differences(p, c, round, BLOCK);
    return code;
}

static int resize(const struct play *p, const struct fault_case *c, MPI_File fh)
{
    if (c->call == CALL_TRUNCATE)
        return MPI_File_set_size(fh, p->bytes);
    return c->call == CALL_FALLOCATE ? MPI_File_preallocate(fh, p->bytes)
                                     : MPI_SUCCESS;
}

static void do_again(struct play *p, const struct fault_case *c, MPI_File fh,
                     struct seen *seen)
{
    int code;

    MPI_Barrier(p->comm);
    if (c->kind == KIND_ORDERED || c->kind == KIND_SHARED)
        MUST(MPI_File_seek_shared(fh, 0, MPI_SEEK_SET));
    for (int round = 0; round < ROUNDS; round++) {
        code = move_round(p, c, fh, round, seen);
        if (code != MPI_SUCCESS)
            seen->again = class_of(code);
    }
    code = resize(p, c, fh);
    if (code != MPI_SUCCESS)
        seen->again = class_of(code);
    code = MPI_File_sync(fh);
    if (code != MPI_SUCCESS)
        seen->again = class_of(code);
}

/* The file is open. Old or new are all that may be in it at any time. */
static void use_file(struct play *p, const struct fault_case *c, MPI_File fh,
                     struct seen *seen, long *file_wrong)
{
    int last = c->call == CALL_CLOSE; /* what fails comes at the end */

    MPI_File_set_errhandler(fh, MPI_ERRORS_RETURN);
    set_view(p, c, fh);
    seen->size = note(p, c, resize(p, c, fh), seen);
    for (int round = 0; round < ROUNDS; round++)
        seen->io[round] = note(p, c, move_round(p, c, fh, round, seen), seen);
    seen->sync = note(p, c, MPI_File_sync(fh), seen);
    MPI_Barrier(p->comm);
    if (!last) {
        seen->calls = (int)faults_seen();
        set_faults("");
        if (p->rank == 0)
            *file_wrong += check_file(p, c, 0);
    }
    do_again(p, c, fh, seen);
    seen->close = note(p, c, MPI_File_close(&fh), seen);
    if (last)
        seen->calls = (int)faults_seen();
}

void play_case(struct play *p, const struct fault_case *c, long n,
               struct seen *seen, long *file_wrong)
{
    char spec[200];
    int fds = open_descriptors();
    MPI_File fh;

    memset(seen, 0, sizeof(*seen));
    *file_wrong = 0;
    if (p->rank == 0)
        make_file(p, c);
    MPI_Barrier(p->comm);
    case_spec(c, p->name, n ? n : 1000000000, spec, sizeof(spec));
    EXPECT_EQ(set_faults(spec), 0);
    seen->open = note(p, c, open_file(p, c, &fh), seen);
    if (seen->open == MPI_SUCCESS)
        use_file(p, c, fh, seen, file_wrong);
    else
        seen->calls = (int)faults_seen();
    set_faults("");
    seen->fired = n > 0 && seen->calls >= n;
    seen->fds = open_descriptors() - fds;
    MPI_Barrier(p->comm);
    if (p->rank == 0 && seen->open == MPI_SUCCESS)
        *file_wrong += check_file(p, c, 1);
    MPI_Barrier(p->comm);
}

void play_init(struct play *p, const char *path)
{
    const char *slash;

    p->comm = MPI_COMM_WORLD;
    MPI_Comm_rank(p->comm, &p->rank);
    MPI_Comm_size(p->comm, &p->size);
    snprintf(p->path, sizeof(p->path), "lustre:%s", path);
    p->plain = p->path + strlen("lustre:");
    slash = strrchr(p->plain, '/');
    p->name = slash ? slash + 1 : p->plain;
    p->bytes = (MPI_Offset)ROUNDS * p->size * BLOCK;
    p->buf = malloc(BLOCK);
    EXPECT(p->buf);
}

void play_fini(struct play *p)
{
    free(p->buf);
}

int play_aggregator(struct play *p)
{
    struct fault_case c = case_of(0);
    char value[MPI_MAX_INFO_VAL + 1] = "", *word, *save = NULL;
    int found = 0, last = 0;
    MPI_Info info;
    MPI_File fh;

    MUST(open_file(p, &c, &fh));
    MUST(MPI_File_get_info(fh, &info));
    MPI_Info_get(info, "romio_aggregator_list", MPI_MAX_INFO_VAL, value,
                 &found);
    MPI_Info_free(&info);
    MUST(MPI_File_close(&fh));
    for (word = strtok_r(value, " ", &save); word;
         word = strtok_r(NULL, " ", &save))
        last = atoi(word);
    return last;
}
