/* scene_text.c - a scene for people */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "scene.h"

const char *act_name(const struct step *step)
{
    static const char *const acts[] = {"set_view", "write",     "read",
                                       "wait",     "sync",      "seek",
                                       "set_size", "atomicity", "set_info"};
    static const char *const writes[] = {
        "write_all",          "write_at_all",  "write_all_begin",
        "write_at_all_begin", "write_ordered", "write_ordered_begin",
        "iwrite_all",         "iwrite_at_all", "write",
        "write_at",           "iwrite_at"};
    static const char *const reads[] = {
        "read_all",          "read_at_all",  "read_all_begin",
        "read_at_all_begin", "read_ordered", "read_ordered_begin",
        "iread_all",         "iread_at_all", "read",
        "read_at",           "iread_at"};

    if (step->act == ACT_WRITE)
        return writes[step->call];
    if (step->act == ACT_READ)
        return reads[step->call];
    return acts[step->act];
}

static void print_hints(const struct hints *h, FILE *to)
{
    for (int i = 0; i < h->n; i++)
        fprintf(to, " %s=%s", h->of[i].key, h->of[i].value);
    fprintf(to, "\n");
}

static void print_requests(const struct scene *sc, const struct step *step,
                           FILE *to)
{
    fprintf(to, "\n");
    for (int r = 0; r < sc->n; r++) {
        const struct request *q = &step->of[r];

        fprintf(to, "      rank %d: %lld bytes at etype %lld, %d x ", r,
                (long long)q->bytes, (long long)q->pos, q->count);
        recipe_print(q->type, to);
        fprintf(to, "\n");
    }
}

static void print_views(const struct scene *sc, const struct views *v, FILE *to)
{
    fprintf(to, " %s, etype ", v->style);
    recipe_print(v->of[0].etype, to);
    fprintf(to, "\n");
    for (int r = 0; r < (v->same ? 1 : sc->n); r++) {
        fprintf(to, "      rank %d: disp %lld size %lld ", r,
                (long long)v->of[r].disp, (long long)v->of[r].size);
        recipe_print(v->of[r].filetype, to);
        fprintf(to, "\n");
    }
}

void scene_print(const struct scene *sc, FILE *to)
{
    char extras[80];

    extras_print(sc->extras, extras, sizeof(extras));
    if (sc->files > 1)
        fprintf(to, "  file %d of %d\n", sc->file + 1, sc->files);
    fprintf(to, "  extras: %s\n", extras);
    fprintf(to, "  case %lld: %d ranks%s, base %lld, prefill %lld%s%s%s\n",
            (long long)sc->number, sc->n, sc->spread ? " spread" : "",
            (long long)sc->base, (long long)sc->prefill,
            sc->two_steps ? ", made before" : "",
            sc->read_only ? ", RDONLY" : "", sc->write_only ? ", WRONLY" : "");
    fprintf(to, "    hints:");
    print_hints(&sc->hints, to);
    for (int i = 0; i < sc->steps; i++) {
        const struct step *step = &sc->step[i];

        fprintf(to, "    step %d: %s", i, act_name(step));
        if (step->act == ACT_VIEW)
            print_views(sc, step->views, to);
        else if (step->act == ACT_WRITE || step->act == ACT_READ)
            print_requests(sc, step, to);
        else if (step->act == ACT_INFO)
            print_hints(step->hints, to);
        else
            fprintf(
                to, " %lld\n",
                (long long)(step->act == ACT_RESIZE ? step->size : step->on));
    }
}
