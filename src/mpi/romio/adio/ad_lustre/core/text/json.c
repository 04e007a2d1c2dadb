/* json.c - write JSON into a strbuf, with the commas where they belong */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "json.h"

#include <inttypes.h>

/* Length of the UTF-8 sequence at p, 0: none. Surrogates and overlong forms
 * are none. */
static int utf8_length(const unsigned char *p)
{
    int n = p[0] < 0x80   ? 1
            : p[0] < 0xc2 ? 0
            : p[0] < 0xe0 ? 2
            : p[0] < 0xf0 ? 3
            : p[0] < 0xf5 ? 4
                          : 0;

    for (int i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90))
        return 0;
    return n;
}

static void put_quoted(struct adl_strbuf *sb, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    int n;

    adl_strbuf_putc(sb, '"');
    for (; *p; p += n > 0 ? n : 1) {
        n = utf8_length(p);
        if (n == 0)
            adl_strbuf_puts(sb, "\\ufffd");
        else if (*p < ' ' || *p == 0x7f)
            adl_strbuf_printf(sb, "\\u%04x", *p);
        else if (*p == '"' || *p == '\\')
            adl_strbuf_printf(sb, "\\%c", *p);
        else
            adl_strbuf_add(sb, p, n);
    }
    adl_strbuf_putc(sb, '"');
}

static void begin_member(struct adl_json *j, const char *key)
{
    if (j->depth > 0 && j->members[j->depth - 1]++)
        adl_strbuf_putc(j->sb, ',');
    if (key) {
        put_quoted(j->sb, key);
        adl_strbuf_putc(j->sb, ':');
    }
}

void adl_json_open(struct adl_json *j, const char *key, char kind)
{
    begin_member(j, key);
    adl_strbuf_putc(j->sb, kind);
    j->closer[j->depth] = kind == '{' ? '}' : ']';
    j->members[j->depth++] = 0;
}

void adl_json_close(struct adl_json *j)
{
    adl_strbuf_putc(j->sb, j->closer[--j->depth]);
}

void adl_json_int(struct adl_json *j, const char *key, int64_t value)
{
    begin_member(j, key);
    adl_strbuf_printf(j->sb, "%" PRId64, value);
}

void adl_json_double(struct adl_json *j, const char *key, double value)
{
    begin_member(j, key);
    adl_strbuf_printf(j->sb, "%.3f", value);
}

void adl_json_bool(struct adl_json *j, const char *key, int value)
{
    begin_member(j, key);
    adl_strbuf_puts(j->sb, value ? "true" : "false");
}

void adl_json_text(struct adl_json *j, const char *key, const char *text)
{
    begin_member(j, key);
    if (text)
        put_quoted(j->sb, text);
    else
        adl_strbuf_puts(j->sb, "null");
}
