/* file.h - a file of the simulated file system that this process uses
 *
 * There is one for each inode, however often it is open, with the decoded
 * layout and the lock server's handles of its objects. Another process may
 * instantiate components, so that the layout read at open may be too short; it
 * never shrinks.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_FILE_H
#define LUSTRE_SIM_FILE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>
#include "conf.h"
#include "core/layout/layout.h"
#include "server.h"

struct sim_file {
    struct sim_file *next; /* in the process's list */
    int refs;              /* under the list's lock */
    ino_t inode;
    char *path; /* canonical, as it was at open */
    pthread_mutex_t lock;
    struct adl_layout *layout; /* NULL: none yet */
    uint64_t key;              /* of its objects at the server */
    uint64_t ready; /* all components below this offset have objects */
    uint64_t end;   /* where the last component ends */
    uint32_t mdt;   /* the server's number of the MDT */
    int nobjects;
    struct lsim_object *objects; /* by dense number */
    unsigned char *got;          /* which of them are filled in */
    int hollow; /* number of group locks taken before the file had a layout */
    pthread_cond_t solid; /* signalled when `hollow` becomes 0 */
    atomic_int known;     /* this process knows the size from its own I/O */
};

/* The bytes of one access on one object: one contiguous piece. */
struct sim_extent {
    int number; /* dense object number */
    uint32_t ost;
    uint64_t start; /* in the object */
    uint64_t end;
    uint64_t file_off; /* where the access first meets the object */
    int on_mdt;
};

struct sim_extents {
    struct sim_extent *list;
    int n;
    int room;
    struct sim_extent few[16];
};

struct sim_file *sim_file_create(ino_t inode, const char *path);
void sim_file_destroy(struct sim_file *f);

/* Read the layout, or read it again. fd: any descriptor of the file. -ENODATA:
 * the file has no layout. */
int sim_file_load(struct sim_file *f, const struct sim_conf *c, int fd);

/* Prepare a write up to `end`: create the layout, instantiate components.
 * -EBADF: a file without objects. */
int sim_file_ready(struct sim_file *f, const struct sim_conf *c, int fd,
                   uint64_t end);

/* Cut [off, end) into extents, without ranges that have no objects yet. Call
 * sim_extents_clear even after an error. -ENODATA: no layout. */
int sim_file_map(struct sim_file *f, uint64_t off, uint64_t end,
                 struct sim_extents *ex);
void sim_extents_clear(struct sim_extents *ex);

/* The first stripe of [off, end) as an extent; where it ends in the file. 0:
 * there is no object, 1, or -ENODATA: no layout. */
int sim_file_stripe(struct sim_file *f, uint64_t off, uint64_t end,
                    struct sim_extent *e, uint64_t *file_end);

/* Where in the file a byte of an object lies. */
uint64_t sim_file_offset(struct sim_file *f, int number, uint64_t object_off);

/* Where the OSTs begin in a file whose data begin on the MDT, and the object
 * there. 0: they do not. */
uint64_t sim_file_mdt_end(struct sim_file *f);
int sim_file_on_mdt(struct sim_file *f, struct lsim *ls,
                    struct lsim_object *obj);

/* A group lock on a file without layout holds nothing, but everything that
 * needs the layout waits for its end (L2): take or release it, and wait. */
void sim_file_hollow(struct sim_file *f, int taken);
void sim_file_wait_solid(struct sim_file *f);

/* How long each object is in a file of `size` bytes. Clear even after an
 * error. -ENODATA: no layout. */
struct sim_tail {
    int n;
    int first;      /* objects before it lie wholly below `size` */
    uint64_t *size; /* by dense number */
};
int sim_file_tail(struct sim_file *f, uint64_t size, struct sim_tail *tail);
void sim_tail_clear(struct sim_tail *tail);

/* A handle on an object by dense number: a copy to work with. put gives back
 * what the server noted in it. */
int sim_file_object(struct sim_file *f, struct lsim *ls, int number,
                    struct lsim_object *obj);
void sim_file_object_put(struct sim_file *f, int number,
                         const struct lsim_object *obj);

/* Handles on all objects there are, those on OSTs first, malloc'ed; *n may be
 * 0. Returns 0 or -errno; *osts: how many are on OSTs (may be NULL). */
int sim_file_objects(struct sim_file *f, struct lsim *ls,
                     struct lsim_object **objs, size_t *n, size_t *osts);

#endif
