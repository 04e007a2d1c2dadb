/* runner.h - runs commands, several at once, and outlives an interrupt */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_RUNNER_H
#define LP_RUNNER_H

/* A line for the shell, and where its output goes. */
struct lp_job {
    const char *command;
    const char *output; /* file; NULL: ours */
    int status;         /* when it ran: of the shell; 128 + N: by signal N */
};

/* From now on SIGINT, SIGTERM and SIGHUP are recorded and do not end this
 * process, so that it can switch tracing off on the servers. The signals end
 * children as usual. */
void lp_runner_hold_signals(void);
/* The signal that has come since then, 0: none. */
int lp_runner_signal(void);

/* Run all jobs, at most 16 at a time. Returns the number that failed; -1:
 * cannot fork. */
int lp_runner_shell(struct lp_job *job, unsigned count);
/* Run a program with its arguments; its status as in lp_job. */
int lp_runner_program(char **argv);
/* Sleep; a signal ends the sleep early. */
void lp_runner_wait(double seconds);

#endif
