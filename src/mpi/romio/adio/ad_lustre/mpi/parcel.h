/* parcel.h - the runs of a window on their way between nodes
 *
 * Described by a pattern (core/pattern), packed one after the other. What comes
 * in is checked: a run outside the window or beyond the bytes that came is
 * -EPROTO.
 */
#ifndef ADL_PARCEL_H
#define ADL_PARCEL_H

#include <stddef.h>
#include <stdint.h>

#include "../core/cover.h"
#include "../core/pattern.h"

struct adl_parcel_sum {
    int64_t runs;
    int64_t bytes;
    int64_t first; /* where the first run starts */
};

/* Local. Describe what is covered. The pattern must be finished by the caller;
 * 0 or -errno. */
int adl_parcel_describe(struct adl_pattern *pat, const struct adl_cover *cover,
                        struct adl_parcel_sum *sum);

/* The message's description, as it came. */
struct adl_parcel_desc {
    const void *bytes;
    size_t size;
    int64_t window; /* bytes of a window */
};

/* Local. Runs of the window -> packed; at most `room` bytes. */
int adl_parcel_gather(const struct adl_parcel_desc *desc, const char *window,
                      char *packed, int64_t room);
/* Local. Packed -> runs of the window, marked in `cover` if not NULL. */
int adl_parcel_scatter(const struct adl_parcel_desc *desc, const char *packed,
                       int64_t bytes, char *window, struct adl_cover *cover);
/* Local. Only mark the runs. *bytes is their sum. */
int adl_parcel_mark(const struct adl_parcel_desc *desc, struct adl_cover *cover,
                    int64_t *bytes);

#endif
