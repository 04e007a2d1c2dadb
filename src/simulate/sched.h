/* sched.h - ranks and their threads as fibers in virtual time
 *
 * One real thread runs everything. A fiber runs until it sleeps or blocks; what
 * runs next is the earliest event, and among events of one moment the seed
 * decides. Time passes only between events: a running fiber is charged for what
 * it does (sched_charge) and the charge delays what it causes.
 *
 * A job hangs if no event is left while a fiber is not at its end, or if no
 * deed is done (sched_accomplished) for a long time while fibers poll.
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
/* Called by whatever a program may do in a loop: others get their turn. */
void sched_catch_up(void);
void sched_sleep(int64_t ns);

/* Sleep until sched_wake(key) or until `limit` ns have passed (< 0: no limit).
 * 1: the limit came first. `what` names the reason in reports. */
int sched_block(uint64_t key, int64_t limit, const char *what);
/* Wake up to `most` fibers in the order they came; how many there were. */
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

/* Something was done that a job cannot do for ever: a message was sent, bytes
 * were read or written, a step of the program ended. */
void sched_accomplished(void);
/* The same until a time: a server works so long. */
void sched_busy_until(int64_t time);

/* Messages that the running rank sends from now on are the program's own, and
 * not counted (on), or are counted again. */
void sched_uncounted(int on);

/* The program has come to the end of a phase. */
void sched_phase(const char *name);
extern void (*sched_phase_told)(const char *name);

/* A rank does nothing from a time on for so long, as after SIGSTOP. */
void sched_stop(int rank, int64_t at, int64_t ns);
/* Whether a rank is stopped now. */
int sched_some_stopped(void);

/* A rank dies here and now: none of its fibers runs any more. */
void sched_kill(int rank);
int sched_is_killed(int rank);
/* All ranks are dead and may be spawned anew, as those of another job. */
void sched_next_job(void);
int sched_job(void); /* its number, from 1 on */

enum sched_end { SCHED_DONE, SCHED_HANG, SCHED_UNTIL, SCHED_FAILED };

/* Run until every fiber is at its end. `why` gets a text of static life. */
enum sched_end sched_run(const char **why);

/* Stop the world with SCHED_FAILED: something is wrong. */
void sched_fail(const char *why) __attribute__((noreturn));

/* What the fibers that are not at their end wait for, one line each. */
void sched_report(int most);

struct sched_counts {
    uint64_t events, switches, preempted;
    uint64_t hash; /* of all events in order: equal runs have equal ones */
};
extern struct sched_counts sched_counts;
void sched_hash(uint64_t value);

/* Let other ranks run here, as the seed wants. */
void sched_preempt(void);
extern int64_t sched_preempt_left; /* hooks until the next one */

#endif
