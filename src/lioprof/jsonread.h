/* jsonread.h - JSON text as a tree; for writing see core/text/json.h */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_JSONREAD_H
#define LP_JSONREAD_H

#include <stddef.h>
#include <stdint.h>

#include "core/text/err.h"

enum lp_json_kind {
    LP_JSON_NULL,
    LP_JSON_BOOL,
    LP_JSON_NUMBER,
    LP_JSON_TEXT,
    LP_JSON_LIST,
    LP_JSON_OBJECT,
};

struct lp_json {
    enum lp_json_kind kind;
    char *key;  /* in an object; UTF-8 */
    char *text; /* of a text */
    double number;
    struct lp_json *first, *next; /* children; the next of the parent's */
};

/* Parse `len` bytes, which are one value. Nesting is limited to 64. NULL with
 * the place in err. */
struct lp_json *lp_json_parse(const char *text, size_t len,
                              struct adl_err *err);
void lp_json_destroy(struct lp_json *j);

/* The member of an object. NULL if there is none, or if j is no object or NULL,
 * so that calls can be nested. */
const struct lp_json *lp_json_get(const struct lp_json *j, const char *key);
/* The text or number of a value, or the given default if it is no text or
 * number. */
const char *lp_json_text(const struct lp_json *j, const char *otherwise);
double lp_json_number(const struct lp_json *j, double otherwise);

#endif
