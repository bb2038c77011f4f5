/* Networks as JSON, Graphviz and ibsim netlists. All of them list every link, so large networks are refused.
 */
#include "topology/formats/export.h"

#include "base/memory.h"
#include "topology/formats/findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT_LINKS_MAX (UINT64_C(1) << 24)

static bough_status check_size(const bough_net *net, bough_error *error) {
    if (net->links <= EXPORT_LINKS_MAX) return BOUGH_OK;
    return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                      "%s has %" PRIu64 " links; exports list each, and stop at %" PRIu64, net->spec,
                      net->links, EXPORT_LINKS_MAX);
}

static bough_status finished(const bough_text *out, bough_error *error) {
    return out->failed ? bough_fail_memory(error, out->length) : BOUGH_OK;
}

/* A string of JSON or dot: what is not printable UTF-8 becomes '?', so that only quotes and backslashes
 * remain. */
static void put_string(bough_text *out, const char *text) {
    size_t length = strlen(text);
    char *clean = malloc(length + 1);
    if (!clean) {
        out->failed = true;
        return;
    }
    bough_clean(text, length, clean, length + 1);
    bough_text_put_quoted(out, clean);
    free(clean);
}

bough_status export_json(const bough_net *net, bough_text *out, bough_error *error) {
    char name[160];
    bough_status status = check_size(net, error);
    if (status) return status;
    bough_text_put(out, "{\"bough\": \"" BOUGH_VERSION "\", \"schema\": 1, \"network\": {\"spec\": ");
    put_string(out, net->spec);
    bough_text_printf(out,
                      ", \"endpoints\": %" PRIu64 ", \"switches\": %" PRIu64 ", \"links\": %" PRIu64
                      ", \"cables\": %" PRIu64 ", \"levels\": %u},\n \"nodes\": [\n",
                      net->endpoints, net->switches, net->links, net->cables, net->levels);
    for (uint64_t v = 0; v < net->nodes; v++) {
        bough_text_printf(
            out, "  {\"id\": %" PRIu64 ", \"level\": %u, \"endpoint\": %s, \"switch\": %s, \"name\": ", v,
            net->ops->node_level(net, v), net->ops->node_roles(net, v) & BOUGH_ENDPOINT ? "true" : "false",
            net->ops->node_roles(net, v) & BOUGH_SWITCH ? "true" : "false");
        put_string(out, bough_node_name(net, v, name, sizeof name));
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
    return finished(out, error);
}

/* Cables, not links, drawn from the lower end; the roots on top. */
bough_status export_dot(const bough_net *net, bough_text *out, bough_error *error) {
    char name[160];
    bough_status status = check_size(net, error);
    if (status) return status;
    bough_text_put(out, "graph bough {\n  rankdir=BT; node [shape=box, fontsize=10]; label=");
    put_string(out, net->spec);
    bough_text_put(out, ";\n");
    for (unsigned level = 0; level <= net->levels; level++) {
        bough_text_put(out, "  { rank=same;\n");
        for (uint64_t v = 0; v < net->nodes; v++) {
            if (net->ops->node_level(net, v) != level) continue;
            bough_text_printf(out, "    n%" PRIu64 " [label=", v);
            put_string(out, bough_node_name(net, v, name, sizeof name));
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
    return finished(out, error);
}

/* GUIDs of our own making in a vendor's range, as ibsim and OpenSM only ask that they differ. */
static uint64_t guid_of(const bough_net *net, uint64_t node) {
    return node < net->endpoints ? UINT64_C(0x0002c90300000000) + 256 * node
                                 : UINT64_C(0x0002c90200400000) + 8 * (node - net->endpoints);
}

static void put_end(bough_text *out, const bough_net *net, uint64_t node, uint32_t port) {
    bool host = node < net->endpoints;
    bough_text_printf(out, "\"%s-%016" PRIx64 "\"[%u]", host ? "H" : "S", guid_of(net, node), port + 1);
    if (host) bough_text_printf(out, "(%" PRIx64 ")", guid_of(net, node) + port + 1);
}

static bough_status put_netlist_node(const bough_net *net, uint64_t v, bough_text *out, bough_error *error) {
    char name[160], peer[160];
    bool host = v < net->endpoints;
    uint64_t guid = guid_of(net, v);
    uint32_t ports = 0; /* families count ports from 0, files from 1 */
    for (uint32_t g = 0; g < net->ops->node_group_count(net, v); g++) {
        bough_range r = net->ops->group_links(net, net->ops->node_group(net, v, g));
        for (uint64_t l = r.first; l < r.first + r.count; l++)
            if (net->ops->link_port(net, l) + 1 > ports) ports = net->ops->link_port(net, l) + 1;
    }
    if (ports > 254)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "%s has %u ports; InfiniBand has at most 254",
                          bough_node_name(net, v, name, sizeof name), ports);
    bough_node_name(net, v, name, sizeof name);
    for (char *c = name; *c; c++)
        if (*c == '"') *c = '\'';
    bough_text_printf(out, "vendid=0x2c9\ndevid=0x%s\nsysimgguid=0x%" PRIx64 "\n", host ? "673c" : "bd36",
                      guid + (host ? 255 : 3));
    if (host)
        bough_text_printf(out, "caguid=0x%" PRIx64 "\nCa\t%u \"H-%016" PRIx64 "\"\t\t# \"%s HCA-1\"\n", guid,
                          ports, guid, name);
    else
        bough_text_printf(out,
                          "switchguid=0x%" PRIx64 "(%" PRIx64 ")\nSwitch\t%u \"S-%016" PRIx64
                          "\"\t\t# \"%s\" base port 0 lid 0 lmc 0\n",
                          guid, guid, ports, guid, name);
    for (uint32_t p = 0; p < ports; p++)
        for (uint32_t g = 0; g < net->ops->node_group_count(net, v); g++) {
            bough_range r = net->ops->group_links(net, net->ops->node_group(net, v, g));
            for (uint64_t l = r.first; l < r.first + r.count; l++) {
                if (net->ops->link_port(net, l) != p) continue;
                bough_link_end end = net->ops->link_end(net, l);
                bough_node_name(net, end.node, peer, sizeof peer);
                for (char *c = peer; *c; c++)
                    if (*c == '"') *c = '\'';
                bough_text_printf(out, "[%u]", p + 1);
                if (host) bough_text_printf(out, "(%" PRIx64 ") ", guid + p + 1);
                bough_text_put(out, "\t");
                put_end(out, net, end.node, end.port);
                if (host)
                    bough_text_printf(out, "\t\t# lid 0 lmc 0 \"%s\" lid 0 4xQDR\n", peer);
                else
                    bough_text_printf(out, "\t\t# \"%s%s\" lid 0 4xQDR\n", peer,
                                      end.node < net->endpoints ? " HCA-1" : "");
            }
        }
    bough_text_put(out, "\n");
    return BOUGH_OK;
}

bough_status export_netlist(const bough_net *net, bough_text *out, bough_error *error) {
    bough_status status = check_size(net, error);
    if (!status && net->fabric)
        status = bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                            "%s is a fabric file already, which ibsim reads itself", net->fabric->source);
    if (!status && (!net->ops->link_port || !net->ops->link_twin))
        status = bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                            "an ibsim netlist needs numbered ports, which %s does not have", net->spec);
    bough_text_printf(out, "# %s\n\n", net->spec);
    for (uint64_t v = 0; v < net->nodes && !status; v++) {
        if ((net->ops->node_roles(net, v) & (BOUGH_ENDPOINT | BOUGH_SWITCH)) ==
            (BOUGH_ENDPOINT | BOUGH_SWITCH))
            status = bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                                "a node that is endpoint and switch has no InfiniBand form");
        else
            status = put_netlist_node(net, v, out, error);
    }
    return status ? status : finished(out, error);
}
