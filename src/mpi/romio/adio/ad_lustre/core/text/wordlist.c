/* wordlist.c - short lists of words written "a|b|c", and near misses */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "wordlist.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MAX_WORD 63

int adl_wordlist_find(const char *list, const char *word)
{
    size_t len = strlen(word);

    for (int n = 0; *list; n++) {
        size_t here = strcspn(list, "|");

        if (here == len && !strncasecmp(list, word, len))
            return n;
        list += here + (list[here] == '|');
    }
    return -1;
}

void adl_wordlist_get(const char *list, int n, char *buf, size_t size)
{
    for (; n > 0 && *list; n--) {
        list += strcspn(list, "|");
        list += *list == '|';
    }
    snprintf(buf, size, "%.*s", (int)strcspn(list, "|"), list);
}

char *adl_word_trim(char *text)
{
    size_t len;

    while (isspace((unsigned char)*text))
        text++;
    len = strlen(text);
    while (len && isspace((unsigned char)text[len - 1]) &&
           !(len > 1 && text[len - 2] == '\\'))
        text[--len] = '\0';
    return text;
}

int adl_wordlist_count(const char *list)
{
    int n = *list ? 1 : 0;

    for (; *list; list++)
        n += *list == '|';
    return n;
}

static int min3(int a, int b, int c)
{
    a = a < b ? a : b;
    return a < c ? a : c;
}

static int same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment: rows of the usual table, i-2 kept for swaps. */
int adl_word_distance(const char *a, const char *b)
{
    int row[3][MAX_WORD + 2];
    int la = (int)strnlen(a, MAX_WORD + 1), lb = (int)strnlen(b, MAX_WORD + 1);

    if (la > MAX_WORD || lb > MAX_WORD)
        return -1;
    for (int j = 0; j <= lb; j++)
        row[0][j] = j;
    for (int i = 1; i <= la; i++) {
        int *cur = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];

        cur[0] = i;
        for (int j = 1; j <= lb; j++) {
            cur[j] = min3(up[j] + 1, cur[j - 1] + 1,
                          up[j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
                same(a[i - 2], b[j - 1]) && up2[j - 2] + 1 < cur[j])
                cur[j] = up2[j - 2] + 1;
        }
    }
    return row[la % 3][lb];
}
