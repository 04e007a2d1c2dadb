/* lustre_abi_check.c - compares our ABI header with Lustre's at compile time
 *
 * Empty unless configure found lustre/lustreapi.h (--with-lustre). What Lustre
 * got after 2.10 is compared if the installed release has it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "lustre_abi.h"

#ifdef HAVE_LUSTRE_HEADERS
#include <lustre/lustreapi.h>

#define SAME(ours, theirs)                                                     \
    _Static_assert((unsigned long long)(ours) == (unsigned long long)(theirs), \
                   #theirs)
#define SAME_SIZE(ours, theirs) SAME(sizeof(ours), sizeof(theirs))
#define SAME_FIELD(ours, field, theirs, their_field) \
    SAME(__builtin_offsetof(ours, field),            \
         __builtin_offsetof(theirs, their_field))

SAME(ADL_LOV_MAGIC_V1, LOV_USER_MAGIC_V1);
SAME(ADL_LOV_MAGIC_V3, LOV_USER_MAGIC_V3);
SAME(ADL_LOV_MAGIC_SPECIFIC, LOV_USER_MAGIC_SPECIFIC);
SAME(ADL_LOV_MAGIC_COMP_V1, LOV_USER_MAGIC_COMP_V1);
#ifdef LOV_USER_MAGIC_FOREIGN
SAME(ADL_LOV_MAGIC_FOREIGN, LOV_USER_MAGIC_FOREIGN);
#endif
#ifdef LOV_USER_MAGIC_SEL
SAME(ADL_LOV_MAGIC_SEL, LOV_USER_MAGIC_SEL);
#endif

#if HAVE_DECL_LOV_PATTERN_RAID0
SAME(ADL_LOV_PATTERN_RAID0, LOV_PATTERN_RAID0);
SAME(ADL_LOV_PATTERN_F_RELEASED, LOV_PATTERN_F_RELEASED);
#endif
#if HAVE_DECL_LOV_PATTERN_MDT
SAME(ADL_LOV_PATTERN_MDT, LOV_PATTERN_MDT);
#endif
#if HAVE_DECL_LOV_PATTERN_OVERSTRIPING
SAME(ADL_LOV_PATTERN_OVERSTRIPING, LOV_PATTERN_OVERSTRIPING);
#endif

SAME(ADL_LCME_FL_INIT, LCME_FL_INIT);
#if HAVE_DECL_LCME_FL_STALE
SAME(ADL_LCME_FL_STALE, LCME_FL_STALE);
#endif
#if HAVE_DECL_LCME_FL_NOSYNC
SAME(ADL_LCME_FL_NOSYNC, LCME_FL_NOSYNC);
#endif
#if HAVE_DECL_LCME_FL_EXTENSION
SAME(ADL_LCME_FL_EXTENSION, LCME_FL_EXTENSION);
#endif

SAME_SIZE(struct adl_obd_statfs, struct obd_statfs);
SAME_FIELD(struct adl_obd_statfs, state, struct obd_statfs, os_state);
#if HAVE_DECL_OS_STATFS_NONROT
SAME(ADL_OBD_NONROT, OS_STATFS_NONROT);
#endif
SAME_SIZE(struct adl_lov_user, struct lov_user_md_v1);
SAME_FIELD(struct adl_lov_user, stripe_size, struct lov_user_md_v1,
           lmm_stripe_size);
SAME_FIELD(struct adl_lov_user, stripe_count, struct lov_user_md_v1,
           lmm_stripe_count);
SAME(sizeof(struct adl_lov_user) + ADL_LOV_POOL_SIZE,
     sizeof(struct lov_user_md_v3));
SAME_SIZE(struct adl_lov_entry, struct lov_user_ost_data_v1);
SAME_FIELD(struct adl_lov_entry, ost, struct lov_user_ost_data_v1, l_ost_idx);
SAME_SIZE(struct adl_lov_comp_head, struct lov_comp_md_v1);
SAME_FIELD(struct adl_lov_comp_head, entry_count, struct lov_comp_md_v1,
           lcm_entry_count);
SAME_SIZE(struct adl_lov_comp_entry, struct lov_comp_md_entry_v1);
SAME_FIELD(struct adl_lov_comp_entry, start, struct lov_comp_md_entry_v1,
           lcme_extent);
SAME_FIELD(struct adl_lov_comp_entry, offset, struct lov_comp_md_entry_v1,
           lcme_offset);

/* Theirs may have a bit for kernels before 2.6.36 as well. */
SAME(ADL_O_LOV_DELAY_CREATE, O_LOV_DELAY_CREATE &(O_NOCTTY | FASYNC));
SAME(ADL_IOC_LOV_SETSTRIPE, LL_IOC_LOV_SETSTRIPE);
SAME(ADL_IOC_LOV_GETSTRIPE, LL_IOC_LOV_GETSTRIPE);
SAME(ADL_IOC_GROUP_LOCK, LL_IOC_GROUP_LOCK);
SAME(ADL_IOC_GROUP_UNLOCK, LL_IOC_GROUP_UNLOCK);
SAME(ADL_IOC_GETOBDCOUNT, LL_IOC_GETOBDCOUNT);
SAME(ADL_IOC_LADVISE, LL_IOC_LADVISE);

#if HAVE_DECL_LU_LADVISE_LOCKAHEAD
SAME(ADL_LADVISE_MAGIC, LADVISE_MAGIC);
SAME(ADL_LADVISE_WILLREAD, LU_LADVISE_WILLREAD);
SAME(ADL_LADVISE_DONTNEED, LU_LADVISE_DONTNEED);
SAME(ADL_LADVISE_LOCKNOEXPAND, LU_LADVISE_LOCKNOEXPAND);
SAME(ADL_LADVISE_LOCKAHEAD, LU_LADVISE_LOCKAHEAD);
SAME(ADL_LADVISE_F_ASYNC, LF_ASYNC);
SAME(ADL_LADVISE_F_UNSET, LF_UNSET);
SAME(ADL_LADVISE_MODE_READ, MODE_READ_USER);
SAME(ADL_LADVISE_MODE_WRITE, MODE_WRITE_USER);
SAME_SIZE(struct adl_ladvise, struct llapi_lu_ladvise);
SAME_FIELD(struct adl_ladvise, end, struct llapi_lu_ladvise, lla_end);
#endif
#endif
