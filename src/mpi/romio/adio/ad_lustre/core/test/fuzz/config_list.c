/* config_list.c - fuzzing target: cb_config_list */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "core/hints/config_list.h"
#include "core/text/notes.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const hosts[] = {
        NULL, "", "nid00012", "node7.cluster.example", "*", "[a-"};
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_config_list *list = NULL;
    char *text = fuzz_text(data, size);
    int entry;

    FUZZ_HOLDS(adl_config_list_parse(text, &notes, &list) == 0);
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        int limit = adl_config_list_limit(list, hosts[i], &entry);

        FUZZ_HOLDS(limit >= ADL_CONFIG_NICS && entry >= -1);
    }
    adl_config_list_destroy(list);
    adl_notes_release(&notes);
    free(text);
    return 0;
}
