/* laytext.c - a layout as text, as lfs getstripe prints it */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "laytext.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct page {
    FILE *f;
    const struct adl_layout *layout;
    const struct adl_laytext *about;
    const char *indent; /* of what describes one component */
};

struct name {
    uint32_t bits;
    const char *text;
};

/* ---- words ---- */

/* Names of the bits set, with commas; `none` if none has a name. */
static void names(FILE *f, uint32_t bits, const struct name *table,
                  const char *none)
{
    const char *comma = "";

    for (; table->text; table++) {
        if ((bits & table->bits) != table->bits)
            continue;
        fprintf(f, "%s%s", comma, table->text);
        bits &= ~table->bits;
        comma = ",";
    }
    if (bits)
        fprintf(f, "%s0x%" PRIx32, comma, bits);
    else if (!*comma)
        fputs(none, f);
    fputc('\n', f);
}

static void component_flags(FILE *f, uint32_t flags)
{
    static const struct name table[] = {
        {ADL_LCME_FL_INIT, "init"},
        {ADL_LCME_FL_STALE, "stale"},
        {ADL_LCME_FL_PREF_RD | ADL_LCME_FL_PREF_WR, "prefer"},
        {ADL_LCME_FL_PREF_RD, "prefrd"},
        {ADL_LCME_FL_PREF_WR, "prefwr"},
        {ADL_LCME_FL_OFFLINE, "offline"},
        {ADL_LCME_FL_NOSYNC, "nosync"},
        {ADL_LCME_FL_EXTENSION, "extension"},
        {0, NULL}};

    names(f, flags, table, "0");
}

static const char *state_name(unsigned flags, int is_dir)
{
    static const char *const states[] = {"0", "ro", "wp", "sp"};

    return is_dir ? "" : states[flags & ADL_LCM_FL_STATE];
}

/* Without a line end where more follows in the line. */
static void pattern(FILE *f, uint32_t bits)
{
    static const struct name table[] = {
        {ADL_LOV_PATTERN_RAID0, "raid0"},
        {ADL_LOV_PATTERN_MDT, "mdt"},
        {ADL_LOV_PATTERN_OVERSTRIPING, "overstriped"},
        {ADL_LOV_PATTERN_COMPRESS, "compress"},
        {ADL_LOV_PATTERN_F_RELEASED, "released"},
        {0, NULL}};
    const struct name *n;
    const char *comma = "";

    for (n = table; n->text; n++) {
        if (!(bits & n->bits))
            continue;
        fprintf(f, "%s%s", comma, n->text);
        comma = ",";
    }
}

static int shown_on_mdt(const struct adl_component *c)
{
    return !!(c->pattern & ADL_LOV_PATTERN_MDT);
}

static int is_extension(const struct adl_component *c)
{
    return !!(c->flags & ADL_LCME_FL_EXTENSION);
}

/* Counts such as "all" are small negative numbers to lfs. */
static int shown_count(const struct adl_component *c)
{
    return is_extension(c) ? 0 : (int16_t)c->stripe_count;
}

static int first_ost(const struct adl_component *c)
{
    return c->nobjects ? (int)c->objects[0].ost : (int16_t)c->stripe_offset;
}

/* ---- the FID ---- */

struct fid {
    uint64_t seq;
    uint32_t oid;
    uint32_t ver;
};

static struct fid file_fid(const struct page *p, const struct adl_component *c)
{
    if (p->about->seq)
        return (struct fid){p->about->seq, p->about->oid, p->about->ver};
    return (struct fid){c->file_seq, (uint32_t)c->file_id, 0};
}

static void put_fid(const struct page *p, struct fid id)
{
    fprintf(p->f,
            p->about->yaml ? "0x%" PRIx64 ":0x%" PRIx32 ":0x%" PRIx32
                           : "[0x%" PRIx64 ":0x%" PRIx32 ":0x%" PRIx32 "]",
            id.seq, id.oid, id.ver);
}

/* ---- one component's striping ---- */

static void line(const struct page *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void line(const struct page *p, const char *fmt, ...)
{
    va_list ap;

    fputs(p->indent, p->f);
    va_start(ap, fmt);
    vfprintf(p->f, fmt, ap);
    va_end(ap);
}

/* Of a directory: what a new file gets, in text all in one line. */
static void template(const struct page *p, const struct adl_component *c)
{
    const struct adl_layout_defaults *def = adl_layout_defaults(p->layout);
    const char *end = p->about->yaml ? "\n" : " ";
    int64_t size = c->stripe_size ? c->stripe_size : def->stripe_size;
    int count =
        c->stripe_count || shown_on_mdt(c) ? shown_count(c) : def->stripe_count;

    line(p, "lmm_fid:           ");
    put_fid(p, file_fid(p, c));
    fputc('\n', p->f);
    line(p, "stripe_count:  %d%s", count, end);
    line(p, "%s %" PRId64 "%s",
         is_extension(c) ? "extension_size:" : "stripe_size:  ", size, end);
    line(p, "pattern:       ");
    pattern(p->f, c->pattern);
    fputs(end, p->f);
    line(p, "stripe_offset: %d", first_ost(c));
    if (c->pool[0]) {
        fputs(end, p->f);
        line(p, "pool:          %s", c->pool);
    }
    fputc('\n', p->f);
}

static void striping(const struct page *p, const struct adl_component *c)
{
    struct fid id = file_fid(p, c);
    int gen =
        c->stripe_offset == (int)ADL_LOV_OFFSET_ANY ? 0 : c->stripe_offset;

    line(p, "lmm_magic:         0x%08" PRIX32 "\n", c->magic);
    line(p, "lmm_seq:           0x%" PRIx64 "\n", id.seq);
    line(p, "lmm_object_id:     0x%" PRIx32 "\n", id.oid);
    line(p, "lmm_fid:           ");
    put_fid(p, id);
    fputc('\n', p->f);
    line(p, "lmm_stripe_count:  %d\n", shown_count(c));
    line(p, "%s %" PRId64 "\n",
         is_extension(c) ? "lmm_extension_size:" : "lmm_stripe_size:  ",
         c->stripe_size);
    line(p, "lmm_pattern:       ");
    pattern(p->f, c->pattern);
    fputc('\n', p->f);
    line(p, "lmm_layout_gen:    %d\n", gen);
    if (shown_on_mdt(c))
        line(p, "lmm_mdt_index:     %d\n", p->about->mdt_index);
    else
        line(p, "lmm_stripe_offset: %d\n", first_ost(c));
    if (c->pool[0])
        line(p, "lmm_pool:          %s\n", c->pool);
}

/* ---- objects ---- */

static struct fid object_fid(const struct adl_object *o)
{
    return (struct fid){o->seq, o->oid, o->ver};
}

static void objects_yaml(const struct page *p, const struct adl_component *c)
{
    line(p, "lmm_objects:\n");
    for (int i = 0; i < c->nobjects; i++) {
        fprintf(p->f, "      - l_ost_idx: %" PRIu32 "\n        l_fid:     ",
                c->objects[i].ost);
        put_fid(p, object_fid(&c->objects[i]));
        fputc('\n', p->f);
    }
}

static void objects_list(const struct page *p, const struct adl_component *c)
{
    line(p, "lmm_objects:\n");
    for (int i = 0; i < c->nobjects; i++) {
        line(p, "- %3d: { l_ost_idx: %3" PRIu32 ", l_fid: ", i,
             c->objects[i].ost);
        put_fid(p, object_fid(&c->objects[i]));
        fputs(" }\n", p->f);
    }
}

/* An object of the old numbering is (id, group 0). */
static void objects_table(const struct page *p, const struct adl_component *c)
{
    fputs("\tobdidx\t\t objid\t\t objid\t\t group\n", p->f);
    for (int i = 0; i < c->nobjects; i++) {
        const struct adl_object *o = &c->objects[i];
        int old = !o->oid && !o->ver;
        uint64_t id = old ? o->seq : o->oid, group = old ? 0 : o->seq;

        fprintf(p->f,
                "\t%6" PRIu32 "\t%14" PRIu64 "\t%#13" PRIx64 "\t%#14" PRIx64
                "\n",
                o->ost, id, id, group);
    }
}

/* ---- the whole ---- */

static size_t shown_size(const struct page *p, const struct adl_component *c)
{
    int n = c->nobjects;

    if (!n && !p->about->is_dir && !shown_on_mdt(c))
        n = 1;
    return sizeof(struct adl_lov_user) +
           (c->magic == ADL_LOV_MAGIC_V1 ? 0 : ADL_LOV_POOL_SIZE) +
           (size_t)n * sizeof(struct adl_lov_entry);
}

static void timestamp(const struct page *p, const struct adl_component *c)
{
    time_t when = (time_t)c->timestamp;
    struct tm tm;
    char text[64];

    if (!(c->flags & ADL_LCME_FL_NOSYNC) || !c->timestamp ||
        !localtime_r(&when, &tm) ||
        !strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm))
        return;
    fprintf(p->f, "    lcme_timestamp:      '%s'\n", text);
}

static void entry(const struct page *p, const struct adl_component *c,
                  size_t offset)
{
    if (p->about->is_dir)
        fputs("  - lcme_id:             N/A\n"
              "    lcme_mirror_id:      N/A\n",
              p->f);
    else
        fprintf(p->f,
                "  - lcme_id:             %" PRIu32 "\n"
                "    lcme_mirror_id:      %d\n",
                c->id, adl_component_mirror(c));
    fputs("    lcme_flags:          ", p->f);
    component_flags(p->f, c->flags);
    timestamp(p, c);
    fprintf(p->f, "    lcme_extent.e_start: %" PRId64 "\n", c->start);
    if (c->end == ADL_LAYOUT_EOF)
        fputs("    lcme_extent.e_end:   EOF\n", p->f);
    else
        fprintf(p->f, "    lcme_extent.e_end:   %" PRId64 "\n", c->end);
    if (!p->about->yaml)
        fprintf(p->f,
                "    lcme_offset:         %zu\n"
                "    lcme_size:           %zu\n",
                offset, shown_size(p, c));
    fputs("    sub_layout:\n", p->f);
}

static void component(struct page *p, const struct adl_component *c,
                      size_t offset)
{
    p->indent = "      ";
    entry(p, c, offset);
    if (p->about->is_dir)
        template(p, c);
    else
        striping(p, c);
    if (c->nobjects && p->about->yaml)
        objects_yaml(p, c);
    else if (c->nobjects)
        objects_list(p, c);
    if (!p->about->yaml)
        fputc('\n', p->f);
}

static void show_composite(struct page *p)
{
    const struct adl_layout_head *h = adl_layout_head(p->layout);
    const char *in = p->about->yaml ? "" : "  ";
    int n = adl_layout_ncomponents(p->layout);
    size_t offset = sizeof(struct adl_lov_comp_head) +
                    (size_t)n * sizeof(struct adl_lov_comp_entry);
    size_t size = offset;

    for (int i = 0; i < n; i++)
        size += shown_size(p, adl_layout_component(p->layout, i));
    fprintf(p->f,
            "composite_header:\n"
            "  lcm_magic:         0x%08X\n"
            "  lcm_size:          %zu\n"
            "  lcm_flags:         %s\n",
            ADL_LOV_MAGIC_COMP_V1, size,
            state_name(h->flags, p->about->is_dir));
    fprintf(p->f,
            "%slcm_layout_gen:    %" PRIu32 "\n"
            "%slcm_mirror_count:  %d\n"
            "%slcm_entry_count:   %d\n"
            "components:\n",
            in, h->layout_gen, in, h->mirrors, in, n);
    for (int i = 0; i < n; i++) {
        const struct adl_component *c = adl_layout_component(p->layout, i);

        component(p, c, offset);
        offset += shown_size(p, c);
    }
}

static void show_plain(struct page *p)
{
    const struct adl_component *c = adl_layout_component(p->layout, 0);

    p->indent = "";
    if (p->about->is_dir)
        template(p, c);
    else
        striping(p, c);
    if (c->nobjects && p->about->yaml)
        objects_yaml(p, c);
    else if (c->nobjects)
        objects_table(p, c);
    if (!p->about->yaml)
        fputc('\n', p->f);
}

/* The value comes from another program: print printable characters only. */
static void foreign(struct page *p, const struct adl_lov_foreign *h,
                    const unsigned char *value)
{
    fprintf(p->f,
            "lfm_magic:         0x%08" PRIX32 "\n"
            "lfm_length:          %" PRIu32 "\n"
            "lfm_type:          0x%08" PRIX32 " (%s)\n"
            "lfm_flags:          0x%08" PRIX32 "\n"
            "lfm_value:     '",
            h->magic, h->length, h->type, h->type ? "unknown" : "none",
            h->flags);
    for (uint32_t i = 0; i < h->length; i++)
        if (isprint(value[i]))
            fputc(value[i], p->f);
        else
            fprintf(p->f, "\\x%02x", value[i]);
    fputs("'\n\n", p->f);
}

int adl_laytext(const struct adl_layout *layout,
                const struct adl_laytext *about, char **out)
{
    struct page p = {.layout = layout, .about = about, .indent = ""};
    struct adl_lov_foreign head;
    const void *value = adl_layout_foreign(layout, &head);
    char *text = NULL;
    size_t len;

    p.f = open_memstream(&text, &len);
    if (!p.f)
        return -ENOMEM;
    if (!value && about->path && !about->yaml)
        fprintf(p.f, "%s\n", about->path);
    if (value)
        foreign(&p, &head, value);
    else if (adl_layout_head(layout)->composite)
        show_composite(&p);
    else
        show_plain(&p);
    if (fclose(p.f)) {
        free(text);
        return -ENOMEM;
    }
    *out = text;
    return 0;
}
