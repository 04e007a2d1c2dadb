/* jsonread.c - JSON text as a tree */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "jsonread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 64

struct parser {
    const char *start, *at, *end;
    int depth;
    int failed;
};

static struct lp_json *parse_value(struct parser *p);

static void *fail(struct parser *p)
{
    p->failed = 1;
    return NULL;
}

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' ||
                              *p->at == '\n' || *p->at == '\r'))
        p->at++;
}

static int accept(struct parser *p, char c)
{
    skip_blanks(p);
    if (p->at >= p->end || *p->at != c)
        return 0;
    p->at++;
    return 1;
}

static struct lp_json *make(struct parser *p, enum lp_json_kind kind)
{
    struct lp_json *j = calloc(1, sizeof(*j));

    if (!j)
        return fail(p);
    j->kind = kind;
    return j;
}

void lp_json_destroy(struct lp_json *j)
{
    while (j) {
        struct lp_json *next = j->next;

        lp_json_destroy(j->first);
        free(j->key);
        free(j->text);
        free(j);
        j = next;
    }
}

static int parse_hex4(struct parser *p, unsigned *out)
{
    unsigned n = 0;

    if (p->end - p->at < 4)
        return 0;
    for (int i = 0; i < 4; i++) {
        char c = *p->at++;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;

        if (digit < 0)
            return 0;
        n = n << 4 | (unsigned)digit;
    }
    *out = n;
    return 1;
}

/* A code point as UTF-8; the number of bytes, at most 4. */
static size_t put_utf8(unsigned c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* \uXXXX, two of them for a character beyond 16 bits. A lone half and NUL
 * become U+FFFD. */
static int parse_unicode(struct parser *p, char *out, size_t *n)
{
    unsigned c, low;

    if (!parse_hex4(p, &c))
        return 0;
    if (c >= 0xd800 && c < 0xdc00 && p->end - p->at >= 6 && p->at[0] == '\\' &&
        p->at[1] == 'u') {
        p->at += 2;
        if (!parse_hex4(p, &low))
            return 0;
        c = low >= 0xdc00 && low < 0xe000
                ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00)
                : 0xfffd;
    }
    if (c == 0 || (c >= 0xd800 && c < 0xe000))
        c = 0xfffd;
    *n += put_utf8(c, out + *n);
    return 1;
}

static int parse_escape(struct parser *p, char *out, size_t *n)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *hit;

    if (p->at >= p->end)
        return 0;
    if (*p->at == 'u') {
        p->at++;
        return parse_unicode(p, out, n);
    }
    hit = *p->at ? strchr(from, *p->at) : NULL;
    if (!hit)
        return 0;
    out[(*n)++] = to[hit - from];
    p->at++;
    return 1;
}

/* The text behind an opening quote. No escape is shorter than what it means,
 * so the room up to the closing quote is enough. */
static char *parse_text(struct parser *p)
{
    const char *close = p->at;
    char *out;
    size_t n = 0;

    while (close < p->end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    if (close >= p->end)
        return fail(p);
    out = malloc((size_t)(close - p->at) + 1);
    if (!out)
        return fail(p);
    while (p->at < close && !p->failed) {
        char c = *p->at++;

        if (c == '\\' && !parse_escape(p, out, &n))
            fail(p);
        else if (c != '\\')
            out[n++] = c;
    }
    out[n] = '\0';
    p->at++;
    return out;
}

static struct lp_json *parse_number(struct parser *p)
{
    struct lp_json *j;
    char buf[48], *stop;
    size_t n = 0;

    while (p->at < p->end && n < sizeof(buf) - 1 && *p->at &&
           strchr("+-0123456789.eE", *p->at))
        buf[n++] = *p->at++;
    buf[n] = '\0';
    j = make(p, LP_JSON_NUMBER);
    if (!j)
        return NULL;
    j->number = strtod(buf, &stop);
    if (n == 0 || *stop)
        fail(p);
    return j;
}

static struct lp_json *parse_word(struct parser *p)
{
    static const struct {
        const char *word;
        enum lp_json_kind kind;
        double number;
    } words[] = {{"null", LP_JSON_NULL, 0},
                 {"true", LP_JSON_BOOL, 1},
                 {"false", LP_JSON_BOOL, 0}};

    for (int i = 0; i < 3; i++) {
        size_t len = strlen(words[i].word);
        struct lp_json *j;

        if ((size_t)(p->end - p->at) < len ||
            memcmp(p->at, words[i].word, len) != 0)
            continue;
        p->at += len;
        j = make(p, words[i].kind);
        if (j)
            j->number = words[i].number;
        return j;
    }
    return fail(p);
}

/* One child: with a key in an object. */
static struct lp_json *parse_child(struct parser *p, int keyed)
{
    struct lp_json *child;
    char *key = NULL;

    if (keyed) {
        if (!accept(p, '"'))
            return fail(p);
        key = parse_text(p);
        if (p->failed || !accept(p, ':')) {
            free(key);
            return fail(p);
        }
    }
    child = parse_value(p);
    if (child)
        child->key = key;
    else
        free(key);
    return child;
}

static struct lp_json *parse_nest(struct parser *p, enum lp_json_kind kind,
                                  char closer)
{
    struct lp_json *j = make(p, kind);
    struct lp_json **tail = j ? &j->first : NULL;

    if (!j || ++p->depth > DEPTH) {
        fail(p);
        return j;
    }
    if (!accept(p, closer)) {
        do {
            *tail = parse_child(p, kind == LP_JSON_OBJECT);
            if (!*tail)
                break;
            tail = &(*tail)->next;
        } while (!p->failed && accept(p, ','));
        if (!accept(p, closer))
            fail(p);
    }
    p->depth--;
    return j;
}

static struct lp_json *parse_value(struct parser *p)
{
    struct lp_json *j;

    skip_blanks(p);
    if (p->failed || p->at >= p->end)
        return fail(p);
    switch (*p->at) {
    case '{':
        p->at++;
        return parse_nest(p, LP_JSON_OBJECT, '}');
    case '[':
        p->at++;
        return parse_nest(p, LP_JSON_LIST, ']');
    case '"':
        p->at++;
        j = make(p, LP_JSON_TEXT);
        if (j)
            j->text = parse_text(p);
        return j;
    case 'n':
    case 't':
    case 'f':
        return parse_word(p);
    default:
        return parse_number(p);
    }
}

struct lp_json *lp_json_parse(const char *text, size_t len, struct adl_err *err)
{
    struct parser p = {text, text, text + len, 0, 0};
    struct lp_json *j = parse_value(&p);

    skip_blanks(&p);
    if (!p.failed && p.at == p.end)
        return j;
    adl_err_set(err, -EINVAL, "not JSON at byte %zu",
                (size_t)(p.at - p.start) + 1);
    lp_json_destroy(j);
    return NULL;
}

const struct lp_json *lp_json_get(const struct lp_json *j, const char *key)
{
    if (!j || j->kind != LP_JSON_OBJECT)
        return NULL;
    for (const struct lp_json *c = j->first; c; c = c->next)
        if (c->key && strcmp(c->key, key) == 0)
            return c;
    return NULL;
}

const char *lp_json_text(const struct lp_json *j, const char *otherwise)
{
    return j && j->kind == LP_JSON_TEXT && j->text ? j->text : otherwise;
}

double lp_json_number(const struct lp_json *j, double otherwise)
{
    return j && (j->kind == LP_JSON_NUMBER || j->kind == LP_JSON_BOOL)
               ? j->number
               : otherwise;
}
