/* allfile_calls.h - every read and write call; included once with int counts
 * and once with MPI_Count, FN() giving the name */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */

/* Explicit offsets, in bytes. */
static void FN(calls)(struct block *b)
{
    MPI_Status st;
    MPI_Request req;

    fill(b);
    MUST(FN(MPI_File_write_at)(b->fh, b->at, b->out, N, MPI_INT, &st));
    counted(&st);
    MUST(FN(MPI_File_read_at)(b->fh, b->at, b->in, N, MPI_INT, &st));
    counted(&st);
    compare(b);

    fill(b);
    MUST(FN(MPI_File_write_at_all)(b->fh, b->at, b->out, N, MPI_INT, &st));
    counted(&st);
    MUST(FN(MPI_File_read_at_all)(b->fh, b->at, b->in, N, MPI_INT, &st));
    counted(&st);
    compare(b);

    fill(b);
    MUST(FN(MPI_File_write_at_all_begin)(b->fh, b->at, b->out, N, MPI_INT));
    MUST(MPI_File_write_at_all_end(b->fh, b->out, &st));
    counted(&st);
    MUST(FN(MPI_File_read_at_all_begin)(b->fh, b->at, b->in, N, MPI_INT));
    MUST(MPI_File_read_at_all_end(b->fh, b->in, &st));
    counted(&st);
    compare(b);

    fill(b);
    MUST(FN(MPI_File_iwrite_at)(b->fh, b->at, b->out, N, MPI_INT, &req));
    done(&req);
    MUST(FN(MPI_File_iread_at)(b->fh, b->at, b->in, N, MPI_INT, &req));
    done(&req);
    compare(b);

    fill(b);
    MUST(FN(MPI_File_iwrite_at_all)(b->fh, b->at, b->out, N, MPI_INT, &req));
    done(&req);
    MUST(FN(MPI_File_iread_at_all)(b->fh, b->at, b->in, N, MPI_INT, &req));
    done(&req);
    compare(b);
}

/* Individual file pointers, in ints. */
static void FN(pointer_calls)(struct block *b)
{
    MPI_Status st;
    MPI_Request req;

    fill(b);
    mine(b);
    MUST(FN(MPI_File_write)(b->fh, b->out, N, MPI_INT, &st));
    counted(&st);
    mine(b);
    MUST(FN(MPI_File_read)(b->fh, b->in, N, MPI_INT, &st));
    counted(&st);
    compare(b);

    fill(b);
    mine(b);
    MUST(FN(MPI_File_write_all)(b->fh, b->out, N, MPI_INT, &st));
    counted(&st);
    mine(b);
    MUST(FN(MPI_File_read_all)(b->fh, b->in, N, MPI_INT, &st));
    counted(&st);
    compare(b);

    fill(b);
    mine(b);
    MUST(FN(MPI_File_write_all_begin)(b->fh, b->out, N, MPI_INT));
    MUST(MPI_File_write_all_end(b->fh, b->out, &st));
    counted(&st);
    mine(b);
    MUST(FN(MPI_File_read_all_begin)(b->fh, b->in, N, MPI_INT));
    MUST(MPI_File_read_all_end(b->fh, b->in, &st));
    counted(&st);
    compare(b);

    fill(b);
    mine(b);
    MUST(FN(MPI_File_iwrite)(b->fh, b->out, N, MPI_INT, &req));
    done(&req);
    mine(b);
    MUST(FN(MPI_File_iread)(b->fh, b->in, N, MPI_INT, &req));
    done(&req);
    compare(b);

    fill(b);
    mine(b);
    MUST(FN(MPI_File_iwrite_all)(b->fh, b->out, N, MPI_INT, &req));
    done(&req);
    mine(b);
    MUST(FN(MPI_File_iread_all)(b->fh, b->in, N, MPI_INT, &req));
    done(&req);
    compare(b);
}

/* The shared file pointer. */
static void FN(shared_calls)(struct block *b)
{
    MPI_Status st;
    MPI_Request req;

    shared_start(b);
    MUST(FN(MPI_File_write_shared)(b->fh, b->out, N, MPI_INT, &st));
    counted(&st);
    MUST(MPI_Barrier(MPI_COMM_WORLD));
    MUST(MPI_File_seek_shared(b->fh, 0, MPI_SEEK_SET));
    MUST(FN(MPI_File_read_shared)(b->fh, b->in, N, MPI_INT, &st));
    counted(&st);
    shared_check(b);

    shared_start(b);
    MUST(FN(MPI_File_iwrite_shared)(b->fh, b->out, N, MPI_INT, &req));
    done(&req);
    MUST(MPI_Barrier(MPI_COMM_WORLD));
    MUST(MPI_File_seek_shared(b->fh, 0, MPI_SEEK_SET));
    MUST(FN(MPI_File_iread_shared)(b->fh, b->in, N, MPI_INT, &req));
    done(&req);
    shared_check(b);

    shared_start(b);
    MUST(FN(MPI_File_write_ordered)(b->fh, b->out, N, MPI_INT, &st));
    counted(&st);
    MUST(MPI_File_seek_shared(b->fh, 0, MPI_SEEK_SET));
    MUST(FN(MPI_File_read_ordered)(b->fh, b->in, N, MPI_INT, &st));
    counted(&st);
    compare(b);

    shared_start(b);
    MUST(FN(MPI_File_write_ordered_begin)(b->fh, b->out, N, MPI_INT));
    MUST(MPI_File_write_ordered_end(b->fh, b->out, &st));
    counted(&st);
    MUST(MPI_File_seek_shared(b->fh, 0, MPI_SEEK_SET));
    MUST(FN(MPI_File_read_ordered_begin)(b->fh, b->in, N, MPI_INT));
    MUST(MPI_File_read_ordered_end(b->fh, b->in, &st));
    counted(&st);
    compare(b);
}
