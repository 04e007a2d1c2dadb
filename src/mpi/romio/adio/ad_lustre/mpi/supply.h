/* supply.h - an aggregator sends other nodes what they wish for */
#ifndef ADL_SUPPLY_H
#define ADL_SUPPLY_H

struct adl_engine;
struct adl_serve;
struct adl_supply;

/* Local. 0 or -errno. */
int adl_supply_create(struct adl_engine *eng, struct adl_supply **out);
void adl_supply_destroy(struct adl_supply *sup); /* accepts NULL */

/* Local. A new call. Wishes go into the windows of our own sink; `serve` is
 * told which windows other nodes may still wish for, and which they have. */
void adl_supply_begin(struct adl_supply *sup, struct adl_serve *serve);
/* Local. Move what can be moved. 1: nothing more will come. */
int adl_supply_step(struct adl_supply *sup);
/* Local. First error, 0 or -errno. */
int adl_supply_error(const struct adl_supply *sup);

#endif
