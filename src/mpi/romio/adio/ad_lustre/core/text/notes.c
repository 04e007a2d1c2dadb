/* notes.c - lines for the user: warnings and remarks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enough to say what is wrong with any sane setting, and a bound on what a
 * hostile one can make us keep. */
#define MAX_LINE 400
#define MAX_LINES 1000

/* Takes ownership of `line`. */
static void append_line(struct adl_notes *notes, char *line)
{
    char **more;

    if (notes->count >= MAX_LINES)
        goto drop;
    more = realloc(notes->line, sizeof(*more) * (size_t)(notes->count + 1));
    if (!more)
        goto drop;
    notes->line = more;
    notes->line[notes->count++] = line;
    return;
drop:
    free(line);
}

void adl_notes_add(struct adl_notes *notes, const char *fmt, ...)
{
    char text[MAX_LINE], *copy, *c;
    va_list ap;

    if (!notes)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    for (c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    if (adl_notes_has(notes, text))
        return;
    copy = strdup(text);
    if (copy)
        append_line(notes, copy);
}

bool adl_notes_has(const struct adl_notes *notes, const char *line)
{
    for (int i = 0; i < notes->count; i++)
        if (!strcmp(notes->line[i], line))
            return true;
    return false;
}

void adl_notes_fresh(struct adl_notes *notes, struct adl_notes *seen)
{
    int kept = 0;

    for (int i = 0; i < notes->count; i++) {
        char *line = notes->line[i];

        if (adl_notes_has(seen, line)) {
            free(line);
            continue;
        }
        adl_notes_add(seen, "%s", line);
        notes->line[kept++] = line;
    }
    notes->count = kept;
}

void adl_notes_release(struct adl_notes *notes)
{
    for (int i = 0; i < notes->count; i++)
        free(notes->line[i]);
    free(notes->line);
    *notes = (struct adl_notes)ADL_NOTES_INIT;
}
