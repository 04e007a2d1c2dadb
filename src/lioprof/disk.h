/* disk.h - iostat's reports: rates of a server's disks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_DISK_H
#define LP_DISK_H

#include <stddef.h>
#include <stdint.h>

struct lp_disk {
    char *host;
    char device[32];
    unsigned reports;
    double sum[2], most[2]; /* KiB/s read, written */
    double util_sum, util_most;
};

struct lp_disk_list {
    struct lp_disk *list;
    unsigned count;
    /* the place in the text: */
    const char *host; /* the caller's */
    unsigned report;  /* of this file; the first is since the machine started */
    int column[3];    /* of rates and utilisation, -1: not there */
    double factor;    /* of the rates, to KiB/s */
};

void lp_disk_begin(struct lp_disk_list *d, const char *host);
/* One line of `iostat` (-d, -x, -k or -m). 1: it was read; 0: it is another
 * line. */
int lp_disk_line(struct lp_disk_list *d, const char *text, size_t len);
void lp_disk_release(struct lp_disk_list *d);

#endif
