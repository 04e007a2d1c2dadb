/* setting.h - one named setting of a table: its type, range and default
 *
 * Rows of hints.def and envvars.def are settings; both documents explain the
 * columns.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SETTING_H
#define ADL_SETTING_H

#include <stddef.h>
#include <stdint.h>

enum adl_kind { ADL_KIND_INT, ADL_KIND_SIZE, ADL_KIND_WORD, ADL_KIND_TEXT };

/* values of the words "disable|enable|automatic" */
enum adl_switch { ADL_DISABLE, ADL_ENABLE, ADL_AUTOMATIC };

/* romio_lustre_close_sync */
enum adl_close_sync { ADL_CLOSE_OFF, ADL_CLOSE_FLUSH, ADL_CLOSE_SYNC };

struct adl_setting {
    const char *name, *words, *def, *help;
    int64_t min, max;
    enum adl_kind kind;
};

/* Parse a number or word (kind is not TEXT). 0, -EINVAL or -ERANGE. */
int adl_setting_parse(const struct adl_setting *set, const char *text,
                      int64_t *out);

/* Text of a number or word, in buf. */
const char *adl_setting_format(const struct adl_setting *set, int64_t value,
                               char *buf, size_t size);

/* What is accepted, for a warning: "a number from 1 to 9". Returns buf. */
const char *adl_setting_expected(const struct adl_setting *set, char *buf,
                                 size_t size);

#endif
