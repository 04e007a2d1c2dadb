/* access.h - views and requests of all ranks, and the bytes they mean */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ORACLE_ACCESS_H
#define ORACLE_ACCESS_H

#include "typegen.h"

#define MAX_RANKS 16
#define SPAN_MAX (INT64_C(24) << 20) /* of one call in the file */

struct view {
    int64_t disp;
    struct recipe *etype, *filetype;
    int64_t size, extent, pieces; /* of the filetype */
};

/* The views of all ranks, set by one call. */
struct views {
    struct view of[MAX_RANKS];
    int64_t etype_size;
    int same;    /* on all ranks: shared file pointers may be used */
    int overlap; /* a tile begins before the one before it ends */
    const char *style;
};

/* One rank's part of one call. */
struct request {
    const struct view *view;
    int active;  /* takes part: independent calls only */
    int64_t pos; /* etypes of the view before the data */
    int64_t bytes;
    struct recipe *type; /* of the memory */
    int count;
};

/* What the file is like, for views. */
struct terrain {
    int n;          /* ranks */
    int64_t base;   /* where the interesting part begins */
    int64_t want;   /* bytes a rank, about */
    int64_t pieces; /* of a rank, at most about */
    int64_t unit;   /* all places and lengths are multiples; 0: of the etype */
    int overlap;    /* views that overlap themselves: for reading only */
    int gaps;       /* memory with wide gaps */
    int large;      /* calls fill buffers more than once */
};

void views_make(struct rng *rng, struct arena *arena, const struct terrain *t,
                struct views *out);
/* Memory for about `bytes` (a multiple of `etype`). */
struct memory {
    int64_t bytes, etype;
    int64_t pieces; /* at most about */
    int gaps;       /* wide ones */
};
/* Sets type, count, bytes. */
void memory_make(struct rng *rng, struct arena *arena, const struct memory *m,
                 struct request *out);

/* A run of bytes, contiguous in the file and in memory. */
struct run {
    int64_t file, mem, len;
};
struct runs {
    struct run *run;
    int64_t n, room;
    int64_t mem_low, mem_high; /* bytes of memory touched */
};

/* The request's bytes in the order of the data. */
void request_runs(const struct request *q, struct runs *out);
void runs_free(struct runs *runs);

#endif
