/* Exports networks to JSON and Graphviz. Exports list every link, so large networks are refused. */
#include "network/export/network_exports.h"

#include "base/json/json_writer.h"
#include "base/text/escape.h"
#include "network/node_identifiers.h"

#include <inttypes.h>
#include <stdio.h>

#define EXPORT_LINKS_MAX (UINT64_C(1) << 24)

bough_status export_check_size(const bough_net *net, bough_error *error) {
    if (net->links <= EXPORT_LINKS_MAX) return BOUGH_OK;
    return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                      "%s has %" PRIu64 " links; exports list each link, and the limit is %" PRIu64,
                      net->spec, net->links, EXPORT_LINKS_MAX);
}

bool export_link_works(const bough_net *net, uint64_t link) {
    uint64_t twin = net->ops->link_twin(net, link);
    return bough_link_alive(net, link) && !bough_link_lost(net, link) &&
           (twin == BOUGH_NONE || (bough_link_alive(net, twin) && !bough_link_lost(net, twin)));
}

bough_status export_finished(const bough_text *out, bough_error *error) {
    return out->failed ? bough_fail_memory(error, out->length) : BOUGH_OK;
}

bough_status export_json(const bough_net *net, bough_text *out, bough_error *error) {
    char name[160];
    bough_status status = export_check_size(net, error);
    if (status) return status;
    bough_text_printf(out, "{\"bough\": \"%s\", \"schema\": %d, \"network\": {\"spec\": ", BOUGH_VERSION,
                      BOUGH_JSON_SCHEMA);
    bough_text_put_json(out, net->spec);
    if (net->fabric) bough_text_printf(out, ", \"file_hash\": \"%016" PRIx64 "\"", net->fabric->hash);
    bough_text_printf(out,
                      ", \"endpoints\": %" PRIu64 ", \"switches\": %" PRIu64 ", \"links\": %" PRIu64
                      ", \"cables\": %" PRIu64 ", \"levels\": %u},\n \"nodes\": [\n",
                      net->endpoints, net->switches, net->links, net->cables, net->levels);
    for (uint64_t v = 0; v < net->nodes; v++) {
        bough_text_printf(
            out, "  {\"id\": %" PRIu64 ", \"level\": %u, \"endpoint\": %s, \"switch\": %s, \"name\": ", v,
            net->ops->node_level(net, v), net->ops->node_roles(net, v) & BOUGH_ENDPOINT ? "true" : "false",
            bough_is_switch(net, v) ? "true" : "false");
        bough_text_put_json(out, bough_node_name(net, v, name, sizeof name));
        if (net->fabric) bough_text_printf(out, ", \"guid\": \"0x%016" PRIx64 "\"", net_node_guid(net, v));
        bough_text_printf(out, "}%s\n", v + 1 < net->nodes ? "," : "");
    }
    bough_text_put(out, " ],\n \"links\": [\n");
    for (uint64_t l = 0; l < net->links; l++) {
        bough_link_end end = net->ops->link_end(net, l);
        bough_text_printf(out,
                          "  {\"id\": %" PRIu64 ", \"from\": %" PRIu64 ", \"from_port\": %u, \"to\": %" PRIu64
                          ", \"to_port\": %u, \"group\": %" PRIu64,
                          l, bough_link_start(net, l), net->ops->link_port ? net->ops->link_port(net, l) : 0,
                          end.node, end.port, net->ops->link_group(net, l));
        if (net->ops->link_rate && net->ops->link_rate(net, l))
            bough_text_printf(out, ", \"rate\": %" PRIu64, net->ops->link_rate(net, l));
        bough_text_printf(out, "}%s\n", l + 1 < net->links ? "," : "");
    }
    bough_text_put(out, " ]}\n");
    return export_finished(out, error);
}

/* Cables, not links, drawn from their lower ends; roots at the top. */
bough_status export_dot(const bough_net *net, bough_text *out, bough_error *error) {
    char name[160];
    bough_status status = export_check_size(net, error);
    if (status) return status;
    bough_text_put(out, "graph bough {\n  rankdir=BT; node [shape=box, fontsize=10]; label=");
    bough_text_put_dot(out, net->spec);
    bough_text_put(out, ";\n");
    for (unsigned level = 0; level <= net->levels; level++) {
        bough_text_put(out, "  { rank=same;\n");
        for (uint64_t v = 0; v < net->nodes; v++) {
            if (net->ops->node_level(net, v) != level) continue;
            bough_text_printf(out, "    n%" PRIu64 " [label=", v);
            bough_text_put_dot(out, bough_node_name(net, v, name, sizeof name));
            bough_text_put(out, v < net->endpoints ? ", shape=ellipse];\n" : "];\n");
        }
        bough_text_put(out, "  }\n");
    }
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t twin = net->ops->link_twin ? net->ops->link_twin(net, l) : BOUGH_NONE;
        int direction = bough_link_direction(net, l);
        if (twin != BOUGH_NONE && (direction < 0 || (direction == 0 && twin < l))) continue;
        bough_text_printf(out, "  n%" PRIu64 " -- n%" PRIu64 "%s;\n", bough_link_start(net, l),
                          net->ops->link_end(net, l).node, twin == BOUGH_NONE ? " [dir=forward]" : "");
    }
    bough_text_put(out, "}\n");
    return export_finished(out, error);
}
