/* overdue.c - a rank that waits long for other ranks prints a line, once */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "overdue.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../core/hints/envvars.h"
#include "../../core/text/strbuf.h"
#include "../../sys/clock.h"
#include "../../sys/rw.h"
#include "waiting.h"

/* Of the process: a wait inside ROMIO knows the communicator only. */
static struct {
    pthread_mutex_t mutex;
    struct adl_overdue_file *first;
} open_files = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static __thread const char *in_call;

void adl_overdue_in(const char *call)
{
    in_call = call;
}

void adl_overdue_know(struct adl_overdue_file *f)
{
    pthread_mutex_lock(&open_files.mutex);
    f->next = open_files.first;
    open_files.first = f;
    pthread_mutex_unlock(&open_files.mutex);
}

void adl_overdue_forget(struct adl_overdue_file *f)
{
    struct adl_overdue_file **at = &open_files.first;

    pthread_mutex_lock(&open_files.mutex);
    while (*at && *at != f)
        at = &(*at)->next;
    if (*at)
        *at = f->next;
    pthread_mutex_unlock(&open_files.mutex);
}

/* 1: a file has this communicator. */
static int put_file(struct adl_strbuf *sb, MPI_Comm comm)
{
    const struct adl_overdue_file *f;

    pthread_mutex_lock(&open_files.mutex);
    f = open_files.first;
    while (f && f->comm != comm)
        f = f->next;
    if (f)
        adl_strbuf_printf(sb, "%s: ", f->name);
    pthread_mutex_unlock(&open_files.mutex);
    return f != NULL;
}

static void put_peers(struct adl_strbuf *sb, const struct adl_overdue *o)
{
    int size = 0;

    if (o->peer >= 0) {
        adl_strbuf_printf(sb, "rank %d", o->peer);
        return;
    }
    if (o->comm != MPI_COMM_NULL)
        PMPI_Comm_size(o->comm, &size);
    adl_strbuf_puts(sb, "other ranks");
    if (size > 0)
        adl_strbuf_printf(sb, " of %d", size);
}

static void tell_overdue(const struct adl_overdue *o, int64_t seconds)
{
    MPI_Comm comm = o->comm == MPI_COMM_NULL ? MPI_COMM_WORLD : o->comm;
    const char *call = "MPI_File_open or another call of all ranks";
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    int rank;

    PMPI_Comm_rank(comm, &rank);
    adl_strbuf_printf(&sb, "romio-lustre: rank %d: ", rank);
    if (put_file(&sb, o->comm))
        call = in_call ? in_call : "a call of all ranks";
    adl_strbuf_printf(&sb, "%s has not moved for %lld s: waits for ", call,
                      (long long)seconds);
    put_peers(&sb, o);
    if (o->what)
        adl_strbuf_printf(&sb, " in MPI_%s", o->what);
    adl_strbuf_puts(&sb, "\n");
    adl_rw_put(STDERR_FILENO, adl_strbuf_text(&sb), sb.len);
    adl_strbuf_release(&sb);
}

void adl_overdue_look(struct adl_overdue *o)
{
    int64_t now, limit;

    if (o->printed || o->looks++ % ADL_WAIT_STALL_LOOKS != 0)
        return;
    now = adl_clock_ns();
    if (o->since == 0)
        o->since = now;
    limit = adl_env_stall(getenv(ADL_ENV_STALL));
    o->printed = limit > 0 && now - o->since >= limit * 1000000000;
    if (o->printed)
        tell_overdue(o, limit);
}
