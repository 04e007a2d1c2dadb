/* extras.h - what a case may have beside plain calls on one file
 *
 * A case draws some of the extras that --extras allows. Without any the random
 * choices are those of the plain generator, so that a seed found with
 * --extras none keeps its meaning when an extra is added.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ORACLE_EXTRAS_H
#define ORACLE_EXTRAS_H

#include <stddef.h>

enum extra {
    EXTRA_POOL = 1,   /* a small node buffer, and more data than it holds */
    EXTRA_CHANGE = 2, /* hints, atomicity and views between outstanding calls */
    EXTRA_GAPS = 4,   /* memory with gaps as wide as the data, ghost layers */
    EXTRA_OVERLAP =
        8, /* files open for reading: views that overlap themselves */
    EXTRA_UNEVEN = 16, /* one rank or one node has most of the data */
    EXTRA_FILES = 32,  /* two or three files, with calls outstanding on all */
    EXTRA_STOP = 64,   /* a rank is stopped for a while, again and again */
    EXTRA_ALL = 127,
};

/* A list of names, "all" or "none". -1: an unknown name. */
int extras_parse(const char *text, int *out);
/* The inverse. */
void extras_print(int extras, char *text, size_t room);

#endif
