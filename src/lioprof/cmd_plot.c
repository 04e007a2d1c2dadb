/* cmd_plot.c - lioprof plot: pictures for papers and slides, by gnuplot
 *
 * The data is inside the gnuplot file, so that it can be changed and drawn
 * again without the logs.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "chart.h"
#include "runner.h"

#define PLOT_BINS 1024
#define PLOT_PAIRS 2048
#define SLICES 60
#define MOST_CLIENTS 32
#define MOST_TARGETS 16

struct options {
    struct lp_common common;
    int png;
};

static int set_terminal(void *into, const char *value)
{
    ((struct options *)into)->png = strcmp(value, "png") == 0;
    return strcmp(value, "svg") == 0 || strcmp(value, "png") == 0 ? 0 : -EINVAL;
}

/* What stands in quotes for gnuplot. */
static void put_quoted(struct adl_strbuf *sb, const char *text)
{
    adl_strbuf_putc(sb, '"');
    for (; *text; text++)
        adl_strbuf_putc(sb, strchr("\"\\`$\n", *text) ? '?' : *text);
    adl_strbuf_putc(sb, '"');
}

static void put_terminal(struct adl_strbuf *sb, const struct options *o,
                         const char *name, unsigned height)
{
    adl_strbuf_printf(sb,
                      o->png ? "set terminal pngcairo size 1000,%u "
                               "background 'white'\nset output \"%s.png\"\n"
                             : "set terminal svg size 1000,%u enhanced "
                               "background 'white'\nset output \"%s.svg\"\n",
                      height, name);
    adl_strbuf_puts(sb, "set termoption noenhanced\n");
}

/* ---- each OST's rate over time, stacked by client ---- */

static double unit_of(const struct lp_view *v)
{
    return v->bytes_known ? 1 << 20 : 1;
}

static void put_rate_data(struct adl_strbuf *sb, const struct lp_view *v,
                          const struct lp_slices *s, unsigned target,
                          unsigned clients)
{
    double scale = 1e6 / s->width / unit_of(v);

    adl_strbuf_printf(sb, "$ost%u << EOD\n", target);
    for (unsigned k = 0; k < s->count; k++) {
        adl_strbuf_printf(sb, "%g", k * s->width / 1e6);
        for (unsigned i = 0; i < clients; i++) {
            const struct lp_pair *p = lp_view_pair(v, i, target);
            double amount =
                p ? lp_slice_amount(v, s, k, p->series, 1) * scale : 0;

            adl_strbuf_printf(sb, " %g", amount);
        }
        adl_strbuf_putc(sb, '\n');
    }
    adl_strbuf_puts(sb, "EOD\n");
}

/* Eight hues, then the same darker; opaque, since one covers the other. */
static void put_colour(struct adl_strbuf *sb, unsigned client)
{
    static const unsigned hues[] = {0x3b6fb6, 0xe08a1e, 0x2f9e77, 0xc2566f,
                                    0x8a6bc1, 0x8d6e4a, 0x5fa8d3, 0x9aa21f};
    unsigned hue = hues[client % 8];

    if (client / 8 % 2)
        hue = (hue & 0xfefefe) / 2;
    adl_strbuf_printf(sb, "lc rgb '#%06x'", hue);
}

static void put_rate_plot(struct adl_strbuf *sb, const struct lp_view *v,
                          unsigned target, unsigned clients)
{
    adl_strbuf_puts(sb, "set title ");
    put_quoted(sb, lp_view_target(v, target));
    adl_strbuf_puts(sb, "\nplot ");
    /* from the top: each one covers the sum of those below it */
    for (unsigned i = clients; i-- > 0;) {
        adl_strbuf_printf(sb,
                          "$ost%u using 1:(sum [c=2:%u] column(c)) with "
                          "fillsteps fs solid notitle ",
                          target, i + 2);
        put_colour(sb, i);
        adl_strbuf_puts(sb, i ? ", \\\n" : "\n");
    }
}

/* A last, empty plot holds the names. */
static void put_rate_key(struct adl_strbuf *sb, const struct lp_view *v,
                         unsigned clients)
{
    adl_strbuf_puts(sb, "unset title\nunset border\nunset tics\n"
                        "unset xlabel\nunset ylabel\n"
                        "set xrange [0:1]\nset yrange [0:1]\n"
                        "set key center center maxrows 8 samplen 2\n"
                        "plot 2 notitle, \\\n");
    for (unsigned i = 0; i < clients; i++) {
        adl_strbuf_puts(sb, "keyentry with boxes fs solid ");
        put_colour(sb, i);
        adl_strbuf_puts(sb, " title ");
        put_quoted(sb, v->client[i].name);
        adl_strbuf_puts(sb, i + 1 < clients ? ", \\\n" : "\n");
    }
}

static void make_rates(const struct lp_view *v, const struct options *o,
                       struct adl_strbuf *sb)
{
    struct lp_slices s = lp_slices_make(v, SLICES, NULL);
    unsigned targets = v->targets < MOST_TARGETS ? v->targets : MOST_TARGETS;
    unsigned clients = v->clients < MOST_CLIENTS ? v->clients : MOST_CLIENTS;
    unsigned rows = targets / 2 + 1; /* with one for the names */

    put_terminal(sb, o, "rates", 60 + rows * 240);
    for (unsigned i = 0; i < targets; i++)
        put_rate_data(sb, v, &s, i, clients);
    adl_strbuf_printf(sb,
                      "set multiplot layout %u,2 title 'Rate of each OST, by "
                      "client'\nset xlabel 'seconds'\nset ylabel '%s'\n"
                      "set yrange [0:*]\nset xrange [0:%g]\n",
                      rows, v->bytes_known ? "MiB/s" : "requests/s",
                      s.count * s.width / 1e6);
    for (unsigned i = 0; i < targets; i++)
        put_rate_plot(sb, v, i, clients);
    put_rate_key(sb, v, clients);
    adl_strbuf_puts(sb, "unset multiplot\n");
}

/* ---- clients and OSTs ---- */

static void make_matrix(const struct lp_view *v, const struct options *o,
                        struct adl_strbuf *sb)
{
    put_terminal(sb, o, "matrix", 120 + 24 * v->clients);
    adl_strbuf_puts(sb, "$matrix << EOD\n");
    for (unsigned r = 0; r < v->clients; r++) {
        for (unsigned c = 0; c < v->targets; c++) {
            const struct lp_pair *p = lp_view_pair(v, r, c);
            double amount = p ? lp_view_amount(v, &p->counts, LP_BOTH) : 0;

            adl_strbuf_printf(sb, "%s%g", c ? " " : "", amount / unit_of(v));
        }
        adl_strbuf_putc(sb, '\n');
    }
    adl_strbuf_printf(sb,
                      "EOD\nset title 'Clients and OSTs: %s'\n"
                      "set palette defined (0 'white', 1 'dark-blue')\n"
                      "set cbrange [0:*]\nset style textbox opaque "
                      "noborder\nset yrange [%u.5:-0.5]\n"
                      "set xrange [-0.5:%u.5]\nunset key\nset xtics (",
                      v->bytes_known ? "MiB" : "requests",
                      v->clients ? v->clients - 1 : 0,
                      v->targets ? v->targets - 1 : 0);
    for (unsigned c = 0; c < v->targets; c++) {
        adl_strbuf_puts(sb, c ? ", " : "");
        put_quoted(sb, lp_view_target(v, c));
        adl_strbuf_printf(sb, " %u", c);
    }
    adl_strbuf_puts(sb, ") rotate by -30\nset ytics (");
    for (unsigned r = 0; r < v->clients; r++) {
        adl_strbuf_puts(sb, r ? ", " : "");
        put_quoted(sb, v->client[r].name);
        adl_strbuf_printf(sb, " %u", r);
    }
    adl_strbuf_puts(sb, ")\nplot $matrix matrix with image pixels, \\\n"
                        "     $matrix matrix using 1:2:(sprintf('%.3g', $3)) "
                        "with labels boxed\n");
}

/* ---- the command ---- */

static int draw(const struct options *o, const char *name,
                const struct adl_strbuf *sb)
{
    char path[4096];
    char *shell[] = {(char *)"sh",
                     (char *)"-c",
                     (char *)"cd \"$0\" && exec gnuplot \"$1.gp\"",
                     (char *)o->common.output,
                     (char *)name,
                     NULL};
    int rc;

    snprintf(path, sizeof(path), "%s/%s.gp", o->common.output, name);
    rc = lp_command_write(path, sb);
    if (rc != LP_OK)
        return rc;
    rc = lp_runner_program(shell);
    if (rc)
        fprintf(stderr,
                "lioprof plot: gnuplot failed (status %d); its input, %s, "
                "is kept\n",
                rc, path);
    return rc ? LP_FAILED : LP_OK;
}

static int draw_all(const struct options *o, const struct lp_view *v)
{
    static const struct {
        const char *name;
        void (*make)(const struct lp_view *v, const struct options *o,
                     struct adl_strbuf *sb);
    } plots[] = {{"rates", make_rates}, {"matrix", make_matrix}};
    int rc = LP_OK;

    if (!v->clients || !v->targets) {
        fprintf(stderr, "lioprof plot: no client moved data\n");
        return LP_FAILED;
    }
    for (int i = 0; rc == LP_OK && i < 2; i++) {
        struct adl_strbuf sb = ADL_STRBUF_INIT;

        plots[i].make(v, o, &sb);
        rc = draw(o, plots[i].name, &sb);
        adl_strbuf_release(&sb);
    }
    return rc;
}

static int run(void *into, int count, char **args)
{
    struct options *o = into;
    struct lp_study *s;
    struct lp_view *v;
    int rc = LP_FAILED;

    if (!count || !o->common.output) {
        fprintf(stderr, "usage: lioprof plot -o DIR [OPTION...] INPUT...\n");
        return LP_USAGE;
    }
    if (mkdir(o->common.output, 0777) < 0 && errno != EEXIST) {
        fprintf(stderr, "lioprof plot: %s: %s\n", o->common.output,
                strerror(errno));
        return LP_FAILED;
    }
    s = lp_command_study(&o->common, count, args);
    v = s ? lp_view_create(s) : NULL;
    if (v)
        rc = draw_all(o, v);
    if (rc == LP_OK)
        rc = lp_command_status(s);
    lp_view_destroy(v);
    lp_study_destroy(s);
    return rc;
}

static void *begin_plot(void)
{
    return lp_common_begin(sizeof(struct options), PLOT_BINS, PLOT_PAIRS);
}

/* clang-format off */
static const struct lp_option options[] = {
    {'o', "output", "DIR", "where the pictures go", lp_set_output},
    {0, "terminal", "KIND", "svg or png (default: svg)", set_terminal},
    LP_STUDY_OPTIONS,
    {0, NULL, NULL, NULL, NULL},
};
/* clang-format on */

const struct lp_command lp_plot = {
    .name = "plot",
    .usage = "-o DIR [OPTION...] DIR|FILE...",
    .about =
        "Draw pictures for papers and slides with gnuplot: each OST's rate\n"
        "stacked by client (rates), clients and OSTs (matrix). The gnuplot\n"
        "files stay there, with the data inside. Inputs are those of lioprof\n"
        "analyze.\n",
    .options = options,
    .run = run,
    .begin = begin_plot,
    .end = free,
};
