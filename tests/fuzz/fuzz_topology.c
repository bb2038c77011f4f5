/* Any bytes as Slurm's topology.conf: refused with one line, or a network whose topology.conf has as many
 * hosts or fewer (a name that is listed twice), and can be parsed. */
#include "base/text/text.h"
#include "formats/slurm/topology_conf.h"
#include "fuzz/small_net.h"
#include "network/export/network_exports.h"
#include "network/net.h"

#include <stdint.h>
#include <string.h>

static void write_again(const bough_net *net) {
    bough_text text = {0};
    bough_error error = {0};
    if (export_topology_conf(net, &text, &error) == BOUGH_OK) {
        topology_conf conf = {.count = 0};
        MUST(topology_conf_parse("output", text.data, text.length, &conf, &error) == BOUGH_OK);
        MUST(conf.node.count <= net->endpoints);
        topology_conf_fini(&conf);
    }
    bough_text_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    topology_conf conf = {.count = 0};
    bough_error error = {0};
    if (topology_conf_parse("input", (const char *)data, size, &conf, &error))
        MUST(error.reason[0] && !strchr(error.reason, '\n'));
    topology_conf_fini(&conf);
    bough_net *net = fuzz_small_net(data, size);
    if (net) write_again(net);
    bough_net_destroy(net);
    return 0;
}
