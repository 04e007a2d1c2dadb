/* reader.h - the lines of a file, compressed or not
 *
 * It has one buffer of fixed size. A line that does not fit is cut and its rest
 * skipped, so that a file without newlines needs no more memory.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_READER_H
#define LP_READER_H

#include <stddef.h>
#include <stdint.h>

#include "core/text/err.h"
#include "core/text/strbuf.h"

#define LP_LINE_MAX 65536

struct lp_reader;

struct lp_read_line {
    const char *at; /* without newline; valid until the next call */
    size_t len;
    int cut;  /* longer than LP_LINE_MAX: the rest is dropped */
    int open; /* the file ends without a newline here */
};

/* path "-": standard input. gzip files are recognised by their content. */
int lp_reader_open(const char *path, struct lp_reader **out,
                   struct adl_err *err);
void lp_reader_close(struct lp_reader *r);

/* 1 and a line; 0 at the end; or -errno with the cause in err. Of a damaged
 * gzip file the lines before the damage are returned first. */
int lp_reader_next(struct lp_reader *r, struct lp_read_line *out,
                   struct adl_err *err);

/* Begin again with the first line. Of a pipe only while all that was read is in
 * the buffer (512 KiB), and only once; -ESPIPE else. */
int lp_reader_again(struct lp_reader *r);

/* Read the rest of the file. -EFBIG: it has more than `max` bytes. */
int lp_reader_slurp(struct lp_reader *r, size_t max, struct adl_strbuf *out,
                    struct adl_err *err);

/* Number of the last line, from 1. */
uint64_t lp_reader_number(const struct lp_reader *r);
/* lp_reader_bytes: bytes returned so far. lp_reader_part: the part of the file
 * that is read, 0 to 1, or -1 if the size is unknown. */
uint64_t lp_reader_bytes(const struct lp_reader *r);
double lp_reader_part(const struct lp_reader *r);

#endif
