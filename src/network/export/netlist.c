/* Netlists for ibsim in the format of ibnetdiscover; dead parts are omitted. Hosts come first, because ibsim
 * runs its clients on the first node. ibsim uses the LIDs in the file and OpenSM keeps them, so tables
 * written for a network remain valid. */
#include "base/memory/index_map.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/utf8.h"
#include "network/export/network_exports.h"
#include "network/node_identifiers.h"
#include "network/wiring.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *export_name(const char *text, char *buffer, size_t size) {
    bough_copy_printable(text, strlen(text), buffer, size);
    for (char *c = buffer; *c; c++)
        if (*c == '"') *c = '\'';
    return buffer;
}

char *export_rate(uint64_t rate, char *buffer, size_t size) {
    const bool whole = rate % 1000000000 == 0;
    snprintf(buffer, size, "%" PRIu64 "%s", whole ? rate / 1000000000 : rate, whole ? "Gb/s" : "b/s");
    return buffer;
}

/* One end of a cable, for the lines of both nodes. */
typedef struct end {
    bool host;
    uint64_t guid, port_guid; /* of the node; of the port of a host */
    uint32_t port, lid;
    unsigned lmc;
    const char *name;
} end;

/* node: port and port_guid are not used. */
static void put_head(bough_text *out, const end *node, uint32_t ports) {
    bough_text_printf(out, "vendid=0x2c9\ndevid=0x%s\nsysimgguid=0x%" PRIx64 "\n",
                      node->host ? "673c" : "bd36", node->guid + (node->host ? 255 : 3));
    if (node->host)
        bough_text_printf(out, "caguid=0x%" PRIx64 "\nCa\t%u \"H-%016" PRIx64 "\"\t\t# \"%s\"\n", node->guid,
                          ports, node->guid, node->name);
    else
        bough_text_printf(out,
                          "switchguid=0x%" PRIx64 "(%" PRIx64 ")\nSwitch\t%u \"S-%016" PRIx64
                          "\"\t\t# \"%s\" base port 0 lid %u lmc %u\n",
                          node->guid, node->guid, ports, node->guid, node->name, node->lid, node->lmc);
}

static void put_cable(bough_text *out, const end *own, const end *peer, const char *rate) {
    bough_text_printf(out, "[%u]", own->port);
    if (own->host) bough_text_printf(out, "(%" PRIx64 ") ", own->port_guid);
    bough_text_printf(out, "\t\"%s-%016" PRIx64 "\"[%u]", peer->host ? "H" : "S", peer->guid, peer->port);
    if (peer->host) bough_text_printf(out, "(%" PRIx64 ")", peer->port_guid);
    if (own->host)
        bough_text_printf(out, "\t\t# lid %u lmc %u \"%s\" lid %u %s\n", own->lid, own->lmc, peer->name,
                          peer->lid, rate);
    else
        bough_text_printf(out, "\t\t# \"%s\" lid %u %s\n", peer->name, peer->lid, rate);
}

/* ---- rates ---- */

/* As ibnetdiscover prints it: the width and speed that have this rate, 4x if it is one. A rate that
 * InfiniBand does not have stands as it is; for ibsim it is within a comment. */
static const char *rate_text(uint64_t rate, char *buffer, size_t size) {
    static const struct {
        const char *name;
        uint64_t lane;
    } speed[] = {
        {"XDR", UINT64_C(200000000000)}, {"NDR", UINT64_C(100000000000)}, {"HDR", UINT64_C(50000000000)},
        {"EDR", UINT64_C(25000000000)},  {"FDR", UINT64_C(13636363636)},  {"FDR10", UINT64_C(10000000000)},
        {"QDR", UINT64_C(8000000000)},   {"DDR", UINT64_C(4000000000)},   {"SDR", UINT64_C(2000000000)},
    };
    static const unsigned widths[] = {4, 1, 2, 8, 12};
    const size_t speeds = sizeof speed / sizeof *speed;
    for (size_t i = 0; i < speeds * sizeof widths / sizeof *widths; i++) {
        const unsigned width = widths[i / speeds];
        if (width * speed[i % speeds].lane != rate) continue;
        snprintf(buffer, size, "%ux%s", width, speed[i % speeds].name);
        return buffer;
    }
    return export_rate(rate, buffer, size);
}

/* ---- families ---- */

static void describe(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    char name[160];
    bough_node_name(net, node, name, sizeof name);
    export_name(name, buffer, size - 8);
    if (node < net->endpoints) strcat(buffer, " HCA-1"); /* an adapter of the host */
}

/* Families count ports from 0, netlists from 1. */
static end end_of(const bough_net *net, uint64_t node, uint32_t port, const char *name) {
    return (end){.host = node < net->endpoints,
                 .guid = net_node_guid(net, node),
                 .port_guid = net_node_guid(net, node) + port + 1,
                 .port = port + 1,
                 .lid = net_lid(net, node, port),
                 .name = name};
}

/* The link of a node that leaves port p, or BOUGH_NONE. */
static uint64_t link_from_port(const bough_net *net, uint64_t node, uint32_t p) {
    for (node_links at = node_links_of(net, node); node_links_next(&at);)
        if (net->ops->link_port(net, at.link) == p) return at.link;
    return BOUGH_NONE;
}

static uint32_t count_ports(const bough_net *net, uint64_t node) {
    uint32_t ports = 0;
    for (node_links at = node_links_of(net, node); node_links_next(&at);)
        if (net->ops->link_port(net, at.link) >= ports) ports = net->ops->link_port(net, at.link) + 1;
    return ports;
}

static bough_status put_node(const bough_net *net, uint64_t v, bough_text *out, bough_error *error) {
    char name[176], peer[176], rate[32];
    uint32_t ports = count_ports(net, v);
    describe(net, v, name, sizeof name);
    if (ports > 254)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "%s has %u ports; InfiniBand has at most 254",
                          bough_node_name(net, v, name, sizeof name), ports);
    end own = end_of(net, v, 0, name);
    put_head(out, &own, ports);
    for (uint32_t p = 0; p < ports; p++) {
        uint64_t link = link_from_port(net, v, p);
        if (link == BOUGH_NONE || !bough_cable_works(net, link)) continue;
        bough_link_end to = net->ops->link_end(net, link);
        if (v < net->endpoints) /* host lines refer to the switch by its plain name */
            export_name(bough_node_name(net, to.node, peer, sizeof peer - 8), peer, sizeof peer);
        else
            describe(net, to.node, peer, sizeof peer);
        own = end_of(net, v, p, name);
        end other = end_of(net, to.node, to.port, peer);
        put_cable(out, &own, &other, rate_text(bough_net_link_rate(net, link), rate, sizeof rate));
    }
    bough_text_put(out, "\n");
    return BOUGH_OK;
}

static bough_status family_netlist(const bough_net *net, bough_text *out, bough_error *error) {
    bough_status status = BOUGH_OK;
    if (!net->ops->link_port || !net->ops->link_twin)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "an ibsim netlist requires port numbers, which %s does not have", net->spec);
    for (uint64_t v = 0; v < net->nodes && !status; v++) {
        if ((net->ops->node_roles(net, v) & (BOUGH_ENDPOINT | BOUGH_SWITCH)) ==
            (BOUGH_ENDPOINT | BOUGH_SWITCH))
            status = bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                                "InfiniBand does not support a node that is both endpoint and switch");
        else
            status = put_node(net, v, out, error);
    }
    return status;
}

/* ---- fabrics ---- */

/* usual: the rate of links without one. */
static const char *port_rate(const bough_fabric_port *p, uint64_t usual, char *buffer, size_t size) {
    if (!p->width || !p->speed[0]) return rate_text(p->rate ? p->rate : usual, buffer, size);
    snprintf(buffer, size, "%ux%s", p->width, p->speed);
    return buffer;
}

/* ibsim gives port i of a node the GUID of the node + i. So that ports keep their GUIDs, which OpenSM's files
 * name, an adapter whose port 1 has the GUID of the node gets the one below, unless a node has that. */
static bough_status number_nodes(const bough_fabric *f, uint64_t *guid, bough_error *error) {
    bough_index_map used = {0};
    bough_status status = BOUGH_OK;
    for (uint32_t n = 0; n < f->node_count && !status; n++)
        if (f->node[n].kind == BOUGH_FABRIC_SWITCH)
            status = bough_index_map_put(&used, guid[n] = f->node[n].guid, n, error);
    for (uint32_t n = 0; n < f->node_count && !status; n++) {
        uint32_t first, count;
        if (f->node[n].kind == BOUGH_FABRIC_SWITCH) continue;
        bough_fabric_ports(f, n, &first, &count);
        const bough_fabric_port *p = count ? &f->port[first] : NULL;
        guid[n] = p && p->guid > p->number ? p->guid - p->number : f->node[n].guid;
        if (bough_index_map_get(&used, guid[n]) != BOUGH_NO_INDEX) guid[n] = f->node[n].guid;
        status = bough_index_map_put(&used, guid[n], n, error);
    }
    bough_index_map_fini(&used);
    return status;
}

/* guid: of nodes. */
static void put_fabric_node(const bough_net *net, uint32_t n, const bool *dead, const uint64_t *guid,
                            bough_text *out) {
    const bough_fabric *f = net->fabric;
    const uint64_t usual = bough_net_physical(net)->rate;
    char name[160], peer[160], rate[32];
    const bough_fabric_node *node = &f->node[n];
    bool host = node->kind != BOUGH_FABRIC_SWITCH;
    uint32_t first, count, ports = node->ports_declared;
    bough_fabric_ports(f, n, &first, &count);
    if (count && f->port[first + count - 1].number > ports) ports = f->port[first + count - 1].number;
    export_name(node->description, name, sizeof name);
    put_head(out, &(end){host, guid[n], 0, 0, node->lid, node->lmc, name}, ports);
    for (uint32_t i = first; i < first + count; i++) {
        const bough_fabric_port *p = &f->port[i], *q;
        if (p->peer == BOUGH_NO_INDEX || dead[i] || dead[p->peer]) continue;
        q = &f->port[p->peer];
        const bough_fabric_node *there = &f->node[q->node];
        if (there->kind == BOUGH_FABRIC_ROUTER) continue;
        bool far_host = there->kind != BOUGH_FABRIC_SWITCH;
        end own = {host, guid[n], p->guid, p->number, p->lid, p->lmc, name};
        end other = {far_host,
                     guid[q->node],
                     q->guid,
                     q->number,
                     far_host ? q->lid : there->lid,
                     q->lmc,
                     export_name(there->description, peer, sizeof peer)};
        put_cable(out, &own, &other, port_rate(p, usual, rate, sizeof rate));
    }
    bough_text_put(out, "\n");
}

/* Everything in the files, including parts outside the network; ibsim does not support routers. */
static bough_status fabric_netlist(const bough_net *net, bough_text *out, bough_error *error) {
    const bough_fabric *f = net->fabric;
    bool *dead = NULL;
    uint64_t *guid = NULL;
    bough_status status = bough_alloc(&dead, f->port_count, sizeof *dead, error);
    TRY(bough_alloc(&guid, f->node_count, sizeof *guid, error));
    TRY(number_nodes(f, guid, error));
    for (uint64_t l = 0; l < net->links && !status; l++)
        if (!bough_link_works(net, l)) dead[bough_net_fabric_port(net, l)] = true;
    for (int kind = BOUGH_FABRIC_ADAPTER; kind >= BOUGH_FABRIC_SWITCH && !status; kind--)
        for (uint32_t n = 0; n < f->node_count; n++)
            if (f->node[n].kind == (bough_fabric_kind)kind) put_fabric_node(net, n, dead, guid, out);
    FREE_ALL(dead, guid);
    return status;
}

bough_status export_netlist(const bough_net *net, bough_text *out, bough_error *error) {
    char name[200];
    bough_status status = export_check_size(net, error);
    if (status) return status;
    bough_text_printf(out, "# %s\n\n", export_name(net->spec ? net->spec : "", name, sizeof name));
    status = net->fabric ? fabric_netlist(net, out, error) : family_netlist(net, out, error);
    return status ? status : export_finished(out, error);
}
