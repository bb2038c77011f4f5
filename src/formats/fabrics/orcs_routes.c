/* Converts the routes of an ORCS file to forwarding tables. "*" means all hosts for which the switch has no
 * other route. A host without a route at its own switch is routed to its cable. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "formats/fabrics/parsed_fabric.h"
#include "formats/tables/table_rows.h"

#include <inttypes.h>
#include <string.h>

typedef struct router {
    bough_fabric *fabric;
    bough_tables *tables;
    bough_finding_log *log;
    uint8_t *host; /* LID -> such a host exists */
    bough_error *error;
} router;

static void enter(router *r, const bough_parsed_route *route, uint8_t *row, uint32_t lid) {
    const char *name = r->fabric->node[route->node].name;
    if (lid >= r->tables->lids || !r->host[lid]) {
        bough_log_finding(r->log, &(bough_finding_head){BOUGH_WARN, "absent-lid", .line = route->line},
                          "%s has a route to H%" PRIu32 ", which has no cable", name, lid);
    } else if (row[lid] == BOUGH_NO_PORT) {
        row[lid] = (uint8_t)route->port;
    } else if (row[lid] != route->port) {
        bough_log_finding(r->log, &(bough_finding_head){BOUGH_WARN, "repeated-entry", .line = route->line},
                          "%s has a second route to H%" PRIu32 ", over port %" PRIu32
                          "; the first one is used, over port %u",
                          name, lid, route->port, row[lid]);
    }
}

/* H28, H44, H45 */
static bough_status enter_list(router *r, const bough_parsed_route *route, uint8_t *row) {
    scanner s = {.file = r->fabric->source,
                 .at = route->hosts.text,
                 .stop = route->hosts.text + route->hosts.length,
                 .line = route->line,
                 .error = r->error};
    while (s.at < s.stop) {
        uint64_t lid;
        if (strchr(", \t\r\n", *s.at)) {
            s.at++;
            continue;
        }
        if (!scan_text(&s, "H") || !scan_number(&s, &lid) || (s.at < s.stop && !strchr(", \t\r\n", *s.at)) ||
            lid < 1 || lid > BOUGH_LID_MAX)
            return scan_fail(&s, "invalid list of hosts; expected \"H1, H2, ..\" or \"*\"");
        enter(r, route, row, (uint32_t)lid);
    }
    return BOUGH_OK;
}

static bool is_default(const bough_parsed_route *route) {
    return bough_slice_is(route->hosts, "*");
}

static bough_status enter_lines(router *r, const bough_parsed_fabric *parsed) {
    uint8_t *row;
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < parsed->route_count && !status; i++) {
        const bough_parsed_route *route = &parsed->route[i];
        if (is_default(route) || !route->hosts.length) continue;
        status = table_row(r->tables, route->node, &row, r->error);
        TRY(enter_list(r, route, row));
    }
    return status;
}

/* Adds the cables of hosts, then the defaults. */
static bough_status fill_rest(router *r, const bough_parsed_fabric *parsed) {
    uint8_t *row;
    bough_status status = BOUGH_OK;
    for (uint32_t i = 0; i < r->fabric->port_count && !status; i++) {
        const bough_fabric_port *p = &r->fabric->port[i], *q;
        if (!p->lid || p->peer == BOUGH_NO_INDEX) continue;
        q = &r->fabric->port[p->peer];
        status = table_row(r->tables, q->node, &row, r->error);
        if (!status && row[p->lid] == BOUGH_NO_PORT) row[p->lid] = (uint8_t)q->number;
    }
    for (size_t i = 0; i < parsed->route_count && !status; i++) {
        const bough_parsed_route *route = &parsed->route[i];
        if (!is_default(route)) continue;
        status = table_row(r->tables, route->node, &row, r->error);
        for (uint32_t lid = 1; lid < r->tables->lids && !status; lid++)
            if (r->host[lid] && row[lid] == BOUGH_NO_PORT) row[lid] = (uint8_t)route->port;
    }
    return status;
}

bough_status bough_orcs_tables(bough_parsed_fabric *parsed, bough_fabric *fabric) {
    router r = {.fabric = fabric, .log = &parsed->log, .error = parsed->error};
    uint32_t switches = 0;
    bough_status status = arena_alloc(&fabric->memory, &r.tables, 1, sizeof *r.tables, parsed->error);
    if (status) return status;
    fabric->tables = r.tables; /* what it holds is freed by bough_fabric_fini in all cases */
    r.tables->hash = fabric->hash;
    status = arena_alloc(&parsed->memory, &r.host, BOUGH_LID_MAX + 1, 1, parsed->error);
    TRY(bough_alloc(&r.tables->port, fabric->node_count, sizeof *r.tables->port, parsed->error));
    if (status) return status;
    r.tables->nodes = fabric->node_count;
    r.tables->lids = 1;
    for (uint32_t i = 0; i < fabric->port_count; i++) {
        uint32_t lid = fabric->port[i].peer == BOUGH_NO_INDEX ? 0 : fabric->port[i].lid;
        if (lid) r.host[lid] = 1;
        if (lid >= r.tables->lids) r.tables->lids = lid + 1;
    }
    for (uint32_t n = 0; n < fabric->node_count; n++) switches += fabric->node[n].kind == BOUGH_FABRIC_SWITCH;
    status = bough_memory_check(bough_mul(switches, r.tables->lids), "the forwarding tables", parsed->error);
    TRY(enter_lines(&r, parsed));
    TRY(fill_rest(&r, parsed));
    return status;
}
