/* err.c - the text that goes with an error */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "err.h"

#include <stdarg.h>
#include <stdio.h>

int adl_err_set(struct adl_err *err, int rc, const char *fmt, ...)
{
    va_list ap;

    if (!err)
        return rc;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    return rc;
}
