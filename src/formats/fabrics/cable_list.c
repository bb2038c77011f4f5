#include "formats/fabrics/cable_list.h"

#include "base/memory/compressed_rows.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/regular_expression.h"
#include "base/text/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bough_status bough_cables_node(bough_cables *c, bough_slice name, uint32_t line, uint32_t *node) {
    *node = bough_name_map_get(&c->names, name.text, name.length);
    if (*node != BOUGH_NO_INDEX) return BOUGH_OK;
    size_t index = c->parsed->node_count;
    bough_parsed_node new = {
        .own = {.kind = BOUGH_FABRIC_SWITCH, .guid = 256 * (index + 1)}, .description = name, .line = line};
    bough_status status =
        arena_grow(&c->parsed->memory, &c->node, index + 1, sizeof *c->node, c->parsed->error);
    TRY(bough_parsed_add_node(c->parsed, &new, node));
    TRY(bough_name_map_add(&c->names, c->parsed->node[index].description, name.length, *node,
                           c->parsed->error));
    if (!status) c->node[index] = (struct bough_cable_node){.order = index};
    return status;
}

static bough_status fail(const bough_cables *c, uint32_t line, const char *node, const char *what) {
    char place[256], name[64];
    bough_copy_printable(node, strlen(node), name, sizeof name);
    return bough_fail(c->parsed->error, BOUGH_INVALID,
                      bough_format_place(place, sizeof place, c->parsed->name, line), "%s %s", name, what);
}

bough_status bough_cables_add(bough_cables *c, const bough_cable *cable) {
    uint32_t a = cable->end[0].node, b = cable->end[1].node;
    bough_status status =
        arena_grow(&c->parsed->memory, &c->cable, c->count + 1, sizeof *c->cable, c->parsed->error);
    if (status) return status;
    c->cable[c->count++] = *cable;
    c->node[a].cables++;
    c->node[b].cables++;
    return BOUGH_OK;
}

/* ---- kinds ---- */

static bough_status find_kinds(bough_cables *c) {
    bough_parsed_fabric *parsed = c->parsed;
    bough_pattern *pattern = NULL;
    bough_error why;
    bough_status status =
        parsed->hosts ? bough_pattern_create(parsed->hosts, false, &pattern, &why) : BOUGH_OK;
    for (size_t n = 0; n < parsed->node_count && !status; n++) {
        bool host = c->node[n].kind == BOUGH_CABLE_OPEN ? c->node[n].cables == 1
                                                        : c->node[n].kind == BOUGH_CABLE_HOST;
        if (parsed->hosts) status = bough_pattern_match(pattern, parsed->node[n].description, &host, &why);
        c->node[n].kind = host ? BOUGH_CABLE_HOST : BOUGH_CABLE_SWITCH;
    }
    bough_pattern_destroy(pattern);
    return status ? bough_fail(c->parsed->error, status, NULL, "hosts: %s", why.reason) : BOUGH_OK;
}

/* ---- hosts that forward ---- */

/* Moves the cables of a host to a new switch. */
static bough_status split_host(bough_cables *c, uint32_t host, uint64_t rate, uint32_t *inner) {
    char name[256];
    const int length = snprintf(name, sizeof name, "%.200s.switch", c->parsed->node[host].description);
    bough_cable cable = {.end[0].node = host, .rate = rate, .delayed = true, .line = c->parsed->line[host]};
    bough_status status = bough_cables_node(c, (bough_slice){name, (size_t)length}, cable.line, inner);
    if (status) return status;
    c->node[*inner].kind = BOUGH_CABLE_SWITCH;
    c->node[*inner].order = c->node[host].order;
    c->node[*inner].cables = c->node[host].cables;
    c->node[host].cables = 0;
    cable.end[1].node = *inner;
    return bough_cables_add(c, &cable);
}

/* Makes hosts that have cables to hosts forward: such a host NAME is an endpoint at a switch NAME.switch with
 * its cables, joined without delay at their rates together. */
static bough_status join_hosts(bough_cables *c) {
    const size_t nodes = c->parsed->node_count, cables = c->count;
    uint64_t *rate = NULL, hosts = 0, rates = 0;
    uint32_t *inner = NULL;
    bough_status status = arena_alloc(&c->parsed->memory, &rate, nodes, sizeof *rate, c->parsed->error);
    TRY(arena_alloc(&c->parsed->memory, &inner, nodes, sizeof *inner, c->parsed->error));
    if (status) return status;
    for (size_t i = 0; i < 2 * cables; i++) {
        const bough_cable *k = &c->cable[i / 2];
        const uint32_t own = k->end[i % 2].node, other = k->end[1 - i % 2].node;
        rate[own] = bough_add(rate[own], k->rate);
        inner[own] |= c->node[own].kind == BOUGH_CABLE_HOST && c->node[other].kind == BOUGH_CABLE_HOST;
    }
    for (uint32_t n = 0; n < nodes && !status; n++) {
        if (!inner[n]) continue;
        hosts++;
        rates += rate[n] > 0;
        status = split_host(c, n, rate[n], &inner[n]);
    }
    for (size_t i = 0; i < 2 * cables && !status; i++) {
        uint32_t *own = &c->cable[i / 2].end[i % 2].node;
        if (inner[*own]) *own = inner[*own];
    }
    if (!status && hosts)
        bough_log_finding(&c->parsed->log, &(bough_finding_head){BOUGH_INFO, "joined-hosts"},
                          "%" PRIu64
                          " hosts joined directly: host NAME has a switch NAME.switch within, through "
                          "which messages of others pass%s",
                          hosts, rates ? "" : "; without rates a host sends as fast as one cable");
    return status;
}

static bool has_switches(const bough_cables *c) {
    for (size_t n = 0; n < c->parsed->node_count; n++)
        if (c->node[n].kind == BOUGH_CABLE_SWITCH) return true;
    return false;
}

static void set_kinds(bough_cables *c) {
    for (size_t n = 0; n < c->parsed->node_count; n++)
        c->parsed->node[n].kind =
            c->node[n].kind == BOUGH_CABLE_HOST ? BOUGH_FABRIC_ADAPTER : BOUGH_FABRIC_SWITCH;
}

/* ---- completion ---- */

/* What stands before the number at the end of a port name: "swp" of "swp12". */
static bough_slice prefix_of(bough_slice name) {
    while (name.length && name.text[name.length - 1] >= '0' && name.text[name.length - 1] <= '9')
        name.length--;
    return name;
}

/* The number in a port name with this prefix, or 0. */
static uint32_t number_of(bough_slice name, bough_slice prefix) {
    uint32_t number = 0;
    if (name.length <= prefix.length || name.length > prefix.length + 3) return 0;
    if (prefix.length && memcmp(name.text, prefix.text, prefix.length) != 0) return 0;
    for (size_t i = prefix.length; i < name.length; i++) {
        if (name.text[i] < '0' || name.text[i] > '9') return 0;
        number = 10 * number + (uint32_t)(name.text[i] - '0');
    }
    return number <= BOUGH_PORT_MAX ? number : 0;
}

/* Whether a name can stand in outputs and in `name:leaf1/swp5s1`. */
static bool is_port_name(bough_slice name) {
    for (size_t i = 0; i < name.length; i++)
        if (name.text[i] <= ' ' || name.text[i] > '~' || strchr(",;\"", name.text[i])) return false;
    return name.length > 0 && name.length < BOUGH_PORT_NAME;
}

static bool same_port(const struct bough_cable_end *a, const struct bough_cable_end *b) {
    return a->number == b->number || (a->port.length && a->port.length == b->port.length &&
                                      memcmp(a->port.text, b->port.text, a->port.length) == 0);
}

/* at: the cable ends of one node, as twice the cable plus the side. */
static bough_status number_ports(bough_cables *c, uint32_t node, const uint32_t *at, uint32_t count) {
    const char *name = c->parsed->node[node].description;
    bool numbers = true, named = true;
    uint32_t most = 0;
    if (count > BOUGH_PORT_MAX)
        return fail(c, c->cable[at[BOUGH_PORT_MAX] / 2].line, name,
                    "has more than 254 cables; a node has at most 254 ports");
    const bough_slice prefix = count ? prefix_of(c->cable[at[0] / 2].end[at[0] % 2].port) : (bough_slice){0};
    for (uint32_t i = 0; i < count; i++) {
        const bough_slice port = c->cable[at[i] / 2].end[at[i] % 2].port;
        numbers &= number_of(port, prefix) > 0;
        named &= is_port_name(port);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct bough_cable_end *end = &c->cable[at[i] / 2].end[at[i] % 2];
        end->number = numbers ? number_of(end->port, prefix) : i + 1;
        if (end->number > most) most = end->number;
        for (uint32_t k = 0; k < i; k++) {
            const struct bough_cable_end *other = &c->cable[at[k] / 2].end[at[k] % 2];
            if (!same_port(end, other)) continue;
            char what[96];
            const uint32_t line = c->cable[at[k] / 2].line; /* JSON has none */
            snprintf(what, sizeof what, "has two cables at one port");
            if (line)
                snprintf(what, sizeof what, "has two cables at one port; the other is on line %u", line);
            return fail(c, c->cable[at[i] / 2].line, name, what);
        }
    }
    c->parsed->node[node].ports_declared = most;
    c->parsed->node[node].made_ports = !numbers;
    c->parsed->node[node].named_ports = !numbers && named;
    return BOUGH_OK;
}

/* The node at an end of a cable; item: twice the cable plus the side. */
static uint32_t node_at_end(const void *context, uint32_t item) {
    const bough_cables *c = context;
    return c->cable[item / 2].end[item % 2].node;
}

static bough_status number_all_ports(bough_cables *c) {
    compressed_rows ends = {.rows = (uint32_t)c->parsed->node_count,
                            .items = 2 * (uint32_t)c->count,
                            .memory = &c->parsed->memory};
    bough_status status = rows_make(&ends, node_at_end, c, c->parsed->error);
    for (uint32_t n = 0; n < ends.rows && !status; n++)
        status = number_ports(c, n, ends.item + ends.first[n], rows_count(&ends, n));
    return status;
}

typedef struct ordered {
    uint64_t order;
    uint32_t node;
} ordered;

static int by_order(const void *a, const void *b) {
    const ordered *x = a, *y = b;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* lid: of port 1 of a host (as if numbered without gaps), or of a switch. */
static bough_status number_lids(bough_cables *c, uint32_t *lid) {
    const bough_parsed_fabric *parsed = c->parsed;
    uint64_t next = 1;
    size_t hosts = 0;
    ordered *list;
    bough_status status =
        arena_alloc(&c->parsed->memory, &list, parsed->node_count, sizeof *list, c->parsed->error);
    if (status) return status;
    for (size_t n = 0; n < parsed->node_count; n++)
        if (parsed->node[n].kind == BOUGH_FABRIC_ADAPTER)
            list[hosts++] = (ordered){c->node[n].order, (uint32_t)n};
    if (hosts) qsort(list, hosts, sizeof *list, by_order);
    for (size_t i = 0; i < hosts; i++)
        lid[list[i].node] = (uint32_t)next, next += c->node[list[i].node].cables;
    for (size_t n = 0; n < parsed->node_count; n++)
        if (parsed->node[n].kind == BOUGH_FABRIC_SWITCH) parsed->node[n].lid = lid[n] = (uint32_t)next++;
    return next - 1 > BOUGH_LID_MAX
               ? bough_fail(c->parsed->error, BOUGH_INVALID, parsed->name,
                            "has %zu hosts and %zu switches; a fabric has at most %d addresses", hosts,
                            parsed->node_count - hosts, BOUGH_LID_MAX)
               : BOUGH_OK;
}

/* Adds a port for each end. used: per node, LIDs used by its ports so far. */
static bough_status add_ports(bough_cables *c, const uint32_t *lid, uint32_t *used) {
    bough_parsed_fabric *parsed = c->parsed;
    for (size_t i = 0; i < 2 * c->count; i++) {
        const bough_cable *k = &c->cable[i / 2];
        const struct bough_cable_end *own = &k->end[i % 2], *other = &k->end[1 - i % 2];
        const bough_fabric_node *node = &parsed->node[own->node], *peer = &parsed->node[other->node];
        bough_parsed_port p = {.own = {.node = own->node,
                                       .number = own->number,
                                       .rate = k->rate,
                                       .delay = k->delay,
                                       .delayed = k->delayed},
                               .line = k->line,
                               .cabled = true,
                               .peer_kind = peer->kind,
                               .peer_key = peer->guid,
                               .peer_number = other->number};
        if (node->kind == BOUGH_FABRIC_ADAPTER) {
            p.own.guid = node->guid + own->number;
            p.own.lid = lid[own->node] + used[own->node]++;
        }
        char *name = NULL;
        bough_status status = BOUGH_OK;
        if (node->named_ports)
            status = arena_copy_bytes(parsed->kept, &name, own->port.text, own->port.length, parsed->error);
        p.own.name = name;
        TRY(bough_parsed_add_port(parsed, &p));
        if (status) return status;
    }
    return BOUGH_OK;
}

bough_status bough_cables_finish(bough_cables *c) {
    bough_parsed_fabric *parsed = c->parsed;
    uint32_t *lid = NULL, *used = NULL;
    parsed->made_ids = true;
    bough_status status = bough_cables_once(c);
    TRY(bough_cables_drop_shared(c));
    TRY(bough_cables_join_panels(c));
    TRY(find_kinds(c));
    if (!status && (c->hosts_forward || !has_switches(c))) status = join_hosts(c);
    if (!status) set_kinds(c);
    TRY(number_all_ports(c));
    TRY(arena_alloc(&parsed->memory, &lid, parsed->node_count, sizeof *lid, c->parsed->error));
    TRY(arena_alloc(&parsed->memory, &used, parsed->node_count, sizeof *used, c->parsed->error));
    TRY(number_lids(c, lid));
    for (size_t n = 0; n < parsed->node_count && !status; n++)
        status = bough_index_map_put(&parsed->guids[parsed->node[n].kind], parsed->node[n].guid, (uint32_t)n,
                                     c->parsed->error);
    TRY(add_ports(c, lid, used));
    return status;
}

void bough_cables_note_levels(bough_cables *cables, const char *whose) {
    cables->parsed->merged = true;
    bough_log_finding(&cables->parsed->log, &(bough_finding_head){BOUGH_INFO, "merged-switches"},
                      "%s has one cable to each child and no rates: the levels are right, the loads are not",
                      whose);
}
