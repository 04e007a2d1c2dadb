/* lov_format.h - the binary form of a Lustre layout ("lustre.lov")
 *
 * Constants and packed structures of the public user-space ABI, host endian,
 * Lustre 2.10 to 2.18. Open flags and ioctl numbers are in sys/lustre_abi.h.
 * Copy received bytes into these structures instead of casting a pointer: the
 * bytes may be unaligned or too few.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LOV_FORMAT_H
#define ADL_LOV_FORMAT_H

#include <stdint.h>

#define ADL_LOV_MAGIC_V1 0x0BD10BD0u
#define ADL_LOV_MAGIC_V3 0x0BD30BD0u
#define ADL_LOV_MAGIC_SPECIFIC 0x0BD50BD0u /* V3 whose entries name OSTs */
#define ADL_LOV_MAGIC_COMP_V1 0x0BD60BD0u
#define ADL_LOV_MAGIC_FOREIGN 0x0BD70BD0u
#define ADL_LOV_MAGIC_SEL 0x0BD80BD0u

#define ADL_LOV_PATTERN_RAID0 0x1u
#define ADL_LOV_PATTERN_MDT 0x100u
#define ADL_LOV_PATTERN_OVERSTRIPING 0x200u
#define ADL_LOV_PATTERN_COMPRESS 0x800u
#define ADL_LOV_PATTERN_F_RELEASED 0x80000000u

/* Flags of the composite header: the state of a mirrored file. */
#define ADL_LCM_FL_STATE 0x3u
#define ADL_LCM_FL_NONE 0u
#define ADL_LCM_FL_RDONLY 1u
#define ADL_LCM_FL_WRITE_PENDING 2u
#define ADL_LCM_FL_SYNC_PENDING 3u

/* Flags of a component. */
#define ADL_LCME_FL_STALE 0x1u
#define ADL_LCME_FL_PREF_RD 0x2u
#define ADL_LCME_FL_PREF_WR 0x4u
#define ADL_LCME_FL_OFFLINE 0x8u
#define ADL_LCME_FL_INIT 0x10u
#define ADL_LCME_FL_NOSYNC 0x20u
#define ADL_LCME_FL_EXTENSION 0x40u
#define ADL_LCME_MIRROR_SHIFT 16
#define ADL_LCME_MIRROR_MASK 0x7fffu
#define ADL_LCME_EOF UINT64_MAX

#define ADL_LOV_STRIPE_UNIT 65536       /* stripe sizes are multiples */
#define ADL_LOV_MAX_STRIPES 2000        /* per component */
#define ADL_LOV_ALL_STRIPES 0xffffu     /* count: every OST */
#define ADL_LOV_ALL_OVERSTRIPED 0xffe0u /* -32 (stripes per OST) ... -1 */
#define ADL_LOV_OFFSET_ANY 0xffffu      /* first OST: the server chooses */
#define ADL_LOV_MAX_OST 0xffffu         /* exclusive */
#define ADL_LOV_HOLE_OST 0xffffffffu    /* the object of this stripe is lost */
#define ADL_LOV_POOL_LEN 15             /* without the closing 0 */
#define ADL_LOV_EXT_UNIT 1024           /* extension: stripe_size is in KiB */

struct adl_lov_user {
    uint32_t magic;
    uint32_t pattern;
    uint64_t object_id;
    uint64_t object_seq;
    uint32_t stripe_size;
    uint16_t stripe_count;
    uint16_t stripe_offset; /* set: first OST; read: layout generation */
} __attribute__((packed));

struct adl_lov_entry { /* one a stripe, after the header (and the pool) */
    uint64_t seq;
    uint32_t oid;
    uint32_t ver;
    uint32_t gen;
    uint32_t ost;
} __attribute__((packed));

struct adl_lov_comp_head {
    uint32_t magic;
    uint32_t size;
    uint32_t layout_gen;
    uint16_t flags;
    uint16_t entry_count;
    uint16_t mirror_count; /* minus 1 */
    uint8_t ec_count;
    uint8_t pad[5];
    uint64_t pad2;
} __attribute__((packed));

struct adl_lov_comp_entry {
    uint32_t id;
    uint32_t flags;
    uint64_t start;
    uint64_t end;
    uint32_t offset; /* of the component's own V1 or V3 form */
    uint32_t size;
    uint32_t layout_gen;
    uint64_t timestamp;
    uint8_t tail[4];
} __attribute__((packed));

struct adl_lov_foreign { /* then `length` bytes of value */
    uint32_t magic;
    uint32_t length;
    uint32_t type;
    uint32_t flags;
} __attribute__((packed));

#define ADL_LOV_POOL_SIZE (ADL_LOV_POOL_LEN + 1)

_Static_assert(sizeof(struct adl_lov_user) == 32, "V1 header");
_Static_assert(sizeof(struct adl_lov_entry) == 24, "object entry");
_Static_assert(sizeof(struct adl_lov_comp_head) == 32, "composite header");
_Static_assert(sizeof(struct adl_lov_comp_entry) == 48, "component entry");
_Static_assert(sizeof(struct adl_lov_foreign) == 16, "foreign header");

#endif
