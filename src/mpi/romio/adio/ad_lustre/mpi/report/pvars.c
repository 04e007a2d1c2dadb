/* pvars.c - the counters of a file as performance variables of MPI_T */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "pvars.h"

#ifdef ADL_IN_MPICH

#include <pthread.h>

#include "../../ad_lustre_compat.h"

/* From inside MPICH: the same in 4.0 to 5.1, where enumerations and int took
 * turns as types. */
typedef void get_value(void *variable, void *handle, int count, void *buf);
typedef void get_count(void *variable, void *handle, int *count);
void MPIR_T_PVAR_REGISTER_impl(int varclass, adl_inner_type type,
                               const char *name, void *variable, int count,
                               MPI_T_enum words, int verbosity, int binding,
                               int flags, get_value *value, get_count *number,
                               const char *category, const char *text);
void MPIR_T_enum_create(const char *name, MPI_T_enum *words);
void MPIR_T_enum_add_item(MPI_T_enum words, const char *name, int value);

/* Read only, always counting. Without MPICH's flag for sums a handle tells the
 * file's numbers, not those since the handle was made: a tool may come late. */
enum { FLAGS = 0x01 | 0x02 };

#define CATEGORY "ROMIO_LUSTRE"
#define LOCK_MODE "romio_lustre_lock_mode"

struct variable {
    const char *name;
    int varclass;
    enum adl_dir dir;
    enum adl_counter counter;
};

#define OF_WRITES(counter, kind)                                             \
    {                                                                        \
        "romio_lustre_write_" #counter, MPI_T_PVAR_CLASS_##kind, ADL_WRITES, \
            ADL_N_##counter                                                  \
    }
#define OF_READS(counter, kind)                                            \
    {                                                                      \
        "romio_lustre_read_" #counter, MPI_T_PVAR_CLASS_##kind, ADL_READS, \
            ADL_N_##counter                                                \
    }

static const struct variable variables[] = {
    OF_WRITES(independent_calls, COUNTER),
    OF_WRITES(independent_bytes, AGGREGATE),
    OF_WRITES(collective_calls, COUNTER),
    OF_WRITES(collective_bytes, AGGREGATE),
    OF_WRITES(system_calls, COUNTER),
    OF_WRITES(system_bytes, AGGREGATE),
    OF_WRITES(rmw_calls, COUNTER),
    OF_WRITES(lock_extents, COUNTER),
    OF_WRITES(lock_hits, COUNTER),
    OF_WRITES(lock_misses, COUNTER),
    OF_READS(independent_calls, COUNTER),
    OF_READS(independent_bytes, AGGREGATE),
    OF_READS(collective_calls, COUNTER),
    OF_READS(collective_bytes, AGGREGATE),
    OF_READS(system_calls, COUNTER),
    OF_READS(system_bytes, AGGREGATE),
};

static const char *const meaning[ADL_COUNTERS] = {
#define ADL_COUNTER(name, kind, text) text,
#include "../../core/report/counters.def"
#undef ADL_COUNTER
};

/* A tool may read in a thread of its own, and after MPI_Finalize: this module
 * keeps its own list of files. Numbers may grow while they are read. */
static struct {
    pthread_mutex_t mutex;
    struct adl_account *first;
} counted = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* With the mutex held. The tool's variable may hold a file that is closed: it
 * is compared, not followed. */
static struct adl_account *find_variable(const MPI_File *fh)
{
    struct adl_account *p = fh ? counted.first : NULL;

    while (p && p->fh != *fh)
        p = p->next_counted;
    return p;
}

static void read_counter(void *variable, void *handle, int count, void *buf)
{
    const struct variable *v = variable;
    struct adl_tally tally[ADL_DIRS];
    unsigned long long *to = buf;
    struct adl_account *p;

    (void)count; /* 1 */
    *to = 0;
    pthread_mutex_lock(&counted.mutex);
    p = find_variable(handle);
    if (p) {
        adl_prof_sum(&p->prof, tally);
        *to = tally[v->dir].n[v->counter];
    }
    pthread_mutex_unlock(&counted.mutex);
}

static void read_lock_mode(void *variable, void *handle, int count, void *buf)
{
    struct adl_account *p;
    int *to = buf;

    (void)variable;
    (void)count; /* 1 */
    pthread_mutex_lock(&counted.mutex);
    p = find_variable(handle);
    *to = p ? (int)p->file->hints.lock_mode : 0;
    pthread_mutex_unlock(&counted.mutex);
}

static void register_lock_mode(void)
{
    MPI_T_enum words;

    MPIR_T_enum_create(LOCK_MODE, &words);
    MPIR_T_enum_add_item(words, "extent locks", 0);
    MPIR_T_enum_add_item(words, "group lock", 1);
    MPIR_T_enum_add_item(words, "lockahead", 2);
    MPIR_T_PVAR_REGISTER_impl(
        MPI_T_PVAR_CLASS_STATE, ADL_INNER_INT, LOCK_MODE, NULL, 1, words,
        MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_MPI_FILE, FLAGS, read_lock_mode,
        NULL, CATEGORY, "how the file's Lustre locks are taken");
}

static void register_counter(const struct variable *v)
{
    MPIR_T_PVAR_REGISTER_impl(
        v->varclass, ADL_INNER_UNSIGNED_LONG_LONG, v->name, (void *)v, 1,
        MPI_T_ENUM_NULL, MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_MPI_FILE, FLAGS,
        read_counter, NULL, CATEGORY, meaning[v->counter]);
}

/* MPICH knows: its tables go with the last MPI_T_finalize and come again. */
static int are_registered(void)
{
    int index;

    return PMPI_T_pvar_get_index(LOCK_MODE, MPI_T_PVAR_CLASS_STATE, &index) ==
           MPI_SUCCESS;
}

int adl_pvars_wanted(void)
{
    int n;

    return PMPI_T_pvar_get_num(&n) == MPI_SUCCESS;
}

void adl_pvars_add(struct adl_account *p, MPI_File fh)
{
    if (!adl_pvars_wanted())
        return;
    if (!are_registered()) {
        register_lock_mode();
        for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
            register_counter(&variables[i]);
    }
    p->fh = fh;
    pthread_mutex_lock(&counted.mutex);
    p->next_counted = counted.first;
    counted.first = p;
    pthread_mutex_unlock(&counted.mutex);
}

void adl_pvars_remove(struct adl_account *p)
{
    struct adl_account **at = &counted.first;

    pthread_mutex_lock(&counted.mutex);
    while (*at && *at != p)
        at = &(*at)->next_counted;
    if (*at)
        *at = p->next_counted;
    pthread_mutex_unlock(&counted.mutex);
}

#else

/* ISO C wants something in a file. */
typedef int adl_pvars_are_in_the_fork_only;

#endif
