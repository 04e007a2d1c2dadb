/* doctor.c - romio-lustre doctor: what a path offers to the driver
 *
 * Looks at the path, then tries each feature on files of its own in the
 * directory, which it removes again.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "core/layout/layspec.h"
#include "lustre-sim/abi.h"
#include "sys/llite.h"
#include "sys/lustre.h"
#include "sys/lustre_abi.h"
#include "tools/laytext.h"

#include "library.h"

enum { EXIT_LUSTRE = 0, EXIT_TROUBLE = 1, EXIT_USAGE = 2, EXIT_ELSEWHERE = 3 };

static const char usage_text[] =
    "usage: romio-lustre doctor FILE-OR-DIR\n"
    "\n"
    "Says whether the path is on Lustre (or lustre-sim), prints its layout as\n"
    "lfs getstripe does, and tries what the driver can use there: striping,\n"
    "overstriping, progressive layouts, group locks, lockahead. For that it\n"
    "makes small files in the directory and removes them.\n"
    "\n"
    "Exit status: 0 on Lustre, 3 on another file system, 1 error, 2 usage.\n";

/* What we look at. */
struct patient {
    const char *path;
    char dir[PATH_MAX]; /* where files can be made */
    int is_dir;
    int simulated;
};

/* ---- the path ---- */

static void parent_of(const char *path, char *dir, size_t size)
{
    char *slash;

    snprintf(dir, size, "%s", path);
    slash = strrchr(dir, '/');
    if (!slash)
        snprintf(dir, size, ".");
    else if (slash == dir)
        dir[1] = 0;
    else
        *slash = 0;
}

static int examine_path(struct patient *p)
{
    struct stat st;

    if (stat(p->path, &st))
        return -errno;
    p->is_dir = S_ISDIR(st.st_mode);
    if (p->is_dir)
        snprintf(p->dir, sizeof(p->dir), "%s", p->path);
    else
        parent_of(p->path, p->dir, sizeof(p->dir));
    p->simulated = getxattr(p->path, SIM_XATTR_OSTS, NULL, 0) >= 0;
    return 0;
}

/* A lustre-sim file system that we are not looking at through its library? */
static int sim_root_above(const char *path, char *root, size_t size)
{
    char dir[PATH_MAX], mark[PATH_MAX + 32];

    if (!realpath(path, dir))
        return 0;
    while (dir[0] == '/' && dir[1]) {
        snprintf(mark, sizeof(mark), "%s/.lustre-sim/config", dir);
        if (access(mark, F_OK) == 0) {
            snprintf(root, size, "%s", dir);
            return 1;
        }
        *(dir[1] ? strrchr(dir, '/') : dir) = 0;
    }
    return 0;
}

static void print_elsewhere(const struct patient *p)
{
    char root[PATH_MAX];
    struct statfs s;

    if (statfs(p->path, &s))
        memset(&s, 0, sizeof(s));
    printf("%s: not on Lustre (file system type 0x%lx)\n", p->path,
           (unsigned long)s.f_type);
    if (sim_root_above(p->path, root, sizeof(root)))
        printf("  It is below %s, a lustre-sim file system; look at it with\n"
               "  lustre-sim run --root %s romio-lustre doctor %s\n",
               root, root, p->path);
    else
        printf("  The driver can be forced here (lustre:%s); it then works\n"
               "  with a made-up layout and takes no Lustre locks.\n",
               p->path);
}

/* ---- what is there ---- */

/* First line of a file of /sys, without its end; 0 if it cannot be read. */
static int first_line(const char *path, char *line, int size)
{
    FILE *f = fopen(path, "re");
    int found = f && fgets(line, size, f);

    if (f)
        fclose(f);
    if (found)
        line[strcspn(line, "\n")] = 0;
    return found;
}

/* Of the mount that the path is on, not of every Lustre there is. */
static void print_hybrid_io(const char *dir)
{
    static const char *const files[] = {"hybrid_io",
                                        "hybrid_io_write_threshold_bytes",
                                        "hybrid_io_read_threshold_bytes"};
    char mount[ADL_OBD_NAME_SIZE + 1], line[100];

    if (adl_llite_name(dir, mount, sizeof(mount)) < 0)
        return;
    printf("  mount: %s\n", mount);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (adl_llite_read(mount, files[i], line, sizeof(line)) == 0)
            printf("  %s = %s\n", files[i], line);
    if (adl_llite_direct_from(dir) < INT64_MAX)
        printf("  Hybrid I/O is on: large writes are sent directly under a\n"
               "  lock on the server; lockahead helps small stripes only.\n");
}

static void print_system(const struct patient *p)
{
    char version[100];
    int osts = adl_lustre_ost_count(p->dir);

    printf("%s: on %s\n", p->path,
           p->simulated ? "lustre-sim, the embedded Lustre" : "Lustre");
    if (osts > 0)
        printf("  OSTs: %d\n", osts);
    if (first_line("/sys/fs/lustre/version", version, sizeof(version)))
        printf("  client: %s\n", version);
    print_hybrid_io(p->dir);
}

static void print_text(const struct patient *p, const struct adl_layout *layout)
{
    struct adl_laytext about = {.path = p->path, .is_dir = p->is_dir};
    char *text = NULL;

    if (adl_laytext(layout, &about, &text) == 0)
        fputs(text, stdout);
    free(text);
}

static int print_layout(const struct patient *p)
{
    struct adl_layout_defaults def = {0};
    struct adl_layout *layout = NULL;
    struct adl_err err = {""};
    int rc;

    def.ost_count = adl_lustre_ost_count(p->dir);
    if (def.ost_count < 0)
        def.ost_count = 0;
    rc = adl_lustre_path_layout(p->path, &def, &layout, &err);
    printf("layout:\n");
    if (rc == 0)
        print_text(p, layout);
    else if (rc == -ENODATA)
        printf("  none of its own: %s\n",
               p->is_dir ? "files get the file system's default"
                         : "no data written yet");
    else
        printf("  cannot be read: %s\n",
               err.text[0] ? err.text : strerror(-rc));
    adl_layout_destroy(layout);
    return rc == -ENODATA ? 0 : rc;
}

/* ---- what answers ---- */

struct trial {
    char path[PATH_MAX + 64];
    int fd;
};

/* Make a file of ours in the directory, with the layout `spec` asks for. */
static int trial_begin(const struct patient *p, const char *spec,
                       struct trial *t)
{
    struct adl_layout_spec s = {0};
    struct adl_err err = {""};
    void *blob = NULL;
    size_t len = 0;
    int rc, refused = 0;

    t->fd = -1;
    rc = adl_layout_spec_parse(spec, &s, &err);
    if (rc == 0)
        rc = adl_layout_spec_encode(&s, &blob, &len, &err);
    for (int i = 0; rc == 0 && i < 100; i++) {
        snprintf(t->path, sizeof(t->path), "%s/.romio-lustre-doctor.%ld.%d",
                 p->dir, (long)getpid(), i);
        t->fd = adl_lustre_create(t->path, O_RDWR | O_EXCL | O_NOFOLLOW, 0600,
                                  blob, len, &refused);
        if (t->fd != -EEXIST)
            break;
    }
    if (rc == 0)
        rc = t->fd < 0 ? t->fd : refused;
    adl_layout_spec_clear(&s);
    free(blob);
    return rc;
}

static void trial_end(struct trial *t)
{
    if (t->fd < 0)
        return;
    close(t->fd);
    unlink(t->path);
}

/* Does the file really have the components and pattern asked for? */
static int try_layout(const struct patient *p, const char *spec, int ncomps,
                      unsigned pattern)
{
    struct adl_layout *layout = NULL;
    struct adl_err err = {""};
    struct trial t;
    int rc = trial_begin(p, spec, &t);

    if (rc == 0)
        rc = adl_lustre_get_layout(t.fd, NULL, &layout, &err);
    if (rc == 0 && (adl_layout_ncomponents(layout) != ncomps ||
                    !(adl_layout_component(layout, 0)->pattern & pattern)))
        rc = -EOPNOTSUPP;
    adl_layout_destroy(layout);
    trial_end(&t);
    return rc;
}

static int try_striping(const struct patient *p)
{
    return try_layout(p, "-c 2 -S 1M", 1, ADL_LOV_PATTERN_RAID0);
}

static int try_overstriping(const struct patient *p)
{
    int osts = adl_lustre_ost_count(p->dir);
    char spec[40];

    snprintf(spec, sizeof(spec), "-C %d -S 1M", osts > 0 ? 2 * osts : 2);
    return try_layout(p, spec, 1, ADL_LOV_PATTERN_OVERSTRIPING);
}

static int try_progressive(const struct patient *p)
{
    return try_layout(p, "-E 1M -c 1 -S 1M -E -1 -c 2", 2,
                      ADL_LOV_PATTERN_RAID0);
}

static int try_group_lock(const struct patient *p)
{
    struct trial t;
    int rc = trial_begin(p, "-c 1 -S 1M", &t);

    if (rc == 0)
        rc = adl_lustre_group_lock(t.fd, 1);
    if (rc == 0)
        rc = adl_lustre_group_unlock(t.fd, 1);
    trial_end(&t);
    return rc;
}

static int try_noexpand(const struct patient *p)
{
    struct trial t;
    int rc = trial_begin(p, "-c 1 -S 1M", &t);

    if (rc == 0)
        rc = adl_lustre_lock_noexpand(t.fd, 1);
    trial_end(&t);
    return rc;
}

static int try_lockahead(const struct patient *p)
{
    struct adl_lock_ahead lock = {.start = 0, .end = 1 << 20};
    struct trial t;
    int rc = trial_begin(p, "-c 1 -S 1M", &t);

    if (rc == 0)
        rc = adl_lustre_lock_ahead(t.fd, 1, &lock, 1);
    if (rc == 0 && lock.result < 0)
        rc = lock.result;
    trial_end(&t);
    return rc;
}

static void print_features(const struct patient *p)
{
    static const struct {
        const char *name;
        int (*try)(const struct patient *);
    } features[] = {
        {"striping", try_striping},
        {"overstriping", try_overstriping},
        {"progressive layouts", try_progressive},
        {"group lock", try_group_lock},
        {"lockahead", try_lockahead},
        {"locks not expanded", try_noexpand},
    };
    int rc;

    printf("features, tried on files in %s:\n", p->dir);
    for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
        rc = features[i].try(p);
        if (rc == 0)
            printf("  %-20s yes\n", features[i].name);
        else
            printf("  %-20s no (%s)\n", features[i].name, strerror(-rc));
    }
}

/* ---- commands ---- */

static int cmd_doctor(const char *path)
{
    struct patient p = {.path = path};
    int rc = examine_path(&p);

    if (rc < 0) {
        fprintf(stderr, "romio-lustre doctor: %s: %s\n", path, strerror(-rc));
        return EXIT_TROUBLE;
    }
    if (adl_lustre_is_path(path) != 1) {
        print_elsewhere(&p);
        return EXIT_ELSEWHERE;
    }
    print_system(&p);
    rc = print_layout(&p);
    if (access(p.dir, W_OK | X_OK) == 0)
        print_features(&p);
    else
        printf("features: not tried, no permission to make files in %s\n",
               p.dir);
    return rc ? EXIT_TROUBLE : EXIT_LUSTRE;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        fputs(usage_text, stdout);
        return 0;
    }
    if (argc == 3 && !strcmp(argv[1], "--version-of"))
        return library_print_plugin(argv[2]) < 0 ? EXIT_TROUBLE : 0;
    if (argc > 3 && !strcmp(argv[1], "--mpi"))
        return library_print_mpi(argv[2], argv + 3, argc - 3) < 0 ? EXIT_TROUBLE
                                                                  : 0;
    if (argc != 2 || argv[1][0] == '-') {
        fputs(usage_text, stderr);
        return EXIT_USAGE;
    }
    return cmd_doctor(argv[1]);
}
