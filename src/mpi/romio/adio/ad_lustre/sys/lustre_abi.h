/* lustre_abi.h - the parts of Lustre's kernel interface that the driver uses
 *
 * Lustre's own headers are rarely installed where MPI is built, so the few
 * numbers needed are written down here (public user-space ABI, 2.10 to 2.18).
 * lustre_abi_check.c compares them with the real headers where these are.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LUSTRE_ABI_H
#define ADL_LUSTRE_ABI_H

#include "../core/layout/lov_format.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>

#define ADL_LUSTRE_SUPER_MAGIC 0x0BD00BD0 /* statfs.f_type */
#define ADL_LUSTRE_XATTR "lustre.lov"

/* Create without objects, so that a layout can still be set. */
#define ADL_O_LOV_DELAY_CREATE (O_NOCTTY | FASYNC)

#define ADL_IOC_LOV_SETSTRIPE _IOW('f', 154, long)
#define ADL_IOC_LOV_GETSTRIPE _IOW('f', 155, long)
#define ADL_IOC_GROUP_LOCK _IOW('f', 158, long)
#define ADL_IOC_GROUP_UNLOCK _IOW('f', 159, long)
/* In: int 0 for OSTs; out: how many. On a directory. */
#define ADL_IOC_GETOBDCOUNT _IOR('f', 168, long)
/* Free space and kind of a target; on a directory. */
#define ADL_IOC_OBD_STATFS _IOWR('f', 164, long)
#define ADL_OBD_NAME_SIZE 128
#define ADL_IOC_GETDTNAME _IOR('f', 127, char[ADL_OBD_NAME_SIZE])
#define ADL_IOC_LADVISE _IOR('f', 250, struct adl_ladvise)

/* Argument of ADL_IOC_OBD_STATFS: the fields of struct obd_ioctl_data that
 * this call uses, packed as the kernel expects them. The contents of the inline
 * buffers follow, each padded to 8 bytes. */
struct adl_obd_request {
    uint32_t len;
    uint32_t version; /* ADL_OBD_VERSION */
    char skipped[472];
    uint32_t plen1, pad1;
    void *pbuf1; /* struct adl_obd_statfs */
    uint32_t plen2, pad2;
    void *pbuf2; /* the target's name, ADL_OBD_UUID_SIZE */
    struct {
        uint32_t len, pad;
        void *buf;
    } inl[4];
    uint32_t type, pad3; /* ADL_OBD_MDT, _OST */
    uint32_t index, pad4;
};

#define ADL_OBD_VERSION 0x00010004u
#define ADL_OBD_UUID_SIZE 40
#define ADL_OBD_MDT 1
#define ADL_OBD_OST 2

struct adl_obd_statfs {
    uint64_t type, blocks, bfree, bavail, files, ffree;
    uint8_t fsid[40];
    uint32_t bsize, namelen;
    uint64_t maxbytes;
    uint32_t state; /* ADL_OBD_NONROT and others */
    uint32_t rest[9];
};

#define ADL_OBD_NONROT 0x200 /* no disk: it need not seek */

_Static_assert(sizeof(struct adl_obd_request) == 0x250, "as lfs sends it");
_Static_assert(sizeof(struct adl_obd_statfs) == 144, "obd_statfs");

#define ADL_LADVISE_MAGIC 0x1ADF1CE0u
#define ADL_LADVISE_MAX 1023 /* advices in one call */

#define ADL_LADVISE_WILLREAD 1
#define ADL_LADVISE_DONTNEED 2
#define ADL_LADVISE_LOCKNOEXPAND 3
#define ADL_LADVISE_LOCKAHEAD 4

#define ADL_LADVISE_MODE_READ 1
#define ADL_LADVISE_MODE_WRITE 2

/* In the flags of an advice, not of the header. */
#define ADL_LADVISE_F_ASYNC 1
#define ADL_LADVISE_F_UNSET 2

/* Results of LOCKAHEAD; negative: -errno. */
#define ADL_LOCKAHEAD_SENT 0
#define ADL_LOCKAHEAD_OTHER_EXTENT 1 /* a matching lock is held already */
#define ADL_LOCKAHEAD_HELD 2         /* exactly this lock is held */

struct adl_ladvise {
    uint16_t advice;
    uint16_t mode;
    uint32_t flags;
    uint64_t start;
    uint64_t end; /* the last byte */
    uint32_t result;
    uint32_t unused;
} __attribute__((packed));

struct adl_ladvise_head { /* then `count` advices */
    uint32_t magic;
    uint32_t count;
    uint64_t flags;
    uint32_t unused1;
    uint32_t unused2;
    uint64_t unused3;
} __attribute__((packed));

_Static_assert(sizeof(struct adl_ladvise) == 32, "advice");
_Static_assert(sizeof(struct adl_ladvise_head) == 32, "advice header");

#endif
