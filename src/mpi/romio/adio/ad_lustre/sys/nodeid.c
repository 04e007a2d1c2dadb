/* nodeid.c - which node a process is on */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "nodeid.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* FNV-1a, twice, from different starts. */
static void mix(uint64_t id[2], const void *bytes, size_t len)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < len; i++)
        for (int k = 0; k < 2; k++)
            id[k] = (id[k] ^ at[i]) * UINT64_C(0x100000001b3);
}

static void mix_boot(uint64_t id[2])
{
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    char text[64];
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text));

    if (n > 0)
        mix(id, text, (size_t)n);
    if (fd >= 0)
        close(fd);
}

static void mix_processes(uint64_t id[2])
{
    char text[64];
    ssize_t n = readlink("/proc/self/ns/pid", text, sizeof(text));

    if (n > 0)
        mix(id, text, (size_t)n);
}

void adl_nodeid(uint64_t part, uint64_t id[2], char *name, int size)
{
    struct utsname uts = {.nodename = ""};

    id[0] = UINT64_C(0xcbf29ce484222325);
    id[1] = UINT64_C(0x6c62272e07bb0142);
    uname(&uts);
    snprintf(name, (size_t)size, "%s", uts.nodename);
    mix(id, uts.nodename, strlen(uts.nodename));
    mix(id, &part, sizeof(part));
    mix_boot(id);
    mix_processes(id);
}
