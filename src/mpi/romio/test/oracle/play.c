/* play.c - do what a scene says, and compare */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "play_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void play_wrong(struct play *p, const char *fmt, ...)
{
    char text[600], replay[600] = "";
    const struct step *step = &p->sc->step[p->step];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    p->player->replay(replay, sizeof(replay));
    if (!p->failed++)
        fprintf(stderr,
                "oracle: FAILED seed %llu case %lld step %d (%s) rank %d: "
                "%s\n  replay: %s\n",
                (unsigned long long)p->sc->seed, (long long)p->sc->number,
                p->step, p->step < p->sc->steps ? act_name(step) : "close",
                p->player->rank, text, replay);
}

void play_must(struct play *p, const char *what, int rc)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len;

    if (rc == MPI_SUCCESS)
        return;
    MPI_Error_string(rc, text, &len);
    p->failed = 0;
    play_wrong(p, "%s: %s", what, text);
    scene_print(p->sc, stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static MPI_Info make_info(const struct play *p, const struct hints *h)
{
    MPI_Info info;

    MPI_Info_create(&info);
    for (int i = 0; i < h->n; i++)
        MPI_Info_set(info, h->of[i].key, h->of[i].value);
    if (p->sc->self_differs && p->player->rank > 0)
        MPI_Info_set(info, "cb_nodes", "7");
    return info;
}

static void open_file(struct play *p, MPI_Comm comm, int amode, MPI_File *fh)
{
    MPI_Info info = make_info(p, &p->sc->hints);

    play_must(p, "open", MPI_File_open(comm, p->name, amode, info, fh));
    MPI_Info_free(&info);
}

/* The first content, by plain writes; some blocks are left out. */
static void prefill(struct play *p)
{
    struct rng rng = {p->sc->key};
    int holes = rng_chance(&rng, 30);
    unsigned char block[8192];
    int64_t off = p->sc->base, end = off + p->sc->prefill;
    int fd = open(p->path, O_WRONLY | O_CLOEXEC);

    for (; off < end; off += (int64_t)sizeof(block)) {
        int64_t n = end - off < (int64_t)sizeof(block) ? end - off
                                                       : (int64_t)sizeof(block);

        if (holes && rng_chance(&rng, 40))
            continue;
        image_values(p->sc->key, IMAGE_PREFILL, 0, off, n, block);
        if (pwrite(fd, block, n, off) != n)
            play_wrong(p, "prefill: %s", strerror(errno));
        image_write(&p->img, IMAGE_PREFILL, 0, off, n);
    }
    if (fd < 0 || close(fd) < 0)
        play_wrong(p, "prefill: %s", strerror(errno));
}

static void begin(struct play *p)
{
    const struct scene *sc = p->sc;
    int amode = sc->read_only    ? MPI_MODE_RDONLY
                : sc->write_only ? MPI_MODE_WRONLY
                                 : MPI_MODE_RDWR;

    image_begin(&p->img, sc->key, sc->base);
    if (p->player->rank == 0) {
        unlink(p->path);
        if (sc->two_steps) {
            open_file(p, MPI_COMM_SELF, MPI_MODE_CREATE | MPI_MODE_RDWR,
                      &p->fh);
            MPI_File_close(&p->fh);
            prefill(p);
        }
    }
    MPI_Barrier(p->player->comm);
    if (!sc->two_steps)
        amode |= MPI_MODE_CREATE;
    open_file(p, p->player->comm, amode, &p->fh);
    if (p->player->rank == 0 && !sc->two_steps)
        prefill(p);
    p->fd = open(p->path, O_RDONLY | O_CLOEXEC);
    MPI_Barrier(p->player->comm);
}

static void compare(struct play *p)
{
    char why[300];
    int fd;

    if (p->player->rank > 0)
        return;
    fd = open(p->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        play_wrong(p, "open to compare: %s", strerror(errno));
    else if (image_check(&p->img, fd, why, sizeof(why)) < 0)
        play_wrong(p, "%s", why);
    if (fd >= 0)
        close(fd);
}

static void set_view(struct play *p, const struct step *step)
{
    const struct view *v = &step->views->of[p->player->rank];
    MPI_Datatype etype = recipe_build(v->etype);
    MPI_Datatype filetype = recipe_build(v->filetype);

    if (!recipe_agrees(v->filetype, &filetype))
        play_wrong(p, "MPI and the model differ on the filetype");
    play_must(p, "set_view",
              MPI_File_set_view(p->fh, v->disp, etype, filetype, "native",
                                MPI_INFO_NULL));
    MPI_Type_free(&etype);
    MPI_Type_free(&filetype);
}

static void sync_all(struct play *p, const struct step *step)
{
    if (!p->sc->read_only) /* MPICH refuses it */
        play_must(p, "sync", MPI_File_sync(p->fh));
    MPI_Barrier(p->player->comm);
    if (!p->sc->read_only)
        play_must(p, "sync", MPI_File_sync(p->fh));
    if (step->on)
        compare(p);
    MPI_Barrier(p->player->comm);
}

/* One rank is late, so that the calls under way do not begin at the same time
 * on all. */
static void be_late(const struct play *p)
{
    struct timespec time = {0, 1000000};

    if (p->npending > 0 && (int)((p->sc->key + (uint64_t)p->step) %
                                 (uint64_t)p->sc->n) == p->player->rank)
        nanosleep(&time, NULL);
}

static void set_info(struct play *p, const struct step *step)
{
    MPI_Info info = make_info(p, step->hints);

    be_late(p);
    play_must(p, "set_info", MPI_File_set_info(p->fh, info));
    MPI_Info_free(&info);
}

static void do_step(struct play *p, const struct step *step)
{
    switch (step->act) {
    case ACT_VIEW:
        set_view(p, step);
        break;
    case ACT_WRITE:
    case ACT_READ:
        transfer_do(p, step);
        break;
    case ACT_WAIT:
        transfer_wait(p);
        break;
    case ACT_SYNC:
        sync_all(p, step);
        break;
    case ACT_SEEK:
        play_must(
            p, "seek",
            MPI_File_seek(p->fh, step->of[p->player->rank].pos, MPI_SEEK_SET));
        break;
    case ACT_RESIZE:
        play_must(p, "set_size", MPI_File_set_size(p->fh, step->size));
        image_resize(&p->img, step->size);
        break;
    case ACT_ATOMIC:
        be_late(p);
        play_must(p, "set_atomicity", MPI_File_set_atomicity(p->fh, step->on));
        break;
    case ACT_INFO:
        set_info(p, step);
        break;
    }
}

static void end(struct play *p)
{
    const struct player *player = p->player;

    player->at(p->sc->file, p->step);
    if (p->fd >= 0)
        close(p->fd);
    play_must(p, "close", MPI_File_close(&p->fh));
    MPI_Barrier(player->comm);
    compare(p);
    if (p->failed && player->rank == 0)
        scene_print(p->sc, stderr);
    if (player->rank == 0)
        unlink(p->path);
    image_free(&p->img);
}

static struct play *open_all(const struct player *player,
                             const struct scene *sc, int n)
{
    struct play *of = calloc(n, sizeof(*of));

    if (!of)
        abort();
    for (int i = 0; i < n; i++) {
        char number[16] = "";

        of[i].player = player;
        of[i].sc = &sc[i];
        of[i].fd = -1;
        if (i > 0)
            snprintf(number, sizeof(number), ".%d", i);
        snprintf(of[i].name, sizeof(of[i].name), "%s%s", player->name, number);
        snprintf(of[i].path, sizeof(of[i].path), "%s%s", player->path, number);
        begin(&of[i]);
    }
    return of;
}

/* The next file, the same on all ranks; NULL: all is done. */
static struct play *next_of(struct play *of, int n, struct rng *rng)
{
    int first = n > 1 ? pick(rng, n) : 0;

    for (int i = 0; i < n; i++) {
        struct play *p = &of[(first + i) % n];

        if (p->step < p->sc->steps)
            return p;
    }
    return NULL;
}

int play_scenes(const struct player *player, const struct scene *sc, int n)
{
    struct rng rng = {sc->key};
    struct play *of = open_all(player, sc, n), *p;
    int failed = 0;

    while ((p = next_of(of, n, &rng))) {
        player->at(p->sc->file, p->step);
        do_step(p, &p->sc->step[p->step]);
        p->step++;
    }
    for (int i = 0; i < n; i++) {
        end(&of[i]);
        failed += of[i].failed;
    }
    free(of);
    return failed;
}
