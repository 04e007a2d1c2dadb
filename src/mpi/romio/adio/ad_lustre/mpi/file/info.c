/* info.c - hints: from MPI_Info and the environment to the file and back */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "info.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../core/report/display.h"
#include "../../sys/rw.h"
#include "../../sys/userfile.h"
#include "../../sys/mem.h"
#include "job.h"

#define HINTS_FILE_MAX (1 << 20)

/* ---- sources ---- */

/* What to do with each pair of an MPI_Info. */
typedef void pair_fn(void *arg, const char *key, const char *value);

static void each_pair(MPI_Info info, pair_fn *fn, void *arg)
{
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    int n = 0, found;

    if (info != MPI_INFO_NULL)
        PMPI_Info_get_nkeys(info, &n);
    for (int i = 0; i < n; i++) {
        PMPI_Info_get_nthkey(info, i, key);
        PMPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
        if (found)
            fn(arg, key, value);
    }
}

static void digest_pair(void *arg, const char *key, const char *value)
{
    struct adl_file *f = arg;

    f->info_digest += adl_hints_digest(key, value);
}

/* The hints that an MPI_Info is put into. */
struct target {
    struct adl_hints *hints;
    struct adl_notes *notes;
};

static void set_pair(void *arg, const char *key, const char *value)
{
    struct target *to = arg;

    adl_hints_set(to->hints, key, value, ADL_FROM_INFO, to->notes);
}

/* Read once in a job: thousands of opens must not read it again. */
static const struct adl_hintspec *file_hints(struct adl_file *f)
{
    const char *path = getenv(ADL_ENV_HINTS_FILE);
    struct adl_job *job = adl_job();
    char *text = NULL;
    int rc;

    if (!path || !*path)
        return NULL;
    if (!job->hints_read) {
        job->hints_read = 1;
        rc = adl_userfile_read(path, HINTS_FILE_MAX, &text);
        if (rc == 0)
            adl_hintspec_parse_lines(text, ADL_ENV_HINTS_FILE, &f->notes,
                                     &job->hints);
        else
            adl_notes_add(&f->notes, "%s=%s: %s", ADL_ENV_HINTS_FILE, path,
                          rc == -EINVAL ? "no regular file" : strerror(-rc));
        free(text);
    }
    return job->hints;
}

/* Local, rank 0. */
static void read_sources(struct adl_file *f, MPI_Info info)
{
    struct target to = {&f->hints, &f->notes};
    struct adl_hintspec *spec = NULL;
    const char *text;

    adl_env_read(&f->env, getenv, &f->notes);
    adl_env_check(environ, &f->notes);
    adl_env_set_hints(&f->env, &f->hints);
    each_pair(info, set_pair, &to);
    adl_hints_set_spec(&f->hints, file_hints(f), f->name, ADL_FROM_HINT_FILE,
                       &f->notes);
    text = adl_env_get(getenv, "HINTS", &f->notes);
    if (text)
        adl_hintspec_parse(text, "MPICH_MPIIO_HINTS", &f->notes, &spec);
    adl_hints_set_spec(&f->hints, spec, f->name, ADL_FROM_ENVIRONMENT,
                       &f->notes);
    adl_hintspec_destroy(spec);
    adl_hints_settle(&f->hints, &f->notes);
    /* ROMIO's common code would free realms that were not made. */
    adl_hints_adjust(&f->hints, ADL_HINT_cb_pfr, ADL_DISABLE, ADL_FROM_DEFAULT);
}

/* ROMIO keeps the shared file pointer in a file of its own next to the user's,
 * opened by each rank for itself: ".NAME.shfp.PID". */
static int is_hidden(ADIO_File fd)
{
    const char *slash = strrchr(fd->filename, '/');
    const char *base = slash ? slash + 1 : fd->filename;
    int size;

    PMPI_Comm_size(fd->comm, &size);
    return size == 1 && base[0] == '.' && strstr(base, ".shfp.");
}

/* ROMIO allocates io_buf by cb_buffer_size and gathers a name from every rank
 * onto rank 0 where there is no ranklist, before OpenColl: values that make
 * both cost nothing, until OpenColl has the real ones. */
static int placeholders(ADIO_File fd)
{
    ADIOI_Hints *rh = fd->hints;

    rh->cb_buffer_size = 1;
    rh->cb_nodes = 1;
    rh->ranklist = ADIOI_Malloc(sizeof(int));
    if (!rh->ranklist)
        return -ENOMEM;
    rh->ranklist[0] = 0;
    rh->initialized = 1;
    return 0;
}

int adl_info_begin(ADIO_File fd, MPI_Info info)
{
    struct adl_file *f;
    int rc = adl_file_create(fd, &f);

    if (rc < 0)
        return rc;
    if (PMPI_Info_create(&fd->info) != MPI_SUCCESS)
        return -ENOMEM;
    f->hidden = is_hidden(fd);
    each_pair(info, digest_pair, f);
    if (f->rank == 0 && !f->hidden)
        read_sources(f, info);
    return placeholders(fd);
}

/* ---- changes on an open file ---- */

/* Local, rank 0. The packed hints that `info` makes of those in force, which
 * stay as they are; empty if it changes nothing. 0 or -errno. */
static int pack_change(struct adl_file *f, MPI_Info info, struct adl_strbuf *sb)
{
    struct adl_strbuf before = ADL_STRBUF_INIT;
    struct adl_hints next;
    struct target to = {&next, &f->notes};
    int rc;

    if (info == MPI_INFO_NULL)
        return 0;
    rc = adl_hints_init(&next);
    if (rc < 0)
        return rc;
    rc = adl_hints_pack(&f->hints, &before);
    if (rc == 0)
        rc = adl_hints_unpack(&next, before.text, before.len);
    if (rc == 0) {
        each_pair(info, set_pair, &to);
        adl_hints_adjust(&next, ADL_HINT_cb_pfr, ADL_DISABLE, ADL_FROM_DEFAULT);
        rc = adl_hints_pack(&next, sb);
    }
    if (rc < 0 ||
        (before.len == sb->len && !memcmp(before.text, sb->text, sb->len)))
        adl_strbuf_release(sb);
    adl_strbuf_release(&before);
    adl_hints_release(&next);
    return rc;
}

/* Collective. All ranks get rank 0's packed hints in `sb`; `rc` is rank 0's.
 * Most calls change nothing: then 4 bytes are all that is sent. 0 or -errno,
 * the same on all ranks. */
static int bcast_change(struct adl_file *f, int rc, struct adl_strbuf *sb)
{
    int len = rc < 0 ? rc : (int)sb->len;
    char *buf;

    PMPI_Bcast(&len, 1, MPI_INT, 0, f->comm);
    if (len <= 0)
        return len;
    buf = f->rank == 0 ? sb->text : ADIOI_Malloc(len);
    PMPI_Bcast(buf, len, MPI_BYTE, 0, f->comm);
    if (f->rank != 0) {
        adl_strbuf_add(sb, buf, len);
        ADIOI_Free(buf);
    }
    return 0;
}

/* Local. `next` (not initialised): the hints in sb. 0 or -errno: it holds
 * nothing then. */
static int unpack_change(const struct adl_strbuf *sb, struct adl_hints *next)
{
    int rc = sb->err ? sb->err : adl_hints_init(next);

    if (rc < 0)
        return rc;
    rc = adl_hints_unpack(next, sb->text, sb->len);
    if (rc < 0)
        adl_hints_release(next);
    return rc;
}

/* Collective. Puts the hints in `sb` in force on all ranks, or on none. */
static int take_change(ADIO_File fd, struct adl_file *f,
                       const struct adl_strbuf *sb)
{
    struct adl_hints next;
    int rc = unpack_change(sb, &next), worst = rc;

    if (f->nprocs > 1)
        PMPI_Allreduce(&rc, &worst, 1, MPI_INT, MPI_MIN, f->comm);
    if (worst == 0) {
        adl_hints_release(&f->hints);
        f->hints = next;
        return adl_info_publish(fd, f);
    }
    if (rc == 0)
        adl_hints_release(&next);
    return worst;
}

int adl_info_change(ADIO_File fd, MPI_Info info)
{
    struct adl_file *f = adl_file_of(fd);
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    int rc = f->rank == 0 ? pack_change(f, info, &sb) : 0;

    if (f->nprocs > 1)
        rc = bcast_change(f, rc, &sb);
    if (rc == 0 && (sb.len > 0 || sb.err))
        rc = take_change(fd, f, &sb);
    adl_strbuf_release(&sb);
    adl_info_report(f, NULL, 0);
    return rc;
}

/* ---- what ROMIO and the user see ---- */

static int romio_switch(int64_t value)
{
    static const int to[] = {[ADL_DISABLE] = ADIOI_HINT_DISABLE,
                             [ADL_ENABLE] = ADIOI_HINT_ENABLE,
                             [ADL_AUTOMATIC] = ADIOI_HINT_AUTO};

    return to[value];
}

static int clamp(int64_t value)
{
    return value > INT_MAX ? INT_MAX : (int)value;
}

static void publish_numbers(ADIOI_Hints *rh, const struct adl_hints *h)
{
    rh->cb_read = romio_switch(h->cb_read);
    rh->cb_write = romio_switch(h->cb_write);
    rh->ds_read = romio_switch(h->ds_read);
    rh->ds_write = romio_switch(h->ds_write);
    rh->cb_alltoall = romio_switch(h->cb_alltoall);
    rh->cb_pfr = ADIOI_HINT_DISABLE;
    rh->cb_fr_type = ADIOI_FR_AAR;
    rh->cb_fr_alignment = clamp(h->cb_fr_alignment);
    rh->cb_ds_threshold = clamp(h->cb_ds_threshold);
    rh->no_indep_rw = (int)h->no_indep_rw;
    /* The driver decides which ranks open the file; Close looks at is_open. */
    rh->deferred_open = 0;
    rh->ind_rd_buffer_size = clamp(h->ind_rd_buffer_size);
    rh->ind_wr_buffer_size = clamp(h->ind_wr_buffer_size);
    rh->min_fdomain_size = clamp(h->min_fdomain_size);
    rh->striping_unit = clamp(h->striping_unit);
    rh->striping_factor = clamp(h->striping_factor);
    rh->start_iodevice = clamp(h->start_iodevice);
    rh->synchronizing_flush = (int)h->synchronized_flush;
}

/* Only ROMIO's own collectives, in whose place ours are, would use io_buf. */
static void publish_buffer(ADIO_File fd, const struct adl_file *f)
{
    fd->hints->cb_buffer_size = clamp(f->hints.cb_buffer_size);
    ADIOI_Free(fd->io_buf);
    fd->io_buf = ADIOI_Malloc(1);
}

static int publish_aggregators(ADIO_File fd, const struct adl_file *f)
{
    size_t size = sizeof(int) * f->aggs.count;
    ADIOI_Hints *rh = fd->hints;

    ADIOI_Free(rh->ranklist);
    rh->ranklist = ADIOI_Malloc(size);
    if (!rh->ranklist)
        return -ENOMEM;
    memcpy(rh->ranklist, f->aggs.rank, size);
    rh->cb_nodes = f->aggs.count;
    if (rh->cb_config_list)
        ADIOI_Free(rh->cb_config_list);
    rh->cb_config_list =
        ADIOI_Strdup(f->hints.cb_config_list ? f->hints.cb_config_list : "*:*");
    return rh->cb_config_list ? 0 : -ENOMEM;
}

/* Where keys have fewer characters than one of our names (MPI_MAX_INFO_KEY),
 * that hint is published under its other name. */
static void short_name(const char *name, char *key, size_t size)
{
    enum adl_hint id;
    int alias;
    bool slip;

    snprintf(key, size, "%s", name);
    if (strlen(name) >= size && adl_hint_find(name, &id, &alias, &slip) == 0)
        adl_hint_alias(id, 1, key, size);
}

/* MPI_MAX_INFO_KEY and _VAL count the 0 at the end. */
static void publish_pair(void *arg, const char *name, const char *value)
{
    ADIO_File fd = arg;
    char key[MPI_MAX_INFO_KEY], cut[MPI_MAX_INFO_VAL];
    struct adl_file *f = adl_file_of(fd);

    short_name(name, key, sizeof(key));
    snprintf(cut, sizeof(cut), "%s", value);
    if (strlen(value) >= sizeof(cut) && f->rank == 0)
        adl_notes_add(&f->notes,
                      "%s: MPI_File_get_info returns the first %d characters "
                      "of %s: this MPI allows no longer values",
                      f->name, (int)sizeof(cut) - 1, name);
    PMPI_Info_set(fd->info, key, cut);
}

/* ROMIO's own key for the aggregators, as far as a value can hold them. */
static void publish_list(ADIO_File fd, const struct adl_file *f)
{
    char text[MPI_MAX_INFO_VAL];
    size_t at = 0;
    int n;

    for (int i = 0; i < f->aggs.count; i++) {
        n = snprintf(text + at, sizeof(text) - at, "%d ", f->aggs.rank[i]);
        if (n >= (int)(sizeof(text) - at))
            break;
        at += n;
    }
    text[at] = '\0';
    PMPI_Info_set(fd->info, "romio_aggregator_list", text);
}

static void publish_hints(ADIO_File fd, struct adl_file *f)
{
    publish_list(fd, f);
    PMPI_Info_set(fd->info, "mpi_memory_alloc_kinds", (char *)adl_mem_kinds());
    adl_hints_each(&f->hints, true, publish_pair, fd);
    f->unfilled = 0;
}

void adl_info_fill(MPI_Info info)
{
    struct adl_file *f = adl_file_with_info(info);

    if (!f || !f->unfilled)
        return;
    publish_hints(f->fd, f);
    adl_info_report(f, NULL, 0);
}

/* The kinds of memory a buffer may have here, and what the user promised. */
static void learn_memory(struct adl_file *f)
{
    const char *promised = f->hints.memory_kinds;

    adl_mem_look();
    f->host_memory = promised && adl_mem_kinds_host(promised);
}

/* A lock mode that did not work stays off, whatever rank 0's hints say: it may
 * not have come to the end of that call when it sent them. */
static void adjust_locks(struct adl_hints *h)
{
    adl_hints_adjust(h, ADL_HINT_lock_mode, 0, ADL_ADJUSTED);
    adl_hints_adjust(h, ADL_HINT_lock_ahead_write, 0, ADL_ADJUSTED);
    adl_hints_adjust(h, ADL_HINT_lock_ahead_read, 0, ADL_ADJUSTED);
}

int adl_info_publish(ADIO_File fd, struct adl_file *f)
{
    int rc;

    f->sieves |=
        f->hints.ds_write == ADL_ENABLE || f->hints.ds_in_coll == ADL_ENABLE;
    if (f->locks.counts.turned_off)
        adjust_locks(&f->hints);
    adl_hints_freeze(&f->hints);
    publish_numbers(fd->hints, &f->hints);
    publish_buffer(fd, f);
    rc = publish_aggregators(fd, f);
    if (rc < 0)
        return rc;
    learn_memory(f);
    f->unfilled = 1;
    if (f->rank == 0 && getenv("ROMIO_PRINT_HINTS"))
        publish_hints(fd, f);
    return 0;
}

/* ---- words ---- */

static void put_notes(struct adl_file *f, struct adl_strbuf *sb)
{
    struct adl_job *job = adl_job();

    adl_notes_fresh(&f->notes, &job->seen);
    for (int i = 0; i < f->notes.count; i++)
        adl_strbuf_printf(sb, "romio-lustre: %s\n", f->notes.line[i]);
    adl_notes_release(&f->notes);
}

static void put_environment(const struct adl_file *f, struct adl_strbuf *sb)
{
    struct adl_job *job = adl_job();

    if (job->env_shown)
        return;
    job->env_shown = 1;
    adl_env_display(&f->env, adl_env_get(getenv, "HINTS", NULL), sb);
}

static void put_displays(const struct adl_file *f,
                         const struct adl_nodemap *map, struct adl_strbuf *sb)
{
    struct adl_placement p = {
        .count = f->aggs.count, .rank = f->aggs.rank, .node = f->aggs.node};

    if (f->env.hints_display) {
        put_environment(f, sb);
        adl_display_hints(sb, f->name, &f->hints);
    }
    if (f->env.placement_display)
        adl_display_placement(sb, f->name, &p, map,
                              f->hints.aggregator_placement_stride);
}

/* Where each rank opens files of its own, the same remark from all of them
 * would be a flood. */
static int may_speak(const struct adl_file *f)
{
    int world = 0;

    if (f->nprocs == 1)
        PMPI_Comm_rank(MPI_COMM_WORLD, &world);
    return world == 0;
}

void adl_info_report(struct adl_file *f, const struct adl_nodemap *map,
                     int differ)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;

    if (f->rank != 0 || f->hidden)
        return;
    if (differ)
        adl_notes_add(&f->notes,
                      "%s: ranks gave different hints to "
                      "MPI_File_open; those of rank 0 are used",
                      f->name);
    if (may_speak(f))
        put_notes(f, &sb);
    if (map)
        put_displays(f, map, &sb);
    adl_rw_put(STDERR_FILENO, adl_strbuf_text(&sb), sb.len);
    adl_strbuf_release(&sb);
}
