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

bough_status export_finished(const bough_text *out, bough_error *error) {
    return out->failed ? bough_fail_memory(error, out->length) : BOUGH_OK;
}

static void put_node(json_writer *w, const bough_net *net, uint64_t node) {
    char name[160], guid[24];
    json_begin_object(w, NULL, true);
    json_put_whole(w, "id", (int64_t)node);
    json_put_whole(w, "level", net->ops->node_level(net, node));
    json_put_flag(w, "endpoint", net->ops->node_roles(net, node) & BOUGH_ENDPOINT);
    json_put_flag(w, "switch", bough_is_switch(net, node));
    json_put_text(w, "name", bough_node_name(net, node, name, sizeof name));
    snprintf(guid, sizeof guid, "0x%016" PRIx64, net->fabric ? net_node_guid(net, node) : 0);
    if (net->fabric) json_put_text(w, "guid", guid);
    json_end_object(w);
}

/* source, target and key are what NetworkX calls from, to and id. */
static void put_link(json_writer *w, const bough_net *net, uint64_t link) {
    const bough_link_end end = net->ops->link_end(net, link);
    const int64_t from = (int64_t)bough_link_start(net, link), to = (int64_t)end.node;
    const uint64_t rate = net->ops->link_rate ? net->ops->link_rate(net, link) : 0;
    json_begin_object(w, NULL, true);
    json_put_whole(w, "id", (int64_t)link);
    json_put_whole(w, "from", from);
    json_put_whole(w, "from_port",
                   net->ops->link_port ? bough_port_number(net, net->ops->link_port(net, link)) : 0);
    json_put_whole(w, "to", to);
    json_put_whole(w, "to_port", net->ops->link_port ? bough_port_number(net, end.port) : end.port);
    json_put_whole(w, "group", (int64_t)net->ops->link_group(net, link));
    if (rate) json_put_whole(w, "rate", (int64_t)rate);
    json_put_whole(w, "source", from);
    json_put_whole(w, "target", to);
    json_put_whole(w, "key", (int64_t)link);
    json_end_object(w);
}

static void put_network(json_writer *w, const bough_net *net) {
    json_begin_object(w, "network", true);
    json_put_text(w, "spec", net->spec);
    if (net->fabric) json_put_hash(w, "file_hash", net->fabric->hash);
    json_put_whole(w, "endpoints", (int64_t)net->endpoints);
    json_put_whole(w, "switches", (int64_t)net->switches);
    json_put_whole(w, "links", (int64_t)net->links);
    json_put_whole(w, "cables", (int64_t)net->cables);
    json_put_whole(w, "levels", net->levels);
    json_end_object(w);
}

/* The node-link format of NetworkX. */
bough_status export_json(const bough_net *net, bough_text *out, bough_error *error) {
    json_writer w = {.out = out};
    bough_status status = export_check_size(net, error);
    if (status) return status;
    json_begin_document(&w);
    put_network(&w, net);
    json_put_flag(&w, "directed", true);
    json_put_flag(&w, "multigraph", true);
    json_begin_object(&w, "graph", true);
    json_put_text(&w, "name", net->spec);
    json_end_object(&w);
    json_begin_array(&w, "nodes", false);
    for (uint64_t v = 0; v < net->nodes && !out->failed; v++) put_node(&w, net, v);
    json_end_array(&w);
    json_begin_array(&w, "links", false);
    for (uint64_t l = 0; l < net->links && !out->failed; l++) put_link(&w, net, l);
    json_end_array(&w);
    json_end_document(&w);
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
        uint64_t twin = bough_link_twin(net, l);
        int direction = bough_link_direction(net, l);
        if (twin != BOUGH_NONE && (direction < 0 || (direction == 0 && twin < l))) continue;
        bough_text_printf(out, "  n%" PRIu64 " -- n%" PRIu64 "%s;\n", bough_link_start(net, l),
                          net->ops->link_end(net, l).node, twin == BOUGH_NONE ? " [dir=forward]" : "");
    }
    bough_text_put(out, "}\n");
    return export_finished(out, error);
}
