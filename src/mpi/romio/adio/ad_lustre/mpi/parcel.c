/* parcel.c - the runs of a window on their way between nodes */
#include "parcel.h"

#include <errno.h>
#include <string.h>

#include "../core/err.h"

int adl_parcel_describe(struct adl_pattern *pat, const struct adl_cover *cover,
                        struct adl_parcel_sum *sum)
{
    int64_t start, len;
    int rc = 0;

    memset(sum, 0, sizeof(*sum));
    adl_pattern_reset(pat);
    for (int64_t from = 0;
         rc == 0 && adl_cover_next(cover, from, cover->size, &start, &len);
         from = start + len) {
        if (sum->runs++ == 0)
            sum->first = start;
        sum->bytes += len;
        rc = adl_pattern_add(pat, start, len);
    }
    return rc;
}

/* One direction or the other; without `packed` the runs are only marked. */
struct haul {
    char *window;
    char *packed;
    int64_t left; /* bytes of packed */
    int64_t done;
    int out; /* window -> packed */
};

static int move_run(struct haul *h, int64_t off, int64_t len)
{
    h->done += len;
    if (!h->packed)
        return 0;
    if (len > h->left)
        return -EPROTO;
    if (h->out)
        memcpy(h->packed, h->window + off, len);
    else
        memcpy(h->window + off, h->packed, len);
    h->packed += len;
    h->left -= len;
    return 0;
}

static int haul(const struct adl_parcel_desc *desc, struct haul *h,
                struct adl_cover *cover)
{
    struct adl_pattern_iter it;
    struct adl_cover_pen pen;
    struct adl_err err;
    int64_t off, len;
    int more, rc;

    rc = adl_pattern_open(&it, desc->bytes, desc->size, desc->window, &err);
    if (cover)
        adl_cover_pen_begin(&pen, cover);
    while (rc == 0 && (more = adl_pattern_next(&it, &off, &len)) != 0) {
        rc = more < 0 ? more : move_run(h, off, len);
        if (rc == 0 && cover)
            adl_cover_pen_add(&pen, off, len);
    }
    if (cover)
        adl_cover_pen_flush(&pen);
    return rc;
}

int adl_parcel_gather(const struct adl_parcel_desc *desc, const char *window,
                      char *packed, int64_t room)
{
    struct haul h = {(char *)window, packed, room, 0, 1};

    return haul(desc, &h, NULL);
}

int adl_parcel_scatter(const struct adl_parcel_desc *desc, const char *packed,
                       int64_t bytes, char *window, struct adl_cover *cover)
{
    struct haul h = {window, (char *)packed, bytes, 0, 0};

    return haul(desc, &h, cover);
}

int adl_parcel_mark(const struct adl_parcel_desc *desc, struct adl_cover *cover,
                    int64_t *bytes)
{
    struct haul h = {0};
    int rc = haul(desc, &h, cover);

    *bytes = h.done;
    return rc;
}
