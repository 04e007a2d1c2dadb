/* topology.c - test of sys/topology, on machines that hwloc makes up */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../topology.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* A machine as hwloc describes it, CPUs and the domain they are in. */
static const struct {
    const char *machine;
    int first, last, domain;
} cases[] = {
    {"package:2 core:4 pu:1", 0, 0, 0},
    {"package:2 core:4 pu:1", 3, 3, 0},
    {"package:2 core:4 pu:1", 4, 7, 1},
    {"package:2 core:4 pu:1", 3, 4, -1},
    {"package:2 core:4 pu:1", 0, 7, -1},
    {"package:2 core:4 pu:1", 8, 8, -1},
    {"package:2 core:4 pu:1", -1, -1, -1},
    {"package:2 core:4 pu:1", 5, 4, -1},
    {"package:1 numa:4 core:2 pu:2", 13, 15, 3},
    {"package:2 numa:2 core:2 pu:1", 4, 5, 2},
    {"package:2 numa:2 core:2 pu:1", 3, 4, -1},
    {"numa:8 core:16 pu:2", 255, 255, 7},
};

static void domains(void **state)
{
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct adl_topology *topo;

        setenv("HWLOC_SYNTHETIC", cases[i].machine, 1);
        topo = adl_topology_load();
        if (!topo)
            skip(); /* built or running without hwloc */
        assert_int_equal(
            adl_topology_domain(topo, cases[i].first, cases[i].last),
            cases[i].domain);
        adl_topology_destroy(topo);
    }
    unsetenv("HWLOC_SYNTHETIC");
}

static void one_domain(void **state)
{
    struct adl_topology *topo;

    (void)state;
    setenv("HWLOC_SYNTHETIC", "package:1 core:4 pu:1", 1);
    topo = adl_topology_load();
    unsetenv("HWLOC_SYNTHETIC");
    if (!topo)
        skip();
    assert_int_equal(adl_topology_domain(topo, 0, 3), -1);
    assert_int_equal(adl_topology_near(topo, -1), 0);
    adl_topology_destroy(topo);
}

/* Machines as files of hwloc's, with network devices (machines/README). Of
 * mirage the CPUs of both packages take turns; a port has three names there. */
static void nics(void **state)
{
    static const struct {
        const char *file;
        int nics, first, last, near;
    } rows[] = {
        {"frontier.xml", 4, 0, 0, 1},     {"frontier.xml", 4, 63, 63, 1},
        {"frontier.xml", 4, 16, 31, 1},   {"frontier.xml", 4, 0, 63, 0},
        {"aurora.xml", 8, 0, 51, 4},      {"aurora.xml", 8, 60, 60, 4},
        {"mirage.xml", 1, 0, 22, 1},      {"mirage.xml", 1, 1, 23, 0},
        {"conan.xml", 1, 0, 7, 0},        {"conan.xml", 1, 8, 31, 1},
        {"two-packages.xml", 1, 0, 0, 0}, {"two-packages.xml", 1, 1, 1, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct adl_topology *topo;
        char path[4096];

        snprintf(path, sizeof(path), "%s/%s", MACHINES, rows[i].file);
        setenv("HWLOC_XMLFILE", path, 1);
        topo = adl_topology_load();
        unsetenv("HWLOC_XMLFILE");
        if (!topo)
            skip();
        assert_int_equal(adl_topology_nics(topo), rows[i].nics);
        assert_int_equal(
            adl_topology_near(
                topo, adl_topology_domain(topo, rows[i].first, rows[i].last)),
            rows[i].near);
        adl_topology_destroy(topo);
    }
}

static void binding(void **state)
{
    int first, last;

    (void)state;
    assert_int_equal(adl_topology_binding(&first, &last), 0);
    assert_true(first >= 0 && last >= first);
}

/* Who may run everywhere has no domain; who may not, that of its CPU. */
static void own(void **state)
{
    struct adl_topology *topo;
    cpu_set_t all, one;

    (void)state;
    assert_int_equal(adl_topology_own().domain, -1);
    setenv("HWLOC_SYNTHETIC", "package:2 core:1 pu:1", 1);
    topo = adl_topology_load();
    sched_getaffinity(0, sizeof(all), &all);
    CPU_ZERO(&one);
    CPU_SET(1, &one);
    if (!topo || sched_setaffinity(0, sizeof(one), &one) < 0)
        skip(); /* no hwloc, or a single CPU */
    assert_int_equal(adl_topology_own().domain, 1);
    assert_int_equal(adl_topology_own().nics, 0);
    sched_setaffinity(0, sizeof(all), &all);
    adl_topology_destroy(topo);
    unsetenv("HWLOC_SYNTHETIC");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own), cmocka_unit_test(domains),
        cmocka_unit_test(one_domain), cmocka_unit_test(binding),
        cmocka_unit_test(nics)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
