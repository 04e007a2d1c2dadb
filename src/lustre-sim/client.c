/* client.c - which Lustre client node a process is on */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "client.h"

#include <stdlib.h>

/* The first of the NULL-terminated variables that holds a number, or -1. */
static long number_from(const char *const *names)
{
    for (; *names; names++) {
        const char *text = getenv(*names);
        char *end;
        long v;

        if (!text || !*text)
            continue;
        v = strtol(text, &end, 10);
        if (*end == '\0' && v >= 0 && v <= 100000000)
            return v;
    }
    return -1;
}

static long number_of(const char *name)
{
    const char *names[] = {name, NULL};

    return number_from(names);
}

static long rank_to_client(long rank)
{
    static const char *const made_up[] = {"ROMIO_LUSTRE_NODES",
                                          "MPIR_CVAR_NUM_CLIQUES", NULL};
    long clients = number_of("LUSTRE_SIM_CLIENTS");
    long per = number_of("LUSTRE_SIM_RANKS_PER_CLIENT");

    if (clients <= 0 && per <= 0)
        clients = number_from(made_up);
    if (clients > 0)
        return rank % clients;
    return rank / (per > 0 ? per : 1);
}

uint32_t sim_client_self(uint32_t limit)
{
    static const char *const ranks[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK",
                                        "SLURM_PROCID", NULL};
    long client = number_of("LUSTRE_SIM_CLIENT");
    long rank = number_from(ranks);

    if (client < 0)
        client = rank < 0 ? 0 : rank_to_client(rank);
    return (uint32_t)(client % limit);
}
