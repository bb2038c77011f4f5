/* Converts a fabric to a network. Endpoints are adapter ports with a cable and a LID, by default in ascending
 * LID order. Excluded ports are reported in the findings of the fabric. */
#include "network/imported/fabric_net.h"
#include "base/files/input.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/regular_expression.h"
#include "network/families/network_families.h"
#include "network/recorded/minimal_paths_net.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { P_FILE, P_ENDPOINTS, P_ORDER, P_AGGREGATION, P_HOSTS };

typedef struct host {
    uint32_t port, lid, rank; /* fabric port; its LID; position in the requested order */
    uint64_t guid;
    const char *name;
} host;

/* The data kept from the fabric. */
typedef struct origin {
    bough_fabric fabric;
    uint32_t *fabric_node; /* per node */
    uint32_t *lid;         /* per address */
    uint32_t *address_node, *first_address;
    bough_net_ops ops; /* flat's, with names and addresses */
} origin;

static const origin *origin_of(const bough_net *net) {
    const flat *f = flat_of(net);
    return f ? f->extra : NULL;
}

static void free_origin(void *extra) {
    origin *o = extra;
    if (!o) return;
    bough_fabric_fini(&o->fabric);
    free(o->fabric_node);
    free(o->lid);
    free(o->address_node);
    free(o->first_address);
    free(o);
}

uint32_t bough_net_fabric_node(const bough_net *net, uint64_t node) {
    const origin *o = origin_of(net);
    return o ? o->fabric_node[node] : BOUGH_NO_INDEX;
}

uint32_t bough_net_fabric_port(const bough_net *net, uint64_t link) {
    return origin_of(net) ? flat_of(net)->link_tag[link] : BOUGH_NO_INDEX;
}

uint32_t bough_net_lid(const bough_net *net, uint64_t address) {
    const origin *o = origin_of(net);
    return o ? o->lid[address] : 0;
}

uint64_t bough_net_link_at(const bough_net *net, uint64_t node, uint32_t port_number) {
    const flat *f = flat_of(net);
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
        const flat *f = flat_of(net);
        snprintf(buffer, size, "%s:%u", n->name, f->out_port[f->group_first[f->node_group[node]]]);
    } else {
        snprintf(buffer, size, "%s", n->name);
    }
}

static int by_order(const void *a, const void *b) {
    const host *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    if (x->lid != y->lid) return x->lid < y->lid ? -1 : 1;
    return (x->port > y->port) - (x->port < y->port);
}
static int by_guid(const void *a, const void *b) {
    const host *x = a, *y = b;
    return x->guid != y->guid ? (x->guid < y->guid ? -1 : 1) : (x->port > y->port) - (x->port < y->port);
}
static int by_name(const void *a, const void *b) {
    const host *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : (x->port > y->port) - (x->port < y->port);
}

/* Reads an order file: one name or LID per line. Endpoints in the file come first, in its order. Text after a
 * tab is ignored: opensm-ftree-ca-order.dump has LIDs and names. */
typedef struct order_file {
    const bough_fabric *fabric;
    host *list, **by_name; /* by_name: sorted */
    uint32_t count, rank;
    uint32_t *by_lid; /* LID -> 1 + index in list; 0: none */
    uint32_t lines, unknown;
    char example[64]; /* the first line without an endpoint */
} order_file;

enum { LID_END = 0xC000 };

static int by_name_of(const void *a, const void *b) {
    const host *const *x = a, *const *y = b;
    return by_name(*x, *y);
}

static void give_rank(order_file *o, host *h) {
    if (h->rank == BOUGH_NO_INDEX) h->rank = o->rank++;
}

/* Adds all ports of the adapter with this name, or the one with this number. */
static bool rank_name(order_file *o, const char *name, size_t length, uint32_t port) {
    uint32_t low = 0, high = o->count;
    bool found = false;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int c = strncmp(o->by_name[middle]->name, name, length);
        if (c < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < o->count && strncmp(o->by_name[low]->name, name, length) == 0; low++) {
        host *h = o->by_name[low];
        if (h->name[length] || (port && o->fabric->port[h->port].number != port)) continue;
        give_rank(o, h);
        found = true;
    }
    return found;
}

static bool rank_lid(order_file *o, const char *text, size_t length) {
    bool hexadecimal = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    if (*text < '0' || *text > '9') return false;
    unsigned long lid = strtoul(text, &end, hexadecimal ? 16 : 10);
    if (end != text + length || lid >= LID_END || !o->by_lid[lid]) return false;
    give_rank(o, &o->list[o->by_lid[lid] - 1]);
    return true;
}

/* NAME:PORT is the name of one port of an adapter with several endpoints. */
static bool rank_port(order_file *o, const char *text, size_t length) {
    size_t colon = length;
    while (colon > 0 && text[colon - 1] >= '0' && text[colon - 1] <= '9') colon--;
    if (colon < 2 || colon == length || text[colon - 1] != ':') return false;
    unsigned long port = strtoul(text + colon, NULL, 10);
    return port > 0 && port < 256 && rank_name(o, text, colon - 1, (uint32_t)port);
}

static void read_order(order_file *o, const bough_input_piece *piece) {
    const char *cursor = piece->data, *end = cursor + piece->size, *line;
    size_t length;
    while ((line = bough_next_line(&cursor, end, &length))) {
        while (length && (*line == ' ' || *line == '\t')) line++, length--;
        while (length && (line[length - 1] == ' ' || line[length - 1] == '\t')) length--;
        if (length == 0 || *line == '#') continue;
        const char *tab = memchr(line, '\t', length);
        if (tab) length = (size_t)(tab - line);
        o->lines++;
        bool text = !memchr(line, 0, length);
        if (text &&
            (rank_name(o, line, length, 0) || rank_lid(o, line, length) || rank_port(o, line, length)))
            continue;
        if (!o->unknown++)
            snprintf(o->example, sizeof o->example, "%.*s", length < 60 ? (int)length : 60, line);
    }
}

static bough_status order_from_file(const bough_input *input, bough_fabric *fabric, host *list,
                                    uint32_t count, bough_error *error) {
    order_file o = {.fabric = fabric, .list = list, .count = count};
    bough_status status = bough_alloc(&o.by_name, count, sizeof *o.by_name, error);
    TRY(bough_alloc(&o.by_lid, LID_END, sizeof *o.by_lid, error));
    if (!status) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t lids = UINT32_C(1) << fabric->port[list[i].port].lmc;
            o.by_name[i] = &list[i];
            list[i].rank = BOUGH_NO_INDEX;
            for (uint32_t l = list[i].lid; l < list[i].lid + lids && l < LID_END; l++)
                if (!o.by_lid[l]) o.by_lid[l] = i + 1;
        }
        qsort(o.by_name, count, sizeof *o.by_name, by_name_of);
        for (size_t i = 0; i < input->count; i++) read_order(&o, &input->piece[i]);
        if (o.unknown)
            status = bough_findings_add(
                &fabric->findings, &(bough_finding_head){BOUGH_WARN, "order", input->piece[0].name}, error,
                "%u of %u lines name no endpoint (the first is '%s'); endpoints not in the file come last",
                o.unknown, o.lines, o.example);
    }
    free(o.by_name);
    free(o.by_lid);
    return status;
}

/* Sorts by a keyword, or by the content of a file (not NULL). */
static bough_status sort_endpoints(bough_fabric *fabric, host *list, uint32_t count, const char *order,
                                   const bough_input *file, bough_error *error) {
    bough_status status = file ? order_from_file(file, fabric, list, count, error) : BOUGH_OK;
    if (status) return status;
    bool guid = !file && order && strcmp(order, "guid") == 0,
         name = !file && order && strcmp(order, "name") == 0;
    qsort(list, count, sizeof *list, guid ? by_guid : name ? by_name : by_order);
    return BOUGH_OK;
}

typedef struct left_out {
    uint32_t aggregation, no_cable, no_lid, filtered, back_to_back, router;
} left_out;

static bough_status pick_endpoints(bough_fabric *f, const bough_fabric_options *options, host *list,
                                   uint32_t *count, left_out *out, bough_error *error) {
    bough_pattern *filter = NULL;
    bough_error why;
    bough_status status = BOUGH_OK;
    if (options && options->endpoints && *options->endpoints)
        status = bough_pattern_create(options->endpoints, false, &filter, &why);
    *count = 0;
    for (uint32_t i = 0; i < f->port_count && !status; i++) {
        bool wanted = true;
        const bough_fabric_port *p = &f->port[i];
        const bough_fabric_node *n = &f->node[p->node];
        if (n->kind == BOUGH_FABRIC_SWITCH) continue;
        if (n->kind == BOUGH_FABRIC_ROUTER)
            out->router++;
        else if (p->peer == BOUGH_NO_INDEX)
            out->no_cable++;
        else if (n->aggregation && !(options && options->aggregation))
            out->aggregation++;
        else if (f->node[f->port[p->peer].node].kind != BOUGH_FABRIC_SWITCH)
            out->back_to_back++;
        else if (p->lid == 0)
            out->no_lid++;
        else if (filter && ((status = bough_pattern_match(filter, n->name, &wanted, &why)) || !wanted))
            out->filtered++;
        else
            list[(*count)++] = (host){.port = i, .lid = p->lid, .guid = p->guid, .name = n->name};
    }
    bough_pattern_destroy(filter);
    return status ? bough_fail(error, status, NULL, "endpoints: %s", why.reason) : BOUGH_OK;
}

static bough_status no_endpoints(const bough_fabric *f, const left_out *o, bough_error *error) {
    if (o->filtered)
        return bough_fail(error, BOUGH_INVALID, f->source,
                          "no endpoints: none of %" PRIu32 " adapter ports has a matching name", o->filtered);
    if (o->no_lid)
        return bough_fail(error, BOUGH_INVALID, f->source,
                          "no endpoints: the adapter ports with a cable (%" PRIu32
                          ") have no LIDs; a subnet manager must initialize the fabric first",
                          o->no_lid);
    return bough_fail(error, BOUGH_INVALID, f->source,
                      "no endpoints: no adapter port has a cable to a switch and a LID");
}

static bough_status say_left_out(bough_fabric *f, const left_out *o, bough_error *error) {
    const struct {
        uint32_t count;
        bough_severity severity;
        const char *kind, *text;
    } said[] = {
        {o->aggregation, BOUGH_INFO, "aggregation-node",
         "aggregation nodes of switches, not counted as endpoints"},
        {o->no_lid, BOUGH_WARN, "no-lid",
         "adapter ports with a cable but without a LID, not counted as endpoints"},
        {o->filtered, BOUGH_INFO, "filtered", "adapter ports excluded by endpoints="},
        {o->back_to_back, BOUGH_WARN, "back-to-back", "adapter ports cabled to another adapter, excluded"},
        {o->router, BOUGH_WARN, "router", "router ports excluded; bough supports one subnet"},
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        if (!said[i].count) continue;
        bough_status status =
            bough_findings_add(&f->findings, &(bough_finding_head){said[i].severity, said[i].kind, f->source},
                               error, "%" PRIu32 " %s", said[i].count, said[i].text);
        if (status) return status;
    }
    return BOUGH_OK;
}

static void add_link(flat_wiring *w, const bough_fabric *f, uint32_t port, uint32_t from, uint32_t to,
                     uint32_t twin) {
    const bough_fabric_port *p = &f->port[port], *q = &f->port[p->peer];
    uint64_t rate = p->rate < q->rate ? p->rate : q->rate;
    w->link[w->links++] = (flat_cable_end){from, to, p->number, q->number, twin, port, rate};
}

/* Leaves are the switches with adapters, including adapters that are not endpoints, so that levels do not
 * depend on the choice of endpoints. Every switch may have an aggregation node, so these count only if there
 * are no other adapters. */
static void find_leaves(const bough_fabric *f, const uint32_t *node_of, flat_wiring *w) {
    bool found = false;
    for (int aggregation = 0; aggregation < 2 && !found; aggregation++)
        for (uint32_t i = 0; i < f->port_count; i++) {
            const bough_fabric_node *n = &f->node[f->port[i].node];
            if (n->kind != BOUGH_FABRIC_ADAPTER || n->aggregation != aggregation) continue;
            if (f->port[i].peer == BOUGH_NO_INDEX) continue;
            uint32_t at = node_of[f->port[f->port[i].peer].node];
            if (at != BOUGH_NO_INDEX) w->leaf[at] = found = true;
        }
}

static bough_status wire(const bough_fabric *f, const host *list, uint32_t endpoints, origin *o,
                         flat_wiring *w, bough_error *error) {
    uint32_t *node_of, *endpoint_of, next = endpoints;
    bough_status status = bough_alloc(&node_of, f->node_count, sizeof *node_of, error);
    if (status) return status;
    status = bough_alloc(&endpoint_of, f->port_count, sizeof *endpoint_of, error);
    TRY(bough_alloc(&w->link, f->port_count, sizeof *w->link, error));
    TRY(bough_alloc(&o->fabric_node, (uint64_t)endpoints + f->node_count, 4, error));
    if (status) goto done;
    for (uint32_t i = 0; i < f->port_count; i++) endpoint_of[i] = BOUGH_NO_INDEX;
    for (uint32_t e = 0; e < endpoints; e++) {
        endpoint_of[list[e].port] = e;
        o->fabric_node[e] = f->port[list[e].port].node;
    }
    for (uint32_t v = 0; v < f->node_count; v++)
        if (f->node[v].kind == BOUGH_FABRIC_SWITCH) {
            o->fabric_node[next] = v;
            node_of[v] = next++;
        } else {
            node_of[v] = BOUGH_NO_INDEX;
        }
    w->nodes = next;
    w->endpoints = endpoints;
    status = bough_alloc(&w->leaf, w->nodes, sizeof *w->leaf, error);
    if (status) goto done;
    find_leaves(f, node_of, w);
    for (uint32_t i = 0; i < f->port_count; i++) {
        uint32_t j = f->port[i].peer;
        if (j == BOUGH_NO_INDEX || j <= i) continue; /* once per cable */
        uint32_t a = endpoint_of[i] != BOUGH_NO_INDEX ? endpoint_of[i] : node_of[f->port[i].node];
        uint32_t b = endpoint_of[j] != BOUGH_NO_INDEX ? endpoint_of[j] : node_of[f->port[j].node];
        if (a == BOUGH_NO_INDEX || b == BOUGH_NO_INDEX) continue; /* excluded */
        uint32_t first = w->links;
        add_link(w, f, i, a, b, first + 1);
        add_link(w, f, j, b, a, first);
    }
done:
    free(node_of);
    free(endpoint_of);
    return status;
}

/* A port with LMC has several LIDs, which become consecutive addresses. */
static bough_status address(const bough_fabric *f, const host *list, uint32_t endpoints, origin *o,
                            uint64_t *addresses, bough_error *error) {
    *addresses = 0;
    for (uint32_t e = 0; e < endpoints; e++) *addresses += UINT64_C(1) << f->port[list[e].port].lmc;
    bough_status status = bough_alloc(&o->lid, *addresses, sizeof *o->lid, error);
    TRY(bough_alloc(&o->address_node, *addresses, sizeof *o->address_node, error));
    TRY(bough_alloc(&o->first_address, endpoints, sizeof *o->first_address, error));
    if (status) return status;
    uint32_t a = 0;
    for (uint32_t e = 0; e < endpoints; e++) {
        o->first_address[e] = a;
        for (uint32_t k = 0; k < 1u << f->port[list[e].port].lmc; k++, a++) {
            o->lid[a] = list[e].lid + k;
            o->address_node[a] = e;
        }
    }
    return BOUGH_OK;
}

/* order: content of the file that options name; NULL for keywords. */
static bough_status make_net(bough_fabric *fabric, const bough_fabric_options *options,
                             const bough_input *order, const char *spec, bough_net **out,
                             bough_error *error) {
    *out = NULL;
    host *list = NULL;
    origin *o = NULL;
    bough_net *net = NULL;
    flat_wiring w = {0};
    left_out left = {0};
    uint32_t count = 0;
    uint64_t addresses = 0;
    bough_status status = bough_alloc(&list, fabric->port_count, sizeof *list, error);
    TRY(bough_alloc(&o, 1, sizeof *o, error));
    TRY(bough_alloc(&net, 1, sizeof *net, error));
    TRY(pick_endpoints(fabric, options, list, &count, &left, error));
    if (!status && count == 0) status = no_endpoints(fabric, &left, error);
    TRY(sort_endpoints(fabric, list, count, options ? options->order : NULL, order, error));
    TRY(say_left_out(fabric, &left, error));
    TRY(wire(fabric, list, count, o, &w, error));
    TRY(address(fabric, list, count, o, &addresses, error));
    if (!status && spec) {
        net->spec = bough_strdup(spec);
        if (!net->spec) status = bough_fail_memory(error, strlen(spec));
    }
    TRY(flat_make(&w, net, error));
    if (!status) {
        flat *f = net->data;
        o->fabric = *fabric;
        *fabric = (bough_fabric){0};
        f->extra = o;
        f->free_extra = free_origin;
        o->ops = *net->ops;
        o->ops.node_name = fabric_node_name;
        o->ops.address_node = fabric_address_node;
        o->ops.address_of = fabric_address_of;
        net->ops = &o->ops;
        net->addresses = addresses;
        net->fabric = &o->fabric;
        net->capabilities |= BOUGH_HAS_TABLES;
        net->bytes +=
            o->fabric.port_count * sizeof *o->fabric.port + o->fabric.node_count * sizeof *o->fabric.node;
        *out = net;
    } else {
        bough_net_destroy(net);
        free_origin(o);
    }
    free(list);
    free(w.link);
    free(w.leaf);
    return status;
}

bough_status bough_net_from_fabric(bough_fabric *fabric, const bough_fabric_options *options,
                                   const char *spec, bough_net **net, bough_error *error) {
    static const char *const keywords[] = {"lid", "guid", "name"};
    const char *order = options ? options->order : NULL;
    bough_input input;
    *net = NULL;
    for (int k = 0; k < 3 && order; k++)
        if (strcmp(order, keywords[k]) == 0) order = NULL;
    if (!order) return make_net(fabric, options, NULL, spec, net, error);
    bough_error why = {0};
    bough_status status = bough_input_read(order, &input, &why);
    if (status)
        return bough_fail(error, status, why.place,
                          "%s; order= must be lid, guid, name, or a file of names or LIDs", why.reason);
    status = make_net(fabric, options, &input, spec, net, error);
    bough_input_fini(&input);
    return status;
}

bough_status fabric_net_in_order(bough_fabric *fabric, const char *name, const void *data, size_t size,
                                 bough_net **net, bough_error *error) {
    bough_input input;
    *net = NULL;
    bough_status status = bough_input_from(name, data, size, &input, error);
    if (status) return status;
    status = make_net(fabric, NULL, &input, NULL, net, error);
    bough_input_fini(&input);
    return status;
}

/* ---- the family ---- */

static const bough_param params[] = {
    [P_FILE] =
        {"file",
         "ibnetdiscover output, or another import format of `bough list formats`; .gz and - are accepted",
         BOUGH_TEXT, NULL, 0, 0, .echo = true},
    [P_ENDPOINTS] = {"endpoints",
                     "only adapters with a name that contains a match of this regular expression (PCRE2)",
                     BOUGH_TEXT, ""},
    [P_ORDER] = {"order", "lid, guid, name, or a file of names or LIDs", BOUGH_TEXT, "lid"},
    [P_AGGREGATION] = {"aggregation", "count aggregation nodes as endpoints", BOUGH_FLAG, "0"},
    [P_HOSTS] = {"hosts",
                 "for lists of cables: nodes whose names contain a match of this regular expression (PCRE2) "
                 "are hosts; "
                 "default: nodes with one cable",
                 BOUGH_TEXT, ""},
    BOUGH_PARAMS_END,
};

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    bough_fabric fabric;
    bough_net *made = NULL;
    bough_status status =
        bough_fabric_read_hosts(args->value[P_FILE].text,
                                args->value[P_HOSTS].set ? args->value[P_HOSTS].text : NULL, &fabric, error);
    if (status) return status;
    bough_fabric_options options = {args->value[P_ENDPOINTS].text, args->value[P_ORDER].text,
                                    args->value[P_AGGREGATION].integer != 0, NULL};
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
