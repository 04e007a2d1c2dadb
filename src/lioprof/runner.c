/* runner.c - runs commands, several at once, and outlives an interrupt */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define AT_ONCE 16

static volatile sig_atomic_t held;

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

static void note_signal(int number)
{
    held = number;
}

void lp_runner_hold_signals(void)
{
    struct sigaction sa = {.sa_handler = note_signal};

    held = 0;
    for (int i = 0; i < 3; i++)
        sigaction(signals[i], &sa, NULL);
}

int lp_runner_signal(void)
{
    return held;
}

/* In a child: the signals as they were. */
static void release_signals(void)
{
    for (int i = 0; i < 3; i++)
        signal(signals[i], SIG_DFL);
}

static int status_of(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 255;
}

static void redirect(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) {
        fprintf(stderr, "lioprof: %s: %s\n", path, strerror(errno));
        _exit(126);
    }
}

/* An interrupt from the terminal must not reach what switches tracing on and
 * off, so that has a process group of its own. */
static pid_t start_shell(const struct lp_job *job)
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    setpgid(0, 0);
    release_signals();
    if (job->output)
        redirect(job->output);
    execl("/bin/sh", "sh", "-c", job->command, (char *)NULL);
    _exit(127);
}

static int wait_for(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 255;
    return status_of(status);
}

int lp_runner_shell(struct lp_job *job, unsigned count)
{
    pid_t pid[AT_ONCE];
    int failed = 0;

    for (unsigned from = 0; from < count; from += AT_ONCE) {
        unsigned n = count - from < AT_ONCE ? count - from : AT_ONCE;

        for (unsigned i = 0; i < n; i++)
            pid[i] = start_shell(&job[from + i]);
        for (unsigned i = 0; i < n; i++) {
            job[from + i].status = pid[i] < 0 ? 255 : wait_for(pid[i]);
            failed += job[from + i].status != 0;
        }
    }
    return failed;
}

int lp_runner_program(char **argv)
{
    pid_t pid = fork();

    if (pid < 0)
        return 255;
    if (pid == 0) {
        release_signals();
        execvp(argv[0], argv);
        fprintf(stderr, "lioprof: %s: %s\n", argv[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    return wait_for(pid);
}

void lp_runner_wait(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds};

    left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
    while (!held && nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
}
