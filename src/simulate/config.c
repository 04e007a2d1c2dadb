/* config.c - the machine that a case runs on: sizes, speeds, disturbances */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "config.h"

struct config config;

void config_default(struct config *c)
{
    *c = (struct config){.seed = 1,
                         .ranks = 64,
                         .nodes = 16,
                         .cores = 64,
                         .memory = 256 << 10,
                         .osts = 16,
                         .latency = 1500,
                         .jitter = 500,
                         .port_speed = 12,
                         .shm_latency = 400,
                         .shm_speed = 6,
                         .eager = 65536,
                         .call_time = 150,
                         .yield_time = 1000,
                         .poll_time = 20000,
                         .copy_speed = 8,
                         .stack = 256 << 10};
}
