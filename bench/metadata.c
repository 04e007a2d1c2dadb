/* metadata.c - what HDF5's metadata costs: many datasets, opened and
 * transferred
 *
 * Like IOR over HDF5 in the paper on LIOProf (section V-B): every step goes
 * over all datasets and transfers, collectively, each rank's own part of each.
 * By default every step opens the file and the datasets again and metadata is
 * read and written by each rank on its own. With -c metadata is collective
 * (H5Pset_all_coll_metadata_ops, H5Pset_coll_metadata_write); with -k file
 * and dataset handles are kept from the first step to the last. What is read
 * is compared. Without -r the first step creates the file.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <getopt.h>
#include <hdf5.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    const char *name;
    int rank, size;
    int datasets, steps;
    hsize_t words; /* of each rank in each dataset */
    int reading, together, keep;
    hid_t access, set_access, transfer; /* property lists */
    hid_t file;
    hid_t *sets;
    uint32_t *buf;
};

static void need(int cond, const char *what)
{
    if (cond)
        return;
    fprintf(stderr, "metadata: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* What word `index` of a dataset holds after a step; reading checks the last
 * step of the program that wrote. */
static uint32_t word_at(int set, int step, hsize_t index)
{
    return (uint32_t)(index * 2654435761u) + (uint32_t)(set * 7919 + step);
}

/* HDF5 1.10 asks the list of a call, not the file's, whether its reads of
 * metadata are collective: H5Dopen2 needs it too. */
static void make_lists(struct job *j)
{
    j->access = H5Pcreate(H5P_FILE_ACCESS);
    j->set_access = H5Pcreate(H5P_DATASET_ACCESS);
    j->transfer = H5Pcreate(H5P_DATASET_XFER);
    need(H5Pset_fapl_mpio(j->access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0 &&
             H5Pset_dxpl_mpio(j->transfer, H5FD_MPIO_COLLECTIVE) >= 0,
         "cannot make property lists");
    if (j->together)
        need(H5Pset_all_coll_metadata_ops(j->access, 1) >= 0 &&
                 H5Pset_all_coll_metadata_ops(j->set_access, 1) >= 0 &&
                 H5Pset_coll_metadata_write(j->access, 1) >= 0,
             "cannot ask for collective metadata");
}

static void open_file(struct job *j, int create)
{
    j->file = create
                  ? H5Fcreate(j->name, H5F_ACC_TRUNC, H5P_DEFAULT, j->access)
                  : H5Fopen(j->name, j->reading ? H5F_ACC_RDONLY : H5F_ACC_RDWR,
                            j->access);
    need(j->file >= 0, "cannot open the file");
}

static hid_t create_set(const struct job *j, const char *name)
{
    hsize_t dim = j->words * j->size;
    hid_t space = H5Screate_simple(1, &dim, NULL);
    hid_t set = H5Dcreate2(j->file, name, H5T_NATIVE_UINT32, space, H5P_DEFAULT,
                           H5P_DEFAULT, j->set_access);

    H5Sclose(space);
    return set;
}

static void open_set(struct job *j, int set, int create)
{
    char name[32];

    snprintf(name, sizeof(name), "dataset-%d", set);
    j->sets[set] =
        create ? create_set(j, name) : H5Dopen2(j->file, name, j->set_access);
    need(j->sets[set] >= 0, "cannot open a dataset");
}

static void check(const struct job *j, int set)
{
    for (hsize_t i = 0; i < j->words; i++)
        need(j->buf[i] == word_at(set, j->steps - 1, i + j->words * j->rank),
             "read what was not written");
}

static void transfer(struct job *j, int set, int step)
{
    hsize_t start = j->words * j->rank;
    hid_t space = H5Dget_space(j->sets[set]);
    hid_t mem = H5Screate_simple(1, &j->words, NULL);
    herr_t rc;

    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &j->words, NULL);
    if (j->reading) {
        rc = H5Dread(j->sets[set], H5T_NATIVE_UINT32, mem, space, j->transfer,
                     j->buf);
        check(j, set);
    } else {
        for (hsize_t i = 0; i < j->words; i++)
            j->buf[i] = word_at(set, step, i + start);
        rc = H5Dwrite(j->sets[set], H5T_NATIVE_UINT32, mem, space, j->transfer,
                      j->buf);
    }
    need(rc >= 0, "cannot transfer");
    H5Sclose(mem);
    H5Sclose(space);
}

static void do_step(struct job *j, int step)
{
    int create = step == 0 && !j->reading, last = step == j->steps - 1;
    int opens = step == 0 || !j->keep, closes = last || !j->keep;

    if (opens)
        open_file(j, create);
    for (int set = 0; set < j->datasets; set++) {
        if (opens)
            open_set(j, set, create);
        transfer(j, set, step);
        if (closes)
            need(H5Dclose(j->sets[set]) >= 0, "cannot close a dataset");
    }
    if (closes)
        need(H5Fclose(j->file) >= 0, "cannot close the file");
}

static int parse(struct job *j, int argc, char **argv)
{
    int opt;

    while ((opt = getopt(argc, argv, "ckrn:b:t:")) != -1)
        switch (opt) {
        case 'c':
            j->together = 1;
            break;
        case 'k':
            j->keep = 1;
            break;
        case 'r':
            j->reading = 1;
            break;
        case 'n':
            j->datasets = atoi(optarg);
            break;
        case 'b':
            j->words = strtoul(optarg, NULL, 10) / sizeof(*j->buf);
            break;
        case 't':
            j->steps = atoi(optarg);
            break;
        default:
            return -1;
        }
    if (optind + 1 != argc || j->datasets < 1 || j->steps < 1 || j->words < 1)
        return -1;
    j->name = argv[optind];
    return 0;
}

int main(int argc, char **argv)
{
    struct job j = {.datasets = 64, .steps = 4, .words = 1024};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &j.size);
    need(!parse(&j, argc, argv), "usage: metadata [-c] [-k] [-r] [-n DATASETS]"
                                 " [-b BYTES] [-t STEPS] FILE");
    j.sets = calloc(j.datasets, sizeof(*j.sets));
    j.buf = calloc(j.words, sizeof(*j.buf));
    need(j.sets && j.buf, "no memory");
    make_lists(&j);
    for (int step = 0; step < j.steps; step++)
        do_step(&j, step);
    H5Pclose(j.transfer);
    H5Pclose(j.set_access);
    H5Pclose(j.access);
    free(j.buf);
    free(j.sets);
    MPI_Finalize();
    return 0;
}
