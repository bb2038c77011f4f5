/* Checks forwarding tables against the fabric. */
#include "base/status/try.h"
#include "formats/tables/lft_tables.h"

#include "base/memory/memory.h"
#include "base/text/scanner.h"
#include "base/text/text.h"
#include "base/thread_team.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct check {
    const bough_tables *tables;
    const bough_fabric *fabric;
    bough_finding_log *log;
    uint8_t *known; /* LID -> some port of the fabric has it */
    unsigned workers;
    uint32_t
        *absent;   /* [worker * lids + LID]: number of entries, if no port has it; the last is of no worker */
    uint8_t *dead; /* node -> its row has entries for ports without a cable */
} check;

enum { PORTS = 256, FEW_ENTRIES = 1 << 16 /* are checked before a thread has started */ };

static uint32_t last_of(uint32_t lid, uint8_t lmc) {
    uint32_t last = lid + (UINT32_C(1) << lmc) - 1;
    return !lid ? 0 : last > BOUGH_LID_MAX ? BOUGH_LID_MAX : last;
}

uint32_t bough_fabric_last_lid(const bough_fabric *fabric) {
    uint32_t largest = 0;
    for (uint32_t n = 0; n < fabric->node_count; n++) {
        uint32_t last = last_of(fabric->node[n].lid, fabric->node[n].lmc);
        if (last > largest) largest = last;
    }
    for (uint32_t i = 0; i < fabric->port_count; i++) {
        uint32_t last = last_of(fabric->port[i].lid, fabric->port[i].lmc);
        if (last > largest) largest = last;
    }
    return largest;
}

static void mark_known(check *c, uint32_t lid, uint8_t lmc) {
    for (uint32_t l = lid; lid && l <= last_of(lid, lmc); l++) c->known[l] = 1;
}

/* Counts the entries of a row for each port. Neighbours often have one port: counts of their own do not wait
 * for each other. absent: entries by LID, if no port has it. */
static void count_entries(const check *c, uint32_t node, uint32_t entries[PORTS], uint32_t *absent) {
    const uint8_t *row = c->tables->port[node];
    uint32_t count[4][PORTS] = {{0}};
    for (uint32_t lid = 0; lid < c->tables->lids; lid++) {
        if (c->known[lid])
            count[lid % 4][row[lid]]++;
        else if (row[lid] != BOUGH_NO_PORT)
            absent[lid]++;
    }
    for (uint32_t p = 0; p < PORTS; p++) entries[p] = count[0][p] + count[1][p] + count[2][p] + count[3][p];
}

/* The next port from `port` on that has entries but no cable; BOUGH_NO_PORT: none. */
static uint32_t next_dead(const check *c, uint32_t node, const uint32_t entries[PORTS], uint32_t port) {
    for (; port < BOUGH_NO_PORT; port++) {
        if (!entries[port]) continue;
        uint32_t i = bough_fabric_port_find(c->fabric, node, port);
        if (i == BOUGH_NO_INDEX || c->fabric->port[i].peer == BOUGH_NO_INDEX) break;
    }
    return port;
}

static uint32_t *absent_of(const check *c, unsigned worker) {
    return c->absent + (size_t)worker * c->tables->lids;
}

static void check_row(void *context, unsigned worker, uint64_t node) {
    const check *c = context;
    uint32_t entries[PORTS];
    if (!c->tables->port[node]) return;
    count_entries(c, (uint32_t)node, entries, absent_of(c, worker));
    c->dead[node] = next_dead(c, (uint32_t)node, entries, 1) != BOUGH_NO_PORT;
}

/* Reports entries for ports without a cable. */
static void report_dead(const check *c, uint32_t node) {
    const bough_fabric_node *n = &c->fabric->node[node];
    uint32_t entries[PORTS];
    count_entries(c, node, entries, absent_of(c, c->workers));
    for (uint32_t port = 0; (port = next_dead(c, node, entries, port + 1)) != BOUGH_NO_PORT;) {
        char where[160];
        snprintf(where, sizeof where, "%s/%" PRIu32, n->name, port);
        bough_log_finding(c->log, &(bough_finding_head){BOUGH_WARN, "dead-port", where},
                          "the table sends %" PRIu32
                          " LID%s to this port, which has no cable (GUID of the switch: %016" PRIx64 ")",
                          entries[port], entries[port] == 1 ? "" : "s", n->guid);
    }
}

static bough_status report_absent(const check *c, bough_error *error) {
    uint64_t entries = 0;
    uint32_t lids = 0;
    bough_text examples = {0};
    for (uint32_t lid = 0; lid < c->tables->lids; lid++) {
        uint64_t here = 0;
        for (unsigned w = 0; w < c->workers; w++) here += absent_of(c, w)[lid];
        if (!here) continue;
        entries += here;
        if (lids++ < 8) bough_text_printf(&examples, "%s%" PRIu32, lids > 1 ? ", " : "", lid);
    }
    if (lids > 8) bough_text_put(&examples, ", ..");
    char *text = bough_text_take(&examples);
    if (!text) return bough_fail_memory(error, 0);
    if (lids)
        bough_log_finding(c->log, &(bough_finding_head){BOUGH_WARN, "absent-lid"},
                          "%" PRIu64 " %s %s for %" PRIu32 " LIDs that no port of the fabric has: %s",
                          entries, entries == 1 ? "entry" : "entries", entries == 1 ? "is" : "are", lids,
                          text);
    free(text);
    return BOUGH_OK;
}

static void check_rows(check *c) {
    team_loop(c->workers, c->tables->nodes, check_row, c);
    for (uint32_t n = 0; n < c->fabric->node_count; n++) {
        const bough_fabric_node *node = &c->fabric->node[n];
        if (c->dead[n])
            report_dead(c, n);
        else if (!c->tables->port[n] && node->kind == BOUGH_FABRIC_SWITCH)
            bough_log_finding(c->log, &(bough_finding_head){BOUGH_WARN, "no-table", node->name},
                              "there is no table for %s (GUID %016" PRIx64 ", LID %" PRIu32 ")", node->name,
                              node->guid, node->lid);
    }
}

bough_status bough_tables_check(const bough_tables *tables, const bough_fabric *fabric, unsigned threads,
                                bough_finding_log *log, bough_error *error) {
    check c = {.tables = tables, .fabric = fabric, .log = log, .workers = threads ? threads : 1};
    if (bough_mul(tables->nodes, tables->lids) < FEW_ENTRIES) c.workers = 1;
    bough_status status = bough_alloc(&c.known, BOUGH_LID_MAX + 1, 1, error);
    TRY(bough_alloc(&c.absent, bough_mul(c.workers + 1, tables->lids), sizeof *c.absent, error));
    TRY(bough_alloc(&c.dead, tables->nodes, 1, error));
    if (!status) {
        for (uint32_t n = 0; n < fabric->node_count; n++)
            mark_known(&c, fabric->node[n].lid, fabric->node[n].lmc);
        for (uint32_t i = 0; i < fabric->port_count; i++)
            mark_known(&c, fabric->port[i].lid, fabric->port[i].lmc);
        check_rows(&c);
        status = report_absent(&c, error);
    }
    FREE_ALL(c.known, c.absent, c.dead);
    return status;
}
