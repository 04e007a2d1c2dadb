/* setting.c - one named setting of a table: its type, range and default */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "setting.h"
#include "../text/size.h"
#include "../text/wordlist.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Every way in which users write no and yes. */
static int parse_yes_no(const char *text)
{
    if (adl_wordlist_find("no|false|0|off|disable|disabled", text) >= 0)
        return 0;
    if (adl_wordlist_find("yes|true|1|on|enable|enabled", text) >= 0)
        return 1;
    return -1;
}

static int parse_word(const char *words, const char *text)
{
    int n = adl_wordlist_find(words, text);

    if (n < 0 && !strcasecmp(text, "auto"))
        n = adl_wordlist_find(words, "automatic");
    /* only where the first two words themselves mean no and yes */
    if (n < 0 && strncmp(words, "directory", 9))
        n = parse_yes_no(text);
    return n;
}

int adl_setting_parse(const struct adl_setting *set, const char *text,
                      int64_t *out)
{
    int64_t v;
    int rc = 0;

    if (set->kind == ADL_KIND_WORD) {
        v = parse_word(set->words, text);
        rc = v < 0 ? -EINVAL : 0;
    } else if (set->words && !strcasecmp(text, set->words)) {
        rc = adl_number_parse(set->def, &v);
    } else if (set->kind == ADL_KIND_SIZE) {
        rc = adl_size_parse(text, &v);
    } else {
        rc = adl_number_parse(text, &v);
    }
    if (rc < 0)
        return rc;
    if (v < set->min || v > set->max)
        return -ERANGE;
    *out = v;
    return 0;
}

const char *adl_setting_format(const struct adl_setting *set, int64_t value,
                               char *buf, size_t size)
{
    if (set->kind == ADL_KIND_WORD)
        adl_wordlist_get(set->words, (int)value, buf, size);
    else
        snprintf(buf, size, "%" PRId64, value);
    return buf;
}

const char *adl_setting_expected(const struct adl_setting *set, char *buf,
                                 size_t size)
{
    char *c;

    if (set->kind == ADL_KIND_TEXT) {
        snprintf(buf, size, "text");
    } else if (set->kind == ADL_KIND_WORD) {
        snprintf(buf, size, "%s", set->words);
        for (c = buf; *c; c++)
            if (*c == '|')
                *c = '/';
    } else {
        snprintf(buf, size, "a %s from %" PRId64 " to %" PRId64,
                 set->kind == ADL_KIND_SIZE ? "size" : "number", set->min,
                 set->max);
    }
    return buf;
}
