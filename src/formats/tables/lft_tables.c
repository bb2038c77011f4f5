/* Forwarding tables: reads files, and counts what was odd in them. */
#include "formats/tables/lft_tables.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "formats/tables/table_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef bough_table_reader reader;

/* Stores the port GUID expected for each LID. */
static void note_owners(reader *r) {
    const bough_fabric *f = r->fabric;
    for (uint32_t n = 0; n < f->node_count; n++) r->owner[f->node[n].lid] = 1;
    for (uint32_t i = 0; i < f->port_count; i++) {
        const bough_fabric_port *p = &f->port[i];
        for (uint32_t l = p->lid; l < p->lid + (UINT32_C(1) << p->lmc) && l <= BOUGH_LID_MAX; l++)
            r->owner[l] = p->guid;
    }
    r->owner[0] = 0;
}

static bough_status prepare(reader *r, unsigned threads) {
    const bough_fabric *f = r->fabric;
    bough_status status = bough_alloc(&r->tables->port, f->node_count, sizeof *r->tables->port, r->error);
    if (status) return status;
    r->tables->nodes = f->node_count;
    r->tables->lids = bough_fabric_last_lid(f) + 1;
    status = bough_alloc(&r->owner, BOUGH_LID_MAX + 1, sizeof *r->owner, r->error);
    for (unsigned i = 0; (i < threads || i == 0) && i < INPUT_WORKERS; i++)
        TRY(usual_memory_create(r->owner, &r->memory[i], r->error));
    TRY(bough_alloc(&r->row, BOUGH_LID_MAX + 1, 1, r->error));
    if (status) return status;
    memset(r->row, BOUGH_NO_PORT, BOUGH_LID_MAX + 1);
    note_owners(r);
    return table_switches(f, &r->switches, r->error);
}

/* Counts the entries that all rows have. */
static void finish_rows(reader *r) {
    bough_tables *t = r->tables;
    const uint32_t lids = bough_fabric_last_lid(r->fabric) + 1;
    uint32_t rows = 0;
    t->lids = lids > r->longest ? lids : r->longest;
    for (uint32_t n = 0; n < t->nodes; n++) rows += t->port[n] != NULL;
    t->bytes = bough_add(t->bytes, bough_mul(rows, t->lids));
}

static void summarise(reader *r) {
    bough_finding_log *f = &r->log;
    if (r->lid_mismatches)
        bough_log_finding(f, &(bough_finding_head){BOUGH_ERROR, "lid-mismatch"},
                          "%" PRIu64 " of %" PRIu64
                          " tables give another LID for their switch than the fabric "
                          "does, so they were recorded in another state of it: %s",
                          r->lid_mismatches, r->count, r->lid_example);
    if (r->guid_mismatches)
        bough_log_finding(f, &(bough_finding_head){BOUGH_WARN, "guid-mismatch"},
                          "%" PRIu64 " %s %s another port GUID for their LID than the fabric does, so "
                          "tables and fabric were recorded in different states: %s",
                          r->guid_mismatches, r->guid_mismatches == 1 ? "entry" : "entries",
                          r->guid_mismatches == 1 ? "gives" : "give", r->guid_example);
    if (r->skipped)
        bough_log_finding(f, &(bough_finding_head){BOUGH_INFO, "tool-message"}, TERMINAL_SKIPPED, r->skipped);
    table_log_private(f, r->privates);
    if (r->multicast)
        bough_log_finding(f, &(bough_finding_head){BOUGH_INFO, "multicast-table"},
                          "%" PRIu64 " multicast table%s %s ignored", r->multicast, bough_s(r->multicast),
                          r->multicast == 1 ? "was" : "were");
}

/* input: NULL: the blocks */
typedef struct table_source {
    const bough_input *input;
    input_blocks *blocks;
    bough_tables_file file;
} table_source;

static bough_status read_all(reader *r, const table_source *from) {
    bough_status status = BOUGH_OK;
    if (!from->input) {
        status = bough_tables_read_blocks(r, from->blocks, &from->file);
        r->tables->hash = input_blocks_hash(from->blocks);
        r->tables->bytes = input_blocks_bytes(from->blocks);
        return status;
    }
    r->tables->hash = from->input->hash;
    r->tables->bytes = bough_input_bytes(from->input);
    for (size_t i = 0; i < from->input->count && !status; i++)
        status = bough_tables_read_piece(r, &from->input->piece[i]);
    return status;
}

static bough_status read_tables(const table_source *from, const bough_fabric *fabric, bough_tables *tables,
                                bough_findings *findings, bough_error *error) {
    const char *name = from->file.path;
    reader r = {.fabric = fabric, .tables = tables, .log = {.out = findings, .source = name}, .error = error};
    *tables = (bough_tables){0};
    if (fabric->without_lids)
        return bough_fail(
            error, BOUGH_INVALID, name,
            "tables are by LID, and %s has none; expected a fabric that was recorded after a subnet "
            "manager ran",
            fabric->source);
    bough_status status = prepare(&r, from->file.threads);
    TRY(read_all(&r, from));
    if (!status && !r.count)
        status = bough_fail(error, BOUGH_INVALID, name,
                            "contains no forwarding table; expected opensm-lfts.dump, opensm.fdbs, "
                            "ibdiagnet2.fdbs or the output of ibroute or dump_fts");
    if (!status) {
        finish_rows(&r);
        summarise(&r);
        status = bough_tables_check(tables, fabric, from->file.threads, &r.log, error);
    }
    TRY(bough_finding_log_end(&r.log, error));
    for (unsigned i = 0; i < INPUT_WORKERS; i++) free(r.memory[i]);
    for (unsigned i = 0; i < INPUT_PARTS; i++) usual_lines_fini(&r.found[i]);
    FREE_ALL(r.owner, r.row);
    bough_index_map_fini(&r.switches);
    if (status) bough_tables_fini(tables);
    return status;
}

bough_status bough_tables_parse(const bough_input *input, const bough_fabric *fabric, bough_tables *tables,
                                bough_findings *findings, bough_error *error) {
    return read_tables(&(table_source){.input = input, .file = {input->name}}, fabric, tables, findings,
                       error);
}

bough_status bough_tables_read(const bough_tables_file *file, const bough_fabric *fabric,
                               bough_tables *tables, bough_findings *findings, bough_error *error) {
    bough_input input;
    input_blocks *blocks;
    *tables = (bough_tables){0};
    bough_status status = input_blocks_open(file->path, &blocks, error);
    size_t begin;
    const char *start = !status && blocks ? input_blocks_start(blocks, &begin) : NULL;
    if (start && !terminal_escapes(start, begin)) {
        status =
            read_tables(&(table_source){.blocks = blocks, .file = *file}, fabric, tables, findings, error);
        input_blocks_close(blocks);
        return status;
    }
    input_blocks_close(blocks);
    TRY(bough_input_read(file->path, &input, error));
    if (status) return status;
    status = bough_tables_parse(&input, fabric, tables, findings, error);
    bough_input_fini(&input);
    return status;
}
