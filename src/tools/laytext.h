/* laytext.h - a layout as text, as lfs getstripe prints it
 *
 * The text is what `lfs getstripe -v FILE` prints, the YAML what `-y` prints
 * (Lustre 2.17), so that scripts for lfs can read it. lfs shows some values
 * that are not in the xattr; the caller provides them:
 *   path line, lmm_seq, lmm_object_id, lmm_fid   of a directory or composite
 *   lmm_mdt_index                                of data on an MDT
 *   stripe_size and stripe_count 0               of a directory, as resolved
 * and this is assumed: lmm_layout_gen is 0 where the xattr has 0xffff; a
 * component of a file without objects is counted with room for one in lcm_size,
 * lcme_offset and lcme_size, as lfs shows it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LAYTEXT_H
#define ADL_LAYTEXT_H

#include "core/layout/layout.h"

/* Values that the layout itself does not have. */
struct adl_laytext {
    const char *path; /* first line, NULL: left out; text only */
    int is_dir;
    uint64_t seq; /* FID of the file; 0: from the layout, if it has it */
    uint32_t oid;
    uint32_t ver;
    int mdt_index;
    int yaml;
};

/* malloc'ed text, the caller frees it. 0 or -ENOMEM. */
int adl_laytext(const struct adl_layout *layout,
                const struct adl_laytext *about, char **out);

#endif
