/* fault.c - errors on demand */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "fault.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/text/size.h"

#define MAX_FAULTS 32
#define NONE (-1L)

enum ost_state { OST_OK, OST_FULL, OST_DEAD, OST_SLOW };

struct fault {
    unsigned calls; /* mask of enum sim_call; 0: an OST's state */
    long n, count;
    int error;
    long shorten;
    long delay; /* ms */
    int evict;
    long client, ost;
    char file[128];
    enum ost_state state;
    unsigned factor;
    atomic_long seen;
};

struct sim_faults {
    int n;
    struct fault fault[MAX_FAULTS];
};

/* clang-format off */
static const struct {
    const char *name;
    unsigned call;
} call_names[] = {{"open", SIM_CALL_OPEN},
                  {"read", SIM_CALL_READ},
                  {"write", SIM_CALL_WRITE},
                  {"fsync", SIM_CALL_FSYNC},
                  {"flush", SIM_CALL_FLUSH},
                  {"ioctl", SIM_CALL_IOCTL},
                  {"xattr", SIM_CALL_XATTR},
                  {"truncate", SIM_CALL_TRUNCATE},
                  {"fallocate", SIM_CALL_FALLOCATE},
                  {"close", SIM_CALL_CLOSE},
                  {"any", SIM_CALL_ANY}};
/* clang-format on */

static const struct {
    const char *name;
    int value;
} errno_names[] = {{"EIO", EIO},
                   {"ENOSPC", ENOSPC},
                   {"EINTR", EINTR},
                   {"EAGAIN", EAGAIN},
                   {"EACCES", EACCES},
                   {"EPERM", EPERM},
                   {"ENOENT", ENOENT},
                   {"EROFS", EROFS},
                   {"EDQUOT", EDQUOT},
                   {"EBADF", EBADF},
                   {"EINVAL", EINVAL},
                   {"ENOTTY", ENOTTY},
                   {"ENOMEM", ENOMEM},
                   {"EFBIG", EFBIG},
                   {"ETIMEDOUT", ETIMEDOUT},
                   {"EBUSY", EBUSY},
                   {"EOPNOTSUPP", EOPNOTSUPP},
                   {"ESTALE", ESTALE},
                   {"ESHUTDOWN", ESHUTDOWN},
                   {"ENODATA", ENODATA},
                   {"EMFILE", EMFILE},
                   {"ENXIO", ENXIO},
                   {"ENODEV", ENODEV},
                   {"EEXIST", EEXIST}};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int parse_number(const char *text, long min, long *out)
{
    int64_t v;

    if (adl_size_parse(text, &v) || v < min || v > LONG_MAX)
        return -EINVAL;
    *out = v;
    return 0;
}

static int parse_errno(const char *text, int *out)
{
    long v;

    for (size_t i = 0; i < COUNT(errno_names); i++)
        if (strcmp(text, errno_names[i].name) == 0) {
            *out = errno_names[i].value;
            return 0;
        }
    if (parse_number(text, 1, &v) || v > 4095)
        return -EINVAL;
    *out = v;
    return 0;
}

static int parse_call(const char *word, unsigned *calls)
{
    for (size_t i = 0; i < COUNT(call_names); i++)
        if (strcmp(word, call_names[i].name) == 0) {
            *calls = call_names[i].call;
            return 0;
        }
    return -EINVAL;
}

static int parse_file(struct fault *f, const char *value)
{
    if (strlen(value) >= sizeof(f->file))
        return -EINVAL;
    strcpy(f->file, value);
    return 0;
}

static int parse_slow(struct fault *f, const char *value)
{
    long v;

    if (parse_number(value, 1, &v) || v > 1000000)
        return -EINVAL;
    f->state = OST_SLOW;
    f->factor = v;
    return 0;
}

/* name=value, or a word alone (value NULL). */
static int parse_field(struct fault *f, const char *name, const char *value)
{
    if (!value) {
        if (strcmp(name, "eintr") == 0)
            f->error = EINTR;
        else if (strcmp(name, "evict") == 0)
            f->evict = 1;
        else if (strcmp(name, "full") == 0)
            f->state = OST_FULL;
        else if (strcmp(name, "dead") == 0)
            f->state = OST_DEAD;
        else
            return -EINVAL;
        return 0;
    }
    if (strcmp(name, "n") == 0)
        return parse_number(value, 1, &f->n);
    if (strcmp(name, "count") == 0)
        return parse_number(value, 1, &f->count);
    if (strcmp(name, "short") == 0)
        return parse_number(value, 1, &f->shorten);
    if (strcmp(name, "delay") == 0)
        return parse_number(value, 1, &f->delay);
    if (strcmp(name, "client") == 0)
        return parse_number(value, 0, &f->client);
    if (strcmp(name, "ost") == 0)
        return parse_number(value, 0, &f->ost);
    if (strcmp(name, "errno") == 0)
        return parse_errno(value, &f->error);
    if (strcmp(name, "file") == 0)
        return parse_file(f, value);
    if (strcmp(name, "slow") == 0)
        return parse_slow(f, value);
    return -EINVAL;
}

/* What was said must make sense together. */
static int check_fault(const struct fault *f)
{
    int acts =
        f->error != 0 || f->shorten != NONE || f->delay != NONE || f->evict;

    if (f->calls == 0)
        return f->ost == NONE || f->state == OST_OK || acts ? -EINVAL : 0;
    return acts && f->state == OST_OK ? 0 : -EINVAL;
}

static int parse_fault(char *spec, struct fault *f, struct adl_err *err)
{
    char *save = NULL, *word, *value;
    int first = 1;

    *f = (struct fault){.n = NONE,
                        .count = NONE,
                        .shorten = NONE,
                        .delay = NONE,
                        .client = NONE,
                        .ost = NONE};
    for (word = strtok_r(spec, ":", &save); word;
         word = strtok_r(NULL, ":", &save), first = 0) {
        if (first && parse_call(word, &f->calls) == 0)
            continue;
        value = strchr(word, '=');
        if (value)
            *value++ = '\0';
        if (parse_field(f, word, value))
            return adl_err_set(err, -EINVAL, "fault: bad '%.40s%s%.60s'", word,
                               value ? "=" : "", value ? value : "");
    }
    if (f->shorten != NONE && !(f->calls & (SIM_CALL_READ | SIM_CALL_WRITE)))
        return adl_err_set(err, -EINVAL, "fault: short is for read and write");
    if (check_fault(f))
        return adl_err_set(err, -EINVAL,
                           "fault: needs a call with errno, eintr, short, "
                           "delay or evict, or ost=N with full, dead or slow");
    return 0;
}

static int parse_all(char *copy, struct sim_faults *fs, struct adl_err *err)
{
    char *save = NULL, *spec;
    int rc = 0;

    for (spec = strtok_r(copy, ";", &save); spec && rc == 0;
         spec = strtok_r(NULL, ";", &save)) {
        if (fs->n == MAX_FAULTS)
            return adl_err_set(err, -EINVAL, "more than %d faults", MAX_FAULTS);
        rc = parse_fault(spec, &fs->fault[fs->n], err);
        if (rc == 0)
            fs->n++;
    }
    return rc;
}

int sim_faults_parse(const char *text, struct sim_faults **out,
                     struct adl_err *err)
{
    struct sim_faults *fs = calloc(1, sizeof(*fs));
    char *copy = strdup(text ? text : "");
    int rc = -ENOMEM;

    if (fs && copy)
        rc = parse_all(copy, fs, err);
    free(copy);
    if (rc)
        free(fs);
    else
        *out = fs;
    return rc;
}

int sim_faults_check(const struct sim_faults *faults, uint32_t osts,
                     struct adl_err *err)
{
    for (int i = 0; i < faults->n; i++)
        if (faults->fault[i].ost >= (long)osts)
            return adl_err_set(err, -EINVAL, "fault: no OST %ld: there are %u",
                               faults->fault[i].ost, osts);
    return 0;
}

void sim_faults_destroy(struct sim_faults *faults)
{
    free(faults);
}

int sim_faults_any(const struct sim_faults *faults)
{
    return faults && faults->n > 0;
}

long sim_faults_seen(const struct sim_faults *faults)
{
    return faults ? atomic_load(&faults->fault[0].seen) : 0;
}

static int reaches(const struct sim_fault_call *call, long ost)
{
    for (size_t i = 0; i < call->nosts; i++)
        if (call->osts[i] == ost)
            return 1;
    return 0;
}

static int matches(const struct fault *f, const struct sim_fault_call *call)
{
    if (!(f->calls & call->call))
        return 0;
    if (f->client != NONE && f->client != (long)call->client)
        return 0;
    if (f->ost != NONE && !f->evict && !reaches(call, f->ost))
        return 0;
    return !f->file[0] || fnmatch(f->file, call->path, 0) == 0;
}

/* Count a matching call; is it one of those that fail? */
static int due(struct fault *f)
{
    long k = atomic_fetch_add(&f->seen, 1) + 1;
    long first = f->n == NONE ? 1 : f->n;
    long count = f->count != NONE ? f->count : f->n != NONE ? 1 : LONG_MAX;

    return k >= first && k - first < count;
}

static void take_time(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&t, NULL);
}

int sim_faults_call(struct sim_faults *faults,
                    const struct sim_fault_call *call, size_t *limit)
{
    int rc = 0;

    if (!faults)
        return 0;
    for (int i = 0; i < faults->n; i++) {
        struct fault *f = &faults->fault[i];

        if (!matches(f, call) || !due(f))
            continue;
        if (f->delay != NONE)
            take_time(f->delay);
        if (f->evict && call->evict)
            call->evict(call->arg, f->ost);
        if (f->error)
            rc = -f->error;
        else if (f->shorten != NONE && limit && *limit > (size_t)f->shorten)
            *limit = f->shorten;
    }
    return rc;
}

int sim_faults_ost(const struct sim_faults *faults, enum sim_call call,
                   uint32_t ost)
{
    for (int i = 0; faults && i < faults->n; i++) {
        const struct fault *f = &faults->fault[i];

        if (f->calls || f->ost != (long)ost)
            continue;
        if (f->state == OST_DEAD)
            return -EIO;
        if (f->state == OST_FULL && call == SIM_CALL_WRITE)
            return -ENOSPC;
    }
    return 0;
}

unsigned sim_faults_slow(const struct sim_faults *faults, uint32_t ost)
{
    for (int i = 0; faults && i < faults->n; i++) {
        const struct fault *f = &faults->fault[i];

        if (!f->calls && f->ost == (long)ost && f->state == OST_SLOW)
            return f->factor;
    }
    return 1;
}
