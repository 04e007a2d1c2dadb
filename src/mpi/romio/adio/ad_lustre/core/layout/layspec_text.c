/* layspec_text.c - a layout to ask for, from and to lfs setstripe's options */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "layspec.h"
#include "../text/size.h"
#include "../text/strbuf.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    struct adl_layout_spec spec;
    struct adl_spec_comp *comp; /* the one being described */
    int said;                   /* anything about it yet */
    int count_said;
    struct adl_err *err;
};

/* ---- options ---- */

static int parse_number(struct parser *p, const char *value, int64_t *out)
{
    int rc = adl_size_parse(value, out);

    if (rc < 0)
        adl_err_set(p->err, rc, "%s",
                    rc == -ERANGE ? "too large" : "not a number");
    return rc;
}

static int small(struct parser *p, const char *value, int *out)
{
    int64_t n = 0;
    int rc = parse_number(p, value, &n);

    if (!rc && (n < INT16_MIN || n > UINT16_MAX))
        rc = adl_err_set(p->err, -ERANGE, "too large");
    if (!rc)
        *out = (int)n;
    return rc;
}

/* A component that does not say otherwise is like the one before. */
static void inherit_before(struct adl_layout_spec *s)
{
    struct adl_spec_comp *c = &s->comps[s->ncomps - 1];
    const struct adl_spec_comp *before = c - 1;

    c->mirror = before->mirror;
    if (before->mdt)
        return;
    if (!before->nosts) {
        c->stripe_count = before->stripe_count;
        c->overstriped = before->overstriped;
    }
    c->stripe_size = before->stripe_size;
    memcpy(c->pool, before->pool, sizeof(c->pool));
}

static int next_component(struct parser *p)
{
    p->comp = adl_layout_spec_add(&p->spec);
    p->said = p->count_said = 0;
    return p->comp ? 0 : adl_err_set(p->err, -ENOMEM, "out of memory");
}

static int set_component_end(struct parser *p, const char *value)
{
    int64_t end = -1;
    int rc = 0;

    if (strcmp(value, "EOF") && strcmp(value, "eof"))
        rc = parse_number(p, value, &end);
    if (rc < 0)
        return rc;
    if (end == 0 || end < -1)
        return adl_err_set(p->err, -EINVAL, "not behind the start");
    if (p->comp->end) {
        rc = next_component(p);
        if (rc < 0)
            return rc;
        inherit_before(&p->spec);
    }
    p->spec.composite = 1;
    p->comp->end = end < 0 ? ADL_LAYOUT_EOF : end;
    return 0;
}

static int set_mirror(struct parser *p, const char *value)
{
    int mirror = p->comp->mirror + 1, rc;

    (void)value;
    if (!p->spec.composite && !p->said) { /* the first one */
        p->spec.composite = 1;
        return 0;
    }
    p->spec.composite = 1;
    rc = next_component(p);
    if (!rc)
        p->comp->mirror = mirror;
    return rc;
}

static int set_count(struct parser *p, const char *value)
{
    p->count_said = 1;
    if (!p->comp->nosts)
        p->comp->overstriped = 0;
    return small(p, value, &p->comp->stripe_count);
}

static int set_overstripe(struct parser *p, const char *value)
{
    p->count_said = 1;
    p->comp->overstriped = 1;
    return small(p, value, &p->comp->stripe_count);
}

static int set_size(struct parser *p, const char *value)
{
    return parse_number(p, value, &p->comp->stripe_size);
}

static int set_extension(struct parser *p, const char *value)
{
    return parse_number(p, value, &p->comp->ext_size);
}

static int set_index(struct parser *p, const char *value)
{
    return small(p, value, &p->comp->start_ost);
}

static int set_osts(struct parser *p, const char *value)
{
    struct adl_spec_comp *c = p->comp;

    if (!c->nosts &&
        !p->count_said) { /* what was inherited is about another component */
        c->stripe_count = 0;
        c->overstriped = 0;
    }
    return adl_spec_comp_osts(c, value, p->err);
}

static int set_pool(struct parser *p, const char *value)
{
    return adl_spec_comp_pool(p->comp, value, p->err);
}

static int set_kind(struct parser *p, const char *value)
{
    if (strcmp(value, "mdt") == 0)
        p->comp->mdt = 1;
    else if (strcmp(value, "raid0"))
        return adl_err_set(p->err, -EINVAL, "neither mdt nor raid0");
    return 0;
}

static const struct known {
    char letter;
    char takes_value;
    const char *name;
    int (*set)(struct parser *p, const char *value);
} options[] = {
    {'E', 1, "component-end", set_component_end},
    {'c', 1, "stripe-count", set_count},
    {'C', 1, "overstripe-count", set_overstripe},
    {'S', 1, "stripe-size", set_size},
    {'i', 1, "stripe-index", set_index},
    {'o', 1, "ost", set_osts},
    {'p', 1, "pool", set_pool},
    {'L', 1, "layout", set_kind},
    {'z', 1, "extension-size", set_extension},
    {'N', 0, "mirror-count", set_mirror},
};
#define NOPTIONS ((int)(sizeof(options) / sizeof(options[0])))

/* ---- reading ---- */

/* The option a word names; what is behind it in the same word (-c4,
 * --stripe-count=4) goes to *value. */
static const struct known *find_option(char *word, char **value)
{
    char *eq = NULL;

    if (strncmp(word, "--", 2) == 0) {
        eq = strchr(word, '=');
        if (eq)
            *eq = 0;
    }
    *value = NULL;
    for (int i = 0; i < NOPTIONS; i++) {
        if (word[0] == '-' && word[1] == options[i].letter) {
            *value = word[2] ? word + 2 : NULL;
            return &options[i];
        }
        if (word[1] == '-' && strcmp(word + 2, options[i].name) == 0) {
            *value = eq ? eq + 1 : NULL;
            return &options[i];
        }
    }
    return NULL;
}

static int apply(struct parser *p, const struct known *o, const char *value)
{
    struct adl_err why = {""}, *err = p->err;
    int rc;

    p->err = &why;
    rc = o->set(p, value);
    p->err = err;
    if (rc < 0)
        return adl_err_set(err, rc == -ERANGE ? -EINVAL : rc,
                           "-%c %.40s: %.90s", o->letter, value, why.text);
    p->said = 1;
    return 0;
}

static int parse_words(struct parser *p, char *text)
{
    static const char blanks[] = " \t\r\n";
    const struct known *o;
    char *word, *value, *save = NULL;
    int rc = 0;

    for (word = strtok_r(text, blanks, &save); word && !rc;
         word = strtok_r(NULL, blanks, &save)) {
        o = find_option(word, &value);
        if (!o)
            return adl_err_set(p->err, -EINVAL, "\"%.40s\" is no option", word);
        if (o->takes_value && !value)
            value = strtok_r(NULL, blanks, &save);
        if (o->takes_value && !value)
            return adl_err_set(p->err, -EINVAL, "-%c: no value", o->letter);
        if (!o->takes_value && value)
            return adl_err_set(p->err, -EINVAL, "-%c takes no value",
                               o->letter);
        rc = apply(p, o, value ? value : "");
    }
    return rc;
}

int adl_layout_spec_parse(const char *text, struct adl_layout_spec *out,
                          struct adl_err *err)
{
    struct parser p = {.err = err};
    char *copy = strdup(text);
    int rc;

    rc = copy ? next_component(&p) : adl_err_set(err, -ENOMEM, "out of memory");
    if (!rc)
        rc = parse_words(&p, copy);
    if (!rc && p.spec.ncomps == 1 && !p.said && !p.spec.composite)
        rc = adl_err_set(err, -EINVAL, "empty layout");
    if (!rc)
        rc = adl_layout_spec_check(&p.spec, err);
    free(copy);
    if (rc < 0)
        adl_layout_spec_clear(&p.spec);
    else
        *out = p.spec;
    return rc;
}

/* ---- writing ---- */

/* Every option begins with a blank; the caller drops the first one. */
static void add_size(struct adl_strbuf *sb, const char *option, int64_t size)
{
    static const char *const units[] = {"", "K", "M", "G", "T", "P", "E"};
    int u = 0;

    while (size && size % 1024 == 0 && u < 6) {
        size /= 1024;
        u++;
    }
    adl_strbuf_printf(sb, " %s %" PRId64 "%s", option, size, units[u]);
}

static void add_osts(struct adl_strbuf *sb, const struct adl_spec_comp *c)
{
    int last;

    for (int i = 0; i < c->nosts; i = last + 1) {
        last = i;
        while (last + 1 < c->nosts && c->osts[last + 1] == c->osts[last] + 1)
            last++;
        adl_strbuf_printf(sb, "%s%d", i ? "," : " -o ", c->osts[i]);
        if (last > i)
            adl_strbuf_printf(sb, "-%d", c->osts[last]);
    }
}

/* What is only said where it matters. */
static void add_place(struct adl_strbuf *sb, const struct adl_spec_comp *c,
                      int pool_before)
{
    if (c->start_ost >= 0)
        adl_strbuf_printf(sb, " -i %d", c->start_ost);
    if (c->pool[0] || pool_before)
        adl_strbuf_printf(sb, " -p %s", c->pool[0] ? c->pool : "none");
    if (c->ext_size)
        add_size(sb, "-z", c->ext_size);
}

static void add_component(struct adl_strbuf *sb,
                          const struct adl_layout_spec *s, int i)
{
    const struct adl_spec_comp *c = &s->comps[i];
    int mirrors = s->comps[s->ncomps - 1].mirror > 0;
    int first = i == 0 || c[-1].mirror != c->mirror;

    if (mirrors && first)
        adl_strbuf_puts(sb, " -N");
    if (s->composite && (c->end == ADL_LAYOUT_EOF || !c->end))
        adl_strbuf_puts(sb, " -E -1");
    else if (s->composite)
        add_size(sb, "-E", c->end);
    if (c->mdt) {
        adl_strbuf_puts(sb, " -L mdt");
        return;
    }
    if (c->nosts)
        add_osts(sb, c);
    else
        adl_strbuf_printf(sb, " %s %d", c->overstriped ? "-C" : "-c",
                          c->stripe_count);
    add_size(sb, "-S", c->stripe_size);
    add_place(sb, c, !first && c[-1].pool[0]);
}

int adl_layout_spec_format(const struct adl_layout_spec *spec, char *buf,
                           size_t size)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    int len;

    for (int i = 0; i < spec->ncomps; i++)
        add_component(&sb, spec, i);
    len = snprintf(buf, size, "%s", sb.len ? sb.text + 1 : "");
    adl_strbuf_release(&sb);
    return len;
}
