/* notes.h - lines for the user: complaints and remarks
 *
 * Parsers collect what they have to say here and go on; rank 0 prints the
 * lines. A line that is already there is not added again, so a list that lives
 * as long as the job (adl_notes_fresh) gives "warned once per job".
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
 * notes may be NULL. Without memory the line is lost, never the job. */
void adl_notes_add(struct adl_notes *notes, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

bool adl_notes_has(const struct adl_notes *notes, const char *line);

/* Remove from `notes` what `seen` already has, and add the rest to `seen`. */
void adl_notes_fresh(struct adl_notes *notes, struct adl_notes *seen);

void adl_notes_release(struct adl_notes *notes);

#endif
