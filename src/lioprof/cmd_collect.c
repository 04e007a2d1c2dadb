/* cmd_collect.c - lioprof collect: trace servers while a program runs */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "command.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collect.h"
#include "core/text/size.h"
#include "runner.h"

#define MAX_HOSTS 4096

struct options {
    struct lp_common common; /* only the output directory is used */
    struct lp_collect how;
    char *hosts;
    const char *sim, *sim_options, *remote_base;
    double seconds; /* 0: as long as the command, or until interrupted */
    int dry;
    /* while it runs */
    char remote_dir[256];
    char *host[MAX_HOSTS];
    unsigned count;
    char dir[PATH_MAX]; /* absolute */
};

/* ---- options ---- */

static int set_hosts(void *into, const char *value)
{
    struct options *o = into;
    char *rest, *word;

    free(o->hosts);
    o->hosts = rest = strdup(value);
    o->count = 0;
    while (rest && (word = strsep(&rest, ", \t\n"))) {
        if (!word[0])
            continue;
        if (lp_collect_check_host(word) < 0 || o->count == MAX_HOSTS)
            return -EINVAL;
        o->host[o->count++] = word;
    }
    return o->count ? 0 : -EINVAL;
}

/* A line a host; # begins a comment. */
static int set_hosts_file(void *into, const char *value)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    char line[512];
    FILE *f = fopen(value, "r");
    int rc;

    if (!f)
        return -EINVAL;
    while (fgets(line, sizeof(line), f)) {
        line[strcspn(line, "#\n")] = '\0';
        adl_strbuf_puts(&sb, line);
        adl_strbuf_putc(&sb, ' ');
    }
    fclose(f);
    rc = set_hosts(into, adl_strbuf_text(&sb));
    adl_strbuf_release(&sb);
    return rc;
}

static int set_rsh(void *into, const char *value)
{
    struct options *o = into;

    o->how.rsh = value;
    return strcmp(value, "ssh") == 0 || strcmp(value, "pdsh") == 0 ||
                   strcmp(value, "local") == 0
               ? 0
               : -EINVAL;
}

static int set_sim(void *into, const char *value)
{
    ((struct options *)into)->sim = value;
    return *value ? 0 : -EINVAL;
}

static int set_sim_options(void *into, const char *value)
{
    ((struct options *)into)->sim_options = value;
    return 0;
}

/* The directory is written into scripts without quotes. */
static int set_remote_base(void *into, const char *value)
{
    ((struct options *)into)->remote_base = value;
    return value[0] == '/' &&
                   !value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKL"
                                        "MNOPQRSTUVWXYZ0123456789._-/")]
               ? 0
               : -EINVAL;
}

static int set_megabytes(unsigned *into, const char *value)
{
    int64_t n;

    if (adl_number_parse(value, &n) < 0 || n < 1 || n > 1 << 20)
        return -EINVAL;
    *into = (unsigned)n;
    return 0;
}

static int set_buffer(void *into, const char *value)
{
    return set_megabytes(&((struct options *)into)->how.buffer_mb, value);
}

static int set_file(void *into, const char *value)
{
    return set_megabytes(&((struct options *)into)->how.file_mb, value);
}

static int set_seconds(void *into, const char *value)
{
    struct options *o = into;
    char *stop;

    o->seconds = strtod(value, &stop);
    return *stop || !(o->seconds > 0 && o->seconds < 1e8) ? -EINVAL : 0;
}

static int set_bytes(void *into, const char *value)
{
    (void)value;
    ((struct options *)into)->how.bytes = 1;
    return 0;
}

static int set_locks(void *into, const char *value)
{
    (void)value;
    ((struct options *)into)->how.locks = 1;
    return 0;
}

static int set_no_iostat(void *into, const char *value)
{
    (void)value;
    ((struct options *)into)->how.iostat = 0;
    return 0;
}

static int set_dry(void *into, const char *value)
{
    (void)value;
    ((struct options *)into)->dry = 1;
    return 0;
}

/* ---- directories ---- */

static int make_output_directory(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return 0;
    fprintf(stderr, "lioprof collect: %s: %s\n", path, strerror(errno));
    return -1;
}

/* The logs of an earlier run would be added to those of this one. */
static int is_new(const char *path)
{
    DIR *d = opendir(path);
    struct dirent *e;
    int empty = d != NULL;

    while (empty && (e = readdir(d)))
        empty = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
    if (d)
        closedir(d);
    return empty;
}

static int make_output(struct options *o)
{
    if (o->dry) {
        snprintf(o->dir, sizeof(o->dir), "%s", o->common.output);
        return 0;
    }
    if (make_output_directory(o->common.output) < 0)
        return -1;
    if (!realpath(o->common.output, o->dir)) {
        fprintf(stderr, "lioprof collect: %s: %s\n", o->common.output,
                strerror(errno));
        return -1;
    }
    if (!is_new(o->dir)) {
        fprintf(stderr, "lioprof collect: %s is not an empty directory\n",
                o->common.output);
        return -1;
    }
    return 0;
}

/* A random name: no other user can guess it and make the directory first. */
static int choose_remote_dir(struct options *o)
{
    unsigned char r[8];

    if (getrandom(r, sizeof(r), 0) != sizeof(r))
        return -1;
    snprintf(o->remote_dir, sizeof(o->remote_dir),
             "%s/lioprof-%02x%02x%02x%02x%02x%02x%02x%02x", o->remote_base,
             r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]);
    o->how.remote_dir = o->remote_dir;
    return 0;
}

static void host_path(const struct options *o, unsigned i, const char *file,
                      char *out, size_t len)
{
    snprintf(out, len, "%s/%s%s%s", o->dir, o->host[i], *file ? "/" : "", file);
}

/* ---- steps on all hosts ---- */

enum step { START, STOP, FETCH, CLOCK };

static const char *const step_names[] = {"start", "stop", "fetch", "clock"};

static void step_command(const struct options *o, enum step step, unsigned i,
                         struct adl_strbuf *sb)
{
    char path[PATH_MAX + 300];

    host_path(o, i, "", path, sizeof(path));
    if (step == START)
        lp_collect_start(&o->how, o->host[i], sb);
    else if (step == STOP)
        lp_collect_stop(&o->how, o->host[i], sb);
    else if (step == FETCH)
        lp_collect_fetch(&o->how, o->host[i], path, sb);
    else
        lp_collect_clock(&o->how, o->host[i], sb);
}

/* Run (or print) a step; the number of hosts that failed. */
static int run_step(struct options *o, enum step step)
{
    struct lp_job *job = calloc(o->count, sizeof(*job));
    struct adl_strbuf *sb = calloc(o->count, sizeof(*sb));
    int failed = job && sb ? 0 : -1;

    for (unsigned i = 0; failed == 0 && i < o->count; i++) {
        step_command(o, step, i, &sb[i]);
        job[i].command = adl_strbuf_text(&sb[i]);
        job[i].output = "/dev/null";
        if (o->dry)
            printf("# %s on %s\n%s\n", step_names[step], o->host[i],
                   job[i].command);
    }
    if (failed == 0 && !o->dry)
        failed = lp_runner_shell(job, o->count);
    for (unsigned i = 0; failed > 0 && i < o->count; i++)
        if (job[i].status)
            fprintf(stderr, "lioprof collect: %s on %s failed (status %d)\n",
                    step_names[step], o->host[i], job[i].status);
    for (unsigned i = 0; sb && i < o->count; i++)
        adl_strbuf_release(&sb[i]);
    free(sb);
    free(job);
    return failed;
}

/* ---- clocks and notes ---- */

static int64_t clock_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* The host's clock against ours: half of the time of asking is the error. */
static int clock_offset(const struct options *o, unsigned i, int64_t *offset)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    int64_t before, after, there = 0;
    char line[64] = "";
    FILE *f;
    int rc;

    step_command(o, CLOCK, i, &sb);
    before = clock_now();
    f = popen(adl_strbuf_text(&sb), "r");
    if (f && fgets(line, sizeof(line), f))
        there = strtoll(line, NULL, 10);
    rc = f ? pclose(f) : -1;
    after = clock_now();
    adl_strbuf_release(&sb);
    if (rc != 0 || there <= 0)
        return -1;
    *offset = there - (before + after) / 2;
    return 0;
}

static long read_number(const struct options *o, unsigned i, const char *file)
{
    char path[PATH_MAX + 300];
    long n = 0;
    FILE *f;

    host_path(o, i, file, path, sizeof(path));
    f = fopen(path, "r");
    if (f && fscanf(f, "%ld", &n) != 1)
        n = 0;
    if (f)
        fclose(f);
    return n;
}

static void copy_targets(const struct options *o, unsigned i, FILE *to)
{
    char path[PATH_MAX + 300], line[256];
    FILE *f;

    host_path(o, i, "targets", path, sizeof(path));
    f = fopen(path, "r");
    while (f && fscanf(f, "%255s", line) == 1)
        fprintf(to, "target %s\n", line);
    if (f)
        fclose(f);
}

/* DIR/HOST/collect.txt, which lioprof analyze reads. */
static int write_notes(const struct options *o, unsigned i)
{
    long dropped = read_number(o, i, "dropped.after") -
                   read_number(o, i, "dropped.before");
    char path[PATH_MAX + 300];
    int64_t offset;
    FILE *f;

    host_path(o, i, "collect.txt", path, sizeof(path));
    f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "lioprof collect: %s: %s\n", path, strerror(errno));
        return -1;
    }
    fprintf(f, "# lioprof collect 1\nhost %s\n", o->host[i]);
    copy_targets(o, i, f);
    if (clock_offset(o, i, &offset) == 0)
        fprintf(f, "clock_offset_us %" PRId64 "\n", offset);
    else
        fprintf(stderr,
                "lioprof collect: the clock of %s could not be read: its "
                "times are not corrected\n",
                o->host[i]);
    if (dropped > 0) {
        fprintf(f, "dropped %ld\n", dropped);
        fprintf(stderr,
                "lioprof collect: %s dropped log lines (%ld times): use a "
                "larger --buffer-mb\n",
                o->host[i], dropped);
    }
    return fclose(f);
}

/* ---- a run ---- */

/* The program, the time, or an interrupt. */
static int run_payload(struct options *o, int count, char **args)
{
    if (o->dry) {
        printf("# run\n");
        for (int i = 0; i < count; i++)
            printf("%s%s", args[i], i + 1 < count ? " " : "\n");
        if (!count)
            printf("sleep %.0f\n", o->seconds ? o->seconds : 1e9);
        return 0;
    }
    if (count)
        return lp_runner_program(args);
    fprintf(stderr, "lioprof collect: tracing %s; %s\n", o->hosts,
            o->seconds ? "waiting" : "interrupt (Ctrl-C) to stop");
    lp_runner_wait(o->seconds ? o->seconds : 1e8);
    return 0;
}

static int finish_hosts(struct options *o)
{
    int rc = run_step(o, STOP) == 0 ? 0 : -1;

    for (unsigned i = 0; !o->dry && i < o->count; i++) {
        char path[PATH_MAX + 300];

        host_path(o, i, "", path, sizeof(path));
        rc = make_output_directory(path) < 0 ? -1 : rc;
    }
    rc = run_step(o, FETCH) == 0 ? rc : -1;
    for (unsigned i = 0; i < o->count; i++) {
        if (o->dry)
            printf("# then note host, targets, clock and dropped lines in "
                   "%s/%s/collect.txt\n",
                   o->dir, o->host[i]);
        else
            rc = write_notes(o, i) < 0 ? -1 : rc;
    }
    return rc;
}

static int collect_hosts(struct options *o, int count, char **args)
{
    int status = 0, rc;

    if (choose_remote_dir(o) < 0)
        return LP_FAILED;
    lp_runner_hold_signals();
    rc = run_step(o, START);
    if (rc == 0 && !lp_runner_signal())
        status = run_payload(o, count, args);
    if (finish_hosts(o) < 0 || rc != 0)
        return LP_FAILED;
    if (lp_runner_signal())
        fprintf(stderr,
                "lioprof collect: interrupted; tracing is off, and "
                "what was traced is in %s\n",
                o->dir);
    return status;
}

/* ---- lustre-sim ---- */

/* The command: $LUSTRE_SIM, beside us, in the build tree, or of PATH. */
static void find_sim(char *out, size_t len)
{
    static const char *const beside[] = {"lustre-sim",
                                         "src/lustre-sim/lustre-sim"};
    const char *named = getenv("LUSTRE_SIM");
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash;

    snprintf(out, len, "%s", named ? named : "lustre-sim");
    self[n > 0 ? n : 0] = '\0';
    slash = strrchr(self, '/');
    for (int i = 0; !named && slash && i < 2; i++) {
        struct stat st;

        snprintf(out, len, "%.*s/%s", (int)(slash - self), self, beside[i]);
        if (stat(out, &st) == 0 && S_ISREG(st.st_mode) &&
            access(out, X_OK) == 0)
            return;
        snprintf(out, len, "lustre-sim");
    }
}

static int run_line(const struct options *o, const struct adl_strbuf *sb,
                    const char *output)
{
    struct lp_job job = {.command = adl_strbuf_text(sb), .output = output};

    if (o->dry) {
        printf("%s\n", job.command);
        return 0;
    }
    return lp_runner_shell(&job, 1) == 0 ? 0 : -1;
}

static void put_words(struct adl_strbuf *sb, char **words, int count)
{
    for (int i = 0; i < count; i++) {
        adl_strbuf_putc(sb, ' ');
        lp_shell_quote(sb, words[i]);
    }
}

/* The model logs a request when it is sent, with the time when it is served:
 * by time the lines are as a server's. */
static const char sort_script[] =
    "for f in \"$0\"/oss*.log; do [ -f \"$f\" ] || continue; "
    "LC_ALL=C sort -s -t : -k 4,4 -o \"$f\" \"$f\" || exit 1; done";

static int finish_sim(const struct options *o, const char *sim)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    int rc;

    adl_strbuf_puts(&sb, "sh -c ");
    lp_shell_quote(&sb, sort_script);
    adl_strbuf_putc(&sb, ' ');
    lp_shell_quote(&sb, o->dir);
    adl_strbuf_puts(&sb, " && ");
    lp_shell_quote(&sb, sim);
    adl_strbuf_puts(&sb, " stats --json ");
    lp_shell_quote(&sb, o->sim);
    adl_strbuf_puts(&sb, " >");
    lp_shell_quote(&sb, o->dir);
    adl_strbuf_puts(&sb, "/lustre-sim.json");
    rc = run_line(o, &sb, NULL);
    adl_strbuf_release(&sb);
    return rc;
}

/* As a shell line, because of --sim-options. What the clients have not written
 * back when the command ends is to be in the trace: they forget. */
static int run_on_sim(const struct options *o, const char *sim, int count,
                      char **args)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    char *shell[] = {(char *)"sh", (char *)"-c", NULL, NULL};
    int status;

    adl_strbuf_puts(&sb, "exec ");
    lp_shell_quote(&sb, sim);
    adl_strbuf_puts(&sb, " run --keep-caches 0 --root ");
    lp_shell_quote(&sb, o->sim);
    adl_strbuf_puts(&sb, " --trace ");
    lp_shell_quote(&sb, o->dir);
    if (o->sim_options)
        adl_strbuf_printf(&sb, " %s", o->sim_options);
    adl_strbuf_puts(&sb, " --");
    put_words(&sb, args, count);
    shell[2] = (char *)adl_strbuf_text(&sb);
    if (o->dry)
        printf("%s\n", shell[2]);
    status = o->dry ? 0 : lp_runner_program(shell);
    adl_strbuf_release(&sb);
    return status;
}

static int collect_sim(struct options *o, int count, char **args)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    char sim[PATH_MAX], report[PATH_MAX + 20];
    int status, rc;

    find_sim(sim, sizeof(sim));
    snprintf(report, sizeof(report), "%s/driver.json", o->dir);
    if (o->dry)
        printf("ROMIO_LUSTRE_REPORT=%s\n", report);
    else
        setenv("ROMIO_LUSTRE_REPORT", report, 0);
    lp_runner_hold_signals();
    lp_shell_quote(&sb, sim);
    adl_strbuf_puts(&sb, " reset ");
    lp_shell_quote(&sb, o->sim);
    rc = run_line(o, &sb, NULL);
    adl_strbuf_release(&sb);
    if (rc < 0)
        return LP_FAILED;
    status = run_on_sim(o, sim, count, args);
    rc = finish_sim(o, sim);
    return rc < 0 ? LP_FAILED : status;
}

/* ---- the command ---- */

static int run_collect(void *into, int count, char **args)
{
    struct options *o = into;

    if (!o->common.output || (!o->count && !o->sim) || (o->count && o->sim) ||
        (o->sim && !count)) {
        fprintf(stderr,
                "usage: lioprof collect -o DIR --hosts LIST [-- COMMAND...]\n"
                "       lioprof collect -o DIR --lustre-sim ROOT -- "
                "COMMAND...\n");
        return LP_USAGE;
    }
    if (make_output(o) < 0)
        return LP_FAILED;
    return o->sim ? collect_sim(o, count, args) : collect_hosts(o, count, args);
}

static void *begin_collect(void)
{
    struct options *o = lp_common_begin(sizeof(*o), 0, 0);

    if (o) {
        o->how = (struct lp_collect){
            .rsh = "ssh", .buffer_mb = 1024, .file_mb = 16384, .iostat = 1};
        o->remote_base = "/tmp";
    }
    return o;
}

static void end(void *into)
{
    struct options *o = into;

    free(o->hosts);
    free(o);
}

/* clang-format off */
static const struct lp_option options[] = {
    {'o', "output", "DIR", "where the logs go, a directory for each host;\n"
     "                             new or empty", lp_set_output},
    {'w', "hosts", "LIST", "servers to trace, separated by commas", set_hosts},
    {0, "hosts-file", "FILE", "the same, a line each", set_hosts_file},
    {0, "rsh", "KIND", "ssh, pdsh or local (no remote shell; default: ssh)", set_rsh},
    {0, "bytes", NULL, "also trace transfers, for the size of every request\n"
     "                             (about twice the lines)", set_bytes},
    {0, "locks", NULL, "also trace locks, for the objects of callbacks\n"
     "                             (many more lines)", set_locks},
    {0, "no-iostat", NULL, "leave out iostat", set_no_iostat},
    {0, "buffer-mb", "N", "debug buffer in each server's memory, MiB\n"
     "                             (default: 1024)", set_buffer},
    {0, "file-mb", "N", "largest log on a server's disk, MiB\n"
     "                             (default: 16384)", set_file},
    {0, "remote-dir", "PATH", "where servers keep the log (default: /tmp;\n"
     "                             a directory of its own is made)", set_remote_base},
    {0, "seconds", "N", "how long to trace without COMMAND", set_seconds},
    {0, "lustre-sim", "ROOT", "run COMMAND on this lustre-sim instead", set_sim},
    {0, "sim-options", "TEXT", "options of lustre-sim run, as one text", set_sim_options},
    {'n', "dry-run", NULL, "only print every command", set_dry},
    {0, NULL, NULL, NULL, NULL},
};
/* clang-format on */

const struct lp_command lp_collect = {
    .name = "collect",
    .usage = "-o DIR [OPTION...] [-- COMMAND...]",
    .about =
        "Trace the RPCs of Lustre servers while COMMAND runs, or for some\n"
        "time, or until interrupted; then bring the logs, brw_stats and "
        "iostat\n"
        "output to DIR for lioprof analyze and report. Needs root on the\n"
        "servers. Debug settings are put back to what they were. The exit\n"
        "status is COMMAND's, or 1 when a server failed.\n"
        "With --lustre-sim the same on an embedded Lustre, without servers.\n",
    .options = options,
    .run = run_collect,
    .begin = begin_collect,
    .end = end,
    .stop_at_first = 1,
};
