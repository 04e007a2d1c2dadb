/* access.c - what one rank asks for in one call, free of ROMIO's types */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "access.h"

#include <errno.h>
#include <string.h>

#include "../../sys/mem.h"

_Static_assert(sizeof(ADIO_Offset) == sizeof(int64_t),
               "flattened types hold 64-bit offsets");

static void tile_from_type(MPI_Datatype type, struct adl_tile *tile)
{
    ADIOI_Flatlist_node *flat = ADIOI_Flatten_and_find(type);
    MPI_Count size, lb, extent;

    PMPI_Type_size_x(type, &size);
    PMPI_Type_get_extent_x(type, &lb, &extent);
    tile->off = (const int64_t *)flat->indices;
    tile->len = (const int64_t *)flat->blocklens;
    tile->n = flat->count;
    tile->extent = extent;
    tile->size = size;
}

static void set_file_side(struct adl_access *acc, ADIO_File fd)
{
    struct adl_selection *sel = &acc->sel;

    ADIOI_Datatype_iscontig(fd->filetype, &sel->file_contig);
    sel->view = adl_file_of(fd)->views;
    sel->disp = fd->disp;
    sel->stay = fd->fp_ind;
    if (!sel->file_contig)
        tile_from_type(fd->filetype, &sel->file);
}

static void set_memory_side(struct adl_access *acc, const void *buf,
                            adl_count_t count, MPI_Datatype type)
{
    MPI_Count size, lb, extent;

    PMPI_Type_size_x(type, &size);
    acc->sel.bytes = size * (MPI_Count)count;
    acc->buf = (char *)buf;
    ADIOI_Datatype_iscontig(type, &acc->sel.mem_contig);
    if (acc->sel.mem_contig) {
        PMPI_Type_get_true_extent_x(type, &lb, &extent);
        acc->buf += lb;
    } else {
        tile_from_type(type, &acc->sel.mem);
    }
}

/* Is the buffer a device's? The origin need not lie in it, its first byte does.
 * A type from MPI_BOTTOM has addresses, of several buffers perhaps. */
static void look_at_memory(struct adl_access *acc, ADIO_File fd)
{
    const struct adl_tile *t = &acc->sel.mem;
    int rc = 0;

    if (acc->sel.bytes == 0 || adl_file_of(fd)->host_memory)
        return;
    if (acc->sel.mem_contig) {
        rc = adl_mem_hold(&acc->hold, acc->buf);
    } else if (acc->buf) {
        rc = adl_mem_hold(&acc->hold, acc->buf + adl_tile_first(t));
    } else {
        for (int64_t i = 0; rc == 0 && i < t->n; i++)
            if (t->len[i] > 0)
                rc = adl_mem_hold(&acc->hold, (char *)t->off[i]);
    }
    acc->device = acc->hold != NULL;
    adl_selection_refuse(&acc->sel, rc);
}

static void copy_settings(struct adl_settings *set, ADIO_File fd)
{
    const struct adl_hints *h = &adl_file_of(fd)->hints;

    *set = (struct adl_settings){
        .atomic = fd->atomicity,
        .cb_read = h->cb_read,
        .cb_write = h->cb_write,
        .ds_read = h->ds_read,
        .ds_write = h->ds_write,
        .ds_in_coll = h->ds_in_coll,
        .ind_rd_buffer_size = h->ind_rd_buffer_size,
        .ind_wr_buffer_size = h->ind_wr_buffer_size,
        .coll_threshold = h->coll_threshold,
        .same_io_size = h->same_io_size,
        .contiguous_data = h->contiguous_data,
    };
}

void adl_access_init(struct adl_access *acc, ADIO_File fd, const void *buf,
                     adl_count_t count, MPI_Datatype datatype,
                     int file_ptr_type, ADIO_Offset offset)
{
    struct adl_selection *sel = &acc->sel;

    memset(acc, 0, sizeof(*acc));
    copy_settings(&acc->set, fd);
    adl_prof_mark(adl_file_of(fd)->prof, &acc->time, ADL_BEGAN);
    set_file_side(acc, fd);
    set_memory_side(acc, buf, count, datatype);
    look_at_memory(acc, fd);
    if (file_ptr_type == ADIO_INDIVIDUAL)
        sel->skip = adl_selection_before(sel, fd->fp_ind);
    else if (__builtin_mul_overflow(offset, (int64_t)fd->etype_size,
                                    &sel->skip))
        adl_selection_refuse(sel, -EFBIG);
    adl_selection_begin(sel);
}

void adl_access_fini(struct adl_access *acc)
{
    adl_mem_release(acc->hold);
    acc->hold = NULL;
    adl_selection_fini(&acc->sel);
}
