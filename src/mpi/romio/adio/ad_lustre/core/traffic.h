/* traffic.h - what one rank moved in a collective call, beside the file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TRAFFIC_H
#define ADL_TRAFFIC_H

#include <stdint.h>

struct adl_traffic {
    int64_t messages; /* between nodes, with parts of windows or wishes */
    int64_t large;    /* of them and beside them: with one large part's bytes */
    int64_t bytes;    /* in all of them */
    int64_t copied;   /* bytes copied on this rank on their way */
};

#endif
