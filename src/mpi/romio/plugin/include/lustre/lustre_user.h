/* lustre_user.h - the few Lustre names that ROMIO's configure and the stock
 * driver ask for, so that both build on machines without Lustre.
 *
 * Only for the stock driver, which tests and benchmarks compare ours with; our
 * driver uses sys/lustre_abi.h. Constants and layout are Lustre's public ABI.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ROMIO_LUSTRE_STOCK_USER_H
#define ROMIO_LUSTRE_STOCK_USER_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>

#define LL_IOC_LOV_SETSTRIPE _IOW('f', 154, long)
#define LL_IOC_LOV_GETSTRIPE _IOW('f', 155, long)
#define LL_IOC_GROUP_LOCK _IOW('f', 158, long)
#define LL_IOC_GROUP_UNLOCK _IOW('f', 159, long)

#define O_LOV_DELAY_CREATE (O_NOCTTY | FASYNC)

#define LOV_USER_MAGIC 0x0BD10BD0

struct lov_user_ost_data {
    uint64_t l_object_id;
    uint64_t l_object_seq;
    uint32_t l_ost_gen;
    uint32_t l_ost_idx;
} __attribute__((packed));

struct lov_user_md {
    uint32_t lmm_magic;
    uint32_t lmm_pattern;
    uint64_t lmm_object_id;
    uint64_t lmm_object_seq;
    uint32_t lmm_stripe_size;
    uint16_t lmm_stripe_count;
    uint16_t lmm_stripe_offset;
    struct lov_user_ost_data lmm_objects[0];
} __attribute__((packed));

#endif
