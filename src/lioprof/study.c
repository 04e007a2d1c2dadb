/* study.c - what the inputs of a run contain, ready to be shown */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "study.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_REPORTS 256
#define MAX_KEYS 65536

struct lp_study *lp_study_create(const struct lp_study_options *opt)
{
    struct lp_study *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->opt = *opt;
    s->traffic = lp_traffic_create(opt->bins, opt->width ? opt->width : 1000,
                                   opt->pair_series);
    s->keys = lp_names_create(MAX_KEYS, "");
    if (!s->traffic || !s->keys) {
        lp_study_destroy(s);
        return NULL;
    }
    return s;
}

void lp_study_destroy(struct lp_study *s)
{
    if (!s)
        return;
    for (unsigned i = 0; i < s->sources; i++)
        free(s->source[i].path);
    for (unsigned i = 0; i < s->reports; i++)
        lp_json_destroy(s->report[i]);
    for (unsigned i = 0; i < s->key_files; i++)
        free(s->key_file[i]);
    free(s->source);
    free(s->report);
    free(s->key_file);
    lp_json_destroy(s->sim);
    lp_names_destroy(s->keys);
    lp_brw_release(&s->brw);
    lp_disk_release(&s->disks);
    lp_traffic_destroy(s->traffic);
    free(s);
}

void lp_study_complain(struct lp_study *s, const char *path, uint64_t line,
                       const char *fmt, ...)
{
    va_list args;

    if (s->opt.quiet)
        return;
    fprintf(stderr, "lioprof: %s:", path);
    if (line)
        fprintf(stderr, "%" PRIu64 ":", line);
    fputc(' ', stderr);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
}

void lp_study_add_report(struct lp_study *s, struct lp_json *j)
{
    struct lp_json **more;

    if (s->reports < MAX_REPORTS) {
        more = realloc(s->report, (s->reports + 1) * sizeof(struct lp_json *));
        if (more) {
            s->report = more;
            s->report[s->reports++] = j;
            return;
        }
    }
    s->partial = 1;
    lp_json_destroy(j);
}

/* Objects of lustre-sim are named by their file's key. */
static void learn_key(struct lp_study *s, const struct lp_json *object)
{
    const char *key = lp_json_text(lp_json_get(object, "key"), NULL);
    const char *file = lp_json_text(lp_json_get(object, "file"), "");
    unsigned number;
    char **more;

    if (!key || !file[0])
        return;
    number = lp_names_add(s->keys, key, strlen(key));
    if (!number || number < s->key_files)
        return;
    more = realloc(s->key_file, (number + 1) * sizeof(char *));
    if (!more)
        return;
    s->key_file = more;
    while (s->key_files < number)
        s->key_file[s->key_files++] = NULL;
    s->key_file[s->key_files++] = strdup(file);
}

void lp_study_add_target(struct lp_study *s, const char *name)
{
    unsigned target = lp_traffic_target(s->traffic, name, strlen(name));

    s->traffic->target[target].named = 1;
}

void lp_study_add_sim(struct lp_study *s, struct lp_json *j)
{
    int osts = (int)lp_json_number(lp_json_get(j, "osts"), 0);
    const struct lp_json *objects = lp_json_get(j, "object");
    char name[32];

    for (int i = 0; i < osts && i < 4096; i++) {
        snprintf(name, sizeof(name), "lustre-OST%04x", (unsigned)i);
        lp_study_add_target(s, name);
    }
    for (const struct lp_json *o = objects ? objects->first : NULL; o;
         o = o->next)
        learn_key(s, o);
    lp_json_destroy(s->sim);
    s->sim = j;
}

/* ---- the driver's CSV ---- */

/* Behind the quoted file name; NULL: there is none. */
static const char *skip_quoted(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at; at++) {
        if (*at == '"' && at[1] == '"')
            at++;
        else if (*at == '"')
            return at[1] == ',' ? at + 2 : NULL;
    }
    return NULL;
}

int lp_study_add_csv(struct lp_study *s, const char *text, size_t len)
{
    int64_t start, calls, system_calls, written, us, reads, nread, read;
    char line[8192];
    const char *at;
    int n = 0;
    unsigned bin;

    if (len >= sizeof(line))
        return 0;
    memcpy(line, text, len);
    line[len] = '\0';
    if (strncmp(line, "start_ms,", 9) == 0)
        return 1;
    if (sscanf(line, "%" SCNd64 ",%n", &start, &n) != 1 || !n || start < 0 ||
        start > INT64_C(4102444800000)) /* the year 2100 */
        return 0;
    at = skip_quoted(line + n);
    if (!at ||
        sscanf(at,
               "%" SCNd64 ",%" SCNd64 ",%" SCNd64 ",%" SCNd64 ",%" SCNd64
               ",%" SCNd64 ",%" SCNd64,
               &calls, &system_calls, &written, &us, &reads, &nread,
               &read) != 7 ||
        written < 0 || read < 0)
        return 0;
    if (!s->app)
        s->app = lp_series_create(s->traffic->time, LP_APP_KINDS);
    if (!s->app)
        return 1;
    bin = lp_timeline_bin(s->traffic->time, start * 1000);
    lp_series_add(s->app, bin, LP_APP_WRITE, (uint64_t)written);
    lp_series_add(s->app, bin, LP_APP_READ, (uint64_t)read);
    s->app_rows++;
    return 1;
}

/* ---- what things are called ---- */

/* lustre-sim's FID is [OST:KEY:INDEX]. */
const char *lp_study_file(const struct lp_study *s, unsigned object)
{
    const char *fid = lp_names_text(s->traffic->objects.names, object);
    const char *key = strchr(fid, ':'), *end = key ? strchr(key + 1, ':') : 0;
    unsigned number;

    if (!s->sim || !end || strncmp(key, ":0x", 3) != 0)
        return NULL;
    key += 3;
    number = lp_names_find(s->keys, key, (size_t)(end - key));
    return number && number < s->key_files ? s->key_file[number] : NULL;
}

void lp_study_client(const struct lp_study *s, unsigned client, char *out,
                     size_t len)
{
    const struct lp_traffic *t = s->traffic;
    unsigned nid = t->clients.list[client].nid;
    const char *uuid = lp_names_text(t->clients.names, client);

    if (!client)
        snprintf(out, len, "(not named)");
    else if (nid && nid < t->nid_room && t->nid_client[nid] == client)
        snprintf(out, len, "%s", lp_names_text(t->nids, nid));
    else if (strchr(uuid, '_')) /* a server: lustre-MDT0000-mdtlov_UUID */
        snprintf(out, len, "%s", uuid);
    else
        snprintf(out, len, "%.8s", uuid);
}

/* Between the file system's name and the target's; NULL: there is none. */
static const char *dash_of(const char *name)
{
    const char *ost = strstr(name, "-OST");

    return ost ? ost : strstr(name, "-MDT");
}

const char *lp_study_target(const struct lp_study *s, unsigned target)
{
    const struct lp_names *names = s->traffic->targets;
    const char *name = lp_names_text(names, target);
    const char *dash = dash_of(name);
    size_t front = dash ? (size_t)(dash - name) : 0;

    if (!dash)
        return name;
    for (unsigned i = 1; i < lp_names_count(names); i++) {
        const char *other = lp_names_text(names, i);
        const char *at = dash_of(other);

        if (at &&
            ((size_t)(at - other) != front || strncmp(other, name, front) != 0))
            return name;
    }
    return dash + 1;
}
