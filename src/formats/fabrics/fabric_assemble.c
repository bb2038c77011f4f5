/* Pairs the ends of cables.
 *
 * A line about port A that names port B at the other end of its cable is a claim. Normally the line of B
 * names A, and both form a cable. If B has no line, or its line names no peer, and no other port claims A or
 * B, it is a one-sided cable. All other claims contradict each other; none can be trusted, and the claim is
 * dropped. */
#include "base/status/try.h"
#include "formats/fabrics/parsed_fabric.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct assembly {
    bough_parsed_fabric *parsed;
    bough_finding_log *log;
    uint32_t *first;   /* node -> its first port; sorted */
    uint32_t *claim;   /* port -> the port that its line names, or BOUGH_NO_INDEX */
    uint32_t *claims;  /* port -> number of lines that name it without being named by it */
    uint32_t *line;    /* port -> line */
    uint8_t *homeless; /* port -> its line names a missing node */
} assembly;

static const char *node_name(const assembly *a, uint32_t node) {
    return a->parsed->node[node].name;
}

static int by_port(const void *x, const void *y) {
    const bough_parsed_port *a = x, *b = y;
    if (a->own.node != b->own.node) return a->own.node < b->own.node ? -1 : 1;
    if (a->own.number != b->own.number) return a->own.number < b->own.number ? -1 : 1;
    /* Ports with a line precede those added for ends without one. */
    uint32_t la = a->line ? a->line : UINT32_MAX, lb = b->line ? b->line : UINT32_MAX;
    return la < lb ? -1 : la > lb;
}

/* Finds where the sorted ports of each node begin. */
static void index_ports(assembly *a) {
    const bough_parsed_fabric *parsed = a->parsed;
    size_t at = 0;
    for (size_t n = 0; n <= parsed->node_count; n++) {
        while (at < parsed->port_count && parsed->port[at].own.node < n) at++;
        a->first[n] = (uint32_t)at;
    }
}

/* Most nodes list all ports from 1 on. */
static uint32_t find_port(const assembly *a, uint32_t node, uint32_t number) {
    const bough_parsed_port *port = a->parsed->port;
    uint32_t low = a->first[node], high = a->first[node + 1];
    if (number && number <= high - low && port[low + number - 1].own.number == number)
        return low + number - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (port[middle].own.number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->first[node + 1] && port[low].own.number == number ? low : BOUGH_NO_INDEX;
}

/* Most files list them in order. */
static bool in_order(const bough_parsed_fabric *parsed) {
    for (size_t i = 1; i < parsed->port_count; i++)
        if (by_port(&parsed->port[i - 1], &parsed->port[i]) > 0) return false;
    return true;
}

/* Sorts the ports and removes duplicates: the first line is kept. */
static void sort_ports(assembly *a) {
    bough_parsed_fabric *parsed = a->parsed;
    if (!in_order(parsed)) qsort(parsed->port, parsed->port_count, sizeof *parsed->port, by_port);
    size_t kept = 0;
    for (size_t i = 0; i < parsed->port_count; i++) {
        const bough_parsed_port *p = &parsed->port[i], *q = kept ? &parsed->port[kept - 1] : NULL;
        if (!q || q->own.node != p->own.node || q->own.number != p->own.number) {
            if (kept < i) parsed->port[kept] = *p;
            kept++;
            continue;
        }
        bool agree = !p->line || (q->cabled == p->cabled && q->peer_node == p->peer_node &&
                                  (!p->cabled || q->peer_number == p->peer_number));
        if (!agree)
            bough_log_finding(a->log, &(bough_finding_head){BOUGH_ERROR, "duplicate-port", .line = p->line},
                              "%s port %" PRIu32 " is listed again, with another peer than on line %" PRIu32
                              "; the first line is used",
                              node_name(a, p->own.node), p->own.number, q->line);
    }
    parsed->port_count = kept;
    index_ports(a);
}

/* Finds the nodes that lines refer to. */
static void resolve(assembly *a) {
    static const char *const kind[] = {"switch", "adapter", "router"};
    for (size_t i = 0; i < a->parsed->port_count; i++) {
        bough_parsed_port *p = &a->parsed->port[i];
        if (!p->cabled) continue;
        p->peer_node = bough_index_map_get(&a->parsed->guids[p->peer_kind], p->peer_key);
        if (p->peer_node == BOUGH_NO_INDEX)
            bough_log_finding(
                a->log, &(bough_finding_head){BOUGH_ERROR, "missing-node", .line = p->line},
                "%s port %" PRIu32 " has a cable to port %" PRIu32 " of the %s with GUID %016" PRIx64
                ", which is not in the file; the cable is ignored",
                node_name(a, p->own.node), p->own.number, p->peer_number, kind[p->peer_kind], p->peer_key);
    }
}

/* Adds a port for every named end without a line of its own. */
static bough_status add_silent_ends(assembly *a) {
    bough_parsed_fabric *parsed = a->parsed;
    size_t listed = parsed->port_count;
    for (size_t i = 0; i < listed; i++) {
        bough_parsed_port p = parsed->port[i];
        if (p.peer_node == BOUGH_NO_INDEX) continue;
        if (find_port(a, p.peer_node, p.peer_number) != BOUGH_NO_INDEX) continue; /* among those listed */
        bough_fabric_port end = {.node = p.peer_node,
                                 .number = p.peer_number,
                                 .guid = p.peer_guid,
                                 .width = p.own.width,
                                 .rate = p.own.rate,
                                 .delay = p.own.delay,
                                 .delayed = p.own.delayed};
        memcpy(end.speed, p.own.speed, sizeof end.speed);
        if (parsed->node[end.node].kind != BOUGH_FABRIC_SWITCH) end.lid = p.peer_lid;
        bough_status status = bough_parsed_add_port(parsed, &(bough_parsed_port){.own = end});
        if (status) return status;
    }
    if (parsed->port_count > listed) sort_ports(a);
    return BOUGH_OK;
}

static void count_claims(assembly *a) {
    const bough_parsed_fabric *parsed = a->parsed;
    for (uint32_t i = 0; i < parsed->port_count; i++) {
        const bough_parsed_port *p = &parsed->port[i];
        a->line[i] = p->line;
        a->homeless[i] = p->cabled && p->peer_node == BOUGH_NO_INDEX;
        a->claim[i] = BOUGH_NO_INDEX;
        if (p->peer_node != BOUGH_NO_INDEX) a->claim[i] = find_port(a, p->peer_node, p->peer_number);
    }
    for (uint32_t i = 0; i < parsed->port_count; i++) {
        uint32_t j = a->claim[i];
        if (j != BOUGH_NO_INDEX && a->claim[j] != i) a->claims[j]++;
    }
}

static void contradiction(assembly *a, uint32_t i, uint32_t j) {
    const bough_parsed_port *p = &a->parsed->port[i], *q = &a->parsed->port[j];
    const char *from = node_name(a, p->own.node), *to = node_name(a, q->own.node);
    if (i == j) {
        bough_log_finding(a->log, &(bough_finding_head){BOUGH_ERROR, "contradicting-cable", .line = p->line},
                          "the cable of %s port %" PRIu32 " ends at the same port; it is ignored", from,
                          p->own.number);
    } else if (a->claim[j] != BOUGH_NO_INDEX) {
        const bough_parsed_port *r = &a->parsed->port[a->claim[j]];
        bough_log_finding(a->log, &(bough_finding_head){BOUGH_ERROR, "contradicting-cable", .line = p->line},
                          "%s port %" PRIu32 " has a cable to %s port %" PRIu32 ", but there (line %" PRIu32
                          ") it leads to %s port %" PRIu32 "; the cable from %s port %" PRIu32 " is ignored",
                          from, p->own.number, to, q->own.number, q->line, node_name(a, r->own.node),
                          r->own.number, from, p->own.number);
    } else {
        const char *why = a->homeless[j] ? "there the cable leads to a node that is not in the file"
                                         : "other ports claim a cable to one of these two";
        bough_log_finding(a->log, &(bough_finding_head){BOUGH_ERROR, "contradicting-cable", .line = p->line},
                          "%s port %" PRIu32 " has a cable to %s port %" PRIu32 ", but %s; it is ignored",
                          from, p->own.number, to, q->own.number, why);
    }
}

static void pair(assembly *a) {
    bough_parsed_fabric *parsed = a->parsed;
    for (uint32_t i = 0; i < parsed->port_count; i++) {
        uint32_t j = a->claim[i];
        if (j == BOUGH_NO_INDEX) continue;
        bough_fabric_port *p = &parsed->port[i].own, *q = &parsed->port[j].own;
        if (a->claim[j] == i && i != j) {
            p->peer = j; /* the reverse is set in the iteration of j */
        } else if (i != j && a->claim[j] == BOUGH_NO_INDEX && !a->homeless[j] && a->claims[j] == 1 &&
                   a->claims[i] == 0) {
            p->peer = j;
            q->peer = i;
            bough_log_finding(
                a->log, &(bough_finding_head){BOUGH_WARN, "one-sided-cable", .line = parsed->port[i].line},
                "the cable from %s port %" PRIu32 " to %s port %" PRIu32
                " is listed at one end only; it is accepted",
                node_name(a, p->node), p->number, node_name(a, q->node), q->number);
        } else {
            contradiction(a, i, j);
        }
    }
}

/* Moves nodes and ports to the fabric. */
static bough_status hand_over(assembly *a, bough_fabric *fabric) {
    bough_parsed_fabric *parsed = a->parsed;
    bough_status status =
        arena_alloc(&fabric->memory, &fabric->port, parsed->port_count, sizeof *fabric->port, parsed->error);
    if (status) return status;
    for (size_t i = 0; i < parsed->port_count; i++) fabric->port[i] = parsed->port[i].own;
    fabric->port_count = (uint32_t)parsed->port_count;
    fabric->made_ids = parsed->made_ids;
    fabric->merged = parsed->merged;
    fabric->servers = parsed->servers;
    fabric->node = parsed->node;
    fabric->node_count = (uint32_t)parsed->node_count;
    return BOUGH_OK;
}

/* ---- LIDs ---- */

/* Adapter ports with a cable and switches, none of which has a LID; 0: some have. */
static uint32_t count_without_lid(const bough_fabric *f) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->port_count; i++) {
        const bool own = f->node[f->port[i].node].kind == BOUGH_FABRIC_ADAPTER;
        if (f->port[i].lid) return 0;
        count += own && f->port[i].peer != BOUGH_NO_INDEX;
    }
    for (uint32_t n = 0; n < f->node_count; n++) {
        if (f->node[n].lid) return 0;
        count += f->node[n].kind == BOUGH_FABRIC_SWITCH;
    }
    return count;
}

/* Before a subnet manager ran the cabling can be checked all the same: hosts get LIDs from 1 in the order of
 * the file, then switches. */
static void make_lids(assembly *a, bough_fabric *f) {
    const uint32_t count = count_without_lid(f);
    uint32_t next = 1;
    if (!count || count > BOUGH_LID_MAX) return;
    for (uint32_t i = 0; i < f->port_count; i++)
        if (f->node[f->port[i].node].kind == BOUGH_FABRIC_ADAPTER && f->port[i].peer != BOUGH_NO_INDEX)
            f->port[i].lid = next++;
    for (uint32_t n = 0; n < f->node_count; n++)
        if (f->node[n].kind == BOUGH_FABRIC_SWITCH) f->node[n].lid = next++;
    f->without_lids = true;
    bough_log_finding(
        a->log, &(bough_finding_head){BOUGH_WARN, "no-lid"},
        "no port has a LID, as before a subnet manager ran: the cabling is checked, and routings "
        "that bough computes, with LIDs from 1 in the order of the file");
}

bough_status bough_parsed_assemble(bough_parsed_fabric *parsed, bough_fabric *fabric) {
    assembly a = {.parsed = parsed, .log = &parsed->log};
    arena *m = &parsed->memory;
    bough_status status = bough_fabric_names(parsed->node, parsed->node_count, parsed->error);
    TRY(arena_alloc(m, &a.first, parsed->node_count + 1, sizeof *a.first, parsed->error));
    if (status) return status;
    resolve(&a);
    sort_ports(&a);
    status = add_silent_ends(&a);
    TRY(arena_alloc(m, &a.claim, parsed->port_count, sizeof *a.claim, parsed->error));
    TRY(arena_alloc(m, &a.claims, parsed->port_count, sizeof *a.claims, parsed->error));
    TRY(arena_alloc(m, &a.line, parsed->port_count, sizeof *a.line, parsed->error));
    TRY(arena_alloc(m, &a.homeless, parsed->port_count, 1, parsed->error));
    if (status) return status;
    count_claims(&a);
    pair(&a);
    status = hand_over(&a, fabric);
    if (!status) make_lids(&a, fabric);
    TRY(bough_fabric_check(fabric, a.log, parsed->line, a.line, parsed->error));
    return status;
}
