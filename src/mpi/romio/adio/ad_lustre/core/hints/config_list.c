/* config_list.c - cb_config_list: which nodes may aggregate, how many ranks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "config_list.h"
#include "../text/glob.h"
#include "../text/size.h"
#include "../text/wordlist.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char *host;
    int limit;
};

struct adl_config_list {
    struct entry *entry;
    int count;
};

static int add_host(struct adl_config_list *list, const char *host, int limit)
{
    struct entry *more;
    char *copy;

    more = realloc(list->entry, sizeof(*more) * (size_t)(list->count + 1));
    if (!more)
        return -ENOMEM;
    list->entry = more;
    copy = strdup(host);
    if (!copy)
        return -ENOMEM;
    more[list->count++] = (struct entry){copy, limit};
    return 0;
}

/* 1: *limit is set, 0: the entry is unusable (noted). */
static int parse_count(const char *count, const char *host,
                       struct adl_notes *notes, int *limit)
{
    int64_t n = 1;

    if (!strcmp(count, "*")) {
        *limit = INT_MAX;
        return 1;
    }
    if (!strcmp(count, "nics")) {
        *limit = ADL_CONFIG_NICS;
        return 1;
    }
    if (adl_number_parse(count, &n)) {
        adl_notes_add(notes,
                      "cb_config_list: '%.64s:%.64s': no number, taken "
                      "as 1",
                      host, count);
        n = 1;
    }
    if (n < 0) {
        adl_notes_add(notes, "cb_config_list: '%.64s:%.64s' ignored: negative",
                      host, count);
        return 0;
    }
    *limit = n > INT_MAX ? INT_MAX : (int)n;
    return 1;
}

/* text: one entry, not empty; taken apart in place. */
static int parse_entry(struct adl_config_list *list, char *text,
                       struct adl_notes *notes)
{
    char *colon = strchr(text, ':'), *count = NULL, *host;
    int limit = 1;

    if (colon) {
        *colon = '\0';
        count = adl_word_trim(colon + 1);
    }
    host = adl_word_trim(text);
    if (!*host || (count && (!*count || strchr(count, ':')))) {
        adl_notes_add(notes,
                      "cb_config_list: '%.64s%s%.64s' ignored: not host:n",
                      host, count ? ":" : "", count ? count : "");
        return 0;
    }
    if (count && !parse_count(count, host, notes, &limit))
        return 0;
    return add_host(list, host, limit);
}

static int parse_entries(struct adl_config_list *list, char *text,
                         struct adl_notes *notes)
{
    char *next;
    int rc = 0;

    for (; text && !rc; text = next) {
        next = strchr(text, ',');
        if (next)
            *next++ = '\0';
        text = adl_word_trim(text);
        if (*text)
            rc = parse_entry(list, text, notes);
    }
    if (!rc && !list->count) {
        adl_notes_add(notes, "cb_config_list: no usable entry; using *:*");
        rc = add_host(list, "*", INT_MAX);
    }
    return rc;
}

int adl_config_list_parse(const char *text, struct adl_notes *notes,
                          struct adl_config_list **out)
{
    struct adl_config_list *list = calloc(1, sizeof(*list));
    char *copy = strdup(text);
    int rc = list && copy ? parse_entries(list, copy, notes) : -ENOMEM;

    free(copy);
    if (rc < 0)
        adl_config_list_destroy(list);
    else
        *out = list;
    return rc;
}

void adl_config_list_destroy(struct adl_config_list *list)
{
    if (!list)
        return;
    for (int i = 0; i < list->count; i++)
        free(list->entry[i].host);
    free(list->entry);
    free(list);
}

static bool host_matches(const char *pattern, const char *host)
{
    size_t len = strlen(pattern);

    if (!strcmp(pattern, "*"))
        return true;
    if (!host)
        return false;
    if (!strncmp(pattern, host, len) && (!host[len] || host[len] == '.'))
        return true;
    return adl_glob_match(pattern, host);
}

int adl_config_list_limit(const struct adl_config_list *list, const char *host,
                          int *entry)
{
    for (int i = 0; i < list->count; i++) {
        if (!host_matches(list->entry[i].host, host))
            continue;
        *entry = i;
        return list->entry[i].limit;
    }
    *entry = -1;
    return 0;
}
