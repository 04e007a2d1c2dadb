/* chimera.c - CHIMERA-like: eight restart files, many small pieces
 *
 * A star in rays: every rank has a block of the angles (theta, phi) and all
 * radii. The eight files, one after the other, are of hydrodynamics, abundances
 * and neutrinos. They differ in what an element is and in the order of their
 * indices. With the radius slowest the pieces of a rank are a few angles long,
 * tens of bytes. File 2 has such pieces; it is the slow file in the report on
 * ROMIO's first Lustre driver.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "app.h"

enum { RADII = 64, ANGLES = 32 };

struct restart {
    const char *name;
    int variables;
    int elem;        /* bytes: doubles of groups or species that go together */
    int radius_last; /* [phi][theta][radius], else [radius][phi][theta] */
};

static const struct restart files[8] = {
    {"hydro", 6, 8, 0},
    {"velocity", 3, 8, 0},
    {"abundance", 1, 17 * 8, 0},
    {"nu_e", 1, 20 * 8, 1},
    {"nubar_e", 1, 20 * 8, 1},
    {"nu_x", 1, 20 * 8, 0},
    {"eos", 4, 8, 1},
    {"edit", 2, 24, 0},
};

struct star {
    struct shape_dim radius, phi, theta;
};

static void add_file(struct plan *p, const struct star *s, int number)
{
    const struct restart *r = &files[number];
    struct shape_dim slow[3] = {s->radius, s->phi, s->theta};
    struct shape_dim last[3] = {s->phi, s->theta, s->radius};
    int64_t size = s->radius.full * s->phi.full * s->theta.full * r->elem;
    int file = plan_file(p, "chimera_rst%d_%s", number + 1, r->name);

    for (int i = 0; i < r->variables; i++)
        plan_call(
            p, file,
            shape_box(i * size, r->elem, 3, r->radius_last ? last : slow));
}

static void make_plan(struct app *app, const struct options *o, struct plan *p,
                      struct verdict *v)
{
    int64_t radii = app_scaled(o, RADII);
    int grid[2] = {0, 0};
    struct star s = {.radius = {radii, radii, 0}};

    (void)app;
    (void)v;
    MPI_Dims_create(p->ranks, 2, grid);
    s.phi = shape_cut(ANGLES, grid[0], p->rank / grid[1]);
    s.theta = shape_cut(ANGLES, grid[1], p->rank % grid[1]);
    for (int i = 0; i < 8; i++)
        add_file(p, &s, i);
}

int main(int argc, char **argv)
{
    struct app app = {
        .name = "chimera",
        .about = "Writes eight restart files as a supernova code does, one "
                 "after the other: many\nsmall pieces, of 8 bytes and more. "
                 "--scale multiplies the number of radii.\n",
        .plan = make_plan};

    return app_main(&app, argc, argv);
}
