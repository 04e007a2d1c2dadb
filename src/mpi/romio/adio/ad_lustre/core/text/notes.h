/* notes.h - lines for the user: warnings and remarks
 *
 * A parser adds a line and goes on; rank 0 prints the lines later. A line that
 * is already in the list is not added again, so that a list that lives as long
 * as the job (adl_notes_fresh) warns once per job.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_NOTES_H
#define ADL_NOTES_H

#include <stdbool.h>

struct adl_notes {
    char **line;
    int count;
};

#define ADL_NOTES_INIT \
    {                  \
        NULL, 0        \
    }

/* Add one line (no newline at its end; control characters become '?').
 * notes may be NULL. If malloc fails the line is dropped; that is no error. */
void adl_notes_add(struct adl_notes *notes, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

bool adl_notes_has(const struct adl_notes *notes, const char *line);

/* Remove from `notes` what `seen` already has, and add the rest to `seen`. */
void adl_notes_fresh(struct adl_notes *notes, struct adl_notes *seen);

void adl_notes_release(struct adl_notes *notes);

#endif
