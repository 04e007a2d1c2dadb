/* ingest.c - files and directories into a study */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "ingest.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/text/strbuf.h"
#include "reader.h"
#include "rpcline.h"

#define SNIFFED 40               /* lines looked at to tell what a file is */
#define DOCUMENT_MAX (256 << 20) /* bytes of a JSON document */
#define DEPTH 8                  /* of directories */

/* What is known about the files of a directory, from its collect.txt. */
struct place {
    char host[256];
    char target[256]; /* the only one there; empty: none or several */
    int targets;
    int64_t clock_offset; /* of the host against ours, microseconds */
};

/* ---- what a file is ---- */

static int has_front(const char *text, size_t len, const char *front)
{
    return len >= strlen(front) && memcmp(text, front, strlen(front)) == 0;
}

static int has_text(const char *text, size_t len, const char *part)
{
    return memmem(text, len, part, strlen(part)) != NULL;
}

static enum lp_input kind_of_line(const char *at, size_t len)
{
    struct lp_rpcline l;

    if (has_front(at, len, "{"))
        return has_text(at, len, "\"romio-lustre-report\"") ? LP_INPUT_REPORT
               : has_front(at, len, "{\"model\":true")      ? LP_INPUT_SIM
                                                            : LP_INPUT_UNKNOWN;
    if (has_front(at, len, "start_ms,file,"))
        return LP_INPUT_CSV;
    if (has_front(at, len, "# lioprof collect"))
        return LP_INPUT_COLLECT;
    if (has_text(at, len, "brw_stats=") || has_front(at, len, "snapshot_time"))
        return LP_INPUT_BRW;
    if (has_front(at, len, "Device") ||
        (has_front(at, len, "Linux ") && has_text(at, len, " CPU)")))
        return LP_INPUT_IOSTAT;
    lp_rpcline_parse(at, len, &l);
    return l.kind == LP_LINE_FOREIGN ? LP_INPUT_UNKNOWN : LP_INPUT_LOG;
}

/* The reader is then at its beginning again. */
static enum lp_input sniff(struct lp_reader *r, struct adl_err *err, int *rc)
{
    enum lp_input kind = LP_INPUT_UNKNOWN;
    struct lp_read_line line;
    int lines = 0;

    while (kind == LP_INPUT_UNKNOWN && lines++ < SNIFFED) {
        *rc = lp_reader_next(r, &line, err);
        if (*rc <= 0)
            break;
        kind = kind_of_line(line.at, line.len);
    }
    if (*rc == 0 && lines == 1)
        *rc = adl_err_set(err, -ENODATA, "the file is empty");
    if (kind != LP_INPUT_UNKNOWN && lp_reader_again(r) < 0) {
        *rc = adl_err_set(err, -ESPIPE, "a pipe, with too much before the log");
        return LP_INPUT_UNKNOWN;
    }
    return kind;
}

/* ---- readers of the kinds ---- */

/* Tells how far a large file is, at most twice a second. */
struct progress {
    const char *path;
    struct timespec start, said;
    int on;
};

static double seconds_since(const struct timespec *t)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - t->tv_sec) +
           (double)(now.tv_nsec - t->tv_nsec) * 1e-9;
}

static void progress_tell(struct progress *p, const struct lp_reader *r)
{
    double part, took;

    if (!p->on || lp_reader_number(r) % 16384 || seconds_since(&p->said) < 0.5)
        return;
    clock_gettime(CLOCK_MONOTONIC, &p->said);
    part = lp_reader_part(r);
    took = seconds_since(&p->start);
    fprintf(stderr, "\rlioprof: %s: ", p->path);
    if (part >= 0)
        fprintf(stderr, "%3.0f %%, ", part * 100);
    fprintf(stderr, "%" PRIu64 " MB, %.0f MB/s ", lp_reader_bytes(r) / 1000000,
            (double)lp_reader_bytes(r) / 1e6 / took);
}

static void progress_end(const struct progress *p)
{
    if (p->on && (p->said.tv_sec != p->start.tv_sec ||
                  p->said.tv_nsec != p->start.tv_nsec))
        fputc('\n', stderr);
}

static void log_complaints(struct lp_study *s, const char *path,
                           const struct lp_tracelog_stats *st)
{
    if (st->foreign)
        lp_study_complain(s, path, st->first_foreign,
                          "no line of a Lustre debug log (%" PRIu64
                          " such lines in all, left out)",
                          st->foreign);
    if (st->broken)
        lp_study_complain(s, path, st->first_broken,
                          "the line ends early (%" PRIu64
                          " such lines in all, left out)",
                          st->broken);
    if (st->cut)
        lp_study_complain(s, path, st->first_cut,
                          "a line of more than %d bytes (%" PRIu64
                          " in all), read up to there",
                          LP_LINE_MAX, st->cut);
    if (st->back)
        lp_study_complain(s, path, st->first_back,
                          "the clock goes back, by up to %.1f s (%" PRIu64
                          " times in all); requests count at the time they "
                          "name",
                          (double)st->worst_back / 1e6, st->back);
    if (st->dropped)
        lp_study_complain(s, path, 0,
                          "%" PRIu64 " log lines were dropped by the server: "
                          "counts are too low",
                          st->dropped);
}

static int read_log(struct lp_study *s, const char *path, struct lp_reader *r,
                    const char *target, struct lp_tracelog_stats *st)
{
    struct progress p = {.path = path, .on = s->opt.progress};
    struct lp_tracelog *log =
        lp_tracelog_begin(s->traffic, target, &s->opt.log);
    struct lp_read_line line;
    struct adl_err err;
    int rc;

    if (!log)
        return -ENOMEM;
    clock_gettime(CLOCK_MONOTONIC, &p.start);
    p.said = p.start;
    while ((rc = lp_reader_next(r, &line, &err)) > 0) {
        lp_tracelog_line(log, line.at, line.len, line.cut);
        progress_tell(&p, r);
    }
    progress_end(&p);
    lp_tracelog_end(log, st);
    if (rc < 0)
        lp_study_complain(s, path, lp_reader_number(r) + 1,
                          "%s; what came before is used", err.text);
    log_complaints(s, path, st);
    s->dropped += st->dropped;
    return rc;
}

typedef int (*line_reader)(struct lp_study *s, const char *text, size_t len);

static int brw_line(struct lp_study *s, const char *text, size_t len)
{
    return lp_brw_line(&s->brw, text, len);
}

static int disk_line(struct lp_study *s, const char *text, size_t len)
{
    return lp_disk_line(&s->disks, text, len);
}

/* A small file, line by line; the first line that is none of the kind is
 * told. */
static int read_lines(struct lp_study *s, const char *path, struct lp_reader *r,
                      line_reader take)
{
    uint64_t bad = 0, first_bad = 0;
    struct lp_read_line line;
    struct adl_err err;
    int rc;

    while ((rc = lp_reader_next(r, &line, &err)) > 0)
        if (!take(s, line.at, line.len) && !bad++)
            first_bad = lp_reader_number(r);
    if (bad)
        lp_study_complain(s, path, first_bad,
                          "does not belong there (%" PRIu64
                          " such lines in all, left out)",
                          bad);
    if (rc < 0)
        lp_study_complain(s, path, lp_reader_number(r) + 1,
                          "%s; what came before is used", err.text);
    return rc < 0 ? rc : bad ? -EINVAL : 0;
}

/* Take over one JSON document; `number`: its first line. */
static int take_document(struct lp_study *s, const char *path, uint64_t number,
                         enum lp_input kind, const struct adl_strbuf *sb)
{
    struct adl_err err;
    struct lp_json *j = lp_json_parse(adl_strbuf_text(sb), sb->len, &err);

    if (!j) {
        lp_study_complain(s, path, number, "%s; left out", err.text);
        return -EINVAL;
    }
    if (kind == LP_INPUT_SIM) {
        lp_study_add_sim(s, j);
    } else if (lp_json_number(lp_json_get(j, "version"), 0) != 1) {
        lp_study_complain(s, path, number,
                          "not a report of version 1, the only one known "
                          "here; left out");
        lp_json_destroy(j);
        return -EINVAL;
    } else {
        lp_study_add_report(s, j);
    }
    return 0;
}

/* The driver's reports are a document a line, lustre-sim's counters one in
 * several. Lines longer than a reader's come in parts, so the file is read
 * whole. */
static int read_documents(struct lp_study *s, const char *path,
                          struct lp_reader *r, enum lp_input kind)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_err err;
    char *line, *next;
    uint64_t number = 1;
    int rc = lp_reader_slurp(r, DOCUMENT_MAX, &sb, &err), worst = 0;

    if (rc < 0)
        lp_study_complain(s, path, 0, "%s; left out", err.text);
    if (rc == 0 && kind == LP_INPUT_SIM)
        rc = take_document(s, path, 1, kind, &sb);
    for (line = sb.text; rc == 0 && kind == LP_INPUT_REPORT && line && *line;
         line = next, number++) {
        char *newline = strchr(line, '\n');
        struct adl_strbuf one = {.text = line};

        one.len = newline ? (size_t)(newline - line) : strlen(line);
        next = newline ? newline + 1 : line + one.len;
        if (one.len && take_document(s, path, number, kind, &one) < 0)
            worst = -EINVAL;
    }
    adl_strbuf_release(&sb);
    return rc < 0 ? rc : worst;
}

/* ---- names of targets ---- */

/* lustre-sim's ossN.log is OST N; else the only OST of the host, its name, or
 * the file's. */
static void target_of(const struct place *place, const char *path, char *out,
                      size_t len)
{
    const char *base = strrchr(path, '/'), *dot;
    unsigned number;
    int end = 0;

    base = base ? base + 1 : path;
    if (sscanf(base, "oss%u.log%n", &number, &end) == 1 && end &&
        number < 65536) {
        snprintf(out, len, "lustre-OST%04x", number);
        return;
    }
    if (place->target[0] || place->host[0]) {
        snprintf(out, len, "%s",
                 place->target[0] ? place->target : place->host);
        return;
    }
    dot = strchr(base, '.');
    snprintf(out, len, "%.*s", dot && dot > base ? (int)(dot - base) : 80,
             base);
}

/* ---- files and directories ---- */

static struct lp_source *add_source(struct lp_study *s, const char *path,
                                    enum lp_input kind)
{
    struct lp_source *more =
        realloc(s->source, (s->sources + 1) * sizeof(*more));

    if (!more)
        return NULL;
    s->source = more;
    more[s->sources] = (struct lp_source){.path = strdup(path), .kind = kind};
    return more[s->sources].path ? &more[s->sources++] : NULL;
}

static int read_kind(struct lp_study *s, struct lp_source *src,
                     const struct place *place, struct lp_reader *r)
{
    char target[256];

    target_of(place, src->path, target, sizeof(target));
    switch (src->kind) {
    case LP_INPUT_LOG:
        s->opt.log.shift = -place->clock_offset;
        return read_log(s, src->path, r, target, &src->log);
    case LP_INPUT_BRW:
        lp_brw_begin(&s->brw, target);
        return read_lines(s, src->path, r, brw_line);
    case LP_INPUT_IOSTAT:
        lp_disk_begin(&s->disks, place->host[0] ? place->host : target);
        return read_lines(s, src->path, r, disk_line);
    case LP_INPUT_CSV:
        return read_lines(s, src->path, r, lp_study_add_csv);
    default:
        return read_documents(s, src->path, r, src->kind);
    }
}

static void leave_out(struct lp_study *s, const char *path, int asked, int rc,
                      const struct adl_err *err)
{
    if (rc < 0)
        lp_study_complain(s, path, 0, "%s; left out", err->text);
    else if (asked)
        lp_study_complain(s, path, 1,
                          "neither a Lustre debug log nor brw_stats, "
                          "iostat, a report or CSV of the driver; left "
                          "out");
    s->partial |= asked || (rc < 0 && rc != -ENODATA);
}

/* A file whose kind is known. */
static int use_file(struct lp_study *s, const char *path, enum lp_input kind,
                    const struct place *place, struct lp_reader *r)
{
    struct lp_source *src = add_source(s, path, kind);
    int rc = src ? read_kind(s, src, place, r) : -ENOMEM;

    if (!src)
        return rc;
    src->bytes = lp_reader_bytes(r);
    s->partial |= rc < 0;
    s->used++;
    return rc == -ENOMEM ? rc : 0;
}

/* A pipe cannot be opened twice: one reader tells what a file is and reads
 * it. */
static int read_file(struct lp_study *s, const char *path,
                     const struct place *place, int asked)
{
    enum lp_input kind;
    struct lp_reader *r;
    struct adl_err err;
    int rc = lp_reader_open(path, &r, &err);

    if (rc < 0) {
        fprintf(stderr, "lioprof: %s\n", err.text);
        s->partial = 1;
        return 0;
    }
    kind = sniff(r, &err, &rc);
    if (kind == LP_INPUT_UNKNOWN)
        leave_out(s, path, asked, rc, &err);
    rc = 0;
    if (kind != LP_INPUT_UNKNOWN && kind != LP_INPUT_COLLECT)
        rc = use_file(s, path, kind, place, r);
    lp_reader_close(r);
    return rc;
}

/* DIR/collect.txt: what lioprof collect noted about the host. */
static void read_place(struct lp_study *s, const char *dir, struct place *place)
{
    char path[4096], line[512], value[256];
    long long n;
    FILE *f;

    snprintf(path, sizeof(path), "%s/collect.txt", dir);
    f = fopen(path, "r");
    if (!f)
        return;
    *place = (struct place){0};
    while (fgets(line, sizeof(line), f)) {
        if (sscanf(line, "host %255s", value) == 1)
            snprintf(place->host, sizeof(place->host), "%s", value);
        if (sscanf(line, "target %255s", value) == 1) {
            lp_study_add_target(s, value);
            snprintf(place->target, sizeof(place->target), "%s",
                     place->targets++ ? "" : value);
        }
        if (sscanf(line, "clock_offset_us %lld", &n) == 1) {
            place->clock_offset = n;
            if (llabs(n) > s->clock_offset_most)
                s->clock_offset_most = llabs(n);
        }
        if (sscanf(line, "dropped %lld", &n) == 1 && n > 0) {
            s->dropped += (uint64_t)n;
            lp_study_complain(s, path, 0,
                              "the log buffer overflowed %lld times: counts "
                              "are too low",
                              n);
        }
    }
    fclose(f);
}

static int visible(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

static int read_path(struct lp_study *s, const char *path, struct place place,
                     int depth, int asked);

static int read_dir(struct lp_study *s, const char *path, struct place place,
                    int depth)
{
    struct dirent **entry;
    int n = scandir(path, &entry, visible, alphasort), rc = 0;
    char below[4096];

    if (n < 0) {
        lp_study_complain(s, path, 0, "%s", strerror(errno));
        s->partial = 1;
        return 0;
    }
    read_place(s, path, &place);
    for (int i = 0; i < n; i++) {
        int len =
            snprintf(below, sizeof(below), "%s/%s", path, entry[i]->d_name);

        if (rc == 0 && len > 0 && (size_t)len < sizeof(below))
            rc = read_path(s, below, place, depth + 1, 0);
        free(entry[i]);
    }
    free(entry);
    return rc;
}

static int read_path(struct lp_study *s, const char *path, struct place place,
                     int depth, int asked)
{
    struct stat st;

    if (strcmp(path, "-") != 0 && (asked ? stat : lstat)(path, &st) < 0) {
        lp_study_complain(s, path, 0, "%s", strerror(errno));
        s->partial = 1;
        return 0;
    }
    if (strcmp(path, "-") == 0 || S_ISREG(st.st_mode) ||
        (asked && !S_ISDIR(st.st_mode)))
        return read_file(s, path, &place, asked);
    if (S_ISDIR(st.st_mode) && depth < DEPTH)
        return read_dir(s, path, place, depth);
    return 0;
}

int lp_ingest(struct lp_study *s, const char *path)
{
    return read_path(s, path, (struct place){0}, 0, 1);
}

void lp_ingest_finish(struct lp_study *s)
{
    lp_traffic_finish(s->traffic);
}
