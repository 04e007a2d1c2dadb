/* page.c - a study as one page that needs nothing else */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "chart.h"
#include "compare.h"
#include "finding.h"
#include "page_style.h"
#include "tables.h"
#include "units.h"
#include "workload.h"

#define PAGE_ROWS 40 /* of a table; the rest is a command away */

/* ---- frame ---- */

static void put_head(struct adl_strbuf *out, const char *title)
{
    adl_strbuf_puts(out,
                    "<!DOCTYPE html>\n<html lang=\"en\"><head>"
                    "<meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, "
                    "initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n"
                    "<title>");
    lp_html_text(out, title);
    adl_strbuf_puts(out, "</title>\n<style>\n");
    adl_strbuf_puts(out, page_style);
    adl_strbuf_puts(out, "</style></head><body>\n"
                         "<svg width=\"0\" height=\"0\" aria-hidden=\"true\" "
                         "style=\"position:absolute;width:0;height:0\">"
                         "<defs>\n");
    for (int i = 0; i < 8; i++)
        adl_strbuf_printf(out, page_hatch, i, i % 2 ? 45 : 135, i);
    adl_strbuf_puts(out, "</defs></svg>\n<main>\n<h1>");
    lp_html_text(out, title);
    adl_strbuf_puts(out, "</h1>\n");
}

static void put_foot(struct adl_strbuf *out)
{
    adl_strbuf_puts(out, "<footer>Written by lioprof " LIOPROF_VERSION
                         ". The page needs no network; point at a mark for "
                         "its numbers. Tables as text, CSV and JSON: "
                         "<code>lioprof analyze</code>.</footer>\n</main>\n"
                         "<div id=\"tip\" role=\"tooltip\"></div>\n<script>\n");
    adl_strbuf_puts(out, page_script);
    adl_strbuf_puts(out, "</script></body></html>\n");
}

static void put_section(struct adl_strbuf *out, const char *title,
                        const char *about)
{
    adl_strbuf_puts(out, "<h2>");
    lp_html_text(out, title);
    adl_strbuf_puts(out, "</h2>\n<p class=\"dim\">");
    lp_html_text(out, about);
    adl_strbuf_puts(out, "</p>\n");
}

/* A table that can be opened; nothing where it is empty. */
static void put_details(const struct lp_view *v, const char *name,
                        const char *label, struct adl_strbuf *out)
{
    struct lp_table *t = lp_table_make(v, name);

    if (t && lp_table_rows(t)) {
        adl_strbuf_puts(out, "<details><summary>");
        lp_html_text(out, label);
        adl_strbuf_puts(out, "</summary>\n");
        lp_table_html(t, PAGE_ROWS, out);
        adl_strbuf_puts(out, "</details>\n");
    }
    lp_table_destroy(t);
}

/* ---- top: where, when, how much ---- */

static void put_period(const struct lp_view *v, struct adl_strbuf *out)
{
    const struct lp_timeline *time = v->study->traffic->time;
    time_t start = (time_t)(lp_timeline_start(time) / 1000000);
    char when[64] = "", text[LP_UNIT_MAX];
    struct tm tm;

    if (!lp_timeline_used(time))
        return;
    if (gmtime_r(&start, &tm))
        strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
    adl_strbuf_printf(out, "<p class=\"dim\">From %s, %s.%s%s</p>\n", when,
                      lp_time_text(v->seconds * 1e6, text),
                      v->study->sim
                          ? " The servers are lustre-sim's: counts follow "
                            "Lustre's rules, times are a model's."
                          : "",
                      v->bytes_known ? ""
                                     : " The logs do not have sizes: requests "
                                       "are shown instead of bytes.");
}

static void put_tile(struct adl_strbuf *out, const char *value,
                     const char *what)
{
    adl_strbuf_puts(out, "<div class=\"tile\"><b>");
    lp_html_text(out, value);
    adl_strbuf_puts(out, "</b><span>");
    lp_html_text(out, what);
    adl_strbuf_puts(out, "</span></div>\n");
}

static unsigned most_users(const struct lp_view *v)
{
    unsigned most = 0;

    for (unsigned i = 0; i < v->targets; i++) {
        unsigned n = lp_view_users(v, i, LP_BOTH);

        most = n > most ? n : most;
    }
    return most;
}

static void put_tiles(const struct lp_view *v, struct adl_strbuf *out)
{
    const struct lp_counts *c = &v->study->traffic->all.counts;
    struct lp_slices s = lp_slices_make(v, 100, NULL);
    char text[LP_UNIT_MAX], what[80];
    struct lp_rates r;

    adl_strbuf_puts(out, "<div class=\"tiles\">\n");
    for (int dir = 0; dir < 2; dir++) {
        snprintf(what, sizeof(what), "%s, %llu requests",
                 dir ? "written" : "read",
                 (unsigned long long)c->op[dir ? LP_WRITE : LP_READ]);
        put_tile(out, lp_view_text(v, lp_view_amount(v, c, dir), 0, text),
                 what);
    }
    if (lp_rates_make(v, v->study->traffic->all.series, LP_BOTH, s.step, &r) ==
        0) {
        char peak[LP_UNIT_MAX];

        snprintf(what, sizeof(what), "mean; peak %s",
                 lp_view_text(v, r.peak, 1, peak));
        put_tile(out, lp_view_text(v, r.mean, 1, text), what);
        lp_rates_release(&r);
    }
    snprintf(text, sizeof(text), "%u", v->osts);
    put_tile(out, text, v->osts == 1 ? "OST" : "OSTs");
    snprintf(text, sizeof(text), "%u", most_users(v));
    put_tile(out, text, "clients on one OST, at most");
    put_tile(out, lp_count_text(c->op[LP_BLOCKING], text), "lock callbacks");
    adl_strbuf_puts(out, "</div>\n");
}

static void put_findings(const struct lp_view *v, struct adl_strbuf *out)
{
    struct lp_findings f;

    lp_findings_make(v, &f);
    adl_strbuf_puts(out, "<ul class=\"findings\">\n");
    for (unsigned i = 0; i < f.count; i++) {
        adl_strbuf_printf(
            out, "<li class=\"%s\"><span class=\"mark\">%s</span>",
            f.list[i].grave ? "grave" : "look",
            f.list[i].grave ? "&#9650; costs time" : "&#9671; may cost time");
        lp_html_text(out, f.list[i].text);
        adl_strbuf_puts(out, "<span class=\"try\">Try: ");
        lp_html_text(out, f.list[i].hint);
        adl_strbuf_puts(out, "</span></li>\n");
    }
    if (!f.count)
        adl_strbuf_puts(out, "<li class=\"fine\"><span class=\"mark\">&#10003; "
                             "fine</span>Nothing stands out: clients do not "
                             "meet on the OSTs, requests are large, the load "
                             "is even.</li>\n");
    adl_strbuf_puts(out, "</ul>\n");
}

/* ---- the driver's side ---- */

static void put_phases(const struct lp_json *phases, struct adl_strbuf *out)
{
    const struct lp_json *all = lp_json_get(phases, "io_ranks");
    int hue = 0;

    if (!all)
        return;
    adl_strbuf_puts(out, "<div class=\"share\">");
    for (const struct lp_json *row = all->first; row; row = row->next) {
        double percent = lp_json_number(lp_json_get(row, "percent"), 0);

        if (row->kind == LP_JSON_OBJECT && percent >= 0.5)
            adl_strbuf_printf(out,
                              "<i style=\"width:%.1f%%;background:var(--c%d)\""
                              "></i>",
                              percent, hue);
        hue = (hue + (row->kind == LP_JSON_OBJECT && percent >= 0.5)) % 8;
    }
    adl_strbuf_puts(out, "</div>\n<ul class=\"legend\">");
    hue = 0;
    for (const struct lp_json *row = all->first; row; row = row->next) {
        double percent = lp_json_number(lp_json_get(row, "percent"), 0);

        if (row->kind == LP_JSON_OBJECT && percent >= 0.5) {
            adl_strbuf_printf(out,
                              "<li><svg viewBox=\"0 0 14 14\" "
                              "aria-hidden=\"true\"><rect width=\"14\" "
                              "height=\"14\" class=\"c%d\"/></svg> ",
                              hue);
            lp_html_text(out, row->key ? row->key : "");
            adl_strbuf_printf(out, " %.0f %%</li>", percent);
        }
        hue = (hue + (row->kind == LP_JSON_OBJECT && percent >= 0.5)) % 8;
    }
    adl_strbuf_puts(out, "</ul>\n");
}

/* Hints that were asked for, or that do not have the default value. */
static void put_hints(const struct lp_json *report, struct adl_strbuf *out)
{
    const struct lp_json *hints = lp_json_get(report, "hints");
    int n = 0;

    adl_strbuf_puts(out, "<p>Hints: ");
    for (const struct lp_json *h = hints ? hints->first : NULL; h;
         h = h->next) {
        const char *origin = lp_json_text(lp_json_get(h, "origin"), "default");

        if (strcmp(origin, "default") == 0)
            continue;
        adl_strbuf_puts(out, n++ ? " <code>" : "<code>");
        lp_html_text(out, lp_json_text(lp_json_get(h, "name"), "?"));
        adl_strbuf_puts(out, "=");
        lp_html_text(out, lp_json_text(lp_json_get(h, "effective"), "?"));
        adl_strbuf_puts(out, "</code> (");
        lp_html_text(out, origin);
        adl_strbuf_puts(out, ")");
    }
    adl_strbuf_puts(out, n ? "</p>\n" : "all defaults.</p>\n");
}

static void put_advice(const struct lp_json *report, struct adl_strbuf *out)
{
    const struct lp_json *list = lp_json_get(report, "advice");

    for (const struct lp_json *a = list ? list->first : NULL; a; a = a->next) {
        adl_strbuf_puts(out, "<p class=\"dim\">The driver says: ");
        lp_html_text(out, lp_json_text(lp_json_get(a, "text"), ""));
        adl_strbuf_puts(out, " Try: ");
        lp_html_text(out, lp_json_text(lp_json_get(a, "try"), ""));
        adl_strbuf_puts(out, "</p>\n");
    }
}

static int made_calls(const struct lp_json *direction)
{
    const struct lp_json *c = lp_json_get(direction, "counters");

    return lp_json_number(lp_json_get(c, "collective_calls"), 0) +
               lp_json_number(lp_json_get(c, "independent_calls"), 0) >
           0;
}

static void put_driver(const struct lp_view *v, struct adl_strbuf *out)
{
    static const char *const dirs[2] = {"write", "read"};
    struct lp_table *t = lp_table_make(v, "driver");
    unsigned shown = v->study->reports < 8 ? v->study->reports : 8;

    if (t && lp_table_rows(t)) {
        put_section(out, "The driver's side of it",
                    "What the MPI-IO driver reported for the same run, a row "
                    "for each file it closed; then its hints and where the "
                    "time went.");
        lp_table_html(t, PAGE_ROWS, out);
    }
    lp_table_destroy(t);
    for (unsigned i = 0; i < shown; i++) {
        const struct lp_json *r = v->study->report[i];

        adl_strbuf_puts(out, "<h3>");
        lp_html_text(out, lp_json_text(lp_json_get(r, "file"), "?"));
        adl_strbuf_puts(out, "</h3>\n");
        put_hints(r, out);
        for (int k = 0; k < 2; k++) {
            const struct lp_json *phases =
                lp_json_get(lp_json_get(r, dirs[k]), "phases");

            if (!phases || phases->kind != LP_JSON_OBJECT ||
                !made_calls(lp_json_get(r, dirs[k])))
                continue;
            adl_strbuf_printf(out,
                              "<p class=\"dim\">Phases of %ss, of the ranks "
                              "with system calls:</p>\n",
                              dirs[k]);
            put_phases(phases, out);
        }
        put_advice(r, out);
    }
    put_details(v, "hint", "All hints in force", out);
    put_details(v, "app_time", "Bytes over time, as the driver counts them",
                out);
}

/* ---- the report ---- */

static void put_matrices(const struct lp_view *v, struct adl_strbuf *out)
{
    static const char *const titles[2] = {"Reads", "Writes"};

    for (int dir = 0; dir < 2; dir++) {
        if (!(lp_view_amount(v, &v->study->traffic->all.counts, dir) > 0))
            continue;
        adl_strbuf_printf(out, "<h3>%s</h3>\n", titles[dir]);
        lp_chart_matrix(v, dir, out);
    }
}

static void put_locks(const struct lp_view *v, struct adl_strbuf *out)
{
    const struct lp_counts *c = &v->study->traffic->all.counts;

    if (!c->op[LP_ENQUEUE] && !c->op[LP_BLOCKING] && !c->op[LP_CANCEL])
        return;
    put_section(out, "Locks over time",
                "A blocking callback takes a lock away from a client that "
                "another one needs; what the client had cached goes with it.");
    lp_chart_locks(v, out);
    put_details(v, "contention", "Clients that took locks from each other",
                out);
}

static void put_sizes(const struct lp_view *v, struct adl_strbuf *out)
{
    const struct lp_counts *c = &v->study->traffic->all.counts;

    if (c->sized[0] + c->sized[1]) {
        put_section(out, "Request sizes",
                    "Reads and writes as they reached the OSTs.");
        lp_chart_sizes(v, out);
    }
    put_details(v, "brw", "brw_stats of the OSTs", out);
    put_details(v, "disk", "iostat of the servers", out);
}

void lp_page_report(const struct lp_view *v, const char *title,
                    struct adl_strbuf *out)
{
    put_head(out, title ? title : "What the Lustre servers saw");
    put_period(v, out);
    put_tiles(v, out);
    put_section(out, "What stands out", "In plain words, with what to try.");
    put_findings(v, out);
    put_section(out, "OSTs over time",
                "Data moved by each OST; the darker (in dark mode: the "
                "brighter), the more. At the right the sum.");
    lp_chart_heat(v, NULL, out);
    put_details(v, "ost", "The numbers, by OST", out);
    put_section(out, "Clients and OSTs",
                "Which client used which OST. Best is one client an OST: its "
                "disk then serves one stream.");
    put_matrices(v, out);
    put_details(v, "client_ost", "Each OST's bandwidth, by client", out);
    put_details(v, "client", "The numbers, by client", out);
    put_details(v, "imbalance", "Balance", out);
    put_section(out, "Rates over time, by client",
                "Each OST's rate, stacked by client; all with one scale.");
    lp_chart_stack(v, NULL, out);
    put_locks(v, out);
    put_sizes(v, out);
    put_section(out, "How rates are distributed",
                "Over the whole period, all OSTs together.");
    lp_chart_cdf(v, out);
    put_driver(v, out);
    put_section(out, "More", "Jobs, files and objects, and the inputs.");
    put_details(v, "job", "Jobs", out);
    put_details(v, "file", "Files", out);
    put_details(v, "object", "Objects", out);
    put_details(v, "overview", "In all", out);
    put_foot(out);
}

/* ---- before and after ---- */

static void put_side(const struct lp_view *v, const char *name,
                     const struct lp_scale *scale, struct adl_strbuf *out)
{
    adl_strbuf_puts(out, "<section><h2>");
    lp_html_text(out, name);
    adl_strbuf_puts(out, "</h2>\n");
    put_period(v, out);
    put_findings(v, out);
    adl_strbuf_puts(out, "<h3>OSTs over time</h3>\n");
    lp_chart_heat(v, scale, out);
    put_matrices(v, out);
    adl_strbuf_puts(out, "<h3>Rates over time, by client</h3>\n");
    lp_chart_stack(v, scale, out);
    adl_strbuf_puts(out, "</section>\n");
}

void lp_page_diff(const struct lp_view *v[2], const char *const name[2],
                  const char *title, struct adl_strbuf *out)
{
    struct lp_table *t = lp_compare(v, name);
    struct lp_scale scale = lp_scale_make(v[0], v[1]);

    put_head(out, title ? title : "Before and after");
    if (t)
        lp_table_html(t, 100, out);
    lp_table_destroy(t);
    adl_strbuf_puts(out, "<div class=\"sides\">\n");
    for (int i = 0; i < 2; i++)
        put_side(v[i], name[i], &scale, out);
    adl_strbuf_puts(out, "</div>\n");
    put_foot(out);
}
