/* stripes.h - the arithmetic of stripes: a part of a file dealt to objects
 *
 * The file is counted in stripes of one size from its beginning, also where the
 * part begins later; stripe n is row n / count of object n mod count. The first
 * and the last stripe of the part may be cut by its bounds.
 *
 *   start              end       count = 3
 *     v                 v
 *   +-|-+---+---+---+---|+---+   origin: where a stripe would begin uncut
 *   0   1   2   3   4   5        number
 *   0   1   2   0   1   2        object
 *   0   0   0   1   1   1        row
 *
 * The functions are inline because each piece of an access calls them.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_STRIPES_H
#define ADL_STRIPES_H

#include <stdint.h>

struct adl_stripes {
    int64_t start, end; /* of the part */
    int64_t size;       /* of a stripe */
    int shift;          /* its log2, or -1 */
    int count;          /* objects */
};

static inline void adl_stripes_set_size(struct adl_stripes *s, int64_t size)
{
    s->size = size;
    s->shift = size & (size - 1) ? -1 : __builtin_ctzll((uint64_t)size);
}

/* The number of the stripe that has the byte at `off`. */
static inline int64_t adl_stripes_number(const struct adl_stripes *s,
                                         int64_t off)
{
    return s->shift >= 0 ? off >> s->shift : off / s->size;
}

static inline int64_t adl_stripes_row(const struct adl_stripes *s,
                                      int64_t number)
{
    return s->count == 1 ? number : number / s->count;
}

static inline int adl_stripes_object(const struct adl_stripes *s,
                                     int64_t number, int64_t row)
{
    return (int)(number - row * s->count);
}

/* Where the stripe with this origin begins and ends within the part. */
static inline int64_t adl_stripes_begin(const struct adl_stripes *s,
                                        int64_t origin)
{
    return origin < s->start ? s->start : origin;
}

static inline int64_t adl_stripes_end(const struct adl_stripes *s,
                                      int64_t origin)
{
    return s->end - origin < s->size ? s->end : origin + s->size;
}

/* Where the stripe begins uncut; nonzero: beyond the largest offset. */
static inline int adl_stripes_origin(const struct adl_stripes *s, int64_t row,
                                     int object, int64_t *origin)
{
    return __builtin_mul_overflow(row, (int64_t)s->count, origin) ||
           __builtin_add_overflow(*origin, (int64_t)object, origin) ||
           __builtin_mul_overflow(*origin, s->size, origin);
}

#endif
