/* tags.h - the tags of the driver's messages on a file's communicator
 *
 * All are below 32767, which every MPI allows. ROMIO's own messages have tag 0.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TAGS_H
#define ADL_TAGS_H

#define ADL_TAG_HEADER 1     /* of messages to aggregators: transport/wire.h */
#define ADL_TAG_DIRECT 1000  /* + place in a rank's list: a part's bytes */
#define ADL_TAG_PARTS 2000   /* + place in a forwarding rank's list */
#define ADL_TAG_REPLY 3000   /* ... the bytes that it has asked for */
#define ADL_TAG_TELL 24000   /* on a node, see team.h */
#define ADL_TAG_REDUCE 24001 /* among leaders: + kind, see reduce.h */

#endif
