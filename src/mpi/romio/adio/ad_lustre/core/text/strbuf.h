/* strbuf.h - a string that grows
 *
 * Errors stick: after a failed allocation every call is a no-op and `err` is
 * -ENOMEM, so that a writer of many lines checks once, at the end.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_STRBUF_H
#define ADL_STRBUF_H

#include <stddef.h>

struct adl_strbuf {
    char *text; /* never NULL once something was added; ends in '\0' */
    size_t len; /* without the '\0' */
    size_t cap;
    int err; /* 0 or -ENOMEM */
};

#define ADL_STRBUF_INIT \
    {                   \
        NULL, 0, 0, 0   \
    }

/* Append. Bytes may contain '\0' (used by the packers). */
void adl_strbuf_add(struct adl_strbuf *sb, const void *bytes, size_t len);
void adl_strbuf_puts(struct adl_strbuf *sb, const char *text);
void adl_strbuf_putc(struct adl_strbuf *sb, char c);
void adl_strbuf_printf(struct adl_strbuf *sb, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The text, "" when nothing was added. Valid until the next append. */
const char *adl_strbuf_text(const struct adl_strbuf *sb);

/* Free the text; sb is empty and usable again. */
void adl_strbuf_release(struct adl_strbuf *sb);

#endif
