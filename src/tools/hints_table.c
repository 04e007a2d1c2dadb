/* hints_table.c - print the tables of hints and variables for the README */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "core/hints/envvars.h"
#include "core/hints/hint_table.h"
#include "core/text/wordlist.h"

#include <stdio.h>

/* The default as documentation shows it. */
static const char *default_of(const struct adl_setting *set)
{
    if (set->kind != ADL_KIND_WORD && set->words)
        return set->words;
    return *set->def ? set->def : "unset";
}

/* '|' separates the columns of a markdown table. */
static void put_escaped(const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            putchar('\\');
        putchar(*text);
    }
}

static void put_names(enum adl_hint id, const struct adl_hint_def *def)
{
    int count = adl_wordlist_count(def->aliases);
    char name[64];

    printf("| `%s`", def->set.name);
    for (int n = 1; n <= count; n++) {
        adl_hint_alias(id, n, name, sizeof(name));
        printf(", `%s`", name);
    }
}

static void put_hints(void)
{
    static const char *const scope[] = {"create", "open", "any time"};
    const struct adl_hint_def *def;
    char values[160];

    puts("| hint | values | default | when | meaning |\n|---|---|---|---|---|");
    for (int i = 0; i < ADL_HINT_COUNT; i++) {
        def = adl_hint_def((enum adl_hint)i);
        put_names((enum adl_hint)i, def);
        printf(" | %s | `%s` | %s | ",
               adl_setting_expected(&def->set, values, sizeof(values)),
               default_of(&def->set), scope[def->scope]);
        put_escaped(def->set.help);
        puts(" |");
    }
}

#define MAIN ADL_ENV_PREFIX
#define STATS ADL_ENV_PREFIX
#define OWN
#define ADL_ENV(field, name, kind, words, min, max, def, block, hint, help) \
    {block name, words, def, help, min, max, ADL_KIND_##kind},
static const struct adl_setting variables[] = {
    {ADL_ENV_PREFIX "HINTS", NULL, "",
     "hints per file: `pattern:key=value:...,pattern:...`", 0, 0,
     ADL_KIND_TEXT},
    {ADL_ENV_HINTS_FILE, NULL, "",
     "file with the same, a pattern a line, for launchers that do not pass "
     "colons",
     0, 0, ADL_KIND_TEXT},
#include "core/hints/envvars.def"
    {ADL_ENV_REPORT, NULL, "",
     "file to which each file's report is added at close, a line of JSON; %f: "
     "the file's name, %p: process, %j: job",
     0, 0, ADL_KIND_TEXT},
};
#undef ADL_ENV

static void put_variables(void)
{
    puts("| variable | default | meaning |\n|---|---|---|");
    for (size_t n = 0; n < sizeof(variables) / sizeof(variables[0]); n++)
        printf("| `%s` | `%s` | %s |\n", variables[n].name,
               default_of(&variables[n]), variables[n].help);
}

int main(void)
{
    put_hints();
    putchar('\n');
    put_variables();
    return ferror(stdout) || fflush(stdout) != 0;
}
