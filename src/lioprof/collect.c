/* collect.c - the commands that trace servers, as text */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "collect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DIR_MAX 512

int lp_collect_check_host(const char *host)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:@";

    if (!host[0] || host[0] == '-' || host[strspn(host, letters)])
        return -EINVAL;
    return 0;
}

void lp_shell_quote(struct adl_strbuf *out, const char *text)
{
    adl_strbuf_putc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            adl_strbuf_puts(out, "'\\''");
        else
            adl_strbuf_putc(out, *text);
    }
    adl_strbuf_putc(out, '\'');
}

/* A script on a host: the login shell there may be any, so sh is asked for. */
static void put_remote(const struct lp_collect *c, const char *host,
                       const char *script, struct adl_strbuf *out)
{
    struct adl_strbuf words = ADL_STRBUF_INIT;

    if (strcmp(c->rsh, "local") == 0) {
        adl_strbuf_puts(out, "sh -c ");
        lp_shell_quote(out, script);
        return;
    }
    if (strcmp(c->rsh, "pdsh") == 0)
        adl_strbuf_puts(out, "pdsh -N -S -R ssh -w ");
    else
        adl_strbuf_puts(out, "ssh -o BatchMode=yes ");
    lp_shell_quote(out, host);
    adl_strbuf_puts(&words, "sh -c ");
    lp_shell_quote(&words, script);
    adl_strbuf_putc(out, ' ');
    lp_shell_quote(out, adl_strbuf_text(&words));
    adl_strbuf_release(&words);
}

/* The directory of a host; with its name, since two may share a disk. */
static const char *dir_of(const struct lp_collect *c, const char *host,
                          char out[DIR_MAX])
{
    snprintf(out, DIR_MAX, "%s-%s", c->remote_dir, host);
    return out;
}

static const char snapshot[] =
    "lctl get_param 'obdfilter.*.brw_stats' 'osd-*.*.brw_stats' "
    "2>/dev/null >brw_stats.%s; ";

void lp_collect_start(const struct lp_collect *c, const char *host,
                      struct adl_strbuf *out)
{
    struct adl_strbuf s = ADL_STRBUF_INIT;
    char dir[DIR_MAX];

    adl_strbuf_printf(&s, "umask 077; mkdir %s && cd %s || exit 1; ",
                      dir_of(c, host, dir), dir);
    adl_strbuf_puts(&s, "lctl get_param -n debug >debug.was && "
                        "lctl get_param -n debug_mb >debug_mb.was || exit 1; "
                        "lctl list_param 'obdfilter.*' 2>/dev/null | "
                        "sed -n 's/^obdfilter\\.\\(.*-OST[^./]*\\).*/\\1/p' "
                        ">targets; "
                        "dmesg 2>/dev/null | grep -c "
                        "'debug daemon buffer overflowed' >dropped.before; ");
    adl_strbuf_printf(&s, snapshot, "1-before");
    if (c->iostat)
        adl_strbuf_puts(&s, "if command -v iostat >/dev/null; then "
                            "LC_ALL=C nohup iostat -d -x -k -t 1 "
                            ">iostat.txt 2>/dev/null </dev/null & "
                            "echo $! >iostat.pid; fi; ");
    adl_strbuf_printf(&s,
                      "lctl set_param debug_mb=%u && "
                      "lctl set_param debug='rpctrace%s%s' && lctl clear && "
                      "lctl debug_daemon start %s/debug.bin %u",
                      c->buffer_mb, c->bytes ? " net" : "",
                      c->locks ? " dlmtrace" : "", dir, c->file_mb);
    put_remote(c, host, adl_strbuf_text(&s), out);
    adl_strbuf_release(&s);
}

/* Goes on whatever fails: all of it is to be switched off. */
void lp_collect_stop(const struct lp_collect *c, const char *host,
                     struct adl_strbuf *out)
{
    struct adl_strbuf s = ADL_STRBUF_INIT;
    char dir[DIR_MAX];

    adl_strbuf_printf(&s, "umask 077; cd %s || exit 1; rc=0; ",
                      dir_of(c, host, dir));
    adl_strbuf_puts(&s,
                    "lctl debug_daemon stop || rc=1; "
                    "if [ -s debug.was ]; then "
                    "lctl set_param debug=\"$(cat debug.was)\" || rc=1; fi; "
                    "if [ -s debug_mb.was ]; then "
                    "lctl set_param debug_mb=\"$(cat debug_mb.was)\" "
                    "|| rc=1; fi; "
                    "if [ -s iostat.pid ]; then "
                    "kill \"$(cat iostat.pid)\"; fi; ");
    adl_strbuf_printf(&s, snapshot, "2-after");
    adl_strbuf_puts(&s, "dmesg 2>/dev/null | grep -c "
                        "'debug daemon buffer overflowed' >dropped.after; "
                        "if [ -s debug.bin ]; then "
                        "lctl debug_file debug.bin rpctrace.log >convert.txt "
                        "|| rc=1; gzip -f rpctrace.log; rm -f debug.bin; fi; "
                        "exit $rc");
    put_remote(c, host, adl_strbuf_text(&s), out);
    adl_strbuf_release(&s);
}

/* pdsh hands out lines: what is not text must be made so. */
void lp_collect_fetch(const struct lp_collect *c, const char *host,
                      const char *into, struct adl_strbuf *out)
{
    struct adl_strbuf s = ADL_STRBUF_INIT;
    char dir[DIR_MAX];
    int lines = strcmp(c->rsh, "pdsh") == 0;

    adl_strbuf_printf(&s, "cd %s && tar -cf - .%s && cd / && rm -rf %s",
                      dir_of(c, host, dir), lines ? " | base64" : "", dir);
    put_remote(c, host, adl_strbuf_text(&s), out);
    adl_strbuf_printf(out, "%s | tar -C ", lines ? " | base64 -d" : "");
    lp_shell_quote(out, into);
    adl_strbuf_puts(out, " -xf -");
    adl_strbuf_release(&s);
}

void lp_collect_clock(const struct lp_collect *c, const char *host,
                      struct adl_strbuf *out)
{
    put_remote(c, host, "date +%s%6N", out);
}
