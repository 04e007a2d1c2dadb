/* reader.c - the lines of a file, compressed or not */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define BUFFER (1 << 19) /* several times a line, and in the cache */
/* A call that meets damage hands out nothing: what a compressed file says
 * before it is asked for in small parts. */
#define SALVAGE 16384

struct lp_reader {
    gzFile file;
    off_t size; /* of the file as it lies there; 0: not known */
    uint64_t number, bytes;
    size_t from, to; /* what of buf is not handed out yet */
    int ended;
    int skipping; /* the rest of a line that was cut */
    int whole;    /* buf begins with the first byte of the file */
    char buf[BUFFER];
};

static int open_file(const char *path, struct adl_err *err)
{
    int fd;

    if (strcmp(path, "-") == 0)
        fd = dup(STDIN_FILENO);
    else
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return adl_err_set(err, -errno, "%s: %s", path, strerror(errno));
    return fd;
}

int lp_reader_open(const char *path, struct lp_reader **out,
                   struct adl_err *err)
{
    struct lp_reader *r = malloc(sizeof(*r));
    int fd = r ? open_file(path, err)
               : adl_err_set(err, -ENOMEM, "%s: no memory", path);
    struct stat st;

    if (fd < 0) {
        free(r);
        return fd;
    }
    r->file = gzdopen(fd, "rb");
    if (!r->file) {
        close(fd);
        free(r);
        return adl_err_set(err, -ENOMEM, "%s: no memory", path);
    }
    gzbuffer(r->file, SALVAGE);
    r->size = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : 0;
    r->number = r->bytes = 0;
    r->from = r->to = 0;
    r->ended = r->skipping = 0;
    r->whole = 1;
    *out = r;
    return 0;
}

void lp_reader_close(struct lp_reader *r)
{
    if (!r)
        return;
    gzclose(r->file);
    free(r);
}

int lp_reader_again(struct lp_reader *r)
{
    if (!r->whole && gzrewind(r->file) != 0)
        return -ESPIPE;
    if (!r->whole)
        r->to = 0;
    r->from = 0;
    r->number = r->bytes = 0;
    r->ended = r->skipping = r->whole = 0;
    return 0;
}

/* What is left moves to the front, unless the beginning is still wanted and
 * there is room. */
static void move_up(struct lp_reader *r)
{
    if (r->whole && r->to < sizeof(r->buf))
        return;
    memmove(r->buf, r->buf + r->from, r->to - r->from);
    r->to -= r->from;
    r->from = 0;
    r->whole = 0;
}

/* More bytes behind those that are left. 0 or -errno; at the end of the file
 * `ended` is set. */
static int fill(struct lp_reader *r, struct adl_err *err)
{
    size_t room;
    int n, code;

    move_up(r);
    room = sizeof(r->buf) - r->to;
    if (room > SALVAGE && !gzdirect(r->file))
        room = SALVAGE;
    n = gzread(r->file, r->buf + r->to, (unsigned)room);
    if (n > 0)
        r->to += (size_t)n;
    else
        r->ended = 1;
    if (!r->ended)
        return 0;
    (void)gzerror(r->file, &code);
    if (code == Z_OK || code == Z_STREAM_END)
        return 0;
    if (code == Z_ERRNO)
        return adl_err_set(err, -EIO, "%s", strerror(errno));
    return adl_err_set(err, -EBADMSG, "%s",
                       code == Z_BUF_ERROR ? "the gzip file ends early"
                                           : "the gzip file is damaged");
}

static size_t left(const struct lp_reader *r)
{
    return r->to - r->from;
}

/* Take n bytes out of the buffer. */
static void consume(struct lp_reader *r, size_t n)
{
    r->from += n;
    r->bytes += n;
}

static void hand_out(struct lp_reader *r, size_t len, struct lp_read_line *out)
{
    *out = (struct lp_read_line){.at = r->buf + r->from, .len = len};
    consume(r, len);
    r->number++;
}

/* Drop what is left of a line that was cut, newline included. */
static int skip_rest(struct lp_reader *r, struct adl_err *err)
{
    while (r->skipping) {
        char *newline = memchr(r->buf + r->from, '\n', left(r));
        int rc = 0;

        if (newline) {
            consume(r, (size_t)(newline + 1 - (r->buf + r->from)));
            r->skipping = 0;
            break;
        }
        consume(r, left(r));
        if (r->ended)
            r->skipping = 0;
        else
            rc = fill(r, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* A line out of the buffer: 1, or 0 when more bytes are needed for one. */
static int take_line(struct lp_reader *r, struct lp_read_line *out)
{
    size_t n = left(r) <= LP_LINE_MAX ? left(r) : LP_LINE_MAX + 1;
    char *newline = memchr(r->buf + r->from, '\n', n);

    if (newline) {
        hand_out(r, (size_t)(newline - (r->buf + r->from)), out);
        consume(r, 1);
    } else if (n > LP_LINE_MAX) {
        hand_out(r, LP_LINE_MAX, out);
        out->cut = r->skipping = 1;
    } else if (r->ended && n > 0) {
        hand_out(r, n, out);
        out->open = 1;
    } else {
        return 0;
    }
    return 1;
}

int lp_reader_next(struct lp_reader *r, struct lp_read_line *out,
                   struct adl_err *err)
{
    int rc = skip_rest(r, err);

    while (rc == 0 && !take_line(r, out)) {
        if (r->ended)
            return 0;
        rc = fill(r, err);
    }
    return rc < 0 ? rc : 1;
}

int lp_reader_slurp(struct lp_reader *r, size_t max, struct adl_strbuf *out,
                    struct adl_err *err)
{
    for (;;) {
        int rc;

        if (out->len + left(r) > max)
            return adl_err_set(err, -EFBIG, "larger than %zu bytes", max);
        adl_strbuf_add(out, r->buf + r->from, left(r));
        consume(r, left(r));
        if (r->ended)
            break;
        rc = fill(r, err);
        if (rc < 0)
            return rc;
    }
    if (out->err)
        return adl_err_set(err, out->err, "no memory");
    return 0;
}

uint64_t lp_reader_number(const struct lp_reader *r)
{
    return r->number;
}

uint64_t lp_reader_bytes(const struct lp_reader *r)
{
    return r->bytes;
}

double lp_reader_part(const struct lp_reader *r)
{
    z_off_t at = gzoffset(r->file);

    return r->size > 0 && at >= 0 ? (double)at / (double)r->size : -1;
}
