/* From a fabric's files to a network. Endpoints are adapter ports with a cable and a LID, in ascending LID order
 * unless another order is asked for; what is left out is said in the fabric's findings. */
#include "base/input.h"
#include "base/memory.h"
#include "topology/families.h"
#include "topology/flat.h"

#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct host {
    uint32_t port, lid, rank; /* fabric port; its LID; place in the asked order */
    uint64_t guid;
    const char *name;
} host;

/* What the network keeps of its fabric. */
typedef struct origin {
    bough_fabric fabric;
    uint32_t *fabric_node; /* per node */
    uint32_t *lid;         /* per address */
    uint32_t *address_node, *first_address;
    bough_net_ops ops;     /* flat's, with names and addresses */
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
    if (n->kind != BOUGH_FABRIC_SWITCH && cabled > 1) { /* one node, several endpoints: say which port */
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

/* A file of names or LIDs, one a line: its endpoints come first, in its order. */
static bough_status order_from_file(const char *path, host *list, uint32_t count, bough_findings *findings,
                                    bough_error *error) {
    bough_input input;
    bough_status status = bough_input_read(path, &input, error);
    if (status) return status;
    uint32_t rank = 0, line_number = 0, unknown = 0;
    const char *cursor = input.piece[0].data, *end = cursor + input.piece[0].size, *line;
    for (uint32_t i = 0; i < count; i++) list[i].rank = BOUGH_NO_INDEX;
    size_t length;
    while ((line = bough_next_line(&cursor, end, &length))) {
        line_number++;
        while (length && (*line == ' ' || *line == '\t')) line++, length--;
        while (length && (line[length - 1] == ' ' || line[length - 1] == '\t')) length--;
        if (length == 0 || *line == '#') continue;
        uint32_t found = 0;
        char *stop;
        unsigned long number = strtoul(line, &stop, 0);
        bool is_lid = stop == line + length && number > 0;
        for (uint32_t i = 0; i < count; i++)
            if (is_lid ? list[i].lid == number
                       : strlen(list[i].name) == length && memcmp(list[i].name, line, length) == 0) {
                if (list[i].rank == BOUGH_NO_INDEX) list[i].rank = rank++;
                found++;
            }
        if (!found) unknown++;
    }
    if (unknown)
        status = bough_findings_add(findings, BOUGH_WARN, "order", path, error,
                                    "%u of %u lines name no endpoint; endpoints that are not named come last", unknown,
                                    line_number);
    bough_input_fini(&input);
    return status;
}

static bough_status sort_endpoints(host *list, uint32_t count, const char *order, bough_findings *findings,
                                   bough_error *error) {
    bough_status status = BOUGH_OK;
    if (!order || strcmp(order, "lid") == 0)
        qsort(list, count, sizeof *list, by_order);
    else if (strcmp(order, "guid") == 0)
        qsort(list, count, sizeof *list, by_guid);
    else if (strcmp(order, "name") == 0)
        qsort(list, count, sizeof *list, by_name);
    else {
        status = order_from_file(order, list, count, findings, error);
        if (!status) qsort(list, count, sizeof *list, by_order);
    }
    return status;
}

typedef struct left_out {
    uint32_t aggregation, no_cable, no_lid, filtered, back_to_back, router;
} left_out;

static bough_status pick_endpoints(bough_fabric *f, const bough_fabric_options *options, host *list,
                                   uint32_t *count, left_out *out, bough_error *error) {
    regex_t regex;
    bool filter = options && options->endpoints && *options->endpoints;
    if (filter && regcomp(&regex, options->endpoints, REG_EXTENDED | REG_NOSUB) != 0)
        return bough_fail(error, BOUGH_INVALID, NULL, "endpoints: '%s' is not a regular expression", options->endpoints);
    *count = 0;
    for (uint32_t i = 0; i < f->port_count; i++) {
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
        else if (filter && regexec(&regex, n->name, 0, NULL, 0) != 0)
            out->filtered++;
        else
            list[(*count)++] = (host){.port = i, .lid = p->lid, .guid = p->guid, .name = n->name};
    }
    if (filter) regfree(&regex);
    return BOUGH_OK;
}

static bough_status say_left_out(bough_fabric *f, const left_out *o, bough_error *error) {
    const struct {
        uint32_t count;
        bough_severity severity;
        const char *kind, *text;
    } said[] = {
        {o->aggregation, BOUGH_INFO, "aggregation-node", "aggregation nodes of switches, left out of the endpoints"},
        {o->no_lid, BOUGH_WARN, "no-lid", "adapter ports with a cable but no LID, left out of the endpoints"},
        {o->filtered, BOUGH_INFO, "filtered", "adapter ports left out as asked (endpoints)"},
        {o->back_to_back, BOUGH_WARN, "back-to-back", "adapter ports cabled to another adapter, left out"},
        {o->router, BOUGH_WARN, "router", "router ports left out; bough sees one subnet"},
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        if (!said[i].count) continue;
        bough_status status = bough_findings_add(&f->findings, said[i].severity, said[i].kind, f->source, error,
                                                 "%" PRIu32 " %s", said[i].count, said[i].text);
        if (status) return status;
    }
    return BOUGH_OK;
}

static void add_link(flat_wiring *w, const bough_fabric *f, uint32_t port, uint32_t from, uint32_t to, uint32_t twin) {
    const bough_fabric_port *p = &f->port[port], *q = &f->port[p->peer];
    uint64_t rate = p->rate < q->rate ? p->rate : q->rate;
    w->link[w->links++] = (flat_cable_end){from, to, p->number, q->number, twin, port, rate};
}

static bough_status wire(const bough_fabric *f, const host *list, uint32_t endpoints, origin *o, flat_wiring *w,
                         bough_error *error) {
    uint32_t *node_of, *endpoint_of, next = endpoints;
    bough_status status = bough_alloc(&node_of, f->node_count, sizeof *node_of, error);
    if (status) return status;
    status = bough_alloc(&endpoint_of, f->port_count, sizeof *endpoint_of, error);
    if (!status) status = bough_alloc(&w->link, f->port_count, sizeof *w->link, error);
    if (!status) status = bough_alloc(&o->fabric_node, (uint64_t)endpoints + f->node_count, 4, error);
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
    for (uint32_t i = 0; i < f->port_count; i++) {
        uint32_t j = f->port[i].peer;
        if (j == BOUGH_NO_INDEX || j <= i) continue; /* once a cable */
        uint32_t a = endpoint_of[i] != BOUGH_NO_INDEX ? endpoint_of[i] : node_of[f->port[i].node];
        uint32_t b = endpoint_of[j] != BOUGH_NO_INDEX ? endpoint_of[j] : node_of[f->port[j].node];
        if (a == BOUGH_NO_INDEX || b == BOUGH_NO_INDEX) continue; /* left out */
        uint32_t first = w->links;
        add_link(w, f, i, a, b, first + 1);
        add_link(w, f, j, b, a, first);
    }
done:
    free(node_of);
    free(endpoint_of);
    return status;
}

/* A port with LMC answers to several LIDs: as many addresses, one after the other. */
static bough_status address(const bough_fabric *f, const host *list, uint32_t endpoints, origin *o,
                            uint64_t *addresses, bough_error *error) {
    *addresses = 0;
    for (uint32_t e = 0; e < endpoints; e++) *addresses += UINT64_C(1) << f->port[list[e].port].lmc;
    bough_status status = bough_alloc(&o->lid, *addresses, sizeof *o->lid, error);
    if (!status) status = bough_alloc(&o->address_node, *addresses, sizeof *o->address_node, error);
    if (!status) status = bough_alloc(&o->first_address, endpoints, sizeof *o->first_address, error);
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

bough_status bough_net_from_fabric(bough_fabric *fabric, const bough_fabric_options *options, const char *spec,
                                   bough_net **out, bough_error *error) {
    *out = NULL;
    host *list = NULL;
    origin *o = NULL;
    bough_net *net = NULL;
    flat_wiring w = {0};
    left_out left = {0};
    uint32_t count = 0;
    uint64_t addresses = 0;
    bough_status status = bough_alloc(&list, fabric->port_count, sizeof *list, error);
    if (!status) status = bough_alloc(&o, 1, sizeof *o, error);
    if (!status) status = bough_alloc(&net, 1, sizeof *net, error);
    if (!status) status = pick_endpoints(fabric, options, list, &count, &left, error);
    if (!status && count == 0)
        status = bough_fail(error, BOUGH_INVALID, fabric->source, "no endpoints: no adapter port has a cable and a LID%s",
                            left.filtered ? " and a name that matches" : "");
    if (!status) status = sort_endpoints(list, count, options ? options->order : NULL, &fabric->findings, error);
    if (!status) status = say_left_out(fabric, &left, error);
    if (!status) status = wire(fabric, list, count, o, &w, error);
    if (!status) status = address(fabric, list, count, o, &addresses, error);
    if (!status && spec) {
        net->spec = bough_strdup(spec);
        if (!net->spec) status = bough_fail_memory(error, strlen(spec));
    }
    if (!status) status = flat_make(&w, net, error);
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
        net->gives |= BOUGH_GIVES_TABLES;
        *out = net;
    } else {
        bough_net_destroy(net);
        free_origin(o);
    }
    free(list);
    free(w.link);
    return status;
}

/* ---- the family ---- */

static const bough_param params[] = {
    {"file", "ibnetdiscover output (plain or -p) or an ORCS dot file; .gz and - work", BOUGH_TEXT, NULL, 0, 0, .echo = true},
    {"endpoints", "only adapters whose name matches this regular expression", BOUGH_TEXT, ""},
    {"order", "lid, guid, name, or a file of names or LIDs", BOUGH_TEXT, "lid"},
    {"aggregation", "count aggregation nodes as endpoints", BOUGH_FLAG, "0"},
    BOUGH_PARAMS_END,
};

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    bough_fabric fabric;
    bough_net *made = NULL;
    bough_status status = bough_fabric_read(args->value[0].text, &fabric, error);
    if (status) return status;
    bough_fabric_options options = {args->value[1].text, args->value[2].text, args->value[3].integer != 0, NULL};
    status = bough_net_from_fabric(&fabric, &options, NULL, &made, error);
    bough_fabric_fini(&fabric);
    if (status) return status;
    *net = *made;
    free(made);
    return BOUGH_OK;
}

const bough_family bough_family_ibnet = {
    .name = "ibnet",
    .summary = "a real InfiniBand fabric from its own files",
    .source = "ibnetdiscover of infiniband-diags; ORCS",
    .params = params,
    .make = make,
};
