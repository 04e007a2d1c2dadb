/* hints_table.c - print the tables of hints and variables for the README */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "envvars.h"
#include "hint_table.h"

#include <stdio.h>

int main(void)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    int rc;

    adl_hint_markdown(&sb);
    adl_strbuf_putc(&sb, '\n');
    adl_env_markdown(&sb);
    rc = sb.err || fputs(adl_strbuf_text(&sb), stdout) == EOF;
    adl_strbuf_release(&sb);
    return rc;
}
