/* mover.c - what a collective write and a collective read have in common */
#include "mover.h"

#include "giveup.h"
#include "section.h"

void adl_mover_begin(struct adl_mover *m, struct adl_engine *eng,
                     struct adl_access *acc, const struct adl_claim *all,
                     ADIO_File fd)
{
    m->eng = eng;
    m->fd = fd;
    m->acc = acc;
    m->seat = eng->seg->seat[eng->seg->rank];
    m->shift = adl_engine_shift(eng, all);
    m->call = ++eng->calls;
    m->start = all->start;
    acc->time.aggregated = 1;
    adl_pause_begin(&m->pause, eng->comm, eng->seg->size);
}

void adl_mover_serve(struct adl_mover *m, void (*run)(struct adl_iotask *))
{
    struct adl_engine *eng = m->eng;
    struct adl_serve *s = &m->serve;

    s->window = eng->window;
    s->seg = eng->seg;
    s->agg = eng->file->aggs.mine;
    s->fd = m->fd->fd_sys;
    s->locks = &eng->file->locks;
    s->shift = m->shift;
    s->call = m->call;
    s->prof = eng->file->prof;
    s->start = m->start;
    s->end = m->start + m->acc->span;
    s->dense = m->acc->dense;
    s->task.run = run;
}

void adl_mover_submit(struct adl_mover *m)
{
    m->serving = 1;
    adl_iothread_submit(m->eng->io, &m->serve.task);
}

int adl_mover_served(struct adl_mover *m)
{
    return !m->serving || adl_iothread_done(m->eng->io, &m->serve.task);
}

int adl_mover_alone(const struct adl_mover *m, const struct adl_extents *ext,
                    const struct adl_cell *cell)
{
    struct adl_extents look = *ext;
    struct adl_piece piece;

    return !m->eng->file->on_lustre && !m->acc->dense &&
           cell->end - cell->start >= ADL_ALONE_MIN &&
           adl_extents_next(&look, cell->end, &piece) &&
           piece.off == cell->start && piece.off + piece.len == cell->end;
}

void adl_mover_await_messages(struct adl_mover *m, int done)
{
    struct adl_prof *prof = done ? m->eng->file->prof : NULL;
    int64_t t = adl_prof_now(prof);

    adl_progress_step();
    adl_section_yield();
    m->acc->time.idle += adl_prof_now(prof) - t;
}

void adl_mover_await_io(struct adl_mover *m)
{
    struct adl_prof *prof = m->eng->file->prof;
    int64_t t = adl_prof_now(prof);
    struct adl_bell *bell = adl_iothread_bell(m->eng->io);
    uint32_t seen = adl_bell_read(bell);

    if (!adl_mover_served(m))
        adl_pause(&m->pause, bell, seen);
    m->acc->time.idle += adl_prof_now(prof) - t;
}

int adl_mover_end(struct adl_mover *m, const char *what)
{
    const struct adl_serve_counts *counts = &m->serve.counts;

    if (!m->serving)
        return m->rc;
    m->acc->time.file = counts->ns;
    m->acc->time.active = counts->bytes > 0;
    m->acc->covered = counts->covered;
    if (m->serve.rc < 0)
        return adl_giveup(m->eng->file, what, m->serve.rc);
    return m->rc;
}
