/* err.h - the text that goes with an error
 *
 * Functions return 0 or -errno. Parsers also take a struct adl_err; the first
 * function that knows the cause fills it, callers pass it on unchanged.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_ERR_H
#define ADL_ERR_H

struct adl_err {
    char text[160];
};

/* Format the text (truncated if too long) and return `rc`, so that a parser
 * can write: return adl_err_set(err, -EINVAL, "...", ...). err may be NULL. */
int adl_err_set(struct adl_err *err, int rc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
