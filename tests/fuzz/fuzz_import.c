/* Any bytes as a list of cables, a plan in dot, an anynet, a .topo, an ns-3 topology or JSON: refused with
 * one line, or a network that bough routes, whose tables, netlist and list of cables it writes, and whose
 * list reads back as the same sizes. */
#include "base/text/text.h"
#include "fuzz/small_net.h"
#include "network/export/network_exports.h"
#include "network/net.h"
#include "routing/routing.h"

#include <stdint.h>
#include <string.h>

static void write_all(const bough_net *net) {
    bough_text csv = {0}, netlist = {0}, lfts = {0};
    bough_error error = {0};
    bough_routing *routing = NULL;
    if (bough_routing_create(net, "updn", &routing, &error) == BOUGH_OK) {
        bough_status status = bough_table_formats[0].write(routing, &lfts, &error);
        MUST(status == BOUGH_OK || status == BOUGH_UNSUPPORTED);
    }
    MUST(export_netlist(net, &netlist, &error) == BOUGH_OK);
    MUST(export_csv(net, &csv, &error) == BOUGH_OK);
    bough_net *again = fuzz_small_net(csv.data, csv.length);
    MUST(again && again->endpoints == net->endpoints && again->switches <= net->switches);
    bough_net_destroy(again);
    bough_routing_destroy(routing);
    bough_text_fini(&csv);
    bough_text_fini(&netlist);
    bough_text_fini(&lfts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bough_net *net = fuzz_small_net(data, size);
    if (net) write_all(net);
    bough_net_destroy(net);
    return 0;
}
