/* process.c - names, environment and numbers of a rank's process and node */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../config.h"
#include "../mpi/vmpi.h"
#include "calls.h"
#include "libc.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

/* ---- the node ---- */

int libc_uname(struct utsname *u)
{
    memset(u, 0, sizeof(*u));
    strcpy(u->sysname, "Linux");
    snprintf(u->nodename, sizeof(u->nodename), "node%05d",
             sched_rank < 0 ? 0 : node_of(sched_rank));
    return 0;
}

long libc_sysconf(int name)
{
    return name == _SC_NPROCESSORS_ONLN ? config.cores : sysconf(name);
}

/* Every rank may run on every core of its node. */
int libc_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    (void)pid;
    CPU_ZERO_S(size, set);
    for (int i = 0; i < config.cores && (size_t)i < 8 * size; i++)
        CPU_SET_S(i, size, set);
    return 0;
}

/* ---- the environment: of the process, but for what the harness sets ---- */

static const char *const hidden[] = {"MPICH_MPIIO_", "ROMIO_LUSTRE_",
                                     "LUSTRE_SIM_", "ROMIO_HINTS", NULL};
static struct {
    const char *name, *value;
} environment[16];
static int variables;

/* A list to look through: of none of this machine's, or a run would depend on
 * how many they are. */
static char *no_variables[] = {NULL};
extern char **simulate_environ;
char **simulate_environ = no_variables;

void process_setenv(const char *name, const char *value)
{
    for (int i = 0; i < variables; i++)
        if (strcmp(environment[i].name, name) == 0) {
            environment[i].value = value;
            return;
        }
    if (variables < (int)(sizeof(environment) / sizeof(*environment))) {
        environment[variables].name = name;
        environment[variables++].value = value;
    }
}

char *libc_getenv(const char *name)
{
    static char client[16];

    if (strcmp(name, "LUSTRE_SIM_CLIENT") == 0 && sched_rank >= 0) {
        snprintf(client, sizeof(client), "%d", node_of(sched_rank));
        return client;
    }
    for (int i = 0; i < variables; i++)
        if (strcmp(environment[i].name, name) == 0)
            return (char *)environment[i].value;
    for (int i = 0; hidden[i]; i++)
        if (strncmp(name, hidden[i], strlen(hidden[i])) == 0)
            return NULL;
    return getenv(name);
}

/* ---- what would differ from machine to machine ---- */

/* The node's memory, as /proc/meminfo tells. */
static int open_meminfo(void)
{
    char text[120];
    int n = snprintf(
        text, sizeof(text), "MemTotal: %lld kB\nMemAvailable: %lld kB\n",
        (long long)config.memory * 1024, (long long)config.memory * 1024);
    int fd = memfd_create("meminfo", MFD_CLOEXEC);

    if (fd >= 0 && (write(fd, text, (size_t)n) != n || lseek(fd, 0, SEEK_SET)))
        vmpi_wrong("no memory for /proc/meminfo");
    return fd;
}

/* What this machine says of itself must not reach a rank. */
static int is_of_this_machine(const char *path)
{
    static const char *const names[] = {"/sys/fs/cgroup", "/proc/self/cgroup",
                                        "/proc/sys/vm/"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strncmp(path, names[i], strlen(names[i])) == 0)
            return 1;
    return 0;
}

int libc_open(const char *path, int flags, ...)
{
    va_list ap;
    mode_t mode;

    va_start(ap, flags);
    mode = va_arg(ap, mode_t);
    va_end(ap);
    libc_hook();
    if (strcmp(path, "/proc/meminfo") == 0)
        return open_meminfo();
    if (is_of_this_machine(path)) {
        errno = ENOENT;
        return -1;
    }
    return open(strcmp(path, BOOT_ID) == 0 ? "/dev/null" : path, flags, mode);
}

ssize_t libc_readlink(const char *path, char *to, size_t room)
{
    static const char same[] = "pid:[1]";

    if (strcmp(path, "/proc/self/ns/pid") != 0)
        return readlink(path, to, room);
    if (room > sizeof(same) - 1)
        room = sizeof(same) - 1;
    memcpy(to, same, room);
    return (ssize_t)room;
}

/* No library of the machine's is looked for: hwloc would tell of this one. */
void *libc_dlopen(const char *name, int flags)
{
    (void)name, (void)flags;
    return NULL;
}

/* A name as the library would find it: ours, else the C library's or MPICH's.
 * MPI_X, PMPI_X: vmpi_X. */
void *libc_dlsym(void *handle, const char *name)
{
    const char *plain = name[0] == 'P' ? name + 1 : name;
    char ours[128];
    void *p;

    (void)handle;
    if (strncmp(plain, "MPI_", 4) == 0)
        snprintf(ours, sizeof(ours), "vmpi_%s", plain + 4);
    else
        snprintf(ours, sizeof(ours), "libc_%s", name);
    p = dlsym(RTLD_DEFAULT, ours);
    return p ? p : dlsym(RTLD_DEFAULT, name);
}
