/* Checks forwarding tables against the fabric. */
#include "base/status/try.h"
#include "network/forwarding_tables/lft_tables.h"

#include "base/memory/memory.h"
#include "base/text/text.h"
#include "network/files/line_scanner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct check {
    const bough_tables *tables;
    const bough_fabric *fabric;
    bough_finding_log *log;
    uint8_t *known;   /* LID -> some port of the fabric has it */
    uint32_t *absent; /* LID -> number of entries, if no port has it */
} check;

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

/* Checks the table of one switch: entries for ports without a cable, and for LIDs without a port. */
static void check_row(check *c, uint32_t node) {
    const uint8_t *row = c->tables->port[node];
    uint32_t entries[256] = {0};
    for (uint32_t lid = 0; lid < c->tables->lids; lid++) {
        if (c->known[lid])
            entries[row[lid]]++;
        else if (row[lid] != BOUGH_NO_PORT)
            c->absent[lid]++;
    }
    const bough_fabric_node *n = &c->fabric->node[node];
    for (uint32_t port = 1; port < BOUGH_NO_PORT; port++) {
        if (!entries[port]) continue;
        uint32_t i = bough_fabric_port_find(c->fabric, node, port);
        if (i != BOUGH_NO_INDEX && c->fabric->port[i].peer != BOUGH_NO_INDEX) continue;
        char where[160];
        snprintf(where, sizeof where, "%s port %" PRIu32, n->name, port);
        bough_log_finding(c->log, &(bough_finding_head){BOUGH_WARN, "dead-port", where},
                          "the table of %s (GUID %016" PRIx64 ") sends %" PRIu32 " LIDs to port %" PRIu32
                          ", which has no cable",
                          n->name, n->guid, entries[port], port);
    }
}

static bough_status report_absent(check *c, bough_error *error) {
    uint64_t entries = 0;
    uint32_t lids = 0;
    bough_text examples = {0};
    for (uint32_t lid = 0; lid < c->tables->lids; lid++) {
        if (!c->absent[lid]) continue;
        entries += c->absent[lid];
        if (lids++ < 8) bough_text_printf(&examples, "%s%" PRIu32, lids > 1 ? ", " : "", lid);
    }
    if (lids > 8) bough_text_put(&examples, ", ..");
    char *text = bough_text_take(&examples);
    if (!text) return bough_fail_memory(error, 0);
    if (lids)
        bough_log_finding(c->log, &(bough_finding_head){BOUGH_WARN, "absent-lid"},
                          "%" PRIu64 " entries are for %" PRIu32 " LIDs that no port of the fabric has: %s",
                          entries, lids, text);
    free(text);
    return BOUGH_OK;
}

bough_status bough_tables_check(const bough_tables *tables, const bough_fabric *fabric,
                                bough_finding_log *log, bough_error *error) {
    check c = {.tables = tables, .fabric = fabric, .log = log};
    bough_status status = bough_alloc(&c.known, BOUGH_LID_MAX + 1, 1, error);
    TRY(bough_alloc(&c.absent, tables->lids, sizeof *c.absent, error));
    if (status) goto done;
    for (uint32_t n = 0; n < fabric->node_count; n++)
        mark_known(&c, fabric->node[n].lid, fabric->node[n].lmc);
    for (uint32_t i = 0; i < fabric->port_count; i++)
        mark_known(&c, fabric->port[i].lid, fabric->port[i].lmc);
    for (uint32_t n = 0; n < fabric->node_count; n++) {
        if (tables->port[n])
            check_row(&c, n);
        else if (fabric->node[n].kind == BOUGH_FABRIC_SWITCH)
            bough_log_finding(log, &(bough_finding_head){BOUGH_WARN, "no-table", fabric->node[n].name},
                              "there is no table for %s (GUID %016" PRIx64 ", LID %" PRIu32 ")",
                              fabric->node[n].name, fabric->node[n].guid, fabric->node[n].lid);
    }
    status = report_absent(&c, error);
done:
    FREE_ALL(c.known, c.absent);
    return status;
}
