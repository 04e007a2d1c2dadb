/* disk.c - iostat's reports: rates of a server's disks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DISKS 4096
#define COLUMNS 40

enum { READS, WRITES, UTIL };

void lp_disk_begin(struct lp_disk_list *d, const char *host)
{
    d->host = host;
    d->report = 0;
    d->column[READS] = d->column[WRITES] = d->column[UTIL] = -1;
}

/* Cut a line into words, in place. */
static int split(char *line, char *word[COLUMNS])
{
    int n = 0;

    for (char *at = strtok(line, " \t"); at && n < COLUMNS;
         at = strtok(NULL, " \t"))
        word[n++] = at;
    return n;
}

/* The head of a report says where the columns are; they differ by version
 * and option. */
static void take_disk_head(struct lp_disk_list *d, char *word[], int n)
{
    static const char *const reads[] = {"rkB/s", "kB_read/s", "rMB/s",
                                        "MB_read/s"};
    static const char *const writes[] = {"wkB/s", "kB_wrtn/s", "wMB/s",
                                         "MB_wrtn/s"};

    d->report++;
    d->column[READS] = d->column[WRITES] = d->column[UTIL] = -1;
    d->factor = 1;
    for (int i = 1; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            if (strcmp(word[i], reads[k]) == 0)
                d->column[READS] = i;
            if (strcmp(word[i], writes[k]) == 0)
                d->column[WRITES] = i;
            if (strcmp(word[i], reads[k]) == 0 && k >= 2)
                d->factor = 1024;
        }
        if (strcmp(word[i], "%util") == 0)
            d->column[UTIL] = i;
    }
}

static struct lp_disk *disk_of(struct lp_disk_list *d, const char *device)
{
    struct lp_disk *more;

    for (unsigned i = 0; i < d->count; i++)
        if (strcmp(d->list[i].host, d->host) == 0 &&
            strcmp(d->list[i].device, device) == 0)
            return &d->list[i];
    if (d->count >= MAX_DISKS)
        return NULL;
    more = realloc(d->list, (d->count + 1) * sizeof(*more));
    if (!more)
        return NULL;
    d->list = more;
    more[d->count] = (struct lp_disk){.host = strdup(d->host)};
    if (!more[d->count].host)
        return NULL;
    snprintf(more[d->count].device, sizeof(more->device), "%s", device);
    return &more[d->count++];
}

static int number_at(char *word[], int n, int column, double *out)
{
    char *stop;

    if (column < 0 || column >= n)
        return 0;
    *out = strtod(word[column], &stop);
    return *stop == '\0' && *out >= 0;
}

static int take_disk_row(struct lp_disk_list *d, char *word[], int n)
{
    double rate[2], util = 0;
    struct lp_disk *disk;

    if (!number_at(word, n, d->column[READS], &rate[0]) ||
        !number_at(word, n, d->column[WRITES], &rate[1]))
        return 0;
    number_at(word, n, d->column[UTIL], &util);
    if (d->report <= 1)
        return 1;
    disk = disk_of(d, word[0]);
    if (!disk)
        return 1;
    disk->reports++;
    for (int i = 0; i < 2; i++) {
        disk->sum[i] += rate[i] * d->factor;
        if (rate[i] * d->factor > disk->most[i])
            disk->most[i] = rate[i] * d->factor;
    }
    disk->util_sum += util;
    if (util > disk->util_most)
        disk->util_most = util;
    return 1;
}

int lp_disk_line(struct lp_disk_list *d, const char *text, size_t len)
{
    char line[512], *word[COLUMNS];
    int n;

    if (len >= sizeof(line))
        return 0;
    memcpy(line, text, len);
    line[len] = '\0';
    n = split(line, word);
    if (n == 0)
        return 1;
    if (strncmp(word[0], "Device", 6) == 0) {
        take_disk_head(d, word, n);
        return 1;
    }
    if (strcmp(word[0], "Linux") == 0 || strcmp(word[0], "avg-cpu:") == 0 ||
        strchr(word[0], '/') || (word[0][0] >= '0' && word[0][0] <= '9'))
        return 1; /* head of the file, CPU lines, time stamps */
    return d->report ? take_disk_row(d, word, n) : 0;
}

void lp_disk_release(struct lp_disk_list *d)
{
    for (unsigned i = 0; i < d->count; i++)
        free(d->list[i].host);
    free(d->list);
    *d = (struct lp_disk_list){0};
}
