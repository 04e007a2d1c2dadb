/* strbuf.c - a string that grows */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "strbuf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and the final '\0'. */
static int grow_text(struct adl_strbuf *sb, size_t more)
{
    size_t cap = sb->cap ? sb->cap : 128;
    char *text;

    if (sb->err)
        return sb->err;
    if (more > SIZE_MAX / 4 - sb->len)
        return sb->err = -ENOMEM;
    while (cap < sb->len + more + 1)
        cap *= 2;
    if (cap == sb->cap)
        return 0;
    text = realloc(sb->text, cap);
    if (!text)
        return sb->err = -ENOMEM;
    sb->text = text;
    sb->cap = cap;
    return 0;
}

void adl_strbuf_add(struct adl_strbuf *sb, const void *bytes, size_t len)
{
    if (grow_text(sb, len))
        return;
    if (len)
        memcpy(sb->text + sb->len, bytes, len);
    sb->len += len;
    sb->text[sb->len] = '\0';
}

void adl_strbuf_puts(struct adl_strbuf *sb, const char *text)
{
    adl_strbuf_add(sb, text, strlen(text));
}

void adl_strbuf_putc(struct adl_strbuf *sb, char c)
{
    adl_strbuf_add(sb, &c, 1);
}

void adl_strbuf_printf(struct adl_strbuf *sb, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0 || grow_text(sb, (size_t)n))
        return;
    va_start(ap, fmt);
    vsnprintf(sb->text + sb->len, (size_t)n + 1, fmt, ap);
    va_end(ap);
    sb->len += (size_t)n;
}

const char *adl_strbuf_text(const struct adl_strbuf *sb)
{
    return sb->text ? sb->text : "";
}

void adl_strbuf_release(struct adl_strbuf *sb)
{
    free(sb->text);
    *sb = (struct adl_strbuf)ADL_STRBUF_INIT;
}
