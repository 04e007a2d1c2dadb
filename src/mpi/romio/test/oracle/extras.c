/* extras.c - names of what a case may have beside plain calls on one file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "extras.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"pool",   "change", "gaps", "overlap",
                                    "uneven", "files",  "stop"};

enum { NAMES = sizeof(names) / sizeof(*names) };

static int extra_of(const char *word, size_t len)
{
    if (len == 3 && memcmp(word, "all", 3) == 0)
        return EXTRA_ALL;
    for (int i = 0; i < NAMES; i++)
        if (strlen(names[i]) == len && memcmp(names[i], word, len) == 0)
            return 1 << i;
    return -1;
}

int extras_parse(const char *text, int *out)
{
    int all = 0;

    if (strcmp(text, "none") == 0) {
        *out = 0;
        return 0;
    }
    for (;;) {
        size_t len = strcspn(text, ",");
        int extra = extra_of(text, len);

        if (extra < 0)
            return -1;
        all |= extra;
        if (!text[len])
            break;
        text += len + 1;
    }
    *out = all;
    return 0;
}

void extras_print(int extras, char *text, size_t room)
{
    size_t at = 0;

    snprintf(text, room, "%s", extras == EXTRA_ALL ? "all" : "none");
    for (int i = 0; i < NAMES && extras != EXTRA_ALL; i++)
        if (extras >> i & 1 && at < room)
            at += (size_t)snprintf(text + at, room - at, "%s%s", at ? "," : "",
                                   names[i]);
}
