/* oracle.c - random cases of MPI-IO against a naive model of the file
 *
 * Each case opens one file, some several, on 1 to 16 ranks with random hints,
 * sets random views, writes and reads with random datatypes and calls, and
 * compares the file byte by byte with a model that does not use ROMIO's code:
 * oracle/image.h says what is right. A case is a function of seed, number and
 * the size of the world (and of what is done mostly and which extras there may
 * be), so that any one can be repeated alone.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "oracle/play.h"
#include "oracle/stopper.h"

#define LUSTRE_MAGIC 0x0BD00BD0

struct options {
    struct studio studio;
    long cases, only, timeout;
    int verbose;
    char *file;
};

/* What the watchdog and the replay line must know: a signal handler has no
 * other way to it. */
static struct {
    struct options opt;
    int rank;
    int64_t number;
    int file, step;
} here;

/* Seen by all ranks. Those that have no part in a case sleep, and do not poll:
 * they look at the number of cases done. */
struct progress {
    atomic_long done;
    struct stopper stopper;
};

static const char usage[] =
    "usage: mpiexec -n RANKS oracle --file PATH [--seed S] [--cases N]\n"
    "              [--case K] [--what write|read|nonblock|all]\n"
    "              [--extras LIST] [--timeout SECONDS] [--no-locks]\n"
    "              [--verbose]\n"
    "\n"
    "Random MPI-IO on PATH (its directory must exist; a prefix as in lustre:\n"
    "is for MPI only), compared with a model. Up to 16 ranks.\n"
    "\n"
    "  --file PATH    the file to use; it is removed\n"
    "  --seed S       of the random numbers (default: from the clock)\n"
    "  --cases N      how many (default 100)\n"
    "  --case K       only this one\n"
    "  --what W       what is done mostly (default: all)\n"
    "  --extras LIST  what cases may have beside plain calls on one file: all\n"
    "                 (the default), none, or some of\n"
    "                 pool     a small node buffer and more data than it "
    "holds\n"
    "                 change   hints, atomicity, views between outstanding "
    "calls\n"
    "                 gaps     memory with wide gaps, ghost layers\n"
    "                 overlap  views for reading that overlap themselves\n"
    "                 uneven   one rank or node has most of the data\n"
    "                 files    two or three files at once\n"
    "                 stop     ranks are stopped for some milliseconds\n"
    "                 A case is a function of seed, number, ranks, what and\n"
    "                 extras; of when a rank is stopped it is not.\n"
    "  --timeout T    a case that takes longer is a failure (default 60 s)\n"
    "  --no-locks     without what needs file locks: atomic mode, shared file\n"
    "                 pointers; the default with LUSTRE_SIM_NOFLOCK=1\n"
    "  --verbose      print every case\n"
    "\n"
    "Exit status: 0 all cases passed, 1 not, 2 usage.\n";

static int parse_what(const char *word, enum what *out)
{
    static const char *const words[] = {"write", "read", "nonblock", "all"};

    for (int i = 0; i < 4; i++)
        if (strcmp(word, words[i]) == 0) {
            *out = (enum what)i;
            return 0;
        }
    return -1;
}

static int parse_number(const char *text, long *out)
{
    char *end;

    errno = 0;
    *out = strtol(text, &end, 0);
    return errno || end == text || *end || *out < 0 ? -1 : 0;
}

/* A Lustre of lustre-sim without file locks. */
static int noflock(void)
{
    const char *text = getenv("LUSTRE_SIM_NOFLOCK");

    return text && atoi(text) != 0;
}

static int parse(int argc, char **argv, struct options *opt)
{
    static const struct option names[] = {
        {"file", 1, NULL, 'f'},     {"seed", 1, NULL, 's'},
        {"cases", 1, NULL, 'n'},    {"case", 1, NULL, 'k'},
        {"what", 1, NULL, 'w'},     {"timeout", 1, NULL, 't'},
        {"verbose", 0, NULL, 'v'},  {"help", 0, NULL, 'h'},
        {"no-locks", 0, NULL, 'l'}, {"extras", 1, NULL, 'x'},
        {NULL, 0, NULL, 0}};
    long seed = time(NULL);
    int c, bad = 0;

    *opt = (struct options){.cases = 100, .only = -1, .timeout = 60};
    opt->studio.what = WHAT_ALL;
    opt->studio.extras = EXTRA_ALL;
    opt->studio.no_locks = noflock();
    while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (c == 'f')
            opt->file = optarg;
        else if (c == 's')
            bad |= parse_number(optarg, &seed);
        else if (c == 'n')
            bad |= parse_number(optarg, &opt->cases);
        else if (c == 'k')
            bad |= parse_number(optarg, &opt->only);
        else if (c == 'w')
            bad |= parse_what(optarg, &opt->studio.what);
        else if (c == 'x')
            bad |= extras_parse(optarg, &opt->studio.extras);
        else if (c == 't')
            bad |= parse_number(optarg, &opt->timeout);
        else if (c == 'l')
            opt->studio.no_locks = 1;
        else if (c == 'v')
            opt->verbose = 1;
        else
            return -1;
    }
    opt->studio.seed = (uint64_t)seed;
    return bad || !opt->file || optind < argc ? -1 : 0;
}

static const char *without_prefix(const char *name)
{
    const char *colon = strchr(name, ':');

    return colon ? colon + 1 : name;
}

static int on_lustre(const char *path)
{
    char dir[4096];
    char *slash;
    struct statfs fs;

    snprintf(dir, sizeof(dir), "%s", path);
    slash = strrchr(dir, '/');
    if (slash)
        *slash = 0;
    return statfs(slash ? dir : ".", &fs) == 0 && fs.f_type == LUSTRE_MAGIC;
}

static int replay_text(char *text, size_t room)
{
    static const char *const words[] = {"write", "read", "nonblock", "all"};
    const char *nodes = getenv("MPIR_CVAR_NUM_CLIQUES");
    char extras[80];

    extras_print(here.opt.studio.extras, extras, sizeof(extras));
    return snprintf(
        text, room,
        "MPIR_CVAR_NUM_CLIQUES=%s mpiexec -n %d oracle --what %s "
        "--extras %s%s --file %s --seed %llu --case %lld --verbose",
        nodes ? nodes : "", here.opt.studio.world, words[here.opt.studio.what],
        extras, here.opt.studio.no_locks ? " --no-locks" : "", here.opt.file,
        (unsigned long long)here.opt.studio.seed, (long long)here.number);
}

/* snprintf in a handler: the job is at its end anyway. */
static void too_late(int sig)
{
    char replay[700], text[900];
    int n;

    (void)sig;
    replay_text(replay, sizeof(replay));
    n = snprintf(text, sizeof(text),
                 "oracle: HANGS seed %llu case %lld file %d step %d rank %d\n"
                 "  replay: %s\n",
                 (unsigned long long)here.opt.studio.seed,
                 (long long)here.number, here.file, here.step, here.rank,
                 replay);
    if (write(2, text, n) < 0)
        n = 0;
    sleep(1); /* let the others say where they are */
    _exit(1);
}

static void at_step(int file, int step)
{
    here.file = file;
    here.step = step;
}

/* Collective over the world. Not beside the file: on a simulated Lustre nothing
 * can be mapped. */
static struct progress *share_progress(void)
{
    const char *dir = getenv("TMPDIR");
    struct progress *p;
    char name[4096];
    int fd = -1;

    snprintf(name, sizeof(name), "%s/oracle.XXXXXX", dir ? dir : "/tmp");
    if (here.rank == 0) {
        fd = mkstemp(name);
        if (fd < 0 || ftruncate(fd, sizeof(*p)) < 0)
            MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
    if (here.rank > 0)
        fd = open(name, O_RDWR | O_CLOEXEC);
    p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd < 0 || p == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 2);
    close(fd);
    p->stopper.pid[here.rank] = getpid();
    MPI_Barrier(MPI_COMM_WORLD);
    if (here.rank == 0)
        unlink(name);
    p->stopper.n = here.opt.studio.world;
    return p;
}

/* Not asleep outside MPI: a message that this rank has sent to the last barrier
 * may still be in the network layer, which moves it in MPI's calls only. */
static void await_turn(struct progress *p, long number)
{
    struct timespec nap = {0, 200000};
    int found;

    while (atomic_load(&p->done) < number) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found,
                   MPI_STATUS_IGNORE);
        nanosleep(&nap, NULL);
    }
}

/* The communicators made so far: a new one for each case would cost more than
 * most cases. */
struct troupe {
    MPI_Comm of[2][MAX_RANKS + 1];
};

/* World rank of member `i`. */
static int member(const struct scene *sc, int i)
{
    return sc->spread ? i * here.opt.studio.world / sc->n : i;
}

static int has_part(const struct scene *sc)
{
    for (int i = 0; i < sc->n; i++)
        if (member(sc, i) == here.rank)
            return 1;
    return 0;
}

/* Collective over the case's ranks. */
static MPI_Comm comm_for(struct troupe *troupe, const struct scene *sc)
{
    MPI_Comm *comm = &troupe->of[sc->spread][sc->n];
    int ranks[MAX_RANKS];
    MPI_Group world, group;

    if (*comm != MPI_COMM_NULL)
        return *comm;
    for (int i = 0; i < sc->n; i++)
        ranks[i] = member(sc, i);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, sc->n, ranks, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, sc->n, comm);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    return *comm;
}

static int play_case(struct troupe *troupe, struct scene *sc)
{
    struct player player = {.name = here.opt.file,
                            .path = without_prefix(here.opt.file),
                            .at = at_step,
                            .replay = replay_text};
    int failed;

    alarm((unsigned)here.opt.timeout);
    player.comm = comm_for(troupe, sc);
    MPI_Comm_rank(player.comm, &player.rank);
    failed = play_scenes(&player, sc, sc->files) > 0;
    alarm(0);
    return failed;
}

static int run_case(struct troupe *troupe, struct progress *progress,
                    long number)
{
    struct scene *sc = calloc(SCENE_FILES, sizeof(*sc));
    int failed = 0;

    if (!sc)
        abort();
    here.number = number;
    here.step = -1;
    scene_make(sc, &here.opt.studio, number);
    for (int i = 1; i < sc->files; i++)
        scene_make_beside(&sc[i], &here.opt.studio, sc, i);
    for (int i = 0; here.opt.verbose && here.rank == 0 && i < sc->files; i++)
        scene_print(&sc[i], stderr);
    if (here.rank == 0)
        atomic_store(&progress->stopper.armed, (sc->extras & EXTRA_STOP) != 0);
    if (has_part(sc))
        failed = play_case(troupe, sc);
    if (here.rank == 0)
        atomic_store(&progress->stopper.armed, 0);
    for (int i = 0; i < sc->files; i++)
        scene_free(&sc[i]);
    free(sc);
    return failed;
}

static void report_progress(long done, long from, long to)
{
    static time_t last;
    time_t now = time(NULL);

    if (!last)
        last = now;
    if (here.rank > 0 || now - last < 5)
        return;
    fprintf(stderr, "oracle: %ld of %ld cases\n", done - from, to - from);
    last = now;
}

static int run_cases(struct progress *progress)
{
    long from = here.opt.only >= 0 ? here.opt.only : 0;
    long to = here.opt.only >= 0 ? from + 1 : here.opt.cases;
    struct troupe troupe;
    int failed = 0;

    for (int i = 0; i < 2 * (MAX_RANKS + 1); i++)
        troupe.of[i / (MAX_RANKS + 1)][i % (MAX_RANKS + 1)] = MPI_COMM_NULL;
    for (long k = from; k < to; k++) {
        await_turn(progress, k - from);
        failed += run_case(&troupe, progress, k);
        if (here.rank == 0)
            atomic_store(&progress->done, k - from + 1);
        report_progress(k + 1, from, to);
    }
    for (int i = 0; i < 2 * (MAX_RANKS + 1); i++) {
        MPI_Comm *c = &troupe.of[i / (MAX_RANKS + 1)][i % (MAX_RANKS + 1)];

        if (*c != MPI_COMM_NULL)
            MPI_Comm_free(c);
    }
    return failed;
}

/* With the stopper, if cases may have it. */
static int run_all(void)
{
    struct progress *progress = share_progress();
    pid_t pid = 0;
    int failed;

    if (here.rank == 0 && here.opt.studio.extras & EXTRA_STOP) {
        pid = stopper_start(&progress->stopper);
        if (pid < 0) {
            perror("oracle: fork");
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    failed = run_cases(progress);
    if (pid > 0)
        stopper_end(&progress->stopper, pid);
    return failed;
}

int main(int argc, char **argv)
{
    struct options *opt = &here.opt;
    int bad, failed, all = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
    bad = parse(argc, argv, opt) < 0;
    MPI_Comm_size(MPI_COMM_WORLD, &opt->studio.world);
    if (bad || opt->studio.world > MAX_RANKS) {
        if (here.rank == 0)
            fputs(usage, stderr);
        MPI_Finalize();
        return 2;
    }
    MPI_Bcast(&opt->studio.seed, sizeof(opt->studio.seed), MPI_BYTE, 0,
              MPI_COMM_WORLD);
    opt->studio.lustre = on_lustre(without_prefix(opt->file));
    signal(SIGALRM, too_late);
    failed = run_all();
    MPI_Reduce(&failed, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (here.rank == 0)
        printf("oracle: seed %llu, %ld cases on %s, %d failed\n",
               (unsigned long long)opt->studio.seed,
               opt->only >= 0 ? 1 : opt->cases,
               opt->studio.lustre ? "Lustre" : "another file system", all);
    MPI_Finalize();
    return here.rank == 0 && all > 0;
}
