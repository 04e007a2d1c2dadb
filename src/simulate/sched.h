/* sched.h - ranks and their threads as fibers in virtual time
 *
 * One real thread runs all fibers. A fiber runs until it sleeps or blocks. The
 * earliest event runs next; among events of the same time the seed decides.
 * Time passes only between events: a running fiber is charged for what it does
 * (sched_charge), and the charge delays the events that it causes.
 *
 * A job hangs if no event is left although a fiber has not ended, or if fibers
 * poll for a long time while nothing is accomplished (sched_accomplished).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_SCHED_H
#define SIMULATE_SCHED_H

#include <stdint.h>

struct fiber;

/* The running fiber, NULL in an event; its rank, -1 in an event. */
extern struct fiber *sched_current;
extern int sched_rank;

/* A number below n, from the seed's sequence. n > 0. */
uint64_t sched_random(uint64_t n);

/* Virtual time of the running fiber, with what it has been charged. */
int64_t sched_time(void);
/* The same for the world: the time of the event that is going on. */
int64_t sched_now(void);
void sched_charge(int64_t ns);
/* Let other fibers run, if the charges of this one have made it late. Every
 * function that a program may call in a loop calls this one. */
void sched_catch_up(void);
void sched_sleep(int64_t ns);

/* Sleep until sched_wake(key) or until `limit` ns have passed (< 0: no limit).
 * 1: the limit came first. `what` names the reason in reports. */
int sched_block(uint64_t key, int64_t limit, const char *what);
/* Wake up to `most` fibers, in the order in which they blocked. Returns how
 * many were woken. */
int sched_wake(uint64_t key, int most);

/* Call fn(arg) at a time; fn must not block. */
void sched_at(int64_t when, void (*fn)(void *), void *arg);

/* A new fiber of a rank, ready to run. It ends when fn returns;
 * sched_fiber_free then gives its memory back. */
struct fiber *sched_spawn(int rank, void (*fn)(void *), void *arg);
int sched_fiber_done(const struct fiber *f);
void sched_fiber_free(struct fiber *f);
uint64_t sched_fiber_key(const struct fiber *f); /* woken at its end */
int sched_fiber_id(const struct fiber *f);
/* The fiber's copy of the thread-local memory of the ranks' library. */
void **sched_fiber_locals(struct fiber *f);

/* Say that the job has advanced: a message was sent, bytes were read or
 * written, or a step of the program ended. */
void sched_accomplished(void);
/* The same until a time: a server is busy until then. */
void sched_busy_until(int64_t time);

/* Messages that the running rank sends from now on are the program's own, and
 * not counted (on), or are counted again. */
void sched_uncounted(int on);

/* The running rank has come to the end of a phase of the program. */
void sched_phase(const char *name);
extern void (*sched_phase_told)(const char *name);

/* A rank does nothing from a time on for so long, as after SIGSTOP. */
void sched_stop(int rank, int64_t at, int64_t ns);
/* Is any rank stopped now? */
int sched_some_stopped(void);

/* A rank dies here and now: none of its fibers runs any more. */
void sched_kill(int rank);
int sched_is_killed(int rank);
/* All ranks are dead and may be spawned anew, as those of another job. */
void sched_next_job(void);
int sched_job(void); /* its number, from 1 on */

enum sched_end { SCHED_DONE, SCHED_HANG, SCHED_UNTIL, SCHED_FAILED };

/* Run until every fiber has ended. *why becomes a static text. */
enum sched_end sched_run(const char **why);

/* End the simulation with SCHED_FAILED, and this reason. */
void sched_fail(const char *why) __attribute__((noreturn));

/* Print what each fiber that has not ended waits for, one line each. */
void sched_report(int most);

struct sched_counts {
    uint64_t events, switches, preempted;
    uint64_t hash; /* of all events in order: equal runs have equal ones */
};
extern struct sched_counts sched_counts;
void sched_hash(uint64_t value);

/* Let other ranks run here, if the seed says so. */
void sched_preempt(void);
extern int64_t sched_preempt_left; /* hooks until the next one */

#endif
