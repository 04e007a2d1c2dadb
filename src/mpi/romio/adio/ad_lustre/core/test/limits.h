/* limits.h - numbers of the engine that core does not see
 *
 * test/scale.c reckons with them; node/test/pool.c sees that they are the
 * engine's.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TEST_LIMITS_H
#define ADL_TEST_LIMITS_H

#define LIMIT_POOL_DEFAULT (64 << 20) /* the node's memory for messages */
#define LIMIT_SEAT 640                /* of a rank in the segment */
#define LIMIT_WINDOWS 384             /* of an aggregator */
#define LIMIT_NODE_STATE 512          /* of the node */

#endif
