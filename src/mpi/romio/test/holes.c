/* holes.c - irregular pieces with small gaps, as climate codes write them
 *
 * holes FILE PIECES [KEY=VALUE...]: ranks write pieces of 8 to 48 bytes dealt
 * at random, with a gap after every third, collectively into a new file; then
 * those gaps in a second call; then both are read back. Every byte is compared,
 * after the first call the gaps too: they read as zeros.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdint.h>

#include "expect.h"

struct side {
    int *len, n;
    MPI_Aint *off;
    int64_t bytes;
};

static uint64_t state = 1;

static unsigned draw(unsigned below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned)(state >> 33) % below;
}

static char byte_at(int64_t off, int turn)
{
    return (char)(1 + (off * 31 + off / 777 + turn * 5) % 250);
}

static void add(struct side *s, int64_t off, int len)
{
    s->off[s->n] = off;
    s->len[s->n++] = len;
    s->bytes += len;
}

/* The same on all ranks, but for what is kept. turn 0: pieces, 1: gaps. */
static int64_t deal(struct side *s, int pieces, int rank, int ranks)
{
    int64_t at = 0;

    for (int t = 0; t < 2; t++) {
        s[t].off = malloc(pieces * sizeof(*s[t].off));
        s[t].len = malloc(pieces * sizeof(*s[t].len));
        EXPECT(s[t].off && s[t].len);
    }
    for (int i = 0; i < pieces; i++) {
        int len = 8 + 8 * (int)draw(6), gap = i % 3 ? 0 : 8 + 8 * (int)draw(4);

        if ((int)draw((unsigned)ranks) == rank)
            add(&s[0], at, len);
        if ((int)draw((unsigned)ranks) == rank && gap)
            add(&s[1], at + len, gap);
        at += len + gap;
    }
    return at;
}

static void set_view(MPI_File fh, const struct side *s)
{
    MPI_Datatype view = MPI_BYTE;

    if (s->n > 0)
        MUST(MPI_Type_create_hindexed(s->n, s->len, s->off, MPI_BYTE, &view));
    if (s->n > 0)
        MUST(MPI_Type_commit(&view));
    MUST(MPI_File_set_view(fh, 0, MPI_BYTE, view, "native", MPI_INFO_NULL));
    if (s->n > 0)
        MPI_Type_free(&view);
}

static void write_side(MPI_File fh, const struct side *s, int turn)
{
    char *buf = malloc(s->bytes + 1), *at = buf;

    EXPECT(buf);
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < s->len[i]; k++)
            *at++ = byte_at(s->off[i] + k, turn);
    set_view(fh, s);
    MUST(MPI_File_write_at_all(fh, 0, buf, (int)s->bytes, MPI_BYTE,
                               MPI_STATUS_IGNORE));
    free(buf);
}

/* `turn` -1: zeros are expected. */
static void read_side(MPI_File fh, const struct side *s, int turn)
{
    char *buf = malloc(s->bytes + 1), *at = buf;
    MPI_Status status;
    int n;

    EXPECT(buf);
    memset(buf, 0xff, s->bytes);
    set_view(fh, s);
    MUST(MPI_File_read_at_all(fh, 0, buf, (int)s->bytes, MPI_BYTE, &status));
    MUST(MPI_Get_count(&status, MPI_BYTE, &n));
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < s->len[i]; k++, at++)
            if (at - buf < n &&
                *at != (turn < 0 ? 0 : byte_at(s->off[i] + k, turn)))
                expect_failed(__FILE__, __LINE__, "byte %lld of turn %d",
                              (long long)s->off[i] + k, turn);
    if (turn >= 0) /* the last gap may lie at the end of the file */
        EXPECT_EQ(n, s->bytes);
    free(buf);
}

int main(int argc, char **argv)
{
    struct side side[2] = {{0}, {0}};
    int rank, ranks;
    MPI_Info info;
    MPI_File fh;

    MPI_Init(&argc, &argv);
    EXPECT(argc >= 3);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MUST(MPI_Info_create(&info));
    for (int i = 3; i < argc; i++) {
        char *value = strchr(argv[i], '=');

        EXPECT(value);
        *value = 0;
        MUST(MPI_Info_set(info, argv[i], value + 1));
    }
    deal(side, atoi(argv[2]), rank, ranks);
    MUST(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR | MPI_MODE_CREATE,
                       info, &fh));
    write_side(fh, &side[0], 0);
    read_side(fh, &side[0], 0);
    read_side(fh, &side[1], -1);
    write_side(fh, &side[1], 1);
    read_side(fh, &side[0], 0);
    read_side(fh, &side[1], 1);
    MUST(MPI_File_close(&fh));
    MPI_Info_free(&info);
    for (int t = 0; t < 2; t++) {
        free(side[t].off);
        free(side[t].len);
    }
    MPI_Finalize();
    return 0;
}
