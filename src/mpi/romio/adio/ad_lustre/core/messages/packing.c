/* packing.c - copies runs of a window or of the user's memory to and from
 * messages */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "packing.h"

#include "usercopy.h"

#include <errno.h>
#include <string.h>

#include "../text/minmax.h"

/* The next piece, not beyond the limits. */
static int next_piece(struct adl_extents *ext, const struct adl_pack_limit *lim,
                      int64_t bytes, struct adl_piece *piece)
{
    int64_t at = adl_extents_at(ext), room = lim->bytes - bytes;
    int64_t end = lim->end;

    if (at >= end || room <= 0)
        return 0;
    if (end - at > room)
        end = at + room;
    return adl_extents_next(ext, end, piece);
}

int adl_pack_describe(struct adl_extents *ext, int64_t shift,
                      const struct adl_pack_limit *limit,
                      struct adl_pattern *pat, struct adl_pack *out)
{
    struct adl_extents begin = *ext;
    int64_t last = -1;
    struct adl_piece piece;
    int rc = 0;

    *out = (struct adl_pack){.contig = 1};
    adl_pattern_reset(pat);
    while (rc == 0 && out->runs < limit->runs && adl_extents_at(ext) >= last &&
           next_piece(ext, limit, out->bytes, &piece)) {
        if (out->bytes == 0) {
            out->start = piece.off;
            out->mem = piece.mem;
        } else if (piece.mem != out->mem + out->bytes) {
            out->contig = 0;
        }
        out->runs += piece.off != last;
        last = piece.off + piece.len;
        out->bytes += piece.len;
        rc = adl_pattern_add(pat, piece.off + shift, piece.len);
    }
    if (rc == 0)
        rc = adl_pattern_finish(pat, &out->pattern, &out->pattern_size);
    if (rc < 0)
        *ext = begin;
    return rc;
}

/* One direction or the other; without `packed` the runs are only marked. */
struct move {
    char *window;
    char *packed;
    int64_t left; /* bytes of packed */
    int64_t done;
    int out; /* window -> packed */
};

static int copy_run(struct move *m, int64_t off, int64_t len)
{
    m->done += len;
    if (!m->packed)
        return 0;
    if (len > m->left)
        return -EPROTO;
    if (m->out)
        memcpy(m->packed, m->window + off, (size_t)len);
    else
        memcpy(m->window + off, m->packed, (size_t)len);
    m->packed += len;
    m->left -= len;
    return 0;
}

static struct adl_pattern_iter first_run(const struct adl_runs_of *runs)
{
    struct adl_pattern_iter it;

    adl_pattern_open(&it, runs->pattern, runs->size, runs->window);
    return it;
}

/* As adl_pattern_next: 1, 0 at the end, or -EPROTO. */
static int next_run(const struct adl_runs_of *runs, struct adl_pattern_iter *it,
                    int64_t *off, int64_t *len)
{
    int more = adl_pattern_next(it, off, len);

    return more > 0 && *off < runs->low ? -EPROTO : more;
}

static int move_runs(const struct adl_runs_of *runs, struct move *m,
                     struct adl_cover *cover)
{
    struct adl_pattern_iter it = first_run(runs);
    struct adl_cover_pen pen;
    int64_t off, len;
    int more, rc = 0;

    if (cover)
        adl_cover_pen_begin(&pen, cover);
    while (rc == 0 && (more = next_run(runs, &it, &off, &len)) != 0) {
        if (more > 0 && cover && !adl_cover_aligned(cover, off, len))
            more = -EPROTO;
        rc = more < 0 ? more : copy_run(m, off, len);
        if (rc == 0 && cover)
            adl_cover_pen_add(&pen, off, len);
    }
    if (cover)
        adl_cover_pen_flush(&pen);
    return rc < 0 ? rc : m->left > 0 ? -EPROTO : 0;
}

int adl_pack_gather(const struct adl_runs_of *runs, const char *window,
                    char *packed, int64_t bytes)
{
    struct move m = {(char *)window, packed, bytes, 0, 1};

    return move_runs(runs, &m, NULL);
}

int adl_pack_scatter(const struct adl_runs_of *runs, const char *packed,
                     int64_t bytes, char *window, struct adl_cover *cover)
{
    struct move m = {window, (char *)packed, bytes, 0, 0};

    return move_runs(runs, &m, cover);
}

int adl_pack_mark(const struct adl_runs_of *runs, struct adl_cover *cover,
                  int64_t *bytes)
{
    struct move m = {0};
    int rc = move_runs(runs, &m, cover);

    *bytes = m.done;
    return rc;
}

/* The run of a list that a place lies in, and where its bytes are packed. */
struct finger {
    struct adl_pattern_iter it;
    int64_t off, len, at;
};

static int finger_to(struct finger *f, int64_t off)
{
    while (off >= f->off + f->len) {
        f->at += f->len;
        if (adl_pattern_next(&f->it, &f->off, &f->len) != 1)
            return -EPROTO;
    }
    return off < f->off ? -EPROTO : 0;
}

int64_t adl_pack_pick(const struct adl_runs_of *runs, const char *packed,
                      int64_t got, struct adl_extents *ext, int64_t shift,
                      const struct adl_pack_limit *limit, char *user)
{
    struct finger f = {.it = first_run(runs)};
    struct adl_piece piece;
    int64_t seen = 0, copied = 0;

    while (next_piece(ext, limit, seen, &piece)) {
        int64_t at, n = piece.len;

        seen += n;
        if (finger_to(&f, piece.off + shift) < 0)
            break;
        at = f.at + (piece.off + shift - f.off);
        n = n < got - at ? n : got - at;
        if (n <= 0)
            continue;
        adl_usercopy_out(user + piece.mem, packed + at, (size_t)n);
        copied += n;
    }
    return copied;
}

int64_t adl_pack_single(const struct adl_runs_of *runs, int64_t *len)
{
    struct adl_pattern_iter it = first_run(runs);
    int64_t off, more_off, more_len;

    if (next_run(runs, &it, &off, len) != 1)
        return -1;
    return adl_pattern_next(&it, &more_off, &more_len) == 0 ? off : -1;
}

int64_t adl_pack_before(const struct adl_runs_of *runs, int64_t cut)
{
    struct adl_pattern_iter it = first_run(runs);
    int64_t off, len, sum = 0;

    while (adl_pattern_next(&it, &off, &len) == 1 && off < cut)
        sum += adl_min(len, cut - off);
    return sum;
}

int adl_pack_covered(const struct adl_runs_of *runs,
                     const struct adl_cover *cover)
{
    struct adl_pattern_iter it = first_run(runs);
    int64_t off, len;

    while (adl_pattern_next(&it, &off, &len) == 1)
        if (!adl_cover_full(cover, off, len))
            return 0;
    return 1;
}

/* The next piece that is packed, at most `left` bytes of it. */
static int packed_piece(struct adl_extents *ext, int64_t end, int64_t left,
                        struct adl_piece *piece)
{
    struct adl_pack_limit limit = {end, left, 0};

    return next_piece(ext, &limit, 0, piece);
}

void adl_pack_from_user(struct adl_extents *ext, int64_t end, const char *user,
                        char *packed, int64_t bytes)
{
    struct adl_piece piece;

    while (packed_piece(ext, end, bytes, &piece)) {
        adl_usercopy_in(packed, user + piece.mem, (size_t)piece.len);
        packed += piece.len;
        bytes -= piece.len;
    }
}

void adl_pack_to_user(struct adl_extents *ext, int64_t end, char *user,
                      const char *packed, int64_t bytes)
{
    struct adl_piece piece;

    while (packed_piece(ext, end, bytes, &piece)) {
        adl_usercopy_out(user + piece.mem, packed, (size_t)piece.len);
        packed += piece.len;
        bytes -= piece.len;
    }
}
