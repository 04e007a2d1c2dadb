/* cases.h - the fault matrix: what fails, how, when, where, in which call
 *
 * A case is a number below CASES; adl's matrix is the whole product, of which
 * case_valid() leaves what makes sense (a write that fails in a case that only
 * reads does not).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef FAULTS_CASES_H
#define FAULTS_CASES_H

enum call {
    CALL_OPEN,
    CALL_XATTR,
    CALL_IOCTL,
    CALL_WRITE,
    CALL_READ,
    CALL_FSYNC,
    CALL_TRUNCATE,
    CALL_FALLOCATE,
    CALL_CLOSE,
    CALLS
};

enum effect { EFFECT_SHORT = 7, EFFECT_SLOW = 8, EFFECTS };

enum which { WHICH_FIRST, WHICH_MIDDLE, WHICH_LAST, WHICHES };

enum who { WHO_ZERO, WHO_AGGREGATOR, WHO_ALL, WHOS };

enum kind {
    KIND_INDEPENDENT,
    KIND_COLLECTIVE,
    KIND_NONBLOCKING,
    KIND_SPLIT,
    KIND_ORDERED,
    KIND_SHARED,
    KINDS
};

enum { CASES = CALLS * EFFECTS * WHICHES * WHOS * KINDS * 2 };

struct fault_case {
    int number;
    enum call call;
    enum effect effect;
    enum which which;
    enum who who;
    enum kind kind;
    int writes; /* else it reads */
    int lock_mode;
};

/* Case `number`; its name, e.g. "write EIO last all split write". */
struct fault_case case_of(int number);
void case_name(const struct fault_case *c, char *buf, int size);

int case_valid(const struct fault_case *c);

/* The file is made anew by the open of the case. */
int case_creates(const struct fault_case *c);

/* Ranks take part in the call together, and learn of its errors together. */
int case_collective(const struct fault_case *c);

/* The errno of the fault; 0: short or slow. */
int case_errno(const struct fault_case *c);

/* MPI's error class for it, MPI_SUCCESS where the driver has to cope. */
int case_class(const struct fault_case *c);

/* The fault for lustre-sim, on the n-th call that concerns `file`. */
void case_spec(const struct fault_case *c, const char *file, long n, char *buf,
               int size);

#endif
