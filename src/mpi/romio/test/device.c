/* device.c - buffers in the memory of a (false) device: fake_device.c
 *
 *   device FILE OP...
 *
 *   coll, nb, split, ind, inb
 *                    4 MiB a rank, contiguous; written from the device by a
 *                    collective, nonblocking, split, independent or nonblocking
 *                    independent call, read back into the device
 *   column           8 bytes in every 16 of memory, 256 KiB a rank
 *   row              the same memory, 8 bytes in every 32 of the file
 *   far              8 bytes in every 128 KiB of memory
 *   strided          independent, 4 KiB in every 8 of the file
 *   scattered        independent, 8 bytes in every 16 of memory and in every 32
 *                    of the file
 *   large            independent, 32 MiB
 *   bottom           two buffers by their addresses, from MPI_BOTTOM
 *   reuse            device memory is freed, and becomes a part of a buffer in
 *                    host memory that begins before it
 *   kinds            print mpi_memory_alloc_kinds
 *   host=KINDS       a collective write of host memory, with the promise KINDS
 *   fail=OP          write and read by OP, their error classes
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include "expect.h"

#include <dlfcn.h>
#include <stdint.h>
#include <sys/mman.h>

#define BYTES (4 << 20)
#define COLUMN (256 << 10)
#define LARGE (32 << 20)

static int rank;
static MPI_File fh;

/* ---- the device ---- */

static void *find(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

static char *device_alloc(size_t size)
{
    int (*alloc)(void **, size_t) = (__typeof__(alloc))find("fake_alloc");
    void *at = NULL;

    EXPECT(alloc);
    EXPECT_EQ(alloc(&at, size), 0);
    return at;
}

static void device_free(char *at)
{
    int (*give_back)(void *) = (__typeof__(give_back))find("fake_free");

    EXPECT_EQ(give_back(at), 0);
}

/* To the device, or from it. */
static void device_copy(char *at, char *host, size_t n, int to)
{
    int (*copy)(void *, const void *, size_t) =
        (__typeof__(copy))find(to ? "fake_put" : "fake_get");

    EXPECT_EQ(copy(to ? at : host, to ? host : at, n), 0);
}

/* ---- bytes ---- */

static char byte_at(size_t i)
{
    return (char)(i * 7 + i / 251 + (size_t)rank * 13);
}

static char *new_buffer(size_t n, int filled)
{
    char *host = calloc(1, n), *at = device_alloc(n);

    for (size_t i = 0; filled && i < n; i++)
        host[i] = byte_at(i);
    device_copy(at, host, n, 1);
    free(host);
    return at;
}

/* Those that a rank wrote, and nothing beside them. */
static void check(char *at, size_t n, size_t len, size_t every)
{
    char *host = malloc(n);

    device_copy(at, host, n, 0);
    for (size_t i = 0; i < n; i++)
        EXPECT_EQ(host[i], i % every < len ? byte_at(i) : 0);
    free(host);
}

/* ---- calls ---- */

static void move(const char *op, char *buf, int n, MPI_Datatype type, int write)
{
    MPI_Offset at = (MPI_Offset)rank * (strcmp(op, "large") ? BYTES : LARGE);
    MPI_Request request;

    if (!strcmp(op, "nb")) {
        if (write)
            MUST(MPI_File_iwrite_at_all(fh, at, buf, n, type, &request));
        else
            MUST(MPI_File_iread_at_all(fh, at, buf, n, type, &request));
        MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else if (!strcmp(op, "inb")) {
        if (write)
            MUST(MPI_File_iwrite_at(fh, at, buf, n, type, &request));
        else
            MUST(MPI_File_iread_at(fh, at, buf, n, type, &request));
        MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else if (!strcmp(op, "split")) {
        if (write) {
            MUST(MPI_File_write_at_all_begin(fh, at, buf, n, type));
            MUST(MPI_File_write_at_all_end(fh, buf, MPI_STATUS_IGNORE));
        } else {
            MUST(MPI_File_read_at_all_begin(fh, at, buf, n, type));
            MUST(MPI_File_read_at_all_end(fh, buf, MPI_STATUS_IGNORE));
        }
    } else if (!strcmp(op, "ind") || !strcmp(op, "strided") ||
               !strcmp(op, "scattered") || !strcmp(op, "large")) {
        if (write)
            MUST(MPI_File_write_at(fh, at, buf, n, type, MPI_STATUS_IGNORE));
        else
            MUST(MPI_File_read_at(fh, at, buf, n, type, MPI_STATUS_IGNORE));
    } else if (write) {
        MUST(MPI_File_write_at_all(fh, at, buf, n, type, MPI_STATUS_IGNORE));
    } else {
        MUST(MPI_File_read_at_all(fh, at, buf, n, type, MPI_STATUS_IGNORE));
    }
}

static void round_trip(const char *op, size_t n, size_t len, size_t every)
{
    char *from = new_buffer(n, 1), *to = new_buffer(n, 0);
    MPI_Datatype type;

    MUST(MPI_Type_vector((int)(n / every), (int)len, (int)every, MPI_BYTE,
                         &type));
    MUST(MPI_Type_commit(&type));
    move(op, from, 1, type, 1);
    move(op, to, 1, type, 0);
    check(to, n, len, every);
    MPI_Type_free(&type);
}

/* Each rank's blocks of `len` bytes, `every` apart; 0: the whole file. */
static void set_view(int n, int len, int every)
{
    MPI_Datatype type;

    if (every == 0) {
        MUST(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native",
                               MPI_INFO_NULL));
        return;
    }
    MUST(MPI_Type_vector(n, len, every, MPI_BYTE, &type));
    MUST(MPI_Type_commit(&type));
    MUST(MPI_File_set_view(fh, (MPI_Offset)len * rank, MPI_BYTE, type, "native",
                           MPI_INFO_NULL));
    MPI_Type_free(&type);
}

/* The type of both buffers, by their addresses. */
static MPI_Datatype type_of_both(char *a, char *b, int n)
{
    MPI_Aint at[2];
    MPI_Datatype type;
    int len[2] = {n, n};

    MPI_Get_address(a, &at[0]);
    MPI_Get_address(b, &at[1]);
    MUST(MPI_Type_create_hindexed(2, len, at, MPI_BYTE, &type));
    MUST(MPI_Type_commit(&type));
    return type;
}

static void from_bottom(void)
{
    char *from[2] = {new_buffer(COLUMN, 1), new_buffer(COLUMN, 1)};
    char *to[2] = {new_buffer(COLUMN, 0), new_buffer(COLUMN, 0)};
    MPI_Datatype out = type_of_both(from[0], from[1], COLUMN);
    MPI_Datatype in = type_of_both(to[0], to[1], COLUMN);

    move("coll", MPI_BOTTOM, 1, out, 1);
    move("coll", MPI_BOTTOM, 1, in, 0);
    for (int i = 0; i < 2; i++)
        check(to[i], COLUMN, COLUMN, COLUMN);
    MPI_Type_free(&out);
    MPI_Type_free(&in);
}

/* The driver has met the device's memory at these addresses. */
static void reuse_address(void)
{
    char *device = new_buffer(BYTES, 1), *host;

    move("coll", device, BYTES, MPI_BYTE, 1);
    device_free(device);
    host = mmap(device - 4096, BYTES + 4096, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    EXPECT(host == device - 4096);
    for (int i = 0; i < BYTES; i++)
        host[i] = byte_at((size_t)i);
    move("coll", host, BYTES, MPI_BYTE, 1);
    memset(host, 0, BYTES);
    move("ind", host, BYTES, MPI_BYTE, 0);
    for (int i = 0; i < BYTES; i++)
        EXPECT_EQ(host[i], byte_at((size_t)i));
}

static void print_kinds(void)
{
    char value[MPI_MAX_INFO_VAL + 1] = "none";
    MPI_Info info;
    int found;

    MUST(MPI_File_get_info(fh, &info));
    MUST(MPI_Info_get(info, "mpi_memory_alloc_kinds", MPI_MAX_INFO_VAL, value,
                      &found));
    MPI_Info_free(&info);
    if (rank == 0)
        printf("kinds: %s\n", value);
}

static void host_write(char *kinds)
{
    char *buf = calloc(1, BYTES);
    MPI_Info info;

    MUST(MPI_Info_create(&info));
    MUST(MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", kinds));
    MUST(MPI_File_set_info(fh, info));
    MPI_Info_free(&info);
    move("coll", buf, BYTES, MPI_BYTE, 1);
    move("ind", buf, BYTES, MPI_BYTE, 0);
    free(buf);
}

static void print_class(const char *what, int rc)
{
    printf("%s: %s\n", what,
           rc == MPI_SUCCESS            ? "ok"
           : class_of(rc) == MPI_ERR_IO ? "IO"
                                        : "another");
}

/* Runs of 8 bytes if independent: these are gathered. */
static void fail(const char *op)
{
    MPI_Offset at = (MPI_Offset)rank * BYTES;
    char *buf = new_buffer(BYTES, 1);
    MPI_Datatype type;

    MUST(MPI_Type_vector(1024, 8, 16, MPI_BYTE, &type));
    MUST(MPI_Type_commit(&type));
    if (!strcmp(op, "coll")) {
        print_class("write", MPI_File_write_at_all(fh, at, buf, BYTES, MPI_BYTE,
                                                   MPI_STATUS_IGNORE));
        print_class("read", MPI_File_read_at_all(fh, at, buf, BYTES, MPI_BYTE,
                                                 MPI_STATUS_IGNORE));
    } else {
        print_class("write",
                    MPI_File_write_at(fh, at, buf, 1, type, MPI_STATUS_IGNORE));
        print_class("read",
                    MPI_File_read_at(fh, at, buf, 1, type, MPI_STATUS_IGNORE));
    }
    MPI_Type_free(&type);
}

static void do_op(char *op)
{
    if (!strcmp(op, "kinds")) {
        print_kinds();
    } else if (!strncmp(op, "host=", 5)) {
        host_write(op + 5);
    } else if (!strncmp(op, "fail=", 5)) {
        fail(op + 5);
    } else if (!strcmp(op, "column")) {
        round_trip(op, COLUMN, 8, 16);
    } else if (!strcmp(op, "row")) {
        set_view(COLUMN / 8, 8, 32);
        round_trip(op, COLUMN, COLUMN, COLUMN);
        set_view(0, 0, 0);
    } else if (!strcmp(op, "far")) {
        round_trip(op, BYTES, 8, 128 << 10);
    } else if (!strcmp(op, "strided")) {
        set_view(1024, 4096, 16384);
        round_trip(op, COLUMN, COLUMN, COLUMN);
        set_view(0, 0, 0);
    } else if (!strcmp(op, "scattered")) {
        set_view(COLUMN / 16, 8, 32);
        round_trip(op, COLUMN, 8, 16);
        set_view(0, 0, 0);
    } else if (!strcmp(op, "large")) {
        round_trip(op, LARGE, LARGE, LARGE);
    } else if (!strcmp(op, "bottom")) {
        from_bottom();
    } else if (!strcmp(op, "reuse")) {
        reuse_address();
    } else {
        round_trip(op, BYTES, BYTES, BYTES);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    EXPECT(argc > 1);
    MUST(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                       MPI_INFO_NULL, &fh));
    for (int i = 2; i < argc; i++)
        do_op(argv[i]);
    MPI_File_close(&fh);
    if (rank == 0)
        printf("end\n");
    MPI_Finalize();
    return 0;
}
