/* readahead.c - what a client reads ahead */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "readahead.h"

#include <string.h>

#define LOOSE (32ULL << 10) /* so far off still counts as contiguous */

static int is_strided(const struct sim_readahead *ra)
{
    return ra->strides > 1;
}

static void forget_stride(struct sim_readahead *ra)
{
    ra->strides = 0;
    ra->stride = ra->stride_bytes = ra->stride_from = 0;
}

static void reset_window(struct sim_readahead *ra, uint64_t pos)
{
    ra->in_a_row = 0;
    ra->run = 0;
    ra->window = 0;
    ra->start = ra->next = pos;
}

static int is_near(const struct sim_readahead *ra, uint64_t pos)
{
    return pos + LOOSE >= ra->last_end && pos <= ra->last_end + LOOSE;
}

/* Does the read fit into the stride seen so far? */
static int keeps_stride(const struct sim_readahead *ra, uint64_t pos,
                        uint64_t len)
{
    if (!ra->stride || !ra->stride_bytes || ra->stride == ra->stride_bytes)
        return 0;
    if (pos == ra->last_end)
        return ra->run + len <= ra->stride_bytes;
    return pos > ra->last_end &&
           pos - ra->last_end == ra->stride - ra->stride_bytes &&
           ra->run == ra->stride_bytes && len <= ra->stride_bytes;
}

/* A jump: perhaps the first step of a stride. */
static void suspect_stride(struct sim_readahead *ra, uint64_t pos)
{
    if (ra->strides || pos < ra->last_end) {
        forget_stride(ra);
        return;
    }
    ra->stride_bytes = ra->run;
    ra->stride = pos - ra->last_end + ra->run;
    ra->stride_from = pos;
    ra->strides = 1;
}

static void detect(struct sim_readahead *ra, uint64_t pos, uint64_t len)
{
    int kept = keeps_stride(ra, pos, len);
    int step = !is_near(ra, pos) && kept;

    if (!is_near(ra, pos) && !kept) {
        suspect_stride(ra, pos);
        reset_window(ra, pos);
    } else if (step) {
        ra->run = 0;
        ra->in_a_row = 0;
        ra->strides++;
    } else if (is_strided(ra) && !kept) {
        forget_stride(ra);
        ra->window = 0;
        ra->next = pos;
    }
    ra->run += len;
    ra->grow = ra->in_a_row > 1 || (step && is_strided(ra));
    ra->last_end = pos + len;
}

void sim_readahead_enter(struct sim_readahead *ra, uint64_t pos, uint64_t len,
                         uint64_t size)
{
    ra->reads++;
    ra->in_a_row++;
    ra->grow = 0;
    ra->whole = ra->reads >= 2 && size <= SIM_RA_WHOLE;
    if (ra->whole) {
        ra->start = ra->next = 0;
        ra->window = SIM_RA_WHOLE;
    } else {
        detect(ra, pos, len);
    }
}

/* The window grows by an RPC's worth of wanted bytes. */
static void grow_strided(struct sim_readahead *ra)
{
    uint64_t end = ra->start + ra->window, more = ra->rpc, window = ra->window;
    uint64_t in =
        end > ra->stride_from ? (end - ra->stride_from) % ra->stride : 0;

    if (in < ra->stride_bytes) {
        uint64_t rest = ra->stride_bytes - in;

        if (rest >= more) {
            ra->window += more;
            return;
        }
        window += rest;
        more -= rest;
    } else {
        window += ra->stride - in;
    }
    window += more / ra->stride_bytes * ra->stride + more % ra->stride_bytes;
    if (window / ra->stride * ra->stride_bytes <= SIM_RA_MAX || !ra->window)
        ra->window = window;
}

static void grow_window(struct sim_readahead *ra, uint64_t pos)
{
    if (!ra->grow)
        return;
    ra->grow = 0;
    if (is_strided(ra)) {
        ra->start = pos;
        grow_strided(ra);
        return;
    }
    ra->start = pos - pos % ra->rpc;
    if (ra->window + ra->rpc <= SIM_RA_MAX)
        ra->window += ra->rpc;
}

/* Whole RPCs; what is left of the file after that goes along if it is less
 * than one. */
static uint64_t window_end(const struct sim_readahead *ra, uint64_t size)
{
    uint64_t end = ra->start + ra->window;

    if (!ra->window)
        return 0;
    return end + ra->rpc > size ? size : end - end % ra->rpc;
}

static void describe(const struct sim_readahead *ra, uint64_t from, uint64_t to,
                     struct sim_ahead *out)
{
    memset(out, 0, sizeof(*out));
    out->from = from;
    out->to = to;
    if (!is_strided(ra) || ra->whole)
        return;
    out->stride_from = ra->stride_from;
    out->stride = ra->stride;
    out->stride_bytes = ra->stride_bytes;
}

void sim_readahead_miss(struct sim_readahead *ra, uint64_t pos, uint64_t end,
                        uint64_t size, struct sim_ahead *out)
{
    uint64_t to;

    if (ra->whole) {
        describe(ra, 0, size, out);
        return;
    }
    /* Fetched once and gone again: begin anew. */
    if (ra->window && pos < ra->next && pos >= ra->start) {
        reset_window(ra, pos);
        ra->grow = 0;
    }
    grow_window(ra, pos);
    to = window_end(ra, size);
    describe(ra, pos, to > end ? to : end, out);
}

int sim_readahead_hit(struct sim_readahead *ra, uint64_t pos, uint64_t size,
                      struct sim_ahead *out)
{
    uint64_t far = SIM_RA_REMAIN;

    if (ra->whole)
        return 0;
    grow_window(ra, pos);
    if (is_strided(ra))
        far *= (ra->stride + ra->stride_bytes - 1) / ra->stride_bytes;
    if (!ra->window || ra->start + ra->window < ra->next + far ||
        ra->next >= size)
        return 0;
    describe(ra, ra->next, window_end(ra, size), out);
    return out->to > out->from;
}

void sim_readahead_fetched(struct sim_readahead *ra, uint64_t upto)
{
    if (upto > ra->next)
        ra->next = upto;
}
