/* cmd_stats.c - lustre-sim stats and reset: what the servers counted */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd.h"
#include "file.h"
#include "path.h"
#include "server.h"

static const char stats_help[] =
    "Usage: lustre-sim stats [--json] [--objects] [--locks] [DIR]\n"
    "Print what the simulated servers counted since mkfs or reset: for all,\n"
    "each OST, each client and, with --objects or --json, each object; with\n"
    "--locks or --json also the extents of the locks held now.\n"
    "DIR: the root; default $LUSTRE_SIM_ROOT, or that of the current\n"
    "directory.\n";

static const char reset_help[] =
    "Usage: lustre-sim reset [DIR]\n"
    "Set all counters of the simulated servers to 0. Locks are kept.\n";

/* The counters' names, in the order of struct lsim_counts. */
static const char *const names[] = {
#define X(name, text) #name,
#include "counters.def"
#undef X
};
#define NAMES (sizeof(names) / sizeof(names[0]))

static uint64_t value(const struct lsim_counts *c, size_t i)
{
    const uint64_t values[] = {
#define X(name, text) c->name,
#include "counters.def"
#undef X
    };

    return values[i];
}

static int is_zero(const struct lsim_counts *c)
{
    for (size_t i = 0; i < NAMES; i++)
        if (value(c, i))
            return 0;
    return 1;
}

static void add(struct lsim_counts *sum, const struct lsim_counts *c)
{
#define X(name, text) sum->name += c->name;
#include "counters.def"
#undef X
    for (int i = 0; i < LSIM_HIST; i++) {
        sum->read_hist[i] += c->read_hist[i];
        sum->write_hist[i] += c->write_hist[i];
    }
}

/* ---- names of files, by their key at the server ---- */

struct name {
    uint64_t key;
    char *path;
};

struct names {
    struct name *list;
    size_t n, room;
    const struct sim_conf *conf;
};

static int add_name(struct names *ns, uint64_t key, const char *path)
{
    struct name *more;

    if (ns->n == ns->room) {
        ns->room = ns->room ? 2 * ns->room : 64;
        more = realloc(ns->list, ns->room * sizeof(*more));
        if (!more)
            return -ENOMEM;
        ns->list = more;
    }
    ns->list[ns->n].key = key;
    ns->list[ns->n].path = strdup(path);
    return ns->list[ns->n++].path ? 0 : -ENOMEM;
}

static void learn_name(struct names *ns, const char *path,
                       const struct stat *st)
{
    struct sim_file *f;
    int fd;

    if (!sim_path_inside(ns->conf, path))
        return;
    fd = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    f = sim_file_create(st->st_ino, path);
    if (f && sim_file_load(f, ns->conf, fd) == 0 && f->key)
        add_name(ns, f->key, sim_path_below(ns->conf, path));
    sim_file_destroy(f);
    close(fd);
}

/* nftw has no argument to hand through. */
static struct names *walking;

static int walk(const char *path, const struct stat *st, int type,
                struct FTW *ftw)
{
    (void)ftw;
    if (type == FTW_F && S_ISREG(st->st_mode))
        learn_name(walking, path, st);
    return 0;
}

static void learn_names(struct names *ns, const struct sim_conf *c)
{
    *ns = (struct names){.conf = c};
    walking = ns;
    nftw(c->root, walk, 16, FTW_PHYS);
}

static void forget_names(struct names *ns)
{
    for (size_t i = 0; i < ns->n; i++)
        free(ns->list[i].path);
    free(ns->list);
}

static const char *name_of(const struct names *ns, uint64_t key)
{
    for (size_t i = 0; i < ns->n; i++)
        if (ns->list[i].key == key)
            return ns->list[i].path;
    return NULL;
}

/* ---- output ---- */

/* What is printed, and how. */
struct out {
    int json, objects, locks;
    struct lsim *ls;
    int n; /* elements of the JSON list so far */
    struct names names;
};

static void json_string(const char *s)
{
    putchar('"');
    for (; *s; s++) {
        unsigned char c = *s;

        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20 || c >= 0x7f) /* paths are bytes: Latin-1 */
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void json_hist(const char *name, const uint64_t hist[LSIM_HIST])
{
    printf(",\"%s\":[", name);
    for (int i = 0; i < LSIM_HIST; i++)
        printf("%s%llu", i ? "," : "", (unsigned long long)hist[i]);
    putchar(']');
}

static void json_counts(const struct lsim_counts *c)
{
    for (size_t i = 0; i < NAMES; i++)
        printf(",\"%s\":%llu", names[i], (unsigned long long)value(c, i));
    json_hist("read_hist", c->read_hist);
    json_hist("write_hist", c->write_hist);
}

/* One line: what it is about, then the counters that are not 0. */
static void text_counts(const char *title, const struct lsim_counts *c)
{
    printf("%s:", title);
    for (size_t i = 0; i < NAMES; i++)
        if (value(c, i))
            printf(" %s=%llu", names[i], (unsigned long long)value(c, i));
    putchar('\n');
}

static void put_numbered(struct out *o, const char *what, unsigned i,
                         const struct lsim_counts *c)
{
    char title[32];

    if (o->json) {
        printf("%s{\"%s\":%u", o->n++ ? "," : "", what, i);
        json_counts(c);
        putchar('}');
    } else {
        snprintf(title, sizeof(title), "%s %u", what, i);
        text_counts(title, c);
    }
}

static const char *mode_name(enum lsim_mode mode)
{
    return mode == LSIM_PR ? "PR" : mode == LSIM_PW ? "PW" : "GROUP";
}

static void json_lock(const struct lsim_lock_info *k, int first)
{
    printf("%s{\"client\":%u,\"mode\":\"%s\",\"gid\":%u,\"start\":%llu,",
           first ? "" : ",", k->client, mode_name(k->mode), k->gid,
           (unsigned long long)k->start);
    if (k->end == LSIM_EOF)
        printf("\"end\":null}");
    else
        printf("\"end\":%llu}", (unsigned long long)k->end);
}

static void text_lock(const struct lsim_lock_info *k)
{
    printf("  client %u %s [%llu, ", k->client, mode_name(k->mode),
           (unsigned long long)k->start);
    if (k->end == LSIM_EOF)
        printf("EOF)\n");
    else
        printf("%llu)\n", (unsigned long long)k->end);
}

#define SHOWN_LOCKS 1000

static void put_locks(const struct out *o, const struct lsim_object *obj)
{
    struct lsim_object copy = *obj;
    struct lsim_lock_info *list = calloc(SHOWN_LOCKS, sizeof(*list));
    long n = list ? lsim_locks(o->ls, &copy, list, SHOWN_LOCKS) : 0;

    if (n > SHOWN_LOCKS)
        n = SHOWN_LOCKS;
    for (long i = 0; i < n; i++) {
        if (o->json)
            json_lock(&list[i], i == 0);
        else
            text_lock(&list[i]);
    }
    free(list);
}

static int put_object(const struct lsim_object *obj,
                      const struct lsim_counts *c, void *arg)
{
    struct out *o = arg;
    const char *path = name_of(&o->names, obj->file);
    char title[PATH_MAX + 64];

    if (o->json) {
        printf("%s{\"file\":", o->n++ ? "," : "");
        json_string(path ? path : "");
        printf(",\"key\":\"%llx\",\"component\":%u,\"stripe\":%u,\"ost\":%u",
               (unsigned long long)obj->file, obj->index >> 16,
               obj->index & 0xffff, obj->ost);
        json_counts(c);
        printf(",\"locks\":[");
        put_locks(o, obj);
        printf("]}");
        return 0;
    }
    snprintf(title, sizeof(title), "object %s component %u stripe %u ost %u",
             path ? path : "?", obj->index >> 16, obj->index & 0xffff,
             obj->ost);
    text_counts(title, c);
    if (o->locks)
        put_locks(o, obj);
    return 0;
}

static void put_osts(struct lsim *ls, const struct sim_conf *c, struct out *o)
{
    struct lsim_counts one;

    for (unsigned i = 0; i < c->osts; i++)
        if (lsim_stats_ost(ls, i, &one) == 0)
            put_numbered(o, "ost", i, &one);
}

/* The MDT is the server's last target; its counts are in no sum. */
static void put_mdt(struct lsim *ls, const struct sim_conf *c, struct out *o)
{
    struct lsim_counts one;

    if (lsim_stats_ost(ls, c->osts, &one) == 0)
        put_numbered(o, "mdt", 0, &one);
}

static void put_clients(struct lsim *ls, const struct sim_conf *c,
                        struct out *o)
{
    struct lsim_counts one, sum;

    for (unsigned i = 0; i < LSIM_MAX_CLIENTS; i++) {
        if (lsim_stats_client(ls, i, &one) || is_zero(&one))
            continue;
        memset(&sum, 0, sizeof(sum));
        for (unsigned j = 0; j < c->osts; j++)
            if (lsim_stats_client_ost(ls, i, j, &one) == 0)
                add(&sum, &one);
        if (!is_zero(&sum))
            put_numbered(o, "client", i, &sum);
    }
}

static void put_objects(struct lsim *ls, const struct sim_conf *c,
                        struct out *o)
{
    for (unsigned i = 0; i < c->osts; i++)
        lsim_stats_objects(ls, i, put_object, o);
}

static void sum_osts(struct lsim *ls, const struct sim_conf *c,
                     struct lsim_counts *sum)
{
    struct lsim_counts one;

    memset(sum, 0, sizeof(*sum));
    for (unsigned i = 0; i < c->osts; i++)
        if (lsim_stats_ost(ls, i, &one) == 0)
            add(sum, &one);
}

static void put_json(struct lsim *ls, const struct sim_conf *c, struct out *o)
{
    struct lsim_counts sum;

    sum_osts(ls, c, &sum);
    printf("{\"model\":true,\"osts\":%u,\"total\":{\"osts\":%u", c->osts,
           c->osts);
    json_counts(&sum);
    printf("},\n\"ost\":[");
    put_osts(ls, c, o);
    printf("],\n\"mdt\":[");
    o->n = 0;
    put_mdt(ls, c, o);
    printf("],\n\"client\":[");
    o->n = 0;
    put_clients(ls, c, o);
    printf("],\n\"object\":[");
    o->n = 0;
    put_objects(ls, c, o);
    printf("]}\n");
}

static void put_text(struct lsim *ls, const struct sim_conf *c, struct out *o)
{
    struct lsim_counts sum;

    sum_osts(ls, c, &sum);
    text_counts("total", &sum);
    put_osts(ls, c, o);
    put_mdt(ls, c, o);
    put_clients(ls, c, o);
    if (o->objects)
        put_objects(ls, c, o);
}

/* Attach as a client node that no job uses unless it has all of them. */
static int open_server(const char *name, const struct sim_conf *c,
                       struct lsim **ls)
{
    struct lsim_config cfg = {.osts = c->osts + 1,
                              .client = LSIM_MAX_CLIENTS - 1};
    char path[PATH_MAX + 32];
    int rc = lsim_profile_load("none", &cfg.profile, NULL, 0);

    snprintf(path, sizeof(path), "%s/" SIM_DIR "/server", c->root);
    if (rc == 0)
        rc = lsim_open(path, &cfg, ls);
    return rc ? cmd_fail(1, name, "%s: %s", path, strerror(-rc)) : 0;
}

static int show(const struct sim_conf *c, struct out *o)
{
    struct lsim *ls;
    int rc = open_server("stats", c, &ls);

    if (rc)
        return rc;
    o->ls = ls;
    if (o->json || o->objects)
        learn_names(&o->names, c);
    if (o->json)
        put_json(ls, c, o);
    else
        put_text(ls, c, o);
    forget_names(&o->names);
    lsim_close(ls);
    return 0;
}

int cmd_stats(int argc, char **argv)
{
    struct out o = {0};
    const char *dir = NULL;
    struct sim_conf c;
    int rc;

    if (cmd_help(argc, argv, stats_help))
        return 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            o.json = 1;
        else if (strcmp(argv[i], "--objects") == 0)
            o.objects = 1;
        else if (strcmp(argv[i], "--locks") == 0)
            o.objects = o.locks = 1;
        else if (argv[i][0] == '-' || dir)
            return cmd_fail(2, "stats", "unexpected '%s', see --help", argv[i]);
        else
            dir = argv[i];
    }
    rc = cmd_root("stats", dir, &c);
    if (rc)
        return rc;
    rc = show(&c, &o);
    sim_conf_clear(&c);
    return rc;
}

static const char drop_help[] =
    "Usage: lustre-sim drop [DIR]\n"
    "Every client writes back its dirty data, drops its cache and cancels its\n"
    "locks, as after umount and mount. Group locks stay.\n"
    "DIR: the root; default $LUSTRE_SIM_ROOT, or that of the current\n"
    "directory.\n";

/* reset and drop: one thing with the server of a root. */
static int with_server(int argc, char **argv, int (*fn)(struct lsim *ls))
{
    struct sim_conf c;
    struct lsim *ls;
    int rc;

    if (argc > 2 || (argc == 2 && argv[1][0] == '-'))
        return cmd_fail(2, argv[0], "unexpected '%s', see --help",
                        argv[argc - 1]);
    rc = cmd_root(argv[0], argc == 2 ? argv[1] : NULL, &c);
    if (rc)
        return rc;
    rc = open_server(argv[0], &c, &ls);
    if (rc == 0) {
        if (fn(ls))
            rc = cmd_fail(1, argv[0], "the server's state is unusable");
        lsim_close(ls);
    }
    sim_conf_clear(&c);
    return rc;
}

int cmd_drop(int argc, char **argv)
{
    if (cmd_help(argc, argv, drop_help))
        return 0;
    return with_server(argc, argv, lsim_drop_all);
}

int cmd_reset(int argc, char **argv)
{
    if (cmd_help(argc, argv, reset_help))
        return 0;
    return with_server(argc, argv, lsim_stats_reset);
}
