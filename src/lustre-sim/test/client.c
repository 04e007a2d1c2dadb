/* client.c - unit test: which client node a process is on */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "../client.h"

static const char *const names[] = {"LUSTRE_SIM_CLIENT",
                                    "LUSTRE_SIM_RANKS_PER_CLIENT",
                                    "LUSTRE_SIM_CLIENTS",
                                    "PMI_RANK",
                                    "PMI_SIZE",
                                    "OMPI_COMM_WORLD_RANK",
                                    "OMPI_COMM_WORLD_SIZE",
                                    "SLURM_PROCID",
                                    "SLURM_NTASKS",
                                    "MPIR_CVAR_NUM_CLIQUES",
                                    "ROMIO_LUSTRE_NODES"};
#define NAMES 11

/* Values by the order above, NULL = unset. */
static void test_client(void **state)
{
    static const struct {
        const char *env[NAMES];
        uint32_t client;
    } cases[] = {
        {{NULL}, 0},
        {{"7"}, 7},
        {{"7", NULL, NULL, "3"}, 7},
        {{NULL, NULL, NULL, "3"}, 3},
        {{NULL, "4", NULL, "3"}, 0},
        {{NULL, "4", NULL, "4"}, 1},
        {{NULL, NULL, "3", "0", "8"}, 0},
        {{NULL, NULL, "3", "7", "8"}, 1},
        {{[3] = "5", [9] = "4"}, 1}, /* as made-up nodes are dealt */
        {{[5] = "5", [10] = "4"}, 1},
        {{[5] = "5", [9] = "2", [10] = "3"}, 2}, /* ours goes before */
        {{[2] = "3", [3] = "5", [9] = "4"}, 2},
        {{[2] = "4", [3] = "5", [10] = "3"}, 1},
        {{[1] = "2", [3] = "5", [9] = "4"}, 2},
        {{[0] = "6", [3] = "5", [9] = "4"}, 6},
        {{NULL, NULL, "3", "7"}, 1},
        {{NULL, NULL, NULL, NULL, NULL, "5"}, 5},
        {{NULL, NULL, "2", NULL, NULL, "5", "6"}, 1},
        {{NULL, NULL, NULL, NULL, NULL, NULL, NULL, "6"}, 6},
        {{"x", NULL, NULL, "3"}, 3},
        {{"-1", NULL, NULL, "3"}, 3},
        {{"", "0", "0", "3"}, 3},
        {{"1030"}, 6},
        {{"99999999999999999999"}, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (int k = 0; k < NAMES; k++) {
            if (cases[i].env[k])
                setenv(names[k], cases[i].env[k], 1);
            else
                unsetenv(names[k]);
        }
        assert_int_equal(sim_client_self(1024), cases[i].client);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_client)};

    return cmocka_run_group_tests_name("client", tests, NULL, NULL);
}
