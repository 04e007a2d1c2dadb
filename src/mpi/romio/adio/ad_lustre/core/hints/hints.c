/* hints.c - the hints in force for one file, and where each came from */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "hints.h"
#include "../text/wordlist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ADL_HINT(field, name, aliases, kind, words, min, max, def, scope, \
                 help)                                                    \
    [ADL_HINT_##field] = offsetof(struct adl_hints, field),
static const size_t offset[] = {
#include "hints.def"
};
#undef ADL_HINT

static const struct adl_setting *setting(enum adl_hint id)
{
    return &adl_hint_def(id)->set;
}

static bool is_text(enum adl_hint id)
{
    return setting(id)->kind == ADL_KIND_TEXT;
}

static int64_t *number_of(const struct adl_hints *h, enum adl_hint id)
{
    return (int64_t *)((char *)(uintptr_t)h + offset[id]);
}

static char **text_of(const struct adl_hints *h, enum adl_hint id)
{
    return (char **)((char *)(uintptr_t)h + offset[id]);
}

const char *adl_origin_text(enum adl_origin origin)
{
    static const char *const text[ADL_ORIGIN_COUNT] = {
        "default", "directory", "file",        "environment",
        "info",    "hint file", "environment", "adjusted"};

    return text[origin];
}

/* ---- life ---------------------------------------------------------- */

static int put_text(struct adl_hints *h, enum adl_hint id, const char *text)
{
    char *copy = NULL;

    if (text && *text && !(copy = strdup(text)))
        return -ENOMEM;
    free(*text_of(h, id));
    *text_of(h, id) = copy;
    return 0;
}

static int put_default(struct adl_hints *h, enum adl_hint id)
{
    if (is_text(id))
        return put_text(h, id, setting(id)->def);
    return adl_setting_parse(setting(id), setting(id)->def, number_of(h, id));
}

int adl_hints_init(struct adl_hints *h)
{
    int rc = 0;

    memset(h, 0, sizeof(*h));
    for (int i = 0; i < ADL_HINT_COUNT && !rc; i++)
        rc = put_default(h, (enum adl_hint)i);
    if (rc < 0)
        adl_hints_release(h);
    return rc;
}

void adl_hints_release(struct adl_hints *h)
{
    for (int i = 0; i < ADL_HINT_COUNT; i++) {
        free(h->state[i].asked);
        free(h->state[i].lost);
        if (is_text((enum adl_hint)i))
            free(*text_of(h, (enum adl_hint)i));
    }
    memset(h, 0, sizeof(*h));
}

void adl_hints_freeze(struct adl_hints *h)
{
    h->frozen = true;
}

/* ---- set ----------------------------------------------------------- */

/* A request in the making. */
struct request {
    enum adl_hint id;
    int alias;
    const char *name;
    const char *value; /* trimmed */
    enum adl_origin origin;
    struct adl_notes *notes;
};

/* An MPI_Info holds hints of other libraries too (NUMA_ID, PnetCDF's): there a
 * name is spoken of only if it looks like one of ours, or like ROMIO's. */
static void note_unknown(const char *name, const char *value,
                         enum adl_origin origin, struct adl_notes *notes)
{
    const char *meant = adl_hint_suggest(name);

    if (origin == ADL_FROM_INFO && !meant &&
        strncasecmp(name, "romio_", strlen("romio_")) != 0)
        return;
    adl_notes_add(notes, "unknown hint %.64s=%.64s (%s) ignored%s%s%s", name,
                  value, adl_origin_text(origin),
                  meant ? "; did you mean " : "", meant ? meant : "",
                  meant ? "?" : "");
}

static void note_bad_value(const struct adl_hints *h, const struct request *rq)
{
    char expected[160], buf[32];
    const char *now = adl_hints_text(h, rq->id, buf, sizeof(buf));
    const char *semicolon = strchr(rq->value, ';');

    adl_setting_expected(setting(rq->id), expected, sizeof(expected));
    adl_notes_add(rq->notes, "hint %s=%.64s (%s): expected %s; %s%s%s",
                  rq->name, rq->value, adl_origin_text(rq->origin), expected,
                  now ? "using " : "ignored", now ? now : "",
                  semicolon && strchr(semicolon, '=')
                      ? " (hints are separated by ':', not ';')"
                      : "");
}

/* A request that does not count although its value is good: another one of a
 * higher origin does. The highest of them is shown. */
static void overrule(struct adl_hint_state *st, char *text,
                     enum adl_origin origin)
{
    if (st->lost && st->loser > origin) {
        free(text);
        return;
    }
    free(st->lost);
    st->lost = text;
    st->loser = origin;
}

/* Remember the request for the display. */
static int remember(struct adl_hints *h, const struct request *rq)
{
    struct adl_hint_state *st = &h->state[rq->id];
    char *copy = strdup(rq->value);

    if (!copy)
        return -ENOMEM;
    if (st->asked && st->asker < rq->origin)
        overrule(st, st->asked, st->asker);
    else
        free(st->asked);
    st->asked = copy;
    st->asker = rq->origin;
    st->alias = rq->alias;
    return 0;
}

static bool same_value(const struct adl_hints *h, enum adl_hint id,
                       const char *text)
{
    const char *now;
    int64_t v;

    if (!is_text(id))
        return !adl_setting_parse(setting(id), text, &v) &&
               v == *number_of(h, id);
    now = *text_of(h, id);
    return !strcmp(now ? now : "", text);
}

/* The same info object is often passed again to set_view: what was already
 * answered at open is not complained about twice. */
static int refuse_frozen(const struct adl_hints *h, const struct request *rq)
{
    const struct adl_hint_state *st = &h->state[rq->id];

    if (same_value(h, rq->id, rq->value) ||
        (st->asked && !strcmp(st->asked, rq->value)))
        return 0;
    if (st->asked && st->asker > rq->origin)
        return 1;
    adl_notes_add(
        rq->notes,
        "hint %s=%.64s (%s) ignored: it cannot change on an open file",
        rq->name, rq->value, adl_origin_text(rq->origin));
    return -EBUSY;
}

static int put_value(struct adl_hints *h, const struct request *rq)
{
    int64_t v;
    int rc;

    if (is_text(rq->id))
        return put_text(h, rq->id,
                        *rq->value ? rq->value : setting(rq->id)->def);
    rc = adl_setting_parse(setting(rq->id), rq->value, &v);
    if (!rc)
        *number_of(h, rq->id) = v;
    return rc;
}

static int set_request(struct adl_hints *h, const struct request *rq)
{
    struct adl_hint_state *st = &h->state[rq->id];
    int rc;

    if (h->frozen && adl_hint_def(rq->id)->scope != ADL_SCOPE_ANY)
        return refuse_frozen(h, rq);
    if ((st->origin == ADL_ADJUSTED ? st->asker : st->origin) > rq->origin) {
        overrule(st, strdup(rq->value), rq->origin);
        return 1;
    }
    rc = put_value(h, rq);
    if (!rc)
        st->origin = rq->origin;
    else if (rc != -ENOMEM)
        note_bad_value(h, rq);
    if (rc == -ENOMEM || remember(h, rq))
        return -ENOMEM;
    return rc;
}

static int set_hint(struct adl_hints *h, const char *name, const char *value,
                    enum adl_origin origin, struct adl_notes *notes)
{
    struct request rq = {.name = name, .origin = origin, .notes = notes};
    char *copy;
    bool slip;
    int rc = adl_hint_find(name, &rq.id, &rq.alias, &slip);

    if (rc < 0) {
        if (!adl_hint_is_foreign(name))
            note_unknown(name, value, origin, notes);
        return rc;
    }
    if (slip)
        adl_notes_add(notes, "hint %s is taken as %s", name,
                      setting(rq.id)->name);
    copy = strdup(value);
    if (!copy)
        return -ENOMEM;
    rq.value = adl_word_trim(copy);
    rc = set_request(h, &rq);
    free(copy);
    return rc;
}

int adl_hints_set(struct adl_hints *h, const char *name, const char *value,
                  enum adl_origin origin, struct adl_notes *notes)
{
    int rc = set_hint(h, name, value, origin, notes);

    h->incomplete |= rc == -ENOMEM;
    return rc;
}

struct spec_pass {
    struct adl_hints *h;
    enum adl_origin origin;
    struct adl_notes *notes;
    bool taken[ADL_HINT_COUNT];
};

static void set_hint_pair(void *arg, const char *key, const char *value)
{
    struct spec_pass *pass = arg;
    enum adl_hint id;
    int alias;
    bool slip;

    if (!adl_hint_find(key, &id, &alias, &slip)) {
        if (pass->taken[id])
            return;
        pass->taken[id] = true;
    }
    adl_hints_set(pass->h, key, value, pass->origin, pass->notes);
}

void adl_hints_set_spec(struct adl_hints *h, const struct adl_hintspec *spec,
                        const char *file, enum adl_origin origin,
                        struct adl_notes *notes)
{
    struct spec_pass pass = {.h = h, .origin = origin, .notes = notes};

    adl_hintspec_match(spec, file, set_hint_pair, &pass);
}

/* ---- adjust -------------------------------------------------------- */

static void adjust_origin(struct adl_hints *h, enum adl_hint id,
                          enum adl_origin origin)
{
    struct adl_hint_state *st = &h->state[id];

    if (!st->asked)
        st->origin = origin;
    else if (same_value(h, id, st->asked))
        st->origin = st->asker;
    else
        st->origin = ADL_ADJUSTED;
}

void adl_hints_adjust(struct adl_hints *h, enum adl_hint id, int64_t value,
                      enum adl_origin origin)
{
    if (is_text(id))
        return;
    *number_of(h, id) = value;
    adjust_origin(h, id, origin);
}

int adl_hints_adjust_text(struct adl_hints *h, enum adl_hint id,
                          const char *text, enum adl_origin origin)
{
    int rc = is_text(id) ? put_text(h, id, text) : -EINVAL;

    if (!rc)
        adjust_origin(h, id, origin);
    return rc;
}

/* Give hint `id` the value that hint `by` implies, unless `id` was set by a
 * source that ranks as high as the source of `by`, or higher. */
static bool imply(struct adl_hints *h, enum adl_hint id, int64_t value,
                  enum adl_hint by)
{
    const struct adl_hint_state *st = &h->state[id];

    if (*number_of(h, id) == value)
        return true;
    if (st->asked && same_value(h, id, st->asked) &&
        st->asker >= h->state[by].asker)
        return false;
    adl_hints_adjust(h, id, value, h->state[by].origin);
    return true;
}

static void settle_promise(struct adl_hints *h, struct adl_notes *notes)
{
    if (!h->no_indep_rw)
        return;
    if (h->cb_read == ADL_DISABLE || h->cb_write == ADL_DISABLE) {
        adl_notes_add(notes, "romio_no_indep_rw=true ignored: collective "
                             "buffering is disabled");
        adl_hints_adjust(h, ADL_HINT_no_indep_rw, 0, ADL_ADJUSTED);
        return;
    }
    imply(h, ADL_HINT_cb_read, ADL_ENABLE, ADL_HINT_no_indep_rw);
    imply(h, ADL_HINT_cb_write, ADL_ENABLE, ADL_HINT_no_indep_rw);
}

static void settle_locks(struct adl_hints *h, struct adl_notes *notes)
{
    if (h->lock_ahead_write &&
        !imply(h, ADL_HINT_lock_mode, 2, ADL_HINT_lock_ahead_write))
        adl_notes_add(notes,
                      "romio_lustre_cb_lock_ahead_write=1 ignored: "
                      "cray_cb_write_lock_mode=%d was asked for",
                      (int)h->lock_mode);
    if (h->lock_mode == 1 && !h->no_indep_rw) {
        adl_notes_add(notes, "cray_cb_write_lock_mode=1 needs the promise "
                             "romio_no_indep_rw=true; using 0");
        adl_hints_adjust(h, ADL_HINT_lock_mode, 0, ADL_ADJUSTED);
    }
    adl_hints_adjust(h, ADL_HINT_lock_ahead_write, h->lock_mode == 2,
                     h->state[ADL_HINT_lock_mode].origin);
}

static void settle_direct_hints(struct adl_hints *h)
{
    bool both;

    if (h->direct_io) {
        imply(h, ADL_HINT_direct_read, 1, ADL_HINT_direct_io);
        imply(h, ADL_HINT_direct_write, 1, ADL_HINT_direct_io);
    }
    both = h->direct_read && h->direct_write;
    if (both != h->direct_io)
        adl_hints_adjust(h, ADL_HINT_direct_io, both,
                         h->state[ADL_HINT_direct_write].origin);
}

void adl_hints_settle(struct adl_hints *h, struct adl_notes *notes)
{
    settle_promise(h, notes);
    settle_locks(h, notes);
    settle_direct_hints(h);
    if (h->cb_align != 2) {
        adl_notes_add(notes, "cb_align=%d is not offered; using 2",
                      (int)h->cb_align);
        adl_hints_adjust(h, ADL_HINT_cb_align, 2, ADL_ADJUSTED);
    }
    if (h->aggregator_placement_stride == 0) {
        adl_notes_add(notes, "aggregator_placement_stride=0 means nothing; "
                             "using -1");
        adl_hints_adjust(h, ADL_HINT_aggregator_placement_stride, -1,
                         ADL_ADJUSTED);
    }
}

/* ---- show ---------------------------------------------------------- */

const char *adl_hints_text(const struct adl_hints *h, enum adl_hint id,
                           char *buf, size_t size)
{
    const struct adl_setting *def = setting(id);
    int64_t undecided;

    if (is_text(id))
        return *text_of(h, id);
    if (def->kind != ADL_KIND_WORD && def->words &&
        !adl_setting_parse(setting(id), def->def, &undecided) &&
        undecided == *number_of(h, id))
        return NULL;
    return adl_setting_format(setting(id), *number_of(h, id), buf, size);
}

void adl_hints_each(const struct adl_hints *h, bool aliases, adl_hints_fn *fn,
                    void *arg)
{
    char buf[32], name[64];

    for (int i = 0; i < ADL_HINT_COUNT; i++) {
        enum adl_hint id = (enum adl_hint)i;
        const char *value = adl_hints_text(h, id, buf, sizeof(buf));

        if (!value)
            continue;
        fn(arg, setting(id)->name, value);
        if (!aliases || !h->state[i].alias)
            continue;
        adl_hint_alias(id, h->state[i].alias, name, sizeof(name));
        fn(arg, name, value);
    }
}

/* ---- broadcast ----------------------------------------------------- */

/* Packed form: magic, frozen, then for each hint that differs from its default
 * or was asked for: id, origin, asker, alias (a byte each), "value\0asked\0".
 */
static const char magic[] = {'A', 'D', 'H', 2};

enum { HEAD = 5 };

static void pack_text(struct adl_strbuf *sb, const char *text)
{
    adl_strbuf_puts(sb, text ? text : "");
    adl_strbuf_putc(sb, '\0');
}

int adl_hints_pack(const struct adl_hints *h, struct adl_strbuf *sb)
{
    char buf[32];

    if (h->incomplete)
        return -ENOMEM;
    adl_strbuf_add(sb, magic, sizeof(magic));
    adl_strbuf_putc(sb, h->frozen);
    for (int i = 0; i < ADL_HINT_COUNT; i++) {
        const struct adl_hint_state *st = &h->state[i];
        enum adl_hint id = (enum adl_hint)i;
        const char *text;
        char head[HEAD] = {(char)i, (char)st->origin, (char)st->asker,
                           (char)st->alias, (char)st->loser};

        if (st->origin == ADL_FROM_DEFAULT && !st->asked &&
            same_value(h, id, setting(id)->def))
            continue;
        text = is_text(id) ? *text_of(h, id)
                           : adl_setting_format(setting(id), *number_of(h, id),
                                                buf, sizeof(buf));
        adl_strbuf_add(sb, head, sizeof(head));
        pack_text(sb, text);
        pack_text(sb, st->asked);
        pack_text(sb, st->lost);
    }
    return sb->err;
}

/* The string at *p, which is moved behind it; NULL if it does not end. */
static const char *take_string(const char **p, const char *end)
{
    const char *s = *p, *stop = memchr(s, '\0', (size_t)(end - s));

    if (stop)
        *p = stop + 1;
    return stop ? s : NULL;
}

static int unpack_value(struct adl_hints *h, enum adl_hint id, const char *text)
{
    int64_t v;

    if (is_text(id))
        return put_text(h, id, text);
    /* no range check: open may have put in force what no user could ask for */
    if (adl_setting_parse(setting(id), text, &v) == -EINVAL)
        return -EINVAL;
    if (setting(id)->kind != ADL_KIND_WORD)
        v = strtoll(text, NULL, 10);
    *number_of(h, id) = v;
    return 0;
}

/* A copy of text, or NULL for "". */
static int copy_string(const char *text, char **out)
{
    free(*out);
    *out = *text ? strdup(text) : NULL;
    return *text && !*out ? -ENOMEM : 0;
}

static int unpack_one(struct adl_hints *h, const char **p, const char *end)
{
    const unsigned char *head = (const unsigned char *)*p;
    const char *value, *asked, *lost;
    struct adl_hint_state *st;

    if (end - *p < HEAD || head[0] >= ADL_HINT_COUNT ||
        head[1] >= ADL_ORIGIN_COUNT || head[2] >= ADL_ORIGIN_COUNT ||
        head[4] >= ADL_ORIGIN_COUNT)
        return -EINVAL;
    *p += HEAD;
    value = take_string(p, end);
    asked = value ? take_string(p, end) : NULL;
    lost = asked ? take_string(p, end) : NULL;
    if (!lost)
        return -EINVAL;
    st = &h->state[head[0]];
    st->origin = (enum adl_origin)head[1];
    st->asker = (enum adl_origin)head[2];
    st->alias = head[3];
    st->loser = (enum adl_origin)head[4];
    if (copy_string(asked, &st->asked) || copy_string(lost, &st->lost))
        return -ENOMEM;
    return unpack_value(h, (enum adl_hint)head[0], value);
}

int adl_hints_unpack(struct adl_hints *h, const void *buf, size_t len)
{
    const char *p = buf, *end = p + len;
    int rc;

    adl_hints_release(h);
    rc = adl_hints_init(h);
    if (rc < 0)
        return rc;
    if (len < sizeof(magic) + 1 || memcmp(p, magic, sizeof(magic)))
        return -EINVAL;
    h->frozen = p[sizeof(magic)] != 0;
    p += sizeof(magic) + 1;
    while (!rc && p < end)
        rc = unpack_one(h, &p, end);
    if (rc < 0) {
        adl_hints_release(h);
        adl_hints_init(h);
    }
    return rc;
}

static uint64_t fnv(uint64_t hash, const char *s)
{
    do
        hash = (hash ^ (unsigned char)*s) * 1099511628211ULL;
    while (*s++);
    return hash;
}

uint64_t adl_hints_digest(const char *name, const char *value)
{
    enum adl_hint id;
    int alias;
    bool slip;

    if (adl_hint_find(name, &id, &alias, &slip) < 0)
        return 0;
    return fnv(fnv(14695981039346656037ULL, name), value);
}
