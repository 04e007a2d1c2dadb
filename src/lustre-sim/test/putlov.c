/* putlov.c - give a file a recorded layout: putlov FILE BLOB */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "store.h"

int main(int argc, char **argv)
{
    static unsigned char lov[SIM_LOV_MAX];
    char root[PATH_MAX];
    struct sim_conf c;
    ssize_t n;
    int fd, in, rc;

    if (argc != 3)
        return 2;
    fd = open(argv[1], O_RDONLY);
    in = open(argv[2], O_RDONLY);
    n = read(in, lov, sizeof(lov));
    if (fd < 0 || n <= 0 || sim_conf_find_root(argv[1], root) ||
        sim_conf_load(&c, root, NULL))
        return 1;
    rc = sim_store_put(&c, fd, lov, n);
    if (rc)
        fprintf(stderr, "putlov: %s\n", strerror(-rc));
    return rc != 0;
}
