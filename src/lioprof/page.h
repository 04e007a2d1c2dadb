/* page.h - a study as one page that needs nothing else */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_PAGE_H
#define LP_PAGE_H

#include "core/text/strbuf.h"
#include "view.h"

/* Write the page of a study. title: NULL for the default. */
void lp_page_report(const struct lp_view *v, const char *title,
                    struct adl_strbuf *out);
/* Two studies side by side: before and after. */
void lp_page_diff(const struct lp_view *v[2], const char *const name[2],
                  const char *title, struct adl_strbuf *out);

#endif
