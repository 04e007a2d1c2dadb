/* reader.h - the lines of a file, compressed or not
 *
 * One buffer of fixed size; a line that does not fit is handed out cut and its
 * rest skipped, so that a file without newlines costs no memory.
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

/* 1 and a line, 0 at the end, or -errno with the cause in err (a damaged gzip
 * file: what came before was handed out). */
int lp_reader_next(struct lp_reader *r, struct lp_read_line *out,
                   struct adl_err *err);

/* All that is left, at most `max` bytes: -EFBIG beyond. */
int lp_reader_slurp(struct lp_reader *r, size_t max, struct adl_strbuf *out,
                    struct adl_err *err);

/* Number of the last line, from 1. */
uint64_t lp_reader_number(const struct lp_reader *r);
/* Bytes handed out so far, and the part of the file that is read: 0 to 1, or -1
 * where the size is not known. */
uint64_t lp_reader_bytes(const struct lp_reader *r);
double lp_reader_part(const struct lp_reader *r);

#endif
