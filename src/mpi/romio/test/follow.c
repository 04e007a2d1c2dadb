/* follow.c - collective calls that follow each other
 *
 * follow FILE KEY=VALUE... WORD...: opens FILE with these hints and does what
 * the words say. A row of the file has a block of 64 KiB of every rank.
 *   rFROM-TO  read these rows together, and look at them
 *   iFROM-TO  the same, by a call that returns at once; the next word that is
 *             another one waits for it
 *   n         write all 255 rows as they are taken to be when a job begins
 *   wFROM-TO  write rows anew, with other bytes
 *   eFROM-TO  rank 0 writes its blocks of rows anew, on its own
 *   p         wait for what goes on by itself
 *   s         sync
 *   tROWS     set the size
 *   o         close the file and open it again
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

#include <unistd.h>

#define BLOCK 65536
#define ROWS 255
#define BEGUN 8
#define PAUSE 700000 /* us; what is waited for takes 10 ms or so */

struct reading {
    unsigned char *buf;
    MPI_Request request;
    int from, to;
};

static int rank, size;
static const char *name;
static MPI_Info info;
static MPI_File fh;
static int written[ROWS][2]; /* how often: by rank 0, by others */
static int rows = ROWS;      /* of the file */
static struct reading begun[BEGUN];
static int nbegun;

static void open_file(void)
{
    MPI_Datatype block, type;

    MUST(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &fh));
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, (MPI_Aint)size * BLOCK, &type);
    MPI_Type_commit(&type);
    MUST(MPI_File_set_view(fh, rank * BLOCK, MPI_BYTE, type, "native",
                           MPI_INFO_NULL));
    MPI_Type_free(&type);
    MPI_Type_free(&block);
}

static unsigned char byte_of(int row, int i)
{
    return (unsigned char)((row * 7 + rank * 3 + i +
                            written[row][rank != 0] * 101) %
                           251);
}

/* ---- reading ---- */

static void look(struct reading *r, const MPI_Status *status)
{
    int to = r->to < rows ? r->to : rows, got;

    MPI_Get_count(status, MPI_BYTE, &got);
    EXPECT_EQ(got, to > r->from ? (to - r->from) * BLOCK : 0);
    for (int i = 0; i < got; i++)
        EXPECT_EQ(r->buf[i], byte_of(r->from + i / BLOCK, i % BLOCK));
    free(r->buf);
}

static void end_begun(void)
{
    for (int i = 0; i < nbegun; i++) {
        MPI_Status status;

        MUST(MPI_Wait(&begun[i].request, &status));
        look(&begun[i], &status);
    }
    nbegun = 0;
}

static struct reading reading_of(int from, int to)
{
    struct reading r = {malloc((to - from) * BLOCK), 0, from, to};

    EXPECT(r.buf);
    return r;
}

static void begin_read(int from, int to)
{
    struct reading *r = &begun[nbegun++];

    EXPECT(nbegun <= BEGUN);
    *r = reading_of(from, to);
    MUST(MPI_File_iread_at_all(fh, (MPI_Offset)from * BLOCK, r->buf,
                               (to - from) * BLOCK, MPI_BYTE, &r->request));
}

static void read_rows(int from, int to)
{
    struct reading r = reading_of(from, to);
    MPI_Status status;

    MUST(MPI_File_read_at_all(fh, (MPI_Offset)from * BLOCK, r.buf,
                              (to - from) * BLOCK, MPI_BYTE, &status));
    look(&r, &status);
}

/* ---- the rest ---- */

static void write_rows(int from, int to, int together)
{
    struct reading r = reading_of(from, to);
    int n = (to - from) * BLOCK;

    for (int i = 0; i < n; i++)
        r.buf[i] = byte_of(from + i / BLOCK, i % BLOCK);
    if (together)
        MUST(MPI_File_write_at_all(fh, (MPI_Offset)from * BLOCK, r.buf, n,
                                   MPI_BYTE, MPI_STATUS_IGNORE));
    else if (rank == 0)
        MUST(MPI_File_write_at(fh, (MPI_Offset)from * BLOCK, r.buf, n, MPI_BYTE,
                               MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
    free(r.buf);
}

static void change_rows(int from, int to, int together)
{
    for (int row = from; row < to; row++) {
        written[row][0]++;
        written[row][1] += together;
    }
    write_rows(from, to, together);
}

static void begin_anew(void)
{
    memset(written, 0, sizeof(written));
    write_rows(0, ROWS, 1);
}

static void set_rows(int n)
{
    MUST(MPI_File_set_size(fh, (MPI_Offset)n * size * BLOCK));
    MPI_Barrier(MPI_COMM_WORLD);
    rows = n;
}

static void obey(const char *word)
{
    int from = 0, to = 0;

    sscanf(word + 1, "%d-%d", &from, &to);
    EXPECT(from >= 0 && from <= ROWS && to <= ROWS);
    if (*word != 'i')
        end_begun();
    if (*word == 'i')
        begin_read(from, to);
    else if (*word == 'r')
        read_rows(from, to);
    else if (*word == 'w' || *word == 'e')
        change_rows(from, to, *word == 'w');
    else if (*word == 'n')
        begin_anew();
    else if (*word == 'p')
        usleep(PAUSE);
    else if (*word == 's')
        MUST(MPI_File_sync(fh));
    else if (*word == 't')
        set_rows(from);
    else
        EXPECT(*word == 'o');
    if (*word == 'o') {
        MUST(MPI_File_close(&fh));
        open_file();
    }
}

static void add_hint(char *word)
{
    char *value = strchr(word, '=');

    *value++ = '\0';
    MPI_Info_set(info, word, value);
}

int main(int argc, char **argv)
{
    int i = 2;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    EXPECT(argc > 2);
    name = argv[1];
    MPI_Info_create(&info);
    for (; i < argc && strchr(argv[i], '='); i++)
        add_hint(argv[i]);
    open_file();
    for (; i < argc; i++)
        obey(argv[i]);
    end_begun();
    MUST(MPI_File_close(&fh));
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
