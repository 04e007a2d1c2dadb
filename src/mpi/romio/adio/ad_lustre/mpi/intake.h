/* intake.h - an aggregator takes in what other nodes send */
#ifndef ADL_INTAKE_H
#define ADL_INTAKE_H

struct adl_engine;
struct adl_serve;
struct adl_intake;

/* Local. 0 or -errno. */
int adl_intake_create(struct adl_engine *eng, struct adl_intake **out);
void adl_intake_destroy(struct adl_intake *in); /* accepts NULL */

/* Local. A new call. What arrives goes into the windows of our own sink;
 * `serve` is told which windows other nodes may still touch. */
void adl_intake_begin(struct adl_intake *in, struct adl_serve *serve);
/* Local. Receive what can be received. 1: nothing more will come. */
int adl_intake_step(struct adl_intake *in);
/* Local. First error (a message that makes no sense, no memory), 0 or -errno.
 */
int adl_intake_error(const struct adl_intake *in);

#endif
