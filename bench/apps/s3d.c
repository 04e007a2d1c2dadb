/* s3d.c - S3D-like: 3-D and 4-D arrays of a checkpoint, cut in three dimensions
 *
 * As the combustion code S3D writes a checkpoint: the mass fractions of 11
 * species [species][z][y][x], the velocity [3][z][y][x], pressure and
 * temperature [z][y][x], doubles, each variable by one collective call; a file
 * for each checkpoint.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "app.h"

enum { EDGE = 64, WORD = 8 };

static const int leading[] = {11, 3, 1, 1};

struct settings {
    int64_t files;
};

static void make_plan(struct app *app, const struct options *o, struct plan *p,
                      struct verdict *v)
{
    const struct settings *s = app->own.settings;
    int grid[3] = {0, 0, 0}, r = p->rank;
    struct shape_dim z, y, x;

    (void)v;
    MPI_Dims_create(p->ranks, 3, grid);
    z = shape_cut(app_scaled(o, EDGE), grid[0], r / (grid[1] * grid[2]));
    y = shape_cut(EDGE, grid[1], r / grid[2] % grid[1]);
    x = shape_cut(EDGE, grid[2], r % grid[2]);
    for (int64_t n = 0; n < s->files; n++) {
        int file = plan_file(p, "pressure_wave_test.%d.field", (int)n);
        int64_t at = 0;

        for (int i = 0; i < 4; i++) {
            int64_t m = leading[i];
            struct shape_dim dim[4] = {{m, m, 0}, z, y, x};

            plan_call(p, file, shape_box(at, WORD, 4, dim));
            at += m * z.full * y.full * x.full * WORD;
        }
    }
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"files", 0, OPTION_NUMBER, "N", "checkpoints (default 2)",
         offsetof(struct settings, files), 1},
        {NULL, 0, 0, NULL, NULL, 0, 0}};
    struct settings s = {.files = 2};
    struct app app = {
        .name = "s3d",
        .about = "Writes checkpoints as the combustion code S3D does: four "
                 "arrays of 1 to 11\nfields, cut in three dimensions. --scale "
                 "is for the number of planes.\n",
        .own = {specs, &s},
        .plan = make_plan};

    return app_main(&app, argc, argv);
}
