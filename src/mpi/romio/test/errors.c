/* errors.c - file error handlers, classes and texts
 *
 * usage: errors CASE DIR, CASE one of the table below. DIR/readable exists.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

static char dir[400];
static int calls;
static MPI_File last_fh;
static int last_code;

static void on_error(MPI_File *fh, int *code, ...)
{
    calls++;
    last_fh = *fh;
    last_code = *code;
}

static const char *in_dir(const char *name)
{
    static char path[500];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return path;
}

static int open_file(const char *name, int amode, MPI_File *fh)
{
    return MPI_File_open(MPI_COMM_WORLD, in_dir(name), amode, MPI_INFO_NULL,
                         fh);
}

static void expect_text(int code, const char *part)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len = -1;

    MUST(MPI_Error_string(code, text, &len));
    EXPECT_EQ(len, strlen(text));
    if (!strstr(text, part))
        expect_failed(__FILE__, __LINE__, "no '%s' in '%s'", part, text);
}

/* The class is the same on all ranks; the detail is on those that met the error
 * themselves, rank 0 among them. */
static void case_open(void)
{
    MPI_File fh;
    int rank, rc = open_file("absent-file", MPI_MODE_RDONLY, &fh);

    MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    EXPECT(rc != MPI_SUCCESS);
    EXPECT_EQ(class_of(rc), MPI_ERR_NO_SUCH_FILE);
    expect_text(rc, "absent-file");
    rc = open_file("readable", MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR,
                   &fh);
    EXPECT_EQ(class_of(rc), MPI_ERR_FILE_EXISTS);
    if (rank == 0)
        expect_text(rc, "readable");
    rc = open_file("readable/below", MPI_MODE_RDONLY, &fh);
    EXPECT_EQ(class_of(rc), MPI_ERR_BAD_FILE);
    if (rank == 0)
        expect_text(rc, "readable/below");
    rc = open_file("readable", MPI_MODE_RDONLY | MPI_MODE_WRONLY, &fh);
    EXPECT_EQ(class_of(rc), MPI_ERR_AMODE);
    rc =
        open_file("readable", rank == 1 ? MPI_MODE_RDWR : MPI_MODE_RDONLY, &fh);
    EXPECT_EQ(class_of(rc), MPI_ERR_NOT_SAME);
    MUST(open_file("readable", MPI_MODE_RDONLY, &fh));
    MUST(MPI_File_close(&fh));
    rc = MPI_File_delete(in_dir("absent-file"), MPI_INFO_NULL);
    EXPECT_EQ(class_of(rc), MPI_ERR_NO_SUCH_FILE);
}

static void case_use(void)
{
    int word = 1;
    MPI_File fh, none = MPI_FILE_NULL;
    MPI_Status status;

    MUST(open_file("readable", MPI_MODE_RDONLY, &fh));
    EXPECT_EQ(class_of(MPI_File_write(fh, &word, 1, MPI_INT, &status)),
              MPI_ERR_READ_ONLY);
    EXPECT_EQ(class_of(MPI_File_write_all(fh, &word, 1, MPI_INT, &status)),
              MPI_ERR_READ_ONLY);
    EXPECT_EQ(class_of(MPI_File_read(fh, &word, -1, MPI_INT, &status)),
              MPI_ERR_COUNT);
    EXPECT_EQ(class_of(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "no-such",
                                         MPI_INFO_NULL)),
              MPI_ERR_UNSUPPORTED_DATAREP);
    EXPECT_EQ(class_of(MPI_File_read(none, &word, 1, MPI_INT, &status)),
              MPI_ERR_FILE);
    MUST(MPI_File_close(&fh));
}

/* No space: the same class on all ranks, whichever rank did the write. */
static void case_space(void)
{
    char buf[4096] = "";
    MPI_Status status;
    MPI_File fh;
    int rank, rc;

    MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    MUST(MPI_File_open(MPI_COMM_WORLD, "lustre:/dev/full", MPI_MODE_WRONLY,
                       MPI_INFO_NULL, &fh));
    rc = MPI_File_write_at_all(fh, rank * 4096, buf, 4096, MPI_BYTE, &status);
    EXPECT_EQ(class_of(rc), MPI_ERR_NO_SPACE);
    expect_text(rc, "/dev/full");
    MPI_File_close(&fh);
}

/* The default of new files and of errors without a file is a handler on
 * MPI_FILE_NULL, MPI_ERRORS_RETURN at first. */
static void case_default(void)
{
    MPI_Errhandler handler, found;
    MPI_File fh, failed;
    MPI_Status status;
    int word = 1, rc;

    MUST(MPI_File_get_errhandler(MPI_FILE_NULL, &found));
    EXPECT(found == MPI_ERRORS_RETURN);
    MUST(MPI_File_create_errhandler(on_error, &handler));
    MUST(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    rc = open_file("absent-file", MPI_MODE_RDONLY, &failed);
    EXPECT_EQ(calls, 1);
    EXPECT(last_fh == MPI_FILE_NULL);
    EXPECT_EQ(class_of(last_code), MPI_ERR_NO_SUCH_FILE);
    EXPECT_EQ(class_of(rc), MPI_ERR_NO_SUCH_FILE);
    expect_text(last_code, "absent-file");
    MUST(open_file("readable", MPI_MODE_RDONLY, &fh));
    MUST(MPI_File_get_errhandler(fh, &found));
    EXPECT(found == handler);
    MUST(MPI_Errhandler_free(&found));
    MPI_File_write(fh, &word, 1, MPI_INT, &status);
    EXPECT_EQ(calls, 2);
    EXPECT(last_fh == fh);
    MUST(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    MUST(MPI_Errhandler_free(&handler));
    MPI_File_write(fh, &word, 1, MPI_INT, &status);
    EXPECT_EQ(calls, 3); /* the file still has it */
    MUST(MPI_File_close(&fh));
}

/* A handler set on a file outlives its handle, and other files do not have
 * it. */
static void case_set(void)
{
    MPI_Errhandler handler, found;
    MPI_File a, b;
    MPI_Status status;
    int word = 1;

    MUST(open_file("readable", MPI_MODE_RDONLY, &a));
    MUST(open_file("readable", MPI_MODE_RDONLY, &b));
    MUST(MPI_File_create_errhandler(on_error, &handler));
    MUST(MPI_File_set_errhandler(a, handler));
    MUST(MPI_Errhandler_free(&handler));
    EXPECT(handler == MPI_ERRHANDLER_NULL);
    MPI_File_write(b, &word, 1, MPI_INT, &status);
    EXPECT_EQ(calls, 0);
    MPI_File_write(a, &word, 1, MPI_INT, &status);
    EXPECT_EQ(calls, 1);
    EXPECT(last_fh == a);
    EXPECT_EQ(class_of(last_code), MPI_ERR_READ_ONLY);
    MUST(MPI_File_call_errhandler(a, MPI_ERR_QUOTA));
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(last_code, MPI_ERR_QUOTA);
    MUST(MPI_File_get_errhandler(a, &found));
    MUST(MPI_File_set_errhandler(b, found));
    MUST(MPI_Errhandler_free(&found));
    MPI_File_write(b, &word, 1, MPI_INT, &status);
    EXPECT_EQ(calls, 3);
    EXPECT(last_fh == b);
    MUST(MPI_File_set_errhandler(a, MPI_ERRORS_RETURN));
    MPI_File_write(a, &word, 1, MPI_INT, &status);
    EXPECT_EQ(calls, 3);
    MUST(MPI_File_close(&a));
    MUST(MPI_File_close(&b));
}

/* Many handlers, freed in another order than made. */
static void case_many(void)
{
    MPI_Errhandler handler[100];
    MPI_File fh;
    int word, n = 100;

    MUST(open_file("readable", MPI_MODE_RDONLY, &fh));
    for (int i = 0; i < n; i++)
        MUST(MPI_File_create_errhandler(on_error, &handler[i]));
    for (int i = 0; i < n; i++)
        MUST(MPI_File_set_errhandler(fh, handler[(i * 37) % n]));
    for (int i = 0; i < n; i++)
        MUST(MPI_Errhandler_free(&handler[(i * 63) % n]));
    MPI_File_write(fh, &word, 1, MPI_INT, MPI_STATUS_IGNORE);
    EXPECT_EQ(calls, 1);
    MUST(MPI_File_close(&fh));
}

/* Must not come back. */
static void case_fatal(void)
{
    MPI_File fh;
    int word = 1;

    MUST(open_file("readable", MPI_MODE_RDONLY, &fh));
    MUST(MPI_File_set_errhandler(fh, MPI_ERRORS_ARE_FATAL));
    MPI_File_write(fh, &word, 1, MPI_INT, MPI_STATUS_IGNORE);
    printf("still here\n");
}

/* Other kinds of handlers work as ever beside ours. */
static void comm_handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    calls++;
}

static void case_comm(void)
{
    MPI_Errhandler handler;

    MUST(MPI_Comm_create_errhandler(comm_handler, &handler));
    MUST(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
    MUST(MPI_Errhandler_free(&handler));
    EXPECT(handler == MPI_ERRHANDLER_NULL);
    MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
    EXPECT_EQ(calls, 1);
    expect_text(MPI_ERR_TRUNCATE, "trunc");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"open", case_open},       {"use", case_use},   {"space", case_space},
        {"default", case_default}, {"set", case_set},   {"many", case_many},
        {"fatal", case_fatal},     {"comm", case_comm},
    };
    int found = 0;

    MUST(MPI_Init(&argc, &argv));
    EXPECT_EQ(argc, 3);
    snprintf(dir, sizeof(dir), "%s", argv[2]);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(cases[i].name, argv[1]))
            continue;
        cases[i].run();
        found = 1;
    }
    EXPECT(found);
    MUST(MPI_Finalize());
    return 0;
}
