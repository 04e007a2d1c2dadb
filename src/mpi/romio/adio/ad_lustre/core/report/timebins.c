/* timebins.c - what one rank did to a file, over time */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "timebins.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct adl_bin *adl_bins_at(struct adl_bins *bins, int64_t ns)
{
    int64_t number = ns / bins->interval;
    struct adl_bin *more;
    size_t room;

    if (bins->count > 0 && bins->bin[bins->count - 1].number >= number)
        return &bins->bin[bins->count - 1];
    if (bins->count == bins->room) {
        room = bins->room ? 2 * bins->room : 16;
        more = realloc(bins->bin, room * sizeof(*more));
        if (!more)
            return NULL;
        bins->bin = more;
        bins->room = room;
    }
    more = &bins->bin[bins->count++];
    memset(more, 0, sizeof(*more));
    more->number = number;
    return more;
}

void adl_bins_release(struct adl_bins *bins)
{
    free(bins->bin);
    bins->bin = NULL;
    bins->count = bins->room = 0;
}

void adl_bins_csv_head(struct adl_strbuf *sb)
{
    adl_strbuf_puts(sb, "start_ms,file,write_calls,system_writes,bytes_written,"
                        "write_us,read_calls,system_reads,bytes_read,"
                        "read_us\n");
}

/* As RFC 4180 wants it; a line break inside would break simpler readers. */
static void put_quoted_field(struct adl_strbuf *sb, const char *text)
{
    adl_strbuf_putc(sb, '"');
    for (; *text; text++) {
        if (*text == '"')
            adl_strbuf_putc(sb, '"');
        adl_strbuf_putc(sb, (unsigned char)*text < ' ' ? '?' : *text);
    }
    adl_strbuf_putc(sb, '"');
}

static void add_to_bin(struct adl_bin *to, const struct adl_bin *more)
{
    for (int d = 0; d < ADL_DIRS; d++) {
        to->dir[d].calls += more->dir[d].calls;
        to->dir[d].system += more->dir[d].system;
        to->dir[d].bytes += more->dir[d].bytes;
        to->dir[d].ns += more->dir[d].ns;
    }
}

static void put_bin(struct adl_strbuf *sb, const struct adl_bin *bin,
                    int64_t interval, const char *file)
{
    adl_strbuf_printf(sb, "%" PRId64 ",", bin->number * interval / 1000000);
    put_quoted_field(sb, file);
    for (int d = 0; d < ADL_DIRS; d++)
        adl_strbuf_printf(sb, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64,
                          bin->dir[d].calls, bin->dir[d].system,
                          bin->dir[d].bytes, (bin->dir[d].ns + 500) / 1000);
    adl_strbuf_putc(sb, '\n');
}

static const struct adl_bin *peek(const struct adl_bins *bins, size_t i)
{
    return i < bins->count ? &bins->bin[i] : NULL;
}

void adl_bins_csv(struct adl_strbuf *sb, const struct adl_bins *a,
                  const struct adl_bins *b, const char *file)
{
    const struct adl_bin *p, *q;
    struct adl_bin sum;
    size_t i = 0, j = 0;

    while ((p = peek(a, i)) || peek(b, j)) {
        q = peek(b, j);
        if (p && q && p->number == q->number) {
            sum = *p;
            add_to_bin(&sum, q);
            i++;
            j++;
        } else if (!q || (p && p->number < q->number)) {
            sum = *p;
            i++;
        } else {
            sum = *q;
            j++;
        }
        put_bin(sb, &sum, a->interval, file);
    }
}
