/* cmd_run.c - lustre-sim run: a command on the simulated file system */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "abi.h"
#include "cmd.h"
#include "fault.h"
#include "server.h"

#define LIBRARY "liblustre_sim.so"

static const char help[] =
    "Usage: lustre-sim run [options] [--] COMMAND [ARGUMENT]...\n"
    "Run COMMAND (mpiexec too) with a directory that behaves like Lustre.\n"
    "  --root DIR        the directory; made if it is not one yet. Default:\n"
    "                    $LUSTRE_SIM_ROOT, else a new one, which is "
    "printed\n" CMD_FS_HELP
    "  --ranks-per-client K   MPI ranks that share a client node (default 1)\n"
    "  --clients N       number of client nodes; ranks are distributed over\n"
    "                    them round robin (default: ROMIO_LUSTRE_NODES or\n"
    "                    MPIR_CVAR_NUM_CLIQUES, if one of them is set)\n"
    "  --profile P       none (default), disk, flash, vm or a file: the time "
    "model\n"
    "  --hybrid-io 0|1   1: buffered writes of 2 MiB and reads of 8 MiB and\n"
    "                    more are direct I/O, as Lustre 2.17 does (default "
    "0)\n"
    "  --noflock 0|1     1: mounted with noflock: fcntl(2) and flock(2) locks\n"
    "                    are refused with ENOSYS (default 0)\n"
    "  --keep-caches 0|1 0: a client drops its cache and its locks when its\n"
    "                    last process ends; 1 (default): it keeps them for\n"
    "                    the next program, until lustre-sim drop\n"
    "  --trace DIR       write the RPCs as Lustre server log lines, a file\n"
    "                    for each OSS\n"
    "  --fault SPEC      errors on demand, may be repeated:\n"
    "      CALL[:n=N][:count=N][:client=N][:ost=N][:file=PATTERN]:WHAT\n"
    "        CALL  open, read, write, fsync, flush, ioctl, xattr, truncate,\n"
    "              fallocate, close or any\n"
    "        WHAT  errno=NAME, eintr, evict, delay=MS or short=BYTES (read,\n"
    "              write)\n"
    "        n     only the N-th such call of a process; count: N from there\n"
    "      ost=N:full | ost=N:dead | ost=N:slow=FACTOR\n"
    "      e.g. write:n=3:errno=EIO:client=2  write:short=4096  ost=1:full\n"
    "In COMMAND's environment LUSTRE_SIM_ROOT is the directory and\n"
    "LUSTRE_SIM_PRELOAD the library to preload (LD_PRELOAD has it already);\n"
    "LUSTRE_SIM_CLIENT=N puts a process on client node N. Exit status:\n"
    "COMMAND's; 2 usage; 126 or 127 if it cannot be started.\n";

struct run {
    struct cmd_fs fs;
    const char *root;
    long per_client, clients;             /* 0: not said */
    long hybrid_io, noflock, keep_caches; /* -1: not said */
    const char *profile, *trace;
    char *fault;
};

/* Specs are joined with ';', as in the environment. */
static int add_fault(struct run *r, const char *spec)
{
    size_t n = r->fault ? strlen(r->fault) : 0;
    char *more = realloc(r->fault, n + strlen(spec) + 2);

    if (!more)
        return -ENOMEM;
    if (n)
        more[n++] = ';';
    strcpy(more + n, spec);
    r->fault = more;
    return 0;
}

static int set_option(struct run *r, const char *name, const char *value,
                      struct adl_err *err)
{
    int rc = 0;

    if (strcmp(name, "--root") == 0)
        r->root = value;
    else if (strcmp(name, "--profile") == 0)
        r->profile = value;
    else if (strcmp(name, "--trace") == 0)
        r->trace = value;
    else if (strcmp(name, "--hybrid-io") == 0)
        rc = cmd_number(value, 0, 1, &r->hybrid_io);
    else if (strcmp(name, "--noflock") == 0)
        rc = cmd_number(value, 0, 1, &r->noflock);
    else if (strcmp(name, "--keep-caches") == 0)
        rc = cmd_number(value, 0, 1, &r->keep_caches);
    else if (strcmp(name, "--fault") == 0)
        rc = add_fault(r, value);
    else if (strcmp(name, "--ranks-per-client") == 0)
        rc = cmd_number(value, 1, 1000000, &r->per_client);
    else if (strcmp(name, "--clients") == 0)
        rc = cmd_number(value, 1, LSIM_MAX_CLIENTS, &r->clients);
    else
        return adl_err_set(err, -EINVAL, "unknown option '%.60s', see --help",
                           name);
    if (rc)
        adl_err_set(err, rc, "bad value '%.60s' of %s", value, name);
    return rc;
}

/* One option at argv[*i], "--name value" or "--name=value". */
static int parse_option(struct run *r, int argc, char **argv, int *i,
                        struct adl_err *err)
{
    char name[32];
    const char *equals;
    int rc = cmd_fs_option(&r->fs, argc, argv, i, err);

    if (rc)
        return rc < 0 ? rc : 0;
    equals = strchr(argv[*i], '=');
    snprintf(name, sizeof(name), "%.*s", equals ? (int)(equals - argv[*i]) : 31,
             argv[*i]);
    if (equals)
        return set_option(r, name, equals + 1, err);
    if (*i + 1 >= argc)
        return adl_err_set(err, -EINVAL, "%s: unknown, or needs a value", name);
    ++*i;
    return set_option(r, name, argv[*i], err);
}

/* Returns where the command begins, or -errno. */
static int parse(struct run *r, int argc, char **argv, struct adl_err *err)
{
    int i, rc;

    for (i = 1; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        rc = parse_option(r, argc, argv, &i, err);
        if (rc)
            return rc;
    }
    if (i >= argc)
        return adl_err_set(err, -EINVAL, "no command, see --help");
    if (r->per_client && r->clients)
        return adl_err_set(err, -EINVAL,
                           "--ranks-per-client and --clients exclude each "
                           "other");
    return i;
}

static int fresh_root(char root[PATH_MAX], struct adl_err *err)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(root, PATH_MAX, "%s/lustre-sim.XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(root))
        return adl_err_set(err, -errno, "%.100s: %s", root, strerror(errno));
    fprintf(stderr, "lustre-sim: root %s\n", root);
    return 0;
}

/* Load the root or make one. */
static int prepare_root(const struct run *r, struct sim_conf *c,
                        struct adl_err *err)
{
    const char *root = r->root ? r->root : getenv(SIM_ENV_ROOT);
    char fresh[PATH_MAX];
    int rc;

    if (!root || !*root) {
        rc = fresh_root(fresh, err);
        return rc ? rc : cmd_fs_make(&r->fs, fresh, c, err);
    }
    rc = sim_conf_load(c, root, err);
    if (rc == -ENOENT) {
        rc = cmd_fs_make(&r->fs, root, c, err);
        if (rc == -EEXIST) /* another job was quicker */
            rc = sim_conf_load(c, root, err);
    }
    if (rc == 0 && r->fs.osts && r->fs.osts != c->osts)
        rc = adl_err_set(err, -EINVAL, "%.90s has %u OSTs, not %ld", root,
                         c->osts, r->fs.osts);
    return rc ? rc : cmd_special(c, err);
}

/* The preload library: beside the command in a build tree, else installed. */
static int find_library(char path[PATH_MAX])
{
    static const char *const places[] = {"", "../lib/romio-lustre/"};
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

    exe[n < 0 ? 0 : n] = '\0';
    if (strrchr(exe, '/'))
        strrchr(exe, '/')[1] = '\0';
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (snprintf(path, PATH_MAX, "%s%s" LIBRARY, exe, places[i]) <
                PATH_MAX &&
            access(path, R_OK) == 0)
            return 0;
    snprintf(path, PATH_MAX, "%s/" LIBRARY, PKGLIBDIR);
    return access(path, R_OK) == 0 ? 0 : -ENOENT;
}

int cmd_preload(int argc, char **argv)
{
    char library[PATH_MAX];

    (void)argc;
    if (find_library(library))
        return cmd_fail(1, argv[0] + 2, LIBRARY " not found");
    puts(library);
    return 0;
}

/* Behind other libraries to preload: what they intercept, they still do. */
static int set_preload(const char *library)
{
    const char *old = getenv("LD_PRELOAD");
    char *both;
    int rc;

    if (!old || !*old)
        return setenv("LD_PRELOAD", library, 1);
    if (strstr(old, library))
        return 0;
    if (asprintf(&both, "%s:%s", old, library) < 0)
        return -1;
    rc = setenv("LD_PRELOAD", both, 1);
    free(both);
    return rc;
}

static int set_number(const char *name, long value)
{
    char text[24];

    snprintf(text, sizeof(text), "%ld", value);
    return setenv(name, text, 1);
}

/* A profile that is a file is named by its full path. */
static int set_profile(const char *name, struct adl_err *err)
{
    struct lsim_profile profile;
    char text[120] = "", full[PATH_MAX];
    int rc;

    if (!name)
        return 0;
    rc = lsim_profile_load(name, &profile, text, sizeof(text));
    if (rc)
        return adl_err_set(err, rc, "profile '%.40s': %.100s", name,
                           *text ? text : strerror(-rc));
    /* Built-in names come first, also where there is such a file. */
    if (strcmp(name, "none") && strcmp(name, "disk") && strcmp(name, "flash") &&
        strcmp(name, "vm"))
        name = realpath(name, full) ? full : name;
    return setenv(SIM_ENV_PROFILE, name, 1);
}

static int set_trace(const char *dir, struct adl_err *err)
{
    char full[PATH_MAX];
    struct stat st;

    if (!dir)
        return 0;
    if ((mkdir(dir, 0777) != 0 && errno != EEXIST) || !realpath(dir, full))
        return adl_err_set(err, -errno, "%.100s: %s", dir, strerror(errno));
    if (stat(full, &st) != 0 || !S_ISDIR(st.st_mode))
        return adl_err_set(err, -ENOTDIR, "%.100s: no directory", dir);
    return setenv(SIM_ENV_TRACE, full, 1);
}

static int set_fault(const char *text, uint32_t osts, struct adl_err *err)
{
    struct sim_faults *faults;
    int rc;

    if (!text)
        return 0;
    rc = sim_faults_parse(text, &faults, err);
    if (rc)
        return rc;
    rc = sim_faults_check(faults, osts, err);
    sim_faults_destroy(faults);
    return rc ? rc : setenv(SIM_ENV_FAULT, text, 1);
}

static int set_environment(const struct run *r, const struct sim_conf *c,
                           struct adl_err *err)
{
    char library[PATH_MAX];
    int rc = find_library(library);

    if (rc)
        return adl_err_set(err, rc, LIBRARY " not found");
    rc = set_profile(r->profile, err);
    if (rc == 0)
        rc = set_trace(r->trace, err);
    if (rc == 0)
        rc = set_fault(r->fault, c->osts, err);
    if (rc)
        return rc;
    if (r->per_client)
        rc = set_number("LUSTRE_SIM_RANKS_PER_CLIENT", r->per_client);
    if (r->clients)
        rc = set_number("LUSTRE_SIM_CLIENTS", r->clients);
    if (r->hybrid_io >= 0)
        rc = set_number(SIM_ENV_HYBRID, r->hybrid_io);
    if (r->noflock >= 0)
        rc = set_number(SIM_ENV_NOFLOCK, r->noflock);
    if (r->keep_caches >= 0)
        rc = set_number(SIM_ENV_KEEP, r->keep_caches);
    if (rc || setenv(SIM_ENV_ROOT, c->root, 1) ||
        setenv(SIM_ENV_PRELOAD, library, 1) || set_preload(library))
        return adl_err_set(err, -ENOMEM, "out of memory");
    return 0;
}

/* Everything up to the start: where the command begins, or -errno. */
static int prepare(struct run *r, int argc, char **argv, struct adl_err *err)
{
    struct sim_conf c;
    int at = parse(r, argc, argv, err), rc;

    if (at < 0)
        return at;
    rc = prepare_root(r, &c, err);
    if (rc)
        return rc;
    rc = set_environment(r, &c, err);
    sim_conf_clear(&c);
    return rc ? rc : at;
}

int cmd_run(int argc, char **argv)
{
    struct adl_err err = {""};
    struct run r = {.hybrid_io = -1, .noflock = -1, .keep_caches = -1};
    int at;

    /* Only our own options: the command may have a --help too. */
    if (argc > 1 && cmd_help(2, argv, help))
        return 0;
    at = prepare(&r, argc, argv, &err);
    free(r.fault);
    if (at < 0)
        return cmd_fail(2, "run", "%s", err.text);
    execvp(argv[at], argv + at);
    return cmd_fail(errno == ENOENT ? 127 : 126, "run", "%s: %s", argv[at],
                    strerror(errno));
}
