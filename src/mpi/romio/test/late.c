/* late.c - run a program that is a library, as Python runs its modules
 *
 *   late LIBRARY ARG...    calls its main
 *   late --first MPI NAME...
 *
 * LIBRARY, and MPI with it, is loaded without RTLD_GLOBAL: what was preloaded
 * does not see MPI's names. With --first every function NAME is called in a
 * process of its own that has loaded the library MPI so and has made no other
 * call, with arguments that point to zeros. Most calls fail, and may end the
 * process; NAME is printed when an address of 0 was called, or a signal ended
 * it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLED_NULL = 99, TOO_LONG = 10 };

static void *load(const char *path)
{
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!lib) {
        fprintf(stderr, "late: %s\n", dlerror());
        exit(2);
    }
    return lib;
}

static int run_main(int argc, char **argv)
{
    int (*entry)(int, char **);

    *(void **)&entry = dlsym(load(argv[0]), "main");
    return entry ? entry(argc, argv) : 2;
}

static void on_fault(int sig, siginfo_t *info, void *unused)
{
    (void)sig;
    (void)unused;
    _exit(info->si_addr ? 1 : CALLED_NULL);
}

static void call_first(const char *mpi, const char *name)
{
    static char zero[1 << 16];
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO};
    void (*fn)(void *, void *, void *, void *, void *, void *, void *, void *);

    load(mpi);
    *(void **)&fn = dlsym(RTLD_DEFAULT, name);
    if (!fn)
        _exit(CALLED_NULL);
    sigaction(SIGSEGV, &action, NULL);
    alarm(TOO_LONG);
    dup2(open("/dev/null", O_WRONLY), 2);
    fn(zero, zero, zero, zero, zero, zero, zero, zero);
    _exit(0);
}

static int is_lost(const char *mpi, const char *name)
{
    pid_t child;
    int status;

    fflush(stdout);
    child = fork();
    if (child == 0)
        call_first(mpi, name);
    if (child < 0 || waitpid(child, &status, 0) != child)
        exit(2);
    return WIFSIGNALED(status) || WEXITSTATUS(status) == CALLED_NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "--first") != 0)
        return run_main(argc - 1, argv + 1);
    for (int i = 3; i < argc; i++)
        if (is_lost(argv[2], argv[i]))
            puts(argv[i]);
    return 0;
}
