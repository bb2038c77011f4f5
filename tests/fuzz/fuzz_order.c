/* Any bytes as the order file of a small fabric: refused with one line, if they are a damaged archive, or
 * every endpoint is still there, once, and what was not understood is said. */
#include "fuzz/file.h"
#include "fuzz/must.h"
#include "network/net.h"

#include <string.h>

/* Names that contain each other, one that is a number, an adapter with two ports, one with four LIDs. */
static const char fabric[] = "Switch\t8 \"S-00000000000000a0\"\t\t# \"leaf\" base port 0 lid 1 lmc 0\n"
                             "Ca\t1 \"H-0000000000000100\"\t\t# \"n1\"\n"
                             "[1](101) \t\"S-00000000000000a0\"[1]\t\t# lid 12 lmc 0 \"leaf\" lid 1 4xQDR\n"
                             "Ca\t1 \"H-0000000000000200\"\t\t# \"n10\"\n"
                             "[1](201) \t\"S-00000000000000a0\"[2]\t\t# lid 16 lmc 2 \"leaf\" lid 1 4xQDR\n"
                             "Ca\t1 \"H-0000000000000300\"\t\t# \"12\"\n"
                             "[1](301) \t\"S-00000000000000a0\"[3]\t\t# lid 13 lmc 0 \"leaf\" lid 1 4xQDR\n"
                             "Ca\t2 \"H-0000000000000400\"\t\t# \"two ports\"\n"
                             "[1](401) \t\"S-00000000000000a0\"[4]\t\t# lid 14 lmc 0 \"leaf\" lid 1 4xQDR\n"
                             "[2](402) \t\"S-00000000000000a0\"[5]\t\t# lid 15 lmc 0 \"leaf\" lid 1 4xQDR\n";

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    bough_fabric f;
    bough_net *net;
    bough_error error = {0};
    unsigned seen = 0, orders = 0;
    MUST(!bough_fabric_parse("fabric", fabric, sizeof fabric - 1, &f, &error));
    char path[64];
    int file = fuzz_file(data, size, path, sizeof path);
    const bough_fabric_options options = {.order = path};
    bough_status status = bough_net_from_fabric(&f, &options, NULL, &net, &error);
    close(file);
    if (status) {
        MUST(error.reason[0] && !strchr(error.reason, '\n') && !strchr(error.place, '\n'));
        bough_fabric_fini(&f);
        return 0;
    }
    MUST(net->endpoints == 5 && net->addresses == 8);
    for (uint64_t e = 0; e < 5; e++) {
        uint32_t lid = bough_net_lid(net, bough_endpoint_address(net, e));
        MUST(lid >= 12 && lid <= 16 && !(seen & 1u << lid));
        seen |= 1u << lid;
    }
    for (size_t i = 0; i < net->fabric->findings.count; i++) {
        const bough_finding *finding = &net->fabric->findings.item[i];
        MUST(!strchr(finding->text, '\n') && !strchr(finding->where, '\n'));
        orders += strcmp(finding->kind, "order") == 0;
    }
    MUST(orders <= 1);
    bough_net_destroy(net);
    return 0;
}
