/* Checks a fabric for irregularities after its cables are known. */
#include "base/memory/index_map.h"
#include "base/memory/memory.h"
#include "base/memory/union_find.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "formats/fabrics/parsed_fabric.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct check {
    const bough_fabric *fabric;
    bough_finding_log *log;
    const uint32_t *node_line, *port_line;
} check;

static const char *name(const check *c, const bough_fabric_port *port) {
    return c->fabric->node[port->node].name;
}

static void check_counts(const check *c) {
    for (uint32_t i = 0; i < c->fabric->port_count; i++) {
        const bough_fabric_port *p = &c->fabric->port[i];
        uint32_t declared = c->fabric->node[p->node].ports_declared;
        if (p->number > declared)
            bough_log_finding(
                c->log, &(bough_finding_head){BOUGH_WARN, "port-beyond-count", .line = c->port_line[i]},
                "%s has %" PRIu32 " port%s according to its own line, but there is a port %" PRIu32,
                name(c, p), declared, bough_s(declared), p->number);
    }
}

static void check_ends(const check *c) {
    for (uint32_t i = 0; i < c->fabric->port_count; i++) {
        const bough_fabric_port *p = &c->fabric->port[i], *q;
        if (p->peer == BOUGH_NO_INDEX || p->peer < i) continue; /* once per cable */
        q = &c->fabric->port[p->peer];
        uint32_t line = c->port_line[i] ? c->port_line[i] : c->port_line[p->peer];
        if (p->width != q->width || strcmp(p->speed, q->speed) != 0)
            bough_log_finding(
                c->log, &(bough_finding_head){BOUGH_WARN, "mismatched-ends", .line = line},
                "the cable between %s port %" PRIu32 " and %s port %" PRIu32 " is %ux%s at its first"
                " end and %ux%s at the other",
                name(c, p), p->number, name(c, q), q->number, p->width, p->speed, q->width, q->speed);
        if (p->node == q->node)
            bough_log_finding(c->log, &(bough_finding_head){BOUGH_WARN, "loop-cable", .line = line},
                              "both ends of a cable are at %s: port %" PRIu32 " and port %" PRIu32,
                              name(c, p), p->number, q->number);
    }
}

static void check_isolated(const check *c) {
    uint32_t i = 0;
    for (uint32_t n = 0; n < c->fabric->node_count; n++) {
        bool cable = false;
        for (; i < c->fabric->port_count && c->fabric->port[i].node == n; i++)
            cable |= c->fabric->port[i].peer != BOUGH_NO_INDEX;
        if (!cable)
            bough_log_finding(
                c->log, &(bough_finding_head){BOUGH_INFO, "isolated-node", .line = c->node_line[n]},
                "%s (GUID %016" PRIx64 ") has no cable", c->fabric->node[n].name, c->fabric->node[n].guid);
    }
}

typedef struct lid_claims {
    const check *check;
    uint32_t *part;        /* [nodes]: of a switch, one that stands for its subnet */
    bough_index_map owner; /* subnet << 32 | LID -> node */
    uint32_t several, largest_lmc;
} lid_claims;

/* The LIDs of a switch (port 0) or of a port of an adapter. */
typedef struct lid_range {
    uint32_t node, port, line, lid;
    uint8_t lmc;
} lid_range;

/* ---- subnets ---- */

/* Switches that cables connect are of one subnet, in which LIDs are unique. Adapters may be in several. */
static void find_subnets(const bough_fabric *f, uint32_t *part) {
    for (uint32_t n = 0; n < f->node_count; n++) part[n] = n;
    for (uint32_t i = 0; i < f->port_count; i++) {
        const uint32_t peer = f->port[i].peer;
        if (peer == BOUGH_NO_INDEX) continue;
        const uint32_t a = f->port[i].node, b = f->port[peer].node;
        if (f->node[a].kind == BOUGH_FABRIC_SWITCH && f->node[b].kind == BOUGH_FABRIC_SWITCH)
            union_join(part, a, b);
    }
}

static uint32_t subnet_of(const lid_claims *claims, const lid_range *r) {
    const bough_fabric *f = claims->check->fabric;
    uint32_t node = r->node;
    if (r->port) node = f->port[f->port[bough_fabric_port_find(f, node, r->port)].peer].node;
    return union_find(claims->part, node);
}

static bough_status claim_lids(lid_claims *claims, const lid_range *r, bough_error *error) {
    const check *c = claims->check;
    if (r->lmc) claims->several++;
    if (r->lmc > claims->largest_lmc) claims->largest_lmc = r->lmc;
    if (!r->lid) return BOUGH_OK;
    const uint64_t subnet = (uint64_t)subnet_of(claims, r) << 32;
    for (uint32_t l = r->lid; l < r->lid + (UINT32_C(1) << r->lmc) && l <= BOUGH_LID_MAX; l++) {
        const uint32_t owner = bough_index_map_get(&claims->owner, subnet | l);
        if (owner == BOUGH_NO_INDEX) {
            bough_status status = bough_index_map_put(&claims->owner, subnet | l, r->node, error);
            if (status) return status;
            continue;
        }
        char where[32] = "";
        if (r->port) snprintf(where, sizeof where, " port %" PRIu32, r->port);
        bough_log_finding(c->log, &(bough_finding_head){BOUGH_ERROR, "duplicate-lid", .line = r->line},
                          "LID %" PRIu32 " belongs to %s and to %s%s (GUID %016" PRIx64 ")", l,
                          c->fabric->node[owner].name, c->fabric->node[r->node].name, where,
                          c->fabric->node[r->node].guid);
        return BOUGH_OK;
    }
    return BOUGH_OK;
}

static bough_status check_lids(const check *c, bough_error *error) {
    const bough_fabric *f = c->fabric;
    lid_claims claims = {.check = c};
    bough_status status = bough_alloc(&claims.part, f->node_count, sizeof *claims.part, error);
    if (status) return status;
    find_subnets(f, claims.part);
    for (uint32_t n = 0; n < f->node_count && !status; n++)
        status =
            claim_lids(&claims, &(lid_range){n, 0, c->node_line[n], f->node[n].lid, f->node[n].lmc}, error);
    for (uint32_t i = 0; i < f->port_count && !status; i++) {
        const bough_fabric_port *p = &f->port[i];
        if (p->peer == BOUGH_NO_INDEX) continue; /* a port that is down may still have an old LID */
        status =
            claim_lids(&claims, &(lid_range){p->node, p->number, c->port_line[i], p->lid, p->lmc}, error);
        if (!p->lid && f->node[p->node].kind != BOUGH_FABRIC_SWITCH)
            bough_log_finding(c->log, &(bough_finding_head){BOUGH_WARN, "no-lid", .line = c->port_line[i]},
                              "%s port %" PRIu32 " (GUID %016" PRIx64 ") has a cable but no LID", name(c, p),
                              p->number, p->guid);
    }
    if (claims.several)
        bough_log_finding(c->log, &(bough_finding_head){BOUGH_INFO, "lmc"},
                          "%" PRIu32 " port%s %s several LIDs each (LMC up to %" PRIu32 ")", claims.several,
                          bough_s(claims.several), claims.several == 1 ? "has" : "have", claims.largest_lmc);
    bough_index_map_fini(&claims.owner);
    free(claims.part);
    return status;
}

static int by_description(const void *x, const void *y) {
    const bough_fabric_node *const *a = x, *const *b = y;
    return strcmp((*a)->description, (*b)->description);
}

static bough_status check_descriptions(const check *c, bough_error *error) {
    const bough_fabric *f = c->fabric;
    const bough_fabric_node **sorted;
    bough_status status = bough_alloc(&sorted, f->node_count, sizeof *sorted, error);
    if (status) return status;
    for (uint32_t n = 0; n < f->node_count; n++) sorted[n] = &f->node[n];
    qsort(sorted, f->node_count, sizeof *sorted, by_description);
    uint32_t nodes = 0, texts = 0, most = 0;
    const char *example = "";
    for (uint32_t i = 0, j; i < f->node_count; i = j) {
        for (j = i + 1; j < f->node_count && by_description(&sorted[i], &sorted[j]) == 0;) j++;
        if (j - i < 2) continue;
        nodes += j - i;
        texts++;
        if (j - i > most) {
            most = j - i;
            example = sorted[i]->description;
        }
    }
    if (texts)
        bough_log_finding(c->log, &(bough_finding_head){BOUGH_INFO, "duplicate-description"},
                          "%" PRIu32 " nodes share %" PRIu32
                          " descriptions and have their GUIDs appended to their names; \"%s\" is the "
                          "description of %" PRIu32,
                          nodes, texts, example, most);
    free(sorted);
    return BOUGH_OK;
}

bough_status bough_fabric_check(const bough_fabric *fabric, bough_finding_log *log, const uint32_t *node_line,
                                const uint32_t *port_line, bough_error *error) {
    check c = {.fabric = fabric, .log = log, .node_line = node_line, .port_line = port_line};
    check_counts(&c);
    check_ends(&c);
    bough_status status = check_lids(&c, error);
    if (status) return status;
    check_isolated(&c);
    return check_descriptions(&c, error);
}
