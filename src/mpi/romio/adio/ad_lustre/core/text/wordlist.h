/* wordlist.h - short lists of words written "a|b|c", and near misses */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_WORDLIST_H
#define ADL_WORDLIST_H

#include <stddef.h>

/* Index of `word` in `list`, any case, or -1. */
int adl_wordlist_find(const char *list, const char *word);

/* The n-th word of `list` to buf (cut if too long); "" if there is none. */
void adl_wordlist_get(const char *list, int n, char *buf, size_t size);

/* Cut the blanks off both ends, in place; one behind a backslash stays. Returns
 * where the text begins. */
char *adl_word_trim(char *text);

/* Number of words; "" has none. */
int adl_wordlist_count(const char *list);

/* Edits (insert, delete, change, swap two neighbours; case ignored) from a to
 * b; -1 if either is longer than 63 bytes. */
int adl_word_distance(const char *a, const char *b);

#endif
