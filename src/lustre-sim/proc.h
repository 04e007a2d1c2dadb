/* proc.h - this process on the simulated file system
 *
 * The one mutable global of the preload library: a process has one C library,
 * and so one simulator under it. Inert (sim_proc() is NULL) without
 * LUSTRE_SIM_ROOT, for set-uid programs, and inside the simulator itself, whose
 * own calls go straight to the C library.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_PROC_H
#define LUSTRE_SIM_PROC_H

#include <sys/stat.h>
#include "fault.h"
#include "fdtab.h"

struct sim_proc {
    struct sim_conf conf;
    dev_t dev; /* the root's device: a quick "not ours" */
    uint32_t client;
    struct sim_faults *faults;
    struct sim_fdtab fds;
    pid_t pid;            /* a vfork'ed child is another, on our memory */
    atomic_int busy;      /* threads inside the simulator */
    pthread_mutex_t lock; /* of what follows */
    struct sim_file *files;
    struct lsim *_Atomic server; /* attached at the first file */
    int forgets;                 /* clients forget: server.h */
    int no_server;      /* the server is not available; a message was printed */
    unsigned evictions; /* of the client before it was attached */
};

/* Enter the simulator: the state, or NULL (then do not leave). Enter and
 * leave keep errno. */
struct sim_proc *sim_enter(void);
void sim_leave(void);

/* Enter if the descriptor is ours: its description with a reference, or NULL
 * (the common case, quick). sim_release leaves. */
struct sim_open *sim_hold(int fd);
void sim_release(struct sim_open *o);

/* The process's state, only between enter and leave. */
struct sim_proc *sim_proc(void);

/* The lock server; NULL after a failure for which a message was printed. */
struct lsim *sim_server(struct sim_proc *p);

/* Check a descriptor that the program got from the kernel. If it is below the
 * root, enter it in the table with `flags` (as for open). 0: done, or not below
 * the root; -errno: the open must fail. */
int sim_adopt(struct sim_proc *p, int fd, int flags);

/* As sim_adopt, for a descriptor that was opened without an intercepted call
 * (before an exec, or by opendir). */
void sim_adopt_unseen(struct sim_proc *p, int fd);

/* Another descriptor of the same description. */
int sim_share(struct sim_proc *p, struct sim_open *o, int fd);

/* The descriptor is being closed. This, sim_adopt and sim_share do nothing in
 * the child of a vfork: the table is its parent's. */
void sim_forget(struct sim_proc *p, int fd);

/* Drop a reference; the last one flushes and releases the locks. */
void sim_open_put(struct sim_proc *p, struct sim_open *o);

/* The file of an inode, layout loaded if there is one; NULL: no memory. */
struct sim_file *sim_file_get(struct sim_proc *p, int fd, const struct stat *st,
                              const char *path);
void sim_file_put(struct sim_proc *p, struct sim_file *f);

/* One line to standard error: "lustre-sim: ...". */
void sim_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
