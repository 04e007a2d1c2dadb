/* hintspec.c - per-file hints as written in MPICH_MPIIO_HINTS */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "hintspec.h"
#include "../text/fsprefix.h"
#include "../text/glob.h"
#include "../text/strbuf.h"
#include "../text/wordlist.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One key=value with the pattern it stands under. */
struct entry {
    char *pattern, *key, *value;
};

struct adl_hintspec {
    struct entry *entry;
    int count;
};

struct parser {
    const char *p;      /* what is left of the text */
    const char *source; /* begins every note */
    struct adl_notes *notes;
    struct adl_hintspec *spec;
};

/* ---- text ---------------------------------------------------------- */

/* Drop each `\` and keep what follows it. */
static void unescape(char *s)
{
    char *out = s;

    for (; *s; s++) {
        if (*s == '\\' && s[1])
            s++;
        *out++ = *s;
    }
    *out = '\0';
}

/* First unescaped `c` in s, or NULL. */
static char *find_bare(char *s, char c)
{
    for (; *s; s++) {
        if (*s == '\\' && s[1])
            s++;
        else if (*s == c)
            return s;
    }
    return NULL;
}

/* ---- parser -------------------------------------------------------- */

/* Copy the text up to the next bare ':' or ',' and step over that; returns the
 * delimiter, '\0' at the end. A '#' right behind the first '=' opens a quote in
 * which delimiters are ordinary; it ends at the next '#'. */
static char take_spec_part(struct parser *ps, struct adl_strbuf *part)
{
    enum { KEY, EQUAL, VALUE, QUOTE } at = KEY;
    char c;

    part->len = 0;
    adl_strbuf_puts(part, "");
    for (; (c = *ps->p); ps->p++) {
        if (at != QUOTE && (c == ':' || c == ','))
            break;
        if (at != QUOTE && c == '\\' && ps->p[1])
            adl_strbuf_putc(part, *ps->p++);
        else if (at == KEY && c == '=')
            at = EQUAL;
        else if (at == EQUAL && c == '#')
            at = QUOTE;
        else if (at == QUOTE && c == '#')
            at = VALUE;
        else if (at == EQUAL && !isspace((unsigned char)c))
            at = VALUE;
        adl_strbuf_putc(part, *ps->p);
    }
    if (c)
        ps->p++;
    return c;
}

static int add_pattern(struct adl_hintspec *spec, const char *pattern,
                       const char *key, const char *value)
{
    struct entry *more, *e;

    more = realloc(spec->entry, sizeof(*more) * (size_t)(spec->count + 1));
    if (!more)
        return -ENOMEM;
    spec->entry = more;
    e = &more[spec->count++];
    e->pattern = strdup(pattern);
    e->key = strdup(key);
    e->value = strdup(value);
    return e->pattern && e->key && e->value ? 0 : -ENOMEM;
}

/* The value between '#' and '#' (s points behind the first one). */
static void unquote(struct parser *ps, const char *pair, char *s)
{
    char *end = strchr(s, '#');

    if (!end) {
        if (strchr(s, '='))
            adl_notes_add(ps->notes, "%s: no closing # in '%s'", ps->source,
                          pair);
        return;
    }
    *end = '\0';
    if (*adl_word_trim(end + 1))
        adl_notes_add(ps->notes, "%s: ignored after the closing #: '%s'",
                      ps->source, adl_word_trim(end + 1));
}

/* part: key = value, not empty; it is taken apart in place. */
static int parse_pair(struct parser *ps, const char *pattern, char *part)
{
    char shown[120], *eq = find_bare(part, '='), *key, *value;

    snprintf(shown, sizeof(shown), "%s", part);
    if (!eq) {
        adl_notes_add(ps->notes,
                      "%s: '%s' (for '%s') is not key=value; wrap a value "
                      "with ':' or ',' in #...#, and write the ':' of a file "
                      "name \\:",
                      ps->source, shown, pattern);
        return 0;
    }
    *eq = '\0';
    key = adl_word_trim(part);
    value = adl_word_trim(eq + 1);
    unescape(key);
    if (*value == '#') {
        unquote(ps, shown, ++value);
        value = adl_word_trim(value);
    } else {
        unescape(value);
    }
    if (*key && *value)
        return add_pattern(ps->spec, pattern, key, value);
    adl_notes_add(ps->notes, "%s: '%s' (for '%s') has no %s", ps->source, shown,
                  pattern, *key ? "value" : "key");
    return 0;
}

/* Does `part`, which stands behind a ':', belong to the file's name before it?
 * A hint has a '=', and is a word: 00.nc of history_15:00:00.nc is neither. */
static bool continues_name(char *part)
{
    char *s = adl_word_trim(part);

    return !find_bare(s, '=') &&
           (isdigit((unsigned char)*s) || strpbrk(s, "./*?["));
}

/* The pattern of a spec; returns the delimiter behind it. A file system prefix,
 * and what continues_name() knows, is glued to what follows. */
static char take_pattern(struct parser *ps, struct adl_strbuf *pattern)
{
    char delim = take_spec_part(ps, pattern);
    struct adl_strbuf more = ADL_STRBUF_INIT;

    while (delim == ':' && !pattern->err) {
        const char *rest = ps->p;
        char next = take_spec_part(ps, &more);
        bool prefix = false;

        adl_strbuf_putc(pattern, ':');
        if (!pattern->err)
            prefix = adl_fsprefix_len(adl_word_trim(pattern->text));
        if (pattern->err || more.err ||
            !(continues_name(more.text) ||
              (prefix && !find_bare(more.text, '=')))) {
            ps->p = rest;
            pattern->text[--pattern->len] = '\0';
            break;
        }
        adl_strbuf_puts(pattern, more.text);
        delim = next;
    }
    adl_strbuf_release(&more);
    return delim;
}

static bool usable_pattern(struct parser *ps, char *pattern, bool has_pairs)
{
    if (!*pattern && has_pairs)
        adl_notes_add(ps->notes,
                      "%s: no file pattern before ':%.80s'; write *: for all",
                      ps->source, ps->p);
    else if (*pattern && find_bare(pattern, '='))
        adl_notes_add(ps->notes,
                      "%s: '%.80s' stands where a file pattern belongs; hints "
                      "of one pattern are separated by ':', and a '=' in a "
                      "file name is written \\=",
                      ps->source, pattern);
    else if (*pattern && !has_pairs)
        adl_notes_add(ps->notes, "%s: no hints for '%.80s'", ps->source,
                      pattern);
    else
        return *pattern != '\0';
    return false;
}

/* One spec: pattern and its pairs. Pairs under a broken pattern are skipped:
 * which files they were meant for is not known. */
static int parse_spec(struct parser *ps)
{
    struct adl_strbuf first = ADL_STRBUF_INIT, part = ADL_STRBUF_INIT;
    char delim = take_pattern(ps, &first);
    char *pattern = first.err ? NULL : adl_word_trim(first.text);
    bool usable = pattern && usable_pattern(ps, pattern, delim == ':');
    int rc = first.err;

    while (!rc && delim == ':') {
        delim = take_spec_part(ps, &part);
        rc = part.err;
        if (!rc && usable && *adl_word_trim(part.text))
            rc = parse_pair(ps, pattern, adl_word_trim(part.text));
    }
    adl_strbuf_release(&first);
    adl_strbuf_release(&part);
    return rc;
}

static int parse_text(struct parser *ps, const char *text)
{
    int rc = 0;

    ps->p = text;
    while (!rc && *ps->p)
        rc = parse_spec(ps);
    return rc;
}

/* A launcher's pair of quotes around the whole text. */
static char *strip_quotes(char *text)
{
    char *s = adl_word_trim(text);
    size_t len = strlen(s);

    if (len > 1 && (*s == '"' || *s == '\'') && s[len - 1] == *s) {
        s[len - 1] = '\0';
        s++;
    }
    return s;
}

int adl_hintspec_parse(const char *text, const char *source,
                       struct adl_notes *notes, struct adl_hintspec **out)
{
    struct parser ps = {NULL, source, notes, calloc(1, sizeof(*ps.spec))};
    char *copy = strdup(text);
    int rc = -ENOMEM;

    if (ps.spec && copy)
        rc = parse_text(&ps, strip_quotes(copy));
    free(copy);
    if (rc < 0)
        adl_hintspec_destroy(ps.spec);
    else
        *out = ps.spec;
    return rc;
}

/* Copy the next line of *content, continuation lines included, and step over
 * it; returns the number of lines taken, 0 at the end. */
static int take_line(const char **content, struct adl_strbuf *line)
{
    const char *p = *content;
    int lines = 0;

    line->len = 0;
    adl_strbuf_puts(line, "");
    while (*p) {
        size_t len = strcspn(p, "\n"), keep = len;
        bool more;

        if (keep && p[keep - 1] == '\r')
            keep--;
        more = keep && p[keep - 1] == '\\' && p[0] != '#';
        adl_strbuf_add(line, p, more ? keep - 1 : keep);
        p += len + (p[len] == '\n');
        lines++;
        if (!more)
            break;
    }
    *content = p;
    return lines;
}

int adl_hintspec_parse_lines(const char *content, const char *source,
                             struct adl_notes *notes, struct adl_hintspec **out)
{
    struct parser ps = {NULL, source, notes, calloc(1, sizeof(*ps.spec))};
    struct adl_strbuf line = ADL_STRBUF_INIT;
    int rc = ps.spec ? 0 : -ENOMEM, lines, at = 1;
    char where[240];

    while (!rc && (lines = take_line(&content, &line))) {
        snprintf(where, sizeof(where), "%s, line %d", source, at);
        ps.source = where;
        at += lines;
        rc = line.err;
        if (!rc && line.text[0] != '#')
            rc = parse_text(&ps, line.text);
    }
    adl_strbuf_release(&line);
    if (rc < 0)
        adl_hintspec_destroy(ps.spec);
    else
        *out = ps.spec;
    return rc;
}

void adl_hintspec_destroy(struct adl_hintspec *spec)
{
    if (!spec)
        return;
    for (int i = 0; i < spec->count; i++) {
        free(spec->entry[i].pattern);
        free(spec->entry[i].key);
        free(spec->entry[i].value);
    }
    free(spec->entry);
    free(spec);
}

/* ---- match --------------------------------------------------------- */

static bool name_matches(const char *pattern, const char *file)
{
    const char *bare = file + adl_fsprefix_len(file);
    const char *slash = strrchr(bare, '/');

    return adl_glob_match(pattern, file) || adl_glob_match(pattern, bare) ||
           (slash && adl_glob_match(pattern, slash + 1));
}

static bool holds(const struct entry *e, const char *file)
{
    size_t skip = adl_fsprefix_len(e->pattern);

    return name_matches(e->pattern, file) ||
           (skip && name_matches(e->pattern + skip, file));
}

/* Was this key given by an earlier entry that holds? */
static bool shadowed(const struct adl_hintspec *spec, int i, const char *file)
{
    for (int k = 0; k < i; k++)
        if (!strcmp(spec->entry[k].key, spec->entry[i].key) &&
            holds(&spec->entry[k], file))
            return true;
    return false;
}

void adl_hintspec_match(const struct adl_hintspec *spec, const char *file,
                        adl_hintspec_fn *fn, void *arg)
{
    for (int i = 0; spec && i < spec->count; i++) {
        const struct entry *e = &spec->entry[i];

        if (holds(e, file) && !shadowed(spec, i, file))
            fn(arg, e->key, e->value);
    }
}
