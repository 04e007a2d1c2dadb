/* json.h - write JSON into a strbuf, with the commas where they belong
 *
 *   struct adl_json j = {.sb = &sb};
 *   adl_json_open(&j, NULL, '{'); adl_json_int(&j, "n", 1); adl_json_close(&j);
 *
 * key: NULL inside an array and for the outermost value.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_JSON_H
#define ADL_JSON_H

#include <stdint.h>

#include "strbuf.h"

#define ADL_JSON_DEPTH 32

struct adl_json {
    struct adl_strbuf *sb;
    int depth;
    char closer[ADL_JSON_DEPTH];
    int members[ADL_JSON_DEPTH];
};

/* kind: '{' or '['. */
void adl_json_open(struct adl_json *j, const char *key, char kind);
void adl_json_close(struct adl_json *j);
void adl_json_int(struct adl_json *j, const char *key, int64_t value);
void adl_json_double(struct adl_json *j, const char *key, double value);
void adl_json_bool(struct adl_json *j, const char *key, int value);
/* text NULL: null. Bytes that are not UTF-8 become U+FFFD. */
void adl_json_text(struct adl_json *j, const char *key, const char *text);

#endif
