/* command.c - what the commands that read logs share */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/size.h"
#include "ingest.h"
#include "units.h"

/* Time must be left between --from and --to. */
static int set_moment(struct lp_tracelog_options *log, const char *value,
                      int64_t *out)
{
    int rc = lp_moment_parse(value, out);

    return rc == 0 && log->from && log->to && log->to <= log->from ? -ERANGE
                                                                   : rc;
}

int lp_set_from(void *into, const char *value)
{
    struct lp_tracelog_options *log = &((struct lp_common *)into)->study.log;

    return set_moment(log, value, &log->from);
}

int lp_set_to(void *into, const char *value)
{
    struct lp_tracelog_options *log = &((struct lp_common *)into)->study.log;

    return set_moment(log, value, &log->to);
}

int lp_set_interval(void *into, const char *value)
{
    return lp_time_parse(value, &((struct lp_common *)into)->study.width);
}

int lp_set_rpc_size(void *into, const char *value)
{
    int64_t size;

    if (adl_size_parse(value, &size) < 0 || size <= 0)
        return -EINVAL;
    ((struct lp_common *)into)->study.log.rpc_size = (uint64_t)size;
    return 0;
}

int lp_set_quiet(void *into, const char *value)
{
    struct lp_common *c = into;

    (void)value;
    c->study.quiet = 1;
    c->study.progress = 0;
    return 0;
}

int lp_set_output(void *into, const char *value)
{
    ((struct lp_common *)into)->output = value;
    return *value ? 0 : -EINVAL;
}

int lp_set_tables(void *into, const char *value)
{
    ((struct lp_common *)into)->tables = value;
    return *value ? 0 : -EINVAL;
}

int lp_set_title(void *into, const char *value)
{
    ((struct lp_common *)into)->title = value;
    return 0;
}

static const char *const formats[LP_FORMATS] = {"text", "csv", "json"};
static const char *const suffixes[LP_FORMATS] = {"txt", "csv", "json"};

int lp_set_format(void *into, const char *value)
{
    for (int i = 0; i < LP_FORMATS; i++)
        if (strcmp(value, formats[i]) == 0) {
            ((struct lp_common *)into)->format = (enum lp_format)i;
            return 0;
        }
    return -EINVAL;
}

void *lp_common_begin(size_t size, unsigned bins, unsigned pair_series)
{
    struct lp_common *c = calloc(1, size);

    if (c) {
        c->study.bins = bins;
        c->study.pair_series = pair_series;
        c->study.progress = isatty(STDERR_FILENO);
    }
    return c;
}

struct lp_study *lp_command_study(const struct lp_common *c, int count,
                                  char **args)
{
    struct lp_study *s = lp_study_create(&c->study);
    int rc = s ? 0 : -ENOMEM;

    for (int i = 0; rc == 0 && i < count; i++)
        rc = lp_ingest(s, args[i]);
    if (rc < 0) {
        fprintf(stderr, "lioprof: %s\n", strerror(-rc));
    } else if (!s->used) {
        fprintf(stderr, "lioprof: nothing to analyse in the inputs\n");
        rc = -ENODATA;
    }
    if (rc < 0) {
        lp_study_destroy(s);
        return NULL;
    }
    lp_ingest_finish(s);
    return s;
}

int lp_command_status(const struct lp_study *s)
{
    return s->partial || s->traffic->err ? LP_PARTIAL : LP_OK;
}

static int write_all(FILE *f, const struct adl_strbuf *sb)
{
    if (sb->err || fwrite(sb->text ? sb->text : "", 1, sb->len, f) != sb->len)
        return -1;
    return fflush(f);
}

static int cannot_write(const char *path)
{
    fprintf(stderr, "lioprof: cannot write %s: %s\n", path, strerror(errno));
    return LP_FAILED;
}

/* A device, a pipe, a link: another file must not take its place. */
static int is_special(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static int write_special(const char *path, const struct adl_strbuf *sb)
{
    FILE *f = fopen(path, "w");
    int bad;

    if (!f)
        return cannot_write(path);
    bad = write_all(f, sb);
    if (fclose(f) != 0 || bad)
        return cannot_write(path);
    return LP_OK;
}

int lp_command_write(const char *path, const struct adl_strbuf *sb)
{
    char temporary[4096];
    int fd = -1, n;
    mode_t mask;
    FILE *f;

    if (strcmp(path, "-") == 0)
        return write_all(stdout, sb) == 0 ? LP_OK
                                          : cannot_write("standard output");
    if (is_special(path))
        return write_special(path, sb);
    n = snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path);
    if (n > 0 && (size_t)n < sizeof(temporary))
        fd = mkstemp(temporary);
    f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f)
        return cannot_write(path);
    n = write_all(f, sb);
    mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask); /* as if open had made it */
    if (fclose(f) != 0 || n != 0 || rename(temporary, path) != 0) {
        n = cannot_write(path);
        unlink(temporary);
        return n;
    }
    return LP_OK;
}

/* Whether a comma-separated list holds a name. */
static int is_listed(const char *list, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = list; (at = strstr(at, name)); at += len)
        if ((at == list || at[-1] == ',') && (!at[len] || at[len] == ','))
            return 1;
    return 0;
}

/* Every name asked for must be one. */
static int check_names(const char *names, const struct lp_table_kind *list)
{
    char *copy = strdup(names), *rest = copy, *name;
    int rc = copy ? LP_OK : LP_FAILED;

    while (rc == LP_OK && (name = strsep(&rest, ","))) {
        const struct lp_table_kind *k = list;

        while (k->name && strcmp(k->name, name) != 0)
            k++;
        if (k->name)
            continue;
        fprintf(stderr, "lioprof: no table '%s'; there are:", name);
        for (k = list; k->name; k++)
            fprintf(stderr, " %s", k->name);
        fputc('\n', stderr);
        rc = LP_USAGE;
    }
    free(copy);
    return rc;
}

/* On standard output tables follow each other: JSON as a list, CSV behind a
 * line with the name. */
static void append_table(const struct lp_common *c, const struct lp_table *t,
                         unsigned before, struct adl_strbuf *sb)
{
    if (c->format == LP_AS_JSON)
        adl_strbuf_puts(sb, before ? ",\n" : "[");
    if (c->format == LP_AS_CSV)
        adl_strbuf_printf(sb, "%s# %s\n", before ? "\n" : "", lp_table_name(t));
    lp_table_write(t, c->format, sb);
}

static int write_table(const struct lp_common *c, const struct lp_table *t)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    char path[4096];
    int rc;

    snprintf(path, sizeof(path), "%s/%s.%s", c->output, lp_table_name(t),
             suffixes[c->format]);
    lp_table_write(t, c->format, &sb);
    if (c->format == LP_AS_JSON)
        adl_strbuf_putc(&sb, '\n');
    rc = lp_command_write(path, &sb);
    adl_strbuf_release(&sb);
    return rc;
}

static int make_directory(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return LP_OK;
    fprintf(stderr, "lioprof: %s: %s\n", path, strerror(errno));
    return LP_FAILED;
}

int lp_command_tables(const struct lp_common *c, const struct lp_view *v,
                      const struct lp_table_kind *list)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    int rc = c->tables ? check_names(c->tables, list) : LP_OK;
    unsigned n = 0;

    if (rc == LP_OK && c->output)
        rc = make_directory(c->output);
    for (const struct lp_table_kind *k = list; rc == LP_OK && k->name; k++) {
        struct lp_table *t;

        if (c->tables && !is_listed(c->tables, k->name))
            continue;
        t = lp_table_create(k->name, k->title);
        if (!t)
            break;
        k->make(v, t);
        if (lp_table_rows(t) == 0 && !c->tables) {
            ; /* a question these inputs do not answer */
        } else if (c->output) {
            rc = write_table(c, t);
        } else {
            append_table(c, t, n++, &sb);
        }
        lp_table_destroy(t);
    }
    if (c->format == LP_AS_JSON && !c->output)
        adl_strbuf_puts(&sb, n ? "]\n" : "[]\n");
    if (rc == LP_OK && !c->output)
        rc = lp_command_write("-", &sb);
    adl_strbuf_release(&sb);
    return rc;
}
