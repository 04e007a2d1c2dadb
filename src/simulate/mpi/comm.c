/* comm.c - communicators, groups and attributes */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmpi.h"
#include "vmpi_calls.h"

#define COMM_KIND 0x84000000u
#define GROUP_KIND 0x88000000u
#define KIND_MASK 0xfc000000u
#define INDEX_MASK 0x03ffffffu
#define KEYVAL_BASE 0x64c00000

static struct comm **comms;
static int comm_count, comm_room;
static struct comm **self; /* [ranks], made when needed */

/* ---- communicators ---- */

static int comm_index(void)
{
    if (comm_count == comm_room) {
        comm_room = comm_room ? 2 * comm_room : 64;
        comms = must_realloc(comms, (size_t)comm_room * sizeof(*comms));
    }
    return comm_count++;
}

static struct comm *make_comm(int size, const int *world)
{
    struct comm *c = must_calloc(1, sizeof(*c));

    c->index = comm_index();
    c->size = c->refs = size;
    c->world = must_calloc((size_t)size, sizeof(*c->world));
    c->tag = must_calloc((size_t)size, sizeof(*c->tag));
    c->attributes = must_calloc((size_t)size, sizeof(*c->attributes));
    c->errhandler = MPI_ERRORS_ARE_FATAL;
    for (int i = 0; i < size; i++)
        c->world[i] = world ? world[i] : i;
    comms[c->index] = c;
    return c;
}

static MPI_Comm handle_of(const struct comm *c)
{
    return c->index == 0 ? MPI_COMM_WORLD
                         : (MPI_Comm)(COMM_KIND + (unsigned)c->index);
}

MPI_Comm comm_new(int size, const int *world)
{
    return handle_of(make_comm(size, world));
}

void comm_start(void)
{
    comm_count = 0;
    free(self);
    make_comm(config.ranks, NULL);
    self = must_calloc((size_t)config.ranks, sizeof(*self));
}

static struct comm *my_self(void)
{
    if (!self[sched_rank])
        self[sched_rank] = make_comm(1, &sched_rank);
    return self[sched_rank];
}

struct comm *comm_get(MPI_Comm handle)
{
    unsigned u = (unsigned)handle;

    if (handle == MPI_COMM_WORLD)
        return comms[0];
    if (handle == MPI_COMM_SELF)
        return my_self();
    if ((u & KIND_MASK) == COMM_KIND && (int)(u & INDEX_MASK) < comm_count &&
        comms[u & INDEX_MASK])
        return comms[u & INDEX_MASK];
    vmpi_wrong("communicator %x is not valid", u);
}

/* Few communicators have all ranks: a map back only for those asked about. */
static void make_local(struct comm *c)
{
    c->local = must_calloc((size_t)config.ranks, sizeof(*c->local));
    for (int i = 0; i < config.ranks; i++)
        c->local[i] = -1;
    for (int i = 0; i < c->size; i++)
        c->local[c->world[i]] = i;
}

int comm_rank(struct comm *c, int world)
{
    if (c->index == 0)
        return world;
    if (c->size <= 16) {
        for (int i = 0; i < c->size; i++)
            if (c->world[i] == world)
                return i;
        return -1;
    }
    if (!c->local)
        make_local(c);
    return c->local[world];
}

static struct attribute **my_attributes(struct comm *c)
{
    return &c->attributes[comm_rank(c, sched_rank)];
}

int vmpi_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = comm_rank(comm_get(comm), sched_rank);
    return MPI_SUCCESS;
}

int vmpi_Comm_size(MPI_Comm comm, int *size)
{
    *size = comm_get(comm)->size;
    return MPI_SUCCESS;
}

int vmpi_Comm_test_inter(MPI_Comm comm, int *flag)
{
    comm_get(comm);
    *flag = 0;
    return MPI_SUCCESS;
}

int vmpi_Comm_free(MPI_Comm *comm)
{
    struct comm *c = comm_get(*comm);

    attributes_delete(my_attributes(c), *comm);
    *comm = MPI_COMM_NULL;
    if (--c->refs > 0 || c->index == 0)
        return MPI_SUCCESS;
    comms[c->index] = NULL;
    free(c->world);
    free(c->local);
    free(c->tag);
    free(c->attributes);
    free(c);
    return MPI_SUCCESS;
}

int vmpi_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    comm_get(comm)->errhandler = handler;
    return MPI_SUCCESS;
}

int vmpi_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler)
{
    *handler = comm_get(comm)->errhandler;
    return MPI_SUCCESS;
}

#define ERRHANDLER_KIND 0x94000000u
static MPI_Comm_errhandler_function **errhandlers;
static unsigned errhandler_count;

int vmpi_Comm_create_errhandler(MPI_Comm_errhandler_function *fn,
                                MPI_Errhandler *out)
{
    errhandlers = must_realloc(errhandlers,
                               (errhandler_count + 1) * sizeof(*errhandlers));
    errhandlers[errhandler_count] = fn;
    *out = (MPI_Errhandler)(ERRHANDLER_KIND + errhandler_count++);
    return MPI_SUCCESS;
}

int vmpi_Comm_call_errhandler(MPI_Comm comm, int code)
{
    int handler = comm_get(comm)->errhandler;
    unsigned i = (unsigned)handler - ERRHANDLER_KIND;

    if (handler == MPI_ERRORS_RETURN)
        return MPI_SUCCESS;
    if (i < errhandler_count) {
        errhandlers[i](&comm, &code);
        return MPI_SUCCESS;
    }
    vmpi_wrong("an error handler was called, code %d", code);
}

int vmpi_Errhandler_free(MPI_Errhandler *handler)
{
    *handler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

/* ---- new communicators: the members meet in the harness, which makes the
 * communicators when the last one has come; a barrier's messages give it
 * time ---- */

struct member {
    int colour, key, rank; /* rank in the old one */
};
struct split {
    struct split *next;
    int tag, arrived, left;
    struct member *member;
    MPI_Comm *result; /* by rank in the old one */
};

static int by_colour(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    if (x->colour != y->colour)
        return x->colour < y->colour ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void make_part(struct comm *c, struct split *s, int first, int n)
{
    const struct member *m = s->member + first;
    int *world = must_calloc((size_t)n, sizeof(*world));
    MPI_Comm handle = MPI_COMM_NULL;

    for (int i = 0; i < n; i++)
        world[i] = c->world[m[i].rank];
    if (m->colour != MPI_UNDEFINED)
        handle = comm_new(n, world);
    for (int i = 0; i < n; i++)
        s->result[m[i].rank] = handle;
    free(world);
}

static void make_parts(struct comm *c, struct split *s)
{
    int last;

    qsort(s->member, (size_t)c->size, sizeof(*s->member), by_colour);
    for (int i = 0; i < c->size; i = last) {
        for (last = i;
             last < c->size && s->member[last].colour == s->member[i].colour;)
            last++;
        make_part(c, s, i, last - i);
    }
}

static struct split *find_split(struct comm *c, int tag)
{
    struct split **at = &c->splits;

    while (*at && (*at)->tag != tag)
        at = &(*at)->next;
    if (!*at) {
        *at = must_calloc(1, sizeof(**at));
        (*at)->tag = tag;
        (*at)->left = c->size;
        (*at)->member = must_calloc((size_t)c->size, sizeof(struct member));
        (*at)->result = must_calloc((size_t)c->size, sizeof(MPI_Comm));
    }
    return *at;
}

static void end_split(struct comm *c, struct split *s)
{
    struct split **at = &c->splits;

    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    free(s->member);
    free(s->result);
    free(s);
}

int vmpi_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *out)
{
    struct comm *c = comm_get(comm);
    int me = comm_rank(c, sched_rank);
    struct split *s = find_split(c, c->tag[me]);
    MPI_Request request;

    s->member[s->arrived++] = (struct member){colour, key, me};
    if (s->arrived == c->size)
        make_parts(c, s);
    vmpi_Ibarrier(comm, &request);
    vmpi_Wait(&request, MPI_STATUS_IGNORE);
    *out = s->result[me];
    if (--s->left == 0)
        end_split(c, s);
    return MPI_SUCCESS;
}

int vmpi_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
    struct comm *c = comm_get(comm);
    int me = comm_rank(c, sched_rank);
    int rc = vmpi_Comm_split(comm, 0, me, out);

    attributes_copy(my_attributes(comm_get(*out)), c->attributes[me], comm,
                    *out);
    comm_get(*out)->errhandler = c->errhandler;
    return rc;
}

int vmpi_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                         MPI_Comm *out)
{
    (void)info;
    return vmpi_Comm_split(comm,
                           type == MPI_COMM_TYPE_SHARED ? node_of(sched_rank)
                                                        : MPI_UNDEFINED,
                           key, out);
}

/* ---- groups ---- */

struct group {
    int size, *world;
};
static struct group **groups;
static int group_count;

static MPI_Group group_new(int size)
{
    struct group *g = must_calloc(1, sizeof(*g));

    if (group_count % 1024 == 0)
        groups = must_realloc(groups,
                              (size_t)(group_count + 1024) * sizeof(*groups));
    g->size = size;
    g->world = must_calloc((size_t)size, sizeof(*g->world));
    groups[group_count] = g;
    return (MPI_Group)(GROUP_KIND + (unsigned)group_count++);
}

static struct group *group_get(MPI_Group handle)
{
    unsigned i = (unsigned)handle & INDEX_MASK;

    if (((unsigned)handle & KIND_MASK) != GROUP_KIND || (int)i >= group_count ||
        !groups[i])
        vmpi_wrong("group %x is not valid", (unsigned)handle);
    return groups[i];
}

int vmpi_Comm_group(MPI_Comm comm, MPI_Group *out)
{
    struct comm *c = comm_get(comm);

    *out = group_new(c->size);
    memcpy(group_get(*out)->world, c->world,
           (size_t)c->size * sizeof(*c->world));
    return MPI_SUCCESS;
}

int vmpi_Group_free(MPI_Group *handle)
{
    struct group *g = group_get(*handle);

    groups[(unsigned)*handle & INDEX_MASK] = NULL;
    free(g->world);
    free(g);
    *handle = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

int vmpi_Group_incl(MPI_Group handle, int n, const int *ranks, MPI_Group *out)
{
    struct group *g = group_get(handle);

    *out = group_new(n);
    for (int i = 0; i < n; i++)
        group_get(*out)->world[i] = g->world[ranks[i]];
    return MPI_SUCCESS;
}

static int has_rank(const struct group *g, int world)
{
    for (int i = 0; i < g->size; i++)
        if (g->world[i] == world)
            return 1;
    return 0;
}

int vmpi_Group_compare(MPI_Group a, MPI_Group b, int *out)
{
    const struct group *x = group_get(a), *y = group_get(b);

    *out = MPI_UNEQUAL;
    if (x->size != y->size)
        return MPI_SUCCESS;
    for (int i = 0; i < x->size; i++)
        if (!has_rank(y, x->world[i]))
            return MPI_SUCCESS;
    *out = memcmp(x->world, y->world, (size_t)x->size * sizeof(int)) == 0
               ? MPI_IDENT
               : MPI_SIMILAR;
    return MPI_SUCCESS;
}

int vmpi_Comm_create(MPI_Comm comm, MPI_Group handle, MPI_Comm *out)
{
    const struct group *g = group_get(handle);
    int key = -1;

    for (int i = 0; i < g->size; i++)
        if (g->world[i] == sched_rank)
            key = i;
    return vmpi_Comm_split(comm, key < 0 ? MPI_UNDEFINED : 0, key, out);
}

/* ---- attributes ---- */

struct attribute {
    int key;
    void *value;
    struct attribute *next;
};

typedef int copy_fn(MPI_Comm, int, void *, void *, void *, int *);
typedef int delete_fn(MPI_Comm, int, void *, void *);
static struct keyval {
    copy_fn *copy;
    delete_fn *delete;
    void *extra;
} * keyvals;
static int keyval_count;

static const struct keyval *keyval_of(int key)
{
    return &keyvals[key - KEYVAL_BASE];
}

static void call_delete(const struct attribute *a, MPI_Comm handle)
{
    const struct keyval *k = keyval_of(a->key);

    if (k->delete)
        k->delete (handle, a->key, a->value, k->extra);
}

static int new_keyval(copy_fn *copy, delete_fn *delete, int *out, void *extra)
{
    if (keyval_count % 1024 == 0)
        keyvals = must_realloc(keyvals, (size_t)(keyval_count + 1024) *
                                            sizeof(*keyvals));
    keyvals[keyval_count] = (struct keyval){copy, delete, extra};
    *out = KEYVAL_BASE + keyval_count++;
    return MPI_SUCCESS;
}

int vmpi_Comm_create_keyval(MPI_Comm_copy_attr_function *copy,
                            MPI_Comm_delete_attr_function *delete, int *key,
                            void *extra)
{
    return new_keyval(copy, delete, key, extra);
}

int vmpi_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *delete,
                       int *key, void *extra)
{
    return new_keyval(copy, delete, key, extra);
}

/* Attributes that are left still have their functions called. */
int vmpi_Comm_free_keyval(int *key)
{
    *key = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

int vmpi_Keyval_free(int *key)
{
    return vmpi_Comm_free_keyval(key);
}

static struct attribute *find_attribute(struct attribute *a, int key)
{
    while (a && a->key != key)
        a = a->next;
    return a;
}

static void set_attribute(struct attribute **list, int key, void *value,
                          MPI_Comm handle)
{
    struct attribute *a = find_attribute(*list, key);

    if (a) {
        call_delete(a, handle);
    } else {
        a = must_calloc(1, sizeof(*a));
        a->key = key;
        a->next = *list;
        *list = a;
    }
    a->value = value;
}

int vmpi_Comm_set_attr(MPI_Comm comm, int key, void *value)
{
    set_attribute(my_attributes(comm_get(comm)), key, value, comm);
    return MPI_SUCCESS;
}

int vmpi_Attr_put(MPI_Comm comm, int key, void *value)
{
    return vmpi_Comm_set_attr(comm, key, value);
}

int vmpi_Comm_get_attr(MPI_Comm comm, int key, void *value, int *flag)
{
    static int tag_ub = 0x7fffffff;
    struct attribute *a;

    *flag = 1;
    if (key == MPI_TAG_UB) {
        *(int **)value = &tag_ub;
        return MPI_SUCCESS;
    }
    a = find_attribute(*my_attributes(comm_get(comm)), key);
    *flag = a != NULL;
    if (a)
        *(void **)value = a->value;
    return MPI_SUCCESS;
}

int vmpi_Attr_get(MPI_Comm comm, int key, void *value, int *flag)
{
    return vmpi_Comm_get_attr(comm, key, value, flag);
}

void attributes_delete(struct attribute **list, MPI_Comm handle)
{
    while (*list) {
        struct attribute *a = *list;

        *list = a->next;
        call_delete(a, handle);
        free(a);
    }
}

void attributes_copy(struct attribute **to, struct attribute *from,
                     MPI_Comm handle, MPI_Comm new_handle)
{
    for (; from; from = from->next) {
        const struct keyval *k = keyval_of(from->key);
        void *value = NULL;
        int flag = 0;

        if (k->copy)
            k->copy(handle, from->key, k->extra, from->value, &value, &flag);
        if (flag)
            set_attribute(to, from->key, value, new_handle);
    }
}

int vmpi_Finalize(void)
{
    MPI_Request request;

    vmpi_Ibarrier(MPI_COMM_WORLD, &request);
    vmpi_Wait(&request, MPI_STATUS_IGNORE);
    attributes_delete(my_attributes(my_self()), MPI_COMM_SELF);
    attributes_delete(my_attributes(comms[0]), MPI_COMM_WORLD);
    return MPI_SUCCESS;
}

void comm_report(void)
{
    for (int i = 0; i < comm_count; i++)
        for (struct split *s = comms[i] ? comms[i]->splits : NULL; s;
             s = s->next)
            fprintf(stderr,
                    "  communicator %d: %d of %d ranks are in a split\n", i,
                    s->arrived, comms[i]->size);
}
