/* inquiry.h - the ioctls by which lfs and liblustreapi ask about files and
 * targets
 *
 * Names, numbers and answers as they were recorded of a real Lustre 2.17
 * (test/locks-2.md, "ioctls of lfs"). One MDT, as many OSTs as mkfs made.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_INQUIRY_H
#define LUSTRE_SIM_INQUIRY_H

#include "proc.h"

#define SIM_IOC_GETFILESTRIPE 0xc0086915u  /* layout of a name in a dir */
#define SIM_IOC_GETFILEINFO_V1 0xc0086916u /* stat and layout of a name */
#define SIM_IOC_GETINFO_V1 0xc0086917u     /* of the directory itself */
#define SIM_IOC_GETFILEINFO 0xc1406916u    /* the same with statx */
#define SIM_IOC_GETINFO 0xc1406917u
#define SIM_IOC_GETOBDCOUNT 0x800866a8u
#define SIM_IOC_GETDTNAME 0x8080667fu
#define SIM_IOC_GETMDNAME 0x80806683u
#define SIM_IOC_PATH2FID 0x800866adu
#define SIM_IOC_DATA_VERSION 0x801066dau
#define SIM_IOC_LMV_GETSTRIPE 0xc03066f1u
#define SIM_IOC_GET_MDTIDX 0x800466afu

struct sim_fid {
    uint64_t seq;
    uint32_t oid;
    uint32_t ver;
};

/* Is it one of these? */
int sim_inquiry_ours(unsigned long request);

/* 0 or -errno. */
int sim_inquiry(struct sim_proc *p, struct sim_open *o, int fd,
                unsigned long request, void *arg);

/* The file identifier of an inode. */
void sim_inquiry_fid(uint64_t inode, struct sim_fid *fid);

/* The path of the file with this identifier. -ESTALE: there is none. */
int sim_inquiry_find(const struct sim_conf *c, const struct sim_fid *fid,
                     char path[PATH_MAX]);

/* The devices: FSNAME-clilov-INSTANCE (kind "clilov"), ... */
void sim_inquiry_device(const struct sim_conf *c, const char *kind, char *name,
                        size_t size);

#endif
