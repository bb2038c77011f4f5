/* Any bytes as forwarding tables of a small fabric: refused with one line, or rows that can be used. */
#include "formats/tables/lft_tables.h"
#include "fuzz/must.h"

#include <stdint.h>
#include <string.h>

/* The GUIDs are those of the first switches of the recorded tables among the seeds. */
static const char network[] = "Switch\t8 \"S-0002c90200400000\"\t\t# \"leaf\" base port 0 lid 2 lmc 0\n"
                              "[1]\t\"H-0000000000000100\"[1](101) \t\t# \"n1\" lid 1 4xQDR\n"
                              "[3]\t\"S-0002c90200400008\"[1]\t\t# \"spine\" lid 4 4xQDR\n"
                              "Switch\t8 \"S-0002c90200400008\"\t\t# \"spine\" base port 0 lid 4 lmc 0\n"
                              "[1]\t\"S-0002c90200400000\"[3]\t\t# \"leaf\" lid 2 4xQDR\n"
                              "Switch\t8 \"S-0002c90200400010\"\t\t# \"lost\" base port 0 lid 0 lmc 0\n"
                              "Ca\t1 \"H-0000000000000100\"\t\t# \"n1\"\n"
                              "[1](101) \t\"S-0002c90200400000\"[1]\t\t# lid 8 lmc 3 \"leaf\" lid 2 4xQDR\n";

static void look_at_text(const char *text) {
    MUST(!strchr(text, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bough_fabric f; /* read once */
    bough_tables t;
    bough_findings findings = {0};
    bough_error error = {0};
    if (!f.node_count) MUST(!bough_fabric_parse("network", network, sizeof network - 1, &f, &error));
    bough_input input;
    MUST(!bough_input_from("input", data, size, &input, &error));
    if (bough_tables_parse(&input, &f, &t, &findings, &error)) {
        MUST(error.status && error.reason[0] && !t.port);
        look_at_text(error.reason);
        look_at_text(error.place);
    } else {
        unsigned sum = 0;
        MUST(t.nodes == f.node_count && t.lids > 15);
        for (uint32_t n = 0; n < t.nodes; n++)
            for (uint32_t l = 0; t.port[n] && l < t.lids; l++) sum += t.port[n][l];
        MUST(sum < UINT32_MAX);
        MUST(findings.count <= 32 * 21);
    }
    for (size_t i = 0; i < findings.count; i++) {
        look_at_text(findings.item[i].kind);
        look_at_text(findings.item[i].where);
        look_at_text(findings.item[i].text);
    }
    bough_input_fini(&input);
    bough_tables_fini(&t);
    bough_findings_fini(&findings);
    return 0;
}
