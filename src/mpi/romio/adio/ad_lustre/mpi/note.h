/* note.h - what nodes tell an aggregator before data comes
 *
 * Windows that a node's ranks filled for an aggregator elsewhere travel as one
 * message each, announced by a note. A note also says how far the node has
 * come: it will announce no window below `frontier` any more. The last note has
 * frontier ADL_WINDOW_NONE. An aggregator can take all notes at once, they are
 * small; the data waits at the sender until its window is free.
 */
#ifndef ADL_NOTE_H
#define ADL_NOTE_H

#include <stdint.h>

#define ADL_TAG_NOTE 1
#define ADL_TAG_DATA 2
#define ADL_TAG_ANSWER 3

struct adl_note {
    int64_t window; /* ADL_WINDOW_NONE: no data, only the frontier */
    int64_t frontier;
    int64_t start;  /* one run: its place in the window */
    int64_t bytes;  /* of the data message */
    int32_t node;   /* who speaks */
    int32_t packed; /* 0: one run, bare; 1: pattern size, pattern, runs */
};

#endif
