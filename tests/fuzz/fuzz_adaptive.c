/* Any bytes as groups of adaptive routing of a small fabric: refused with one line, or entries that can be
 * used. */
#include "formats/tables/ar_tables.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) abort();                                                                           \
    } while (0)

static const char network[] = "Switch\t8 \"S-0002c90200400000\"\t\t# \"leaf\" base port 0 lid 2 lmc 0\n"
                              "[1]\t\"H-0000000000000100\"[1](101) \t\t# \"n1\" lid 1 4xQDR\n"
                              "[3]\t\"S-0002c90200400008\"[1]\t\t# \"spine\" lid 4 4xQDR\n"
                              "Switch\t8 \"S-0002c90200400008\"\t\t# \"spine\" base port 0 lid 4 lmc 0\n"
                              "[1]\t\"S-0002c90200400000\"[3]\t\t# \"leaf\" lid 2 4xQDR\n"
                              "Ca\t1 \"H-0000000000000100\"\t\t# \"n1\"\n"
                              "[1](101) \t\"S-0002c90200400000\"[1]\t\t# lid 8 lmc 3 \"leaf\" lid 2 4xQDR\n";

static void look_at_text(const char *text) {
    MUST(!strchr(text, '\n'));
}

static void look_at_switch(const ar_switch *w) {
    MUST(w->listed || (!w->groups && !w->lids));
    MUST(w->lids <= 0xc000 && w->groups <= AR_GROUP_MAX + 1);
    for (size_t i = 0; i < w->lids; i++) MUST(w->entry[i].state <= AR_HASHED);
    for (size_t i = 0; i < w->groups; i++) MUST(w->group[i].number <= AR_GROUP_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bough_fabric f; /* read once */
    ar_tables t;
    bough_findings findings = {0};
    bough_error error = {0};
    bough_input input;
    if (!f.node_count) MUST(!bough_fabric_parse("network", network, sizeof network - 1, &f, &error));
    MUST(!bough_input_from("input", data, size, &input, &error));
    if (ar_tables_parse(&input, &f, &t, &findings, &error)) {
        MUST(error.status && error.reason[0] && !t.of);
        look_at_text(error.reason);
        look_at_text(error.place);
    } else {
        MUST(t.nodes == f.node_count && findings.count <= 32 * 21);
        for (uint32_t n = 0; n < t.nodes; n++) look_at_switch(&t.of[n]);
    }
    for (size_t i = 0; i < findings.count; i++) {
        look_at_text(findings.item[i].kind);
        look_at_text(findings.item[i].where);
        look_at_text(findings.item[i].text);
    }
    bough_input_fini(&input);
    ar_tables_fini(&t);
    bough_findings_fini(&findings);
    return 0;
}
