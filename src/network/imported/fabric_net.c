/* Converts a fabric to a network. Endpoints are adapter ports with a cable and a LID, by default in
 * the order of their names. Excluded ports are reported in the findings of the fabric. */
#include "base/files/input.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/regular_expression.h"
#include "base/text/scanner.h"
#include "base/text/terminal_text.h"
#include "formats/slurm/host_list.h"
#include "network/families/network_families.h"
#include "network/hosts.h"
#include "network/imported/minimal_paths_net.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { P_FILE, P_ENDPOINTS, P_ORDER, P_AGGREGATION, P_HOSTS, P_NAMES };

typedef struct fabric_endpoint {
    uint32_t port, lid, position; /* fabric port; its LID; position in the requested order */
    uint64_t guid;
    const char *name;
} fabric_endpoint;

/* The data kept from the fabric. */
typedef struct origin {
    bough_fabric fabric;
    uint32_t *fabric_node; /* per node */
    uint32_t *lid;         /* per address */
    uint32_t *address_node, *first_address;
    net_hosts hosts;
    bough_net_ops ops; /* flat's, with names and addresses */
} origin;

typedef struct left_out {
    uint32_t aggregation, no_cable, no_lid, filtered, back_to_back, router;
} left_out;

/* The conversion of a fabric to a network. */
typedef struct conversion {
    bough_fabric *fabric;
    bough_fabric_options options;
    const char *order_words;  /* net_hosts.order */
    const bough_input *order; /* content of the file that options.order names; NULL: a keyword */
    fabric_endpoint *endpoint;
    uint32_t endpoints;
    left_out left_out;
    origin *origin;
    imported_wiring wiring;
    bough_error *error;
} conversion;

static const origin *origin_of(const bough_net *net) {
    const flat *f = minimal_paths_of(net);
    return f && net->fabric ? f->extra : NULL;
}

static void free_origin(void *extra) {
    origin *o = extra;
    if (!o) return;
    bough_fabric_fini(&o->fabric);
    net_hosts_fini(&o->hosts);
    FREE_ALL(o->fabric_node, o->lid, o->address_node, o->first_address, o);
}

uint32_t bough_net_fabric_node(const bough_net *net, uint64_t node) {
    const origin *o = origin_of(net);
    return o ? o->fabric_node[node] : BOUGH_NO_INDEX;
}

uint32_t bough_net_fabric_port(const bough_net *net, uint64_t link) {
    return origin_of(net) ? minimal_paths_of(net)->link_tag[link] : BOUGH_NO_INDEX;
}

uint32_t bough_net_lid(const bough_net *net, uint64_t address) {
    const origin *o = origin_of(net);
    return o ? o->lid[address] : 0;
}

uint64_t bough_net_link_at(const bough_net *net, uint64_t node, uint32_t port_number) {
    const flat *f = minimal_paths_of(net);
    if (!f) return BOUGH_NONE;
    for (uint32_t l = f->group_first[f->node_group[node]]; l < f->group_first[f->node_group[node + 1]]; l++)
        if (f->out_port[l] == port_number) return l;
    return BOUGH_NONE;
}

static uint64_t fabric_address_node(const bough_net *net, uint64_t address) {
    return origin_of(net)->address_node[address];
}
static uint64_t fabric_address_of(const bough_net *net, uint64_t endpoint) {
    return origin_of(net)->first_address[endpoint];
}

static void fabric_node_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    const origin *o = origin_of(net);
    const bough_fabric_node *n = &o->fabric.node[o->fabric_node[node]];
    uint32_t first, count, cabled = 0;
    bough_fabric_ports(&o->fabric, o->fabric_node[node], &first, &count);
    for (uint32_t i = 0; i < count; i++) cabled += o->fabric.port[first + i].peer != BOUGH_NO_INDEX;
    if (n->kind != BOUGH_FABRIC_SWITCH && cabled > 1) { /* several endpoints of one node: append the port */
        const flat *f = minimal_paths_of(net);
        snprintf(buffer, size, "%s:%u", n->name, f->out_port[f->group_first[f->node_group[node]]]);
    } else {
        snprintf(buffer, size, "%s", n->name);
    }
}

static int compare(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int by_lid(const void *a, const void *b) {
    const fabric_endpoint *x = a, *y = b;
    return x->lid != y->lid ? compare(x->lid, y->lid) : compare(x->port, y->port);
}
static int by_guid(const void *a, const void *b) {
    const fabric_endpoint *x = a, *y = b;
    return x->guid != y->guid ? compare(x->guid, y->guid) : compare(x->port, y->port);
}
/* As a resource manager numbers hosts; those of an order file first. */
static int by_name(const void *a, const void *b) {
    const fabric_endpoint *x = a, *y = b;
    if (x->position != y->position) return compare(x->position, y->position);
    const int order = host_name_compare(x->name, y->name);
    return order ? order : compare(x->port, y->port);
}
static int by_bytes(const void *a, const void *b) {
    return strcmp((*(fabric_endpoint *const *)a)->name, (*(fabric_endpoint *const *)b)->name);
}

/* Reads an order file: one name or LID per line. Endpoints in the file come first, in its order. Text after a
 * tab is ignored: opensm-ftree-ca-order.dump has LIDs and names. */
typedef struct order_file {
    conversion *conversion;
    fabric_endpoint **by_name; /* in the order of bytes */
    uint32_t *by_lid;          /* LID -> 1 + index of the endpoint; 0: none */
    uint32_t next;             /* position */
    uint32_t lines, unknown;
    char example[64]; /* the first line without an endpoint */
} order_file;

enum { LID_END = 0xC000 };

static void set_position(order_file *o, fabric_endpoint *e) {
    if (e->position == BOUGH_NO_INDEX) e->position = o->next++;
}

/* Adds all ports of the adapter with this name, or the one with this number. */
static bool find_name(order_file *o, const char *name, size_t length, uint32_t port) {
    const conversion *c = o->conversion;
    uint32_t low = 0, high = c->endpoints;
    bool found = false;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strncmp(o->by_name[middle]->name, name, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < c->endpoints && strncmp(o->by_name[low]->name, name, length) == 0; low++) {
        fabric_endpoint *e = o->by_name[low];
        if (e->name[length] || (port && c->fabric->port[e->port].number != port)) continue;
        set_position(o, e);
        found = true;
    }
    return found;
}

static bool find_lid(order_file *o, const char *text, size_t length) {
    bool hexadecimal = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    if (*text < '0' || *text > '9') return false;
    unsigned long lid = strtoul(text, &end, hexadecimal ? 16 : 10);
    if (end != text + length || lid >= LID_END || !o->by_lid[lid]) return false;
    set_position(o, &o->conversion->endpoint[o->by_lid[lid] - 1]);
    return true;
}

/* NAME:PORT is the name of one port of an adapter with several endpoints. */
static bool find_port(order_file *o, const char *text, size_t length) {
    size_t colon = length;
    while (colon > 0 && text[colon - 1] >= '0' && text[colon - 1] <= '9') colon--;
    if (colon < 2 || colon == length || text[colon - 1] != ':') return false;
    unsigned long port = strtoul(text + colon, NULL, 10);
    return port > 0 && port < 256 && find_name(o, text, colon - 1, (uint32_t)port);
}

static void read_order(order_file *o, const bough_input_piece *piece) {
    scanner s = scan_piece(piece, NULL);
    while (scan_line(&s)) {
        const char *line = s.at;
        size_t length = (size_t)(s.stop - line);
        while (length && (*line == ' ' || *line == '\t')) line++, length--;
        while (length && (line[length - 1] == ' ' || line[length - 1] == '\t')) length--;
        if (length == 0 || *line == '#') continue;
        const char *tab = memchr(line, '\t', length);
        if (tab) length = (size_t)(tab - line);
        o->lines++;
        bool text = !memchr(line, 0, length);
        if (text &&
            (find_name(o, line, length, 0) || find_lid(o, line, length) || find_port(o, line, length)))
            continue;
        if (!o->unknown++)
            snprintf(o->example, sizeof o->example, "%.*s", length < 60 ? (int)length : 60, line);
    }
}

static void index_lids(order_file *o) {
    const conversion *c = o->conversion;
    for (uint32_t i = 0; i < c->endpoints; i++) {
        uint32_t first = c->endpoint[i].lid, lids = UINT32_C(1) << c->fabric->port[c->endpoint[i].port].lmc;
        for (uint32_t l = first; l < first + lids && l < LID_END; l++)
            if (!o->by_lid[l]) o->by_lid[l] = i + 1;
    }
}

static bough_status apply_order_file(conversion *c) {
    order_file o = {.conversion = c};
    bough_status status = bough_alloc(&o.by_name, c->endpoints, sizeof *o.by_name, c->error);
    TRY(bough_alloc(&o.by_lid, LID_END, sizeof *o.by_lid, c->error));
    if (status) goto done;
    index_lids(&o);
    for (uint32_t i = 0; i < c->endpoints; i++) {
        o.by_name[i] = &c->endpoint[i];
        c->endpoint[i].position = BOUGH_NO_INDEX;
    }
    qsort(o.by_name, c->endpoints, sizeof *o.by_name, by_bytes);
    for (size_t i = 0; i < c->order->count; i++) read_order(&o, &c->order->piece[i]);
    if (o.unknown)
        status = bough_findings_add(
            &c->fabric->findings, &(bough_finding_head){BOUGH_WARN, "order", c->order->piece[0].name},
            c->error,
            "%u of %u lines name no endpoint (the first is '%s'); endpoints not in the file come last",
            o.unknown, o.lines, o.example);
done:
    FREE_ALL(o.by_name, o.by_lid);
    return status;
}

static bough_status sort_endpoints(conversion *c) {
    const char *order = c->options.order;
    bough_status status = c->order ? apply_order_file(c) : BOUGH_OK;
    if (status) return status;
    const bool guid = !c->order && order && strcmp(order, "guid") == 0;
    const bool lid = !c->order && order && strcmp(order, "lid") == 0;
    qsort(c->endpoint, c->endpoints, sizeof *c->endpoint, guid ? by_guid : lid ? by_lid : by_name);
    c->order_words = guid ? "GUIDs" : lid ? "LIDs" : c->order ? "the order file" : "names";
    return BOUGH_OK;
}

static bough_status select_endpoints(conversion *c) {
    const bough_fabric *f = c->fabric;
    left_out *out = &c->left_out;
    bough_pattern *filter = NULL;
    bough_error why;
    bough_status status = BOUGH_OK;
    if (c->options.endpoints && *c->options.endpoints)
        status = bough_pattern_create(c->options.endpoints, false, &filter, &why);
    for (uint32_t i = 0; i < f->port_count && !status; i++) {
        bool wanted = true;
        const bough_fabric_port *p = &f->port[i];
        const bough_fabric_node *n = &f->node[p->node];
        if (n->kind == BOUGH_FABRIC_SWITCH) continue;
        if (n->kind == BOUGH_FABRIC_ROUTER)
            out->router++;
        else if (p->peer == BOUGH_NO_INDEX)
            out->no_cable++;
        else if (n->aggregation && !c->options.aggregation)
            out->aggregation++;
        else if (f->node[f->port[p->peer].node].kind != BOUGH_FABRIC_SWITCH)
            out->back_to_back++;
        else if (p->lid == 0)
            out->no_lid++;
        else if (filter && ((status = bough_pattern_match(filter, n->name, &wanted, &why)) || !wanted))
            out->filtered++;
        else
            c->endpoint[c->endpoints++] =
                (fabric_endpoint){.port = i, .lid = p->lid, .guid = p->guid, .name = n->name};
    }
    bough_pattern_destroy(filter);
    return status ? bough_fail(c->error, status, NULL, "endpoints: %s", why.reason) : BOUGH_OK;
}

static bough_status check_endpoints(const conversion *c) {
    const left_out *out = &c->left_out;
    const char *source = c->fabric->source;
    if (c->endpoints) return BOUGH_OK;
    if (out->filtered)
        return bough_fail(c->error, BOUGH_INVALID, source,
                          "no endpoints: none of %" PRIu32 " adapter ports has a matching name",
                          out->filtered);
    if (out->no_lid)
        return bough_fail(c->error, BOUGH_INVALID, source,
                          "no endpoints: the adapter ports with a cable (%" PRIu32
                          ") have no LIDs; a subnet manager must initialize the fabric first",
                          out->no_lid);
    if (out->back_to_back)
        return bough_fail(c->error, BOUGH_INVALID, source,
                          "no endpoints: the adapter ports with a cable (%" PRIu32
                          ") are joined to other hosts; expected cables to switches, or a list of cables "
                          "(as CSV, DOT, JSON) between hosts alone",
                          out->back_to_back);
    if (out->no_cable)
        return bough_fail(c->error, BOUGH_INVALID, source,
                          "no endpoints: none of %" PRIu32
                          " adapter ports has a cable to a node of the file; "
                          "expected the switches at their other ends, too",
                          out->no_cable);
    return bough_fail(
        c->error, BOUGH_INVALID, source,
        "no endpoints: none of %" PRIu32 " nodes is a host with a cable to a switch%s", c->fabric->node_count,
        c->fabric->hosts_by_name
            ? "; hosts are nodes with one cable, or those that ibnet:FILE,hosts=REGEX names (hosts=^node)"
            : "");
}

static bough_status report_left_out(conversion *c) {
    const left_out *out = &c->left_out;
    const struct {
        uint32_t count;
        bough_severity severity;
        const char *kind, *thing, *text;
    } line[] = {
        {out->aggregation, BOUGH_INFO, "aggregation-node", "aggregation node",
         "of switches, not counted as endpoints"},
        {out->no_lid, BOUGH_WARN, "no-lid", "adapter port",
         "with a cable but without a LID, not counted as endpoints"},
        {out->filtered, BOUGH_INFO, "filtered", "adapter port", "excluded by endpoints="},
        {out->back_to_back, BOUGH_WARN, "back-to-back", "adapter port",
         "cabled to another adapter, excluded"},
        {out->router, BOUGH_WARN, "router", "router port", "excluded; bough supports one subnet"},
    };
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < sizeof line / sizeof *line && !status; i++)
        if (line[i].count)
            status =
                bough_findings_add(&c->fabric->findings,
                                   &(bough_finding_head){line[i].severity, line[i].kind, c->fabric->source},
                                   c->error, "%" PRIu32 " %s%s %s", line[i].count, line[i].thing,
                                   line[i].count == 1 ? "" : "s", line[i].text);
    return status;
}

/* Numbers the nodes of the network: endpoints, then switches. node_of: fabric port -> node, or
 * BOUGH_NO_INDEX. */
static bough_status number_nodes(conversion *c, uint32_t **node_of) {
    const bough_fabric *f = c->fabric;
    uint32_t next = 0, first, count;
    bough_status status = bough_alloc(node_of, f->port_count, sizeof **node_of, c->error);
    TRY(bough_alloc(&c->origin->fabric_node, (uint64_t)c->endpoints + f->node_count, 4, c->error));
    if (status) return status;
    for (uint32_t i = 0; i < f->port_count; i++) (*node_of)[i] = BOUGH_NO_INDEX;
    for (; next < c->endpoints; next++) {
        (*node_of)[c->endpoint[next].port] = next;
        c->origin->fabric_node[next] = f->port[c->endpoint[next].port].node;
    }
    for (uint32_t v = 0; v < f->node_count; v++) {
        if (f->node[v].kind != BOUGH_FABRIC_SWITCH) continue;
        bough_fabric_ports(f, v, &first, &count);
        for (uint32_t i = first; i < first + count; i++) (*node_of)[i] = next;
        c->origin->fabric_node[next++] = v;
    }
    c->wiring.nodes = next;
    c->wiring.endpoints = c->endpoints;
    return BOUGH_OK;
}

/* Counts cables to adapters, also to those that are not endpoints, so that levels do not depend on the choice
 * of endpoints. Every switch may have an aggregation node, so these count only if there are no other
 * adapters. */
static void count_hosts(const bough_fabric *f, const uint32_t *node_of, imported_wiring *w) {
    bool found = false;
    for (int aggregation = 0; aggregation < 2 && !found; aggregation++)
        for (uint32_t i = 0; i < f->port_count; i++) {
            const bough_fabric_node *n = &f->node[f->port[i].node];
            uint32_t peer = f->port[i].peer;
            if (n->kind != BOUGH_FABRIC_ADAPTER || n->aggregation != aggregation) continue;
            if (peer != BOUGH_NO_INDEX && node_of[peer] != BOUGH_NO_INDEX) {
                w->hosts[node_of[peer]]++;
                found = true;
            }
        }
}

static void add_link(conversion *c, const uint32_t *node_of, uint32_t port, uint32_t twin) {
    imported_wiring *w = &c->wiring;
    const bough_fabric_port *p = &c->fabric->port[port], *q = &c->fabric->port[p->peer];
    uint64_t rate = p->rate < q->rate ? p->rate : q->rate;
    w->link[w->links++] =
        (cable_end){node_of[port], node_of[p->peer], p->number, q->number, twin, port, rate};
}

static bough_status add_links(conversion *c) {
    const bough_fabric *f = c->fabric;
    imported_wiring *w = &c->wiring;
    uint32_t *node_of = NULL;
    bough_status status = number_nodes(c, &node_of);
    TRY(bough_alloc(&w->link, f->port_count, sizeof *w->link, c->error));
    TRY(bough_alloc(&w->hosts, w->nodes, sizeof *w->hosts, c->error));
    if (!status) count_hosts(f, node_of, w);
    for (uint32_t i = 0; i < f->port_count && !status; i++) {
        uint32_t peer = f->port[i].peer, first = w->links;
        if (peer == BOUGH_NO_INDEX || peer <= i) continue;                             /* once per cable */
        if (node_of[i] == BOUGH_NO_INDEX || node_of[peer] == BOUGH_NO_INDEX) continue; /* excluded */
        add_link(c, node_of, i, first + 1);
        add_link(c, node_of, peer, first);
    }
    free(node_of);
    return status;
}

/* A port with LMC has several LIDs, which become consecutive addresses. */
static bough_status number_addresses(conversion *c, uint64_t *addresses) {
    const bough_fabric *f = c->fabric;
    origin *o = c->origin;
    for (uint32_t e = 0; e < c->endpoints; e++) *addresses += UINT64_C(1) << f->port[c->endpoint[e].port].lmc;
    bough_status status = bough_alloc(&o->lid, *addresses, sizeof *o->lid, c->error);
    TRY(bough_alloc(&o->address_node, *addresses, sizeof *o->address_node, c->error));
    TRY(bough_alloc(&o->first_address, c->endpoints, sizeof *o->first_address, c->error));
    if (status) return status;
    uint32_t a = 0;
    for (uint32_t e = 0; e < c->endpoints; e++) {
        o->first_address[e] = a;
        for (uint32_t k = 0; k < 1u << f->port[c->endpoint[e].port].lmc; k++, a++) {
            o->lid[a] = c->endpoint[e].lid + k;
            o->address_node[a] = e;
        }
    }
    return BOUGH_OK;
}

/* That of the file, or of the setting. */
static uint64_t fabric_link_delay(const bough_net *net, uint64_t link) {
    const bough_fabric_port *p = &net->fabric->port[bough_net_fabric_port(net, link)];
    return p->delayed ? p->delay : bough_net_physical(net)->delay;
}

static const char *fabric_port_name(const bough_net *net, uint64_t node, uint32_t port) {
    const uint32_t at = bough_fabric_port_find(net->fabric, origin_of(net)->fabric_node[node], port);
    return at != BOUGH_NO_INDEX ? net->fabric->port[at].name : NULL;
}

static bool names_ports(const bough_fabric *f) {
    for (uint32_t v = 0; v < f->node_count; v++)
        if (f->node[v].named_ports) return true;
    return false;
}

static bool states_delays(const bough_fabric *f) {
    for (uint32_t i = 0; i < f->port_count; i++)
        if (f->port[i].delayed) return true;
    return false;
}

/* Moves the fabric into the network. */
static bough_status finish_net(conversion *c, bough_net *net, uint64_t addresses) {
    flat *f = net->data;
    origin *o = c->origin;
    o->fabric = *c->fabric;
    *c->fabric = (bough_fabric){0};
    f->extra = o;
    f->free_extra = free_origin;
    o->ops = *net->ops;
    o->ops.node_name = fabric_node_name;
    o->ops.address_node = fabric_address_node;
    o->ops.address_of = fabric_address_of;
    if (names_ports(&o->fabric)) o->ops.port_name = fabric_port_name;
    if (states_delays(&o->fabric)) o->ops.link_delay = fabric_link_delay;
    net->ops = &o->ops;
    net->fabric = &o->fabric;
    net->input_hash = o->fabric.hash;
    net->capabilities |= BOUGH_HAS_TABLES;
    net->bytes +=
        o->fabric.port_count * sizeof *o->fabric.port + o->fabric.node_count * sizeof *o->fabric.node;
    net->addresses = addresses;
    net->hosts = &o->hosts;
    const bough_status status = net_hosts_make(net, &o->hosts, c->error);
    o->hosts.order = c->order_words;
    return status;
}

static bough_status convert(conversion *c, const char *spec, bough_net **out) {
    bough_net *net = NULL;
    uint64_t addresses = 0;
    *out = NULL;
    bough_status status = bough_alloc(&c->endpoint, c->fabric->port_count, sizeof *c->endpoint, c->error);
    TRY(bough_alloc(&c->origin, 1, sizeof *c->origin, c->error));
    TRY(bough_alloc(&net, 1, sizeof *net, c->error));
    TRY(select_endpoints(c));
    TRY(check_endpoints(c));
    TRY(sort_endpoints(c));
    TRY(report_left_out(c));
    TRY(add_links(c));
    TRY(number_addresses(c, &addresses));
    if (!status && spec) {
        net->spec = bough_strdup(spec);
        if (!net->spec) status = bough_fail_memory(c->error, strlen(spec));
    }
    if (net) net->threads = c->options.threads;
    TRY(minimal_paths_make(&c->wiring, net, c->error));
    if (net) net->threads = 0; /* of its routings */
    if (status) {
        bough_net_destroy(net);
        free_origin(c->origin);
    } else {
        status = finish_net(c, net, addresses);
        if (status)
            bough_net_destroy(net);
        else
            *out = net;
    }
    FREE_ALL(c->endpoint, c->wiring.link, c->wiring.hosts);
    return status;
}

bough_status bough_net_from_fabric(bough_fabric *fabric, const bough_fabric_options *options,
                                   const char *spec, bough_net **net, bough_error *error) {
    static const char *const keywords[] = {"lid", "guid", "name"};
    conversion c = {.fabric = fabric, .error = error};
    if (options) c.options = *options;
    const char *order = c.options.order;
    bough_input input;
    *net = NULL;
    for (int k = 0; k < 3 && order; k++)
        if (strcmp(order, keywords[k]) == 0) order = NULL;
    if (!order) return convert(&c, spec, net);
    bough_error why = {0};
    bough_status status = bough_input_read(order, &input, &why);
    if (status)
        return bough_fail(error, status, why.place,
                          "%s; order= must be name, lid, guid, or a file of names or LIDs", why.reason);
    terminal_clean_all(&input);
    c.order = &input;
    status = convert(&c, spec, net);
    bough_input_fini(&input);
    return status;
}

/* ---- the family ---- */

static const bough_param params[] = {
    [P_FILE] = {"file",
                "ibnetdiscover output, or another import format of `bough list formats`; compressed, in an "
                "archive, or -",
                BOUGH_TEXT, NULL, 0, 0, .echo = true},
    [P_ENDPOINTS] = {"endpoints",
                     "only adapters with a name that contains a match of this regular expression (PCRE2)",
                     BOUGH_TEXT, ""},
    [P_ORDER] = {"order", "name, lid, guid, or a file of names or LIDs", BOUGH_TEXT, "name"},
    [P_AGGREGATION] = {"aggregation", "count aggregation nodes as endpoints", BOUGH_FLAG, "0"},
    [P_HOSTS] = {"hosts",
                 "for lists of cables: nodes whose names contain a match of this regular expression (PCRE2) "
                 "are hosts; "
                 "default: nodes with one cable",
                 BOUGH_TEXT, ""},
    [P_NAMES] = {"names", "names of nodes by GUID: a file as ib-node-name-map", BOUGH_TEXT, ""},
    BOUGH_PARAMS_END,
};

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    bough_fabric fabric;
    bough_net *made = NULL;
    const bough_fabric_file file = {.path = args->value[P_FILE].text,
                                    .hosts = args->value[P_HOSTS].set ? args->value[P_HOSTS].text : NULL,
                                    .names = args->value[P_NAMES].text,
                                    .threads = net->threads};
    bough_status status = bough_fabric_read_file(&file, &fabric, error);
    if (status) return status;
    bough_fabric_options options = {args->value[P_ENDPOINTS].text, args->value[P_ORDER].text,
                                    args->value[P_AGGREGATION].integer != 0, net->threads};
    status = bough_net_from_fabric(&fabric, &options, NULL, &made, error);
    bough_fabric_fini(&fabric);
    if (status) return status;
    *net = *made;
    free(made);
    return BOUGH_OK;
}

const bough_family bough_family_ibnet = {
    .name = "ibnet",
    .summary = "a fabric imported from its files: InfiniBand, or a list of cables",
    .source = "ibnetdiscover of infiniband-diags; ORCS",
    .params = params,
    .make = make,
};
