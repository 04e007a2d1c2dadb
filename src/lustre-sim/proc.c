/* proc.c - this process on the simulated file system */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "abi.h"
#include "client.h"
#include "io.h"
#include "mds.h"
#include "path.h"

static struct sim_proc state;
static atomic_int active; /* 1: on a root; set once by the constructor */

/* Depth of our own calls in this thread. initial-exec: no allocation when a
 * new thread first looks at it. */
static __thread int inside __attribute__((tls_model("initial-exec")));

void sim_complain(const char *fmt, ...)
{
    char text[512];
    va_list ap;
    int n = snprintf(text, sizeof(text), "lustre-sim: ");

    va_start(ap, fmt);
    n += vsnprintf(text + n, sizeof(text) - n - 1, fmt, ap);
    va_end(ap);
    if (n > (int)sizeof(text) - 2)
        n = sizeof(text) - 2;
    text[n++] = '\n';
    if (write(STDERR_FILENO, text, n) < 0)
        return;
}

/* busy before active is looked at: stop() does it the other way round. */
struct sim_proc *sim_enter(void)
{
    if (!atomic_load_explicit(&active, memory_order_relaxed) || inside)
        return NULL;
    atomic_fetch_add(&state.busy, 1);
    if (!atomic_load(&active)) {
        atomic_fetch_sub(&state.busy, 1);
        return NULL;
    }
    inside++;
    return &state;
}

void sim_leave(void)
{
    inside--;
    atomic_fetch_sub(&state.busy, 1);
}

/* The table is ours to change: not in a child of vfork. */
static int owns_table(const struct sim_proc *p)
{
    return getpid() == p->pid;
}

struct sim_proc *sim_proc(void)
{
    return &state;
}

struct sim_open *sim_hold(int fd)
{
    struct sim_open *o;
    struct sim_proc *p;

    if (!atomic_load_explicit(&active, memory_order_relaxed) ||
        !sim_fdtab_has(&state.fds, fd))
        return NULL;
    p = sim_enter();
    if (!p)
        return NULL;
    o = sim_fdtab_get(&p->fds, fd);
    if (!o)
        sim_leave();
    return o;
}

void sim_release(struct sim_open *o)
{
    int saved = errno;

    sim_open_put(&state, o);
    sim_leave();
    errno = saved;
}

/* ---- the lock server ---- */

static int attach(struct sim_proc *p)
{
    char path[PATH_MAX + 32], text[160] = "";
    struct lsim *ls = NULL;
    struct lsim_config cfg = {.osts = p->conf.osts + 1,
                              .mdt = p->conf.osts,
                              .client = p->client,
                              .forgets = p->forgets};
    const char *profile = getenv(SIM_ENV_PROFILE);
    const char *trace = getenv(SIM_ENV_TRACE);
    int rc;

    rc = lsim_profile_load(profile && *profile ? profile : "none", &cfg.profile,
                           text, sizeof(text));
    if (rc) {
        sim_complain("profile %s: %s", profile, text);
        return rc;
    }
    cfg.trace_dir = trace && *trace ? trace : NULL;
    snprintf(path, sizeof(path), "%s/" SIM_DIR "/server", p->conf.root);
    rc = lsim_open(path, &cfg, &ls);
    if (rc)
        sim_complain("%s: %s", path, strerror(-rc));
    if (rc == 0)
        p->evictions = lsim_evictions(ls);
    p->server = ls;
    return rc;
}

static void slow_down(struct sim_proc *p)
{
    for (unsigned i = 0; i < p->conf.osts; i++)
        if (sim_faults_slow(p->faults, i) != 1)
            lsim_ost_slow(p->server, i, sim_faults_slow(p->faults, i));
}

struct lsim *sim_server(struct sim_proc *p)
{
    struct lsim *ls = p->server;

    if (ls)
        return ls;
    pthread_mutex_lock(&p->lock);
    if (!p->server && !p->no_server) {
        p->no_server = attach(p) != 0;
        if (p->server)
            slow_down(p);
    }
    pthread_mutex_unlock(&p->lock);
    return p->server;
}

/* ---- files ---- */

static struct sim_file *find_file(struct sim_proc *p, ino_t inode)
{
    struct sim_file *f;

    for (f = p->files; f; f = f->next)
        if (f->inode == inode) {
            f->refs++;
            return f;
        }
    return NULL;
}

struct sim_file *sim_file_get(struct sim_proc *p, int fd, const struct stat *st,
                              const char *path)
{
    struct sim_file *f;
    int loaded = 0;

    pthread_mutex_lock(&p->lock);
    f = find_file(p, st->st_ino);
    if (f) {
        loaded = f->layout != NULL;
    } else {
        f = sim_file_create(st->st_ino, path);
        if (f) {
            f->next = p->files;
            p->files = f;
        }
    }
    pthread_mutex_unlock(&p->lock);
    if (f && !loaded)
        sim_file_load(f, &p->conf, fd);
    return f;
}

void sim_file_put(struct sim_proc *p, struct sim_file *f)
{
    struct sim_file **at;
    int last;

    pthread_mutex_lock(&p->lock);
    last = --f->refs == 0;
    for (at = &p->files; last && *at; at = &(*at)->next)
        if (*at == f) {
            *at = f->next;
            break;
        }
    pthread_mutex_unlock(&p->lock);
    if (last)
        sim_file_destroy(f);
}

/* ---- open descriptions ---- */

/* Let go of the group lock, which writes back what is cached. Nothing else
 * does at close (W3): what is dirty stays so until it is called back. */
static void finish(struct sim_proc *p, struct sim_open *o)
{
    struct lsim *ls = sim_server(p);
    struct lsim_object *objs;
    size_t n;

    if (o->hollow) {
        sim_file_hollow(o->file, 0);
        return;
    }
    if (!ls || sim_file_objects(o->file, ls, &objs, &n, NULL) != 0)
        return;
    if (!o->inherited)
        lsim_group_unlock(ls, objs, n, o->gid);
    free(objs);
}

void sim_open_put(struct sim_proc *p, struct sim_open *o)
{
    if (atomic_fetch_sub(&o->refs, 1) != 1)
        return;
    if (o->file && o->gid)
        finish(p, o);
    if (o->file)
        sim_file_put(p, o->file);
    pthread_mutex_destroy(&o->lock);
    free(o);
}

static int how_opened(int flags)
{
    int how = (flags & O_ACCMODE) == O_RDONLY ? 0 : SIM_MDS_WRITE;

    if ((flags & ADL_O_LOV_DELAY_CREATE) == ADL_O_LOV_DELAY_CREATE)
        how |= SIM_MDS_DELAY;
    if (flags & O_CREAT)
        how |= SIM_MDS_CREATE;
    return how;
}

static int enter_table(struct sim_proc *p, int fd, struct sim_open *o)
{
    struct sim_open *old = NULL;
    int rc = sim_fdtab_set(&p->fds, fd, o, &old);

    if (rc == 0 && old) /* closed behind our back */
        sim_open_put(p, old);
    return rc;
}

/* A regular file: layout, and what the server has to know about it. */
static int open_file(struct sim_proc *p, int fd, struct sim_open *o,
                     const struct stat *st, const char *path)
{
    int had = 0, rc;

    if (!(o->flags & O_PATH)) {
        rc = sim_mds_open(&p->conf, fd, path, how_opened(o->flags), &had);
        if (rc)
            return rc;
    }
    o->file = sim_file_get(p, fd, st, path);
    if (!o->file)
        return -ENOMEM;
    if (o->flags & O_PATH)
        return 0;
    if (!had && sim_file_mdt_end(o->file)) /* known by an inode used before */
        sim_io_destroy(p, o->file);
    o->size = st->st_size;
    o->evictions = sim_io_evictions(p);
    sim_io_opened(p, o);
    if (had && (o->flags & O_TRUNC))
        sim_io_truncate(p, o, fd, 0);
    else if (st->st_size > 0)
        sim_io_sizes(p, o->file, st->st_size);
    return 0;
}

static int adopt(struct sim_proc *p, int fd, int flags, const struct stat *st,
                 const char *path)
{
    struct sim_open *o = calloc(1, sizeof(*o));
    int rc = 0;

    if (!o)
        return -ENOMEM;
    o->refs = 1;
    o->flags = flags;
    pthread_mutex_init(&o->lock, NULL);
    if (S_ISREG(st->st_mode))
        rc = open_file(p, fd, o, st, path);
    if (rc == 0)
        rc = enter_table(p, fd, o);
    if (rc)
        sim_open_put(p, o);
    return rc;
}

int sim_adopt(struct sim_proc *p, int fd, int flags)
{
    char path[PATH_MAX];
    struct stat st;

    if (!owns_table(p))
        return 0;
    if (fstat(fd, &st) != 0 || st.st_dev != p->dev ||
        !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) ||
        sim_path_of_fd(&p->conf, fd, path) != 0) {
        sim_forget(p, fd);
        return 0;
    }
    return adopt(p, fd, flags, &st, path);
}

void sim_adopt_unseen(struct sim_proc *p, int fd)
{
    int flags = fcntl(fd, F_GETFL);

    /* A file that waits for its layout goes on waiting. */
    if (flags >= 0)
        sim_adopt(p, fd, (flags & ~O_CREAT) | ADL_O_LOV_DELAY_CREATE);
}

int sim_share(struct sim_proc *p, struct sim_open *o, int fd)
{
    int rc;

    if (!owns_table(p))
        return 0;
    atomic_fetch_add(&o->refs, 1);
    rc = enter_table(p, fd, o);
    if (rc)
        atomic_fetch_sub(&o->refs, 1);
    return rc;
}

void sim_forget(struct sim_proc *p, int fd)
{
    struct sim_open *o;

    if (!sim_fdtab_has(&p->fds, fd) || !owns_table(p))
        return;
    o = sim_fdtab_take(&p->fds, fd);
    if (o)
        sim_open_put(p, o);
}

/* ---- start and end ---- */

/* Descriptors that came through exec. */
static void adopt_inherited(struct sim_proc *p)
{
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *e;

    if (!dir)
        return;
    while ((e = readdir(dir)) != NULL) {
        int fd = atoi(e->d_name);

        if (e->d_name[0] != '.' && fd != dirfd(dir))
            sim_adopt_unseen(p, fd);
    }
    closedir(dir);
}

static int load(struct sim_proc *p, const char *root)
{
    struct adl_err err = {""};
    const char *hybrid, *noflock, *keep;
    struct stat st;
    int rc = sim_conf_load(&p->conf, root, &err);

    if (rc == 0 && stat(p->conf.root, &st) != 0)
        rc = adl_err_set(&err, -errno, "%.90s: %s", root, strerror(errno));
    if (rc == 0)
        rc = sim_faults_parse(getenv(SIM_ENV_FAULT), &p->faults, &err);
    if (rc) {
        sim_complain("%s", err.text);
        return rc;
    }
    hybrid = getenv(SIM_ENV_HYBRID);
    p->conf.hybrid_io = hybrid && strcmp(hybrid, "1") == 0;
    noflock = getenv(SIM_ENV_NOFLOCK);
    p->conf.noflock = noflock && strcmp(noflock, "1") == 0;
    keep = getenv(SIM_ENV_KEEP);
    p->forgets = keep && strcmp(keep, "0") == 0;
    p->pid = getpid();
    p->dev = st.st_dev;
    p->client = sim_client_self(LSIM_MAX_CLIENTS);
    return 0;
}

static void before_fork(void)
{
    pthread_mutex_lock(&state.lock);
    pthread_mutex_lock(&state.fds.lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&state.fds.lock);
    pthread_mutex_unlock(&state.lock);
}

/* Only the forking thread is left, other threads' locks on files are void. */
static void in_child(void)
{
    state.pid = getpid();
    state.busy = inside != 0;
    after_fork();
    for (struct sim_file *f = state.files; f; f = f->next)
        pthread_mutex_init(&f->lock, NULL);
    for (int fd = sim_fdtab_next(&state.fds, 0); fd >= 0;
         fd = sim_fdtab_next(&state.fds, fd + 1)) {
        struct sim_open *o = sim_fdtab_get(&state.fds, fd);

        o->inherited = 1;
        pthread_mutex_init(&o->lock, NULL);
        atomic_fetch_sub(&o->refs, 1);
    }
    if (state.server)
        lsim_forked(state.server);
}

__attribute__((constructor)) static void start(void)
{
    const char *root = getenv(SIM_ENV_ROOT);

    if (!root || !*root || getauxval(AT_SECURE))
        return;
    inside++;
    sim_fdtab_init(&state.fds);
    pthread_mutex_init(&state.lock, NULL);
    if (load(&state, root) == 0) {
        adopt_inherited(&state);
        pthread_atfork(before_fork, after_fork, in_child);
        atomic_store(&active, 1);
    }
    inside--;
}

__attribute__((destructor)) static void stop(void)
{
    if (!atomic_exchange(&active, 0))
        return;
    /* Another thread is still at it, perhaps asleep: leave everything as it
     * is, the server sees that the process has gone. */
    if (atomic_load(&state.busy) || !owns_table(&state))
        return;
    inside++;
    for (int fd = sim_fdtab_next(&state.fds, 0); fd >= 0;
         fd = sim_fdtab_next(&state.fds, fd + 1))
        sim_forget(&state, fd);
    if (state.server)
        lsim_close(state.server);
    state.server = NULL;
    inside--;
}
