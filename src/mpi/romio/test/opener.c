/* opener.c - opens a file as it is told, and shows what came of it
 *
 *   opener [-a AMODE] [-c self] [-k RANK:KEY=VALUE]... [-e RANK:NAME=VALUE]...
 *          [-h KEY=VALUE]... FILE [OP]...
 *
 *   -a   letters: c CREATE, x EXCL, r RDONLY, w WRONLY, b RDWR, p APPEND,
 *        d DELETE_ON_CLOSE; default cb
 *   -c self   every rank opens its own FILE.rank on MPI_COMM_SELF
 *   -h   a hint on all ranks; -k on one rank; -e an environment variable there
 *
 * Prints "open: CLASS" if all ranks agree on the class, else "open: CLASS
 * CLASS ..."; the text of rank 0's error as "text: ..."; then what the OPs say:
 *
 *   info           key=value lines of MPI_File_get_info, rank 0
 *   fds            descriptors of the file, of each rank
 *   pos            position of each rank
 *   size           MPI_File_get_size of each rank
 *   write, read    4 bytes at 4 x rank, collectively; independent: iwrite=RANK
 *   iwrite=RANK    one rank alone
 *   strided=RANK   one rank alone, noncontiguous: 4 bytes in every 8
 *   shared         all ranks through the shared file pointer; says the class
 *   atomic         MPI_File_set_atomicity; says the class
 *   resize=N, reserve=N, sync
 *   hint=K=V       MPI_File_set_info on all ranks; hint0: on rank 0 only
 *   view=K=V       MPI_File_set_view with this hint
 *   sh=COMMAND     rank 0 runs a shell command
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

#include <dirent.h>
#include <limits.h>
#include <unistd.h>

static int rank, nprocs;

/* ---- output of all ranks ---- */

static void show(const char *what, long long mine)
{
    long long *all = malloc(sizeof(*all) * nprocs);
    int same = 1;

    MUST(MPI_Gather(&mine, 1, MPI_LONG_LONG, all, 1, MPI_LONG_LONG, 0,
                    MPI_COMM_WORLD));
    if (rank == 0) {
        for (int i = 1; i < nprocs; i++)
            same = same && all[i] == all[0];
        printf("%s:", what);
        for (int i = 0; i < (same ? 1 : nprocs); i++)
            printf(" %lld", all[i]);
        printf("\n");
    }
    free(all);
}

static const char *class_name(int errclass)
{
    static const struct {
        int errclass;
        const char *name;
    } names[] = {{MPI_SUCCESS, "ok"},
                 {MPI_ERR_NO_SUCH_FILE, "NO_SUCH_FILE"},
                 {MPI_ERR_FILE_EXISTS, "FILE_EXISTS"},
                 {MPI_ERR_ACCESS, "ACCESS"},
                 {MPI_ERR_BAD_FILE, "BAD_FILE"},
                 {MPI_ERR_READ_ONLY, "READ_ONLY"},
                 {MPI_ERR_AMODE, "AMODE"},
                 {MPI_ERR_NO_SPACE, "NO_SPACE"},
                 {MPI_ERR_QUOTA, "QUOTA"},
                 {MPI_ERR_NO_MEM, "NO_MEM"},
                 {MPI_ERR_ARG, "ARG"},
                 {MPI_ERR_UNSUPPORTED_OPERATION, "UNSUPPORTED"},
                 {MPI_ERR_INTERN, "INTERN"},
                 {MPI_ERR_OTHER, "OTHER"},
                 {MPI_ERR_UNKNOWN, "UNKNOWN"},
                 {MPI_ERR_IO, "IO"}};
    static char number[20];

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].errclass == errclass)
            return names[i].name;
    snprintf(number, sizeof(number), "class %d", errclass);
    return number;
}

static void show_class(const char *what, int rc)
{
    int mine = class_of(rc), *all = malloc(sizeof(int) * nprocs);
    int same = 1, len;
    char text[MPI_MAX_ERROR_STRING] = "";

    MUST(MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD));
    if (rank == 0) {
        for (int i = 1; i < nprocs; i++)
            same = same && all[i] == all[0];
        printf("%s:", what);
        for (int i = 0; i < (same ? 1 : nprocs); i++)
            printf(" %s", class_name(all[i]));
        printf("\n");
        if (rc != MPI_SUCCESS) {
            MPI_Error_string(rc, text, &len);
            printf("text: %s\n", text);
        }
    }
    free(all);
}

static void show_info(MPI_File fh)
{
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    MPI_Info info;
    int n, found;

    MUST(MPI_File_get_info(fh, &info));
    MUST(MPI_Info_get_nkeys(info, &n));
    for (int i = 0; rank == 0 && i < n; i++) {
        MUST(MPI_Info_get_nthkey(info, i, key));
        MUST(MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found));
        printf("%s=%s\n", key, value);
    }
    MPI_Info_free(&info);
}

/* Descriptors of this process that lead to `path`. */
static int descriptors(const char *path)
{
    char real[PATH_MAX], link[300], to[PATH_MAX];
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *e;
    int n = 0;
    ssize_t len;

    if (!dir || !realpath(path, real))
        return -1;
    while ((e = readdir(dir))) {
        snprintf(link, sizeof(link), "/proc/self/fd/%s", e->d_name);
        len = readlink(link, to, sizeof(to) - 1);
        if (len > 0) {
            to[len] = '\0';
            n += !strcmp(to, real);
        }
    }
    closedir(dir);
    return n;
}

/* ---- what to do with the open file ---- */

static void write_strided(MPI_File fh, int writer)
{
    MPI_Datatype type;
    char data[64];

    memset(data, 'x', sizeof(data));
    MUST(MPI_Type_vector(16, 4, 8, MPI_BYTE, &type));
    MUST(MPI_Type_commit(&type));
    MUST(MPI_File_set_view(fh, 0, MPI_BYTE, type, "native", MPI_INFO_NULL));
    MPI_Type_free(&type);
    if (rank == writer)
        MUST(MPI_File_write(fh, data, 64, MPI_BYTE, MPI_STATUS_IGNORE));
}

static void set_hint(MPI_File fh, char *pair, int view, int only_root)
{
    char *eq = strchr(pair, '=');
    MPI_Info info;

    EXPECT(eq);
    *eq = '\0';
    MUST(MPI_Info_create(&info));
    if (!only_root || rank == 0)
        MUST(MPI_Info_set(info, pair, eq + 1));
    *eq = '=';
    if (view)
        MUST(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", info));
    else
        MUST(MPI_File_set_info(fh, info));
    MPI_Info_free(&info);
}

static int query(MPI_File fh, const char *file, const char *op)
{
    MPI_Offset off;

    if (!strcmp(op, "info")) {
        show_info(fh);
    } else if (!strcmp(op, "fds")) {
        show("fds", descriptors(file));
    } else if (!strcmp(op, "pos")) {
        MUST(MPI_File_get_position(fh, &off));
        show("pos", off);
    } else if (!strcmp(op, "size")) {
        MUST(MPI_File_get_size(fh, &off));
        show("size", off);
    } else {
        return 0;
    }
    return 1;
}

static int transfer(MPI_File fh, const char *op)
{
    int word = rank;

    if (!strcmp(op, "write")) {
        MUST(MPI_File_write_at_all(fh, 4 * rank, &word, 1, MPI_INT,
                                   MPI_STATUS_IGNORE));
    } else if (!strcmp(op, "read")) {
        word = -1;
        MUST(MPI_File_read_at_all(fh, 4 * rank, &word, 1, MPI_INT,
                                  MPI_STATUS_IGNORE));
        EXPECT_EQ(word, rank);
    } else if (!strncmp(op, "iwrite=", 7)) {
        if (atoi(op + 7) == rank)
            MUST(MPI_File_write_at(fh, 4 * rank, &word, 1, MPI_INT,
                                   MPI_STATUS_IGNORE));
    } else if (!strncmp(op, "strided=", 8)) {
        write_strided(fh, atoi(op + 8));
    } else if (!strcmp(op, "shared")) {
        show_class("shared", MPI_File_write_shared(fh, &word, 1, MPI_INT,
                                                   MPI_STATUS_IGNORE));
    } else {
        return 0;
    }
    return 1;
}

static void change(MPI_File fh, char *op)
{
    if (!strncmp(op, "resize=", 7))
        MUST(MPI_File_set_size(fh, atoll(op + 7)));
    else if (!strncmp(op, "reserve=", 8))
        MUST(MPI_File_preallocate(fh, atoll(op + 8)));
    else if (!strcmp(op, "sync"))
        MUST(MPI_File_sync(fh));
    else if (!strcmp(op, "atomic"))
        show_class("atomic", MPI_File_set_atomicity(fh, 1));
    else if (!strncmp(op, "hint=", 5))
        set_hint(fh, op + 5, 0, 0);
    else if (!strncmp(op, "hint0=", 6))
        set_hint(fh, op + 6, 0, 1);
    else if (!strncmp(op, "view=", 5))
        set_hint(fh, op + 5, 1, 0);
    else if (!strncmp(op, "sh=", 3))
        EXPECT(rank != 0 || (fflush(stdout) == 0 && system(op + 3) == 0));
    else
        expect_failed(__FILE__, __LINE__, "what is '%s'?", op);
}

/* ---- command line ---- */

static int amode_of(const char *letters)
{
    static const struct {
        char letter;
        int bit;
    } modes[] = {{'c', MPI_MODE_CREATE},         {'x', MPI_MODE_EXCL},
                 {'r', MPI_MODE_RDONLY},         {'w', MPI_MODE_WRONLY},
                 {'b', MPI_MODE_RDWR},           {'p', MPI_MODE_APPEND},
                 {'d', MPI_MODE_DELETE_ON_CLOSE}};
    int amode = 0;

    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
        if (strchr(letters, modes[i].letter))
            amode |= modes[i].bit;
    return amode;
}

/* "RANK:NAME=VALUE" -> is it for me; cut into name and value. */
static int for_me(char *text, char **name, char **value)
{
    char *colon = strchr(text, ':'), *eq;

    EXPECT(colon);
    eq = strchr(colon, '=');
    EXPECT(eq);
    *eq = '\0';
    *name = colon + 1;
    *value = eq + 1;
    return atoi(text) == rank;
}

struct options {
    int amode, self;
    MPI_Info info;
};

static void set_pair(MPI_Info info, char *pair)
{
    char *eq = strchr(pair, '=');

    EXPECT(eq);
    *eq = '\0';
    MUST(MPI_Info_set(info, pair, eq + 1));
}

static void parse(int argc, char **argv, struct options *opt)
{
    char *name, *value;
    int c;

    while ((c = getopt(argc, argv, "+a:c:h:k:e:")) != -1) {
        if (c == 'a')
            opt->amode = amode_of(optarg);
        else if (c == 'c')
            opt->self = !strcmp(optarg, "self");
        else if (c == 'h')
            set_pair(opt->info, optarg);
        else if (c == 'k' && for_me(optarg, &name, &value))
            MUST(MPI_Info_set(opt->info, name, value));
        else if (c == 'e' && for_me(optarg, &name, &value))
            setenv(name, value, 1);
        else
            EXPECT(c == 'k' || c == 'e');
    }
}

int main(int argc, char **argv)
{
    struct options opt = {MPI_MODE_CREATE | MPI_MODE_RDWR, 0, MPI_INFO_NULL};
    char file[PATH_MAX];
    MPI_File fh;
    int rc;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MUST(MPI_Info_create(&opt.info));
    parse(argc, argv, &opt);
    EXPECT(optind < argc);
    snprintf(file, sizeof(file), opt.self ? "%s.%d" : "%s", argv[optind++],
             rank);
    rc = MPI_File_open(opt.self ? MPI_COMM_SELF : MPI_COMM_WORLD, file,
                       opt.amode, opt.info, &fh);
    show_class("open", rc);
    for (; rc == MPI_SUCCESS && optind < argc; optind++) {
        if (!query(fh, file, argv[optind]) && !transfer(fh, argv[optind]))
            change(fh, argv[optind]);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rc == MPI_SUCCESS)
        show_class("close", MPI_File_close(&fh));
    MPI_Info_free(&opt.info);
    MPI_Finalize();
    return 0;
}
