#include "formats/tables/table_rows.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rows of one length; small blocks, for which the allocator has memory that was used before. The next block
 * has the rows that were given out before. */
struct bough_table_block {
    struct bough_table_block *next;
    uint32_t used, rooms;
    uint8_t entry[];
};

enum { BLOCK = 1 << 16 };

static bough_status add_block(bough_tables *t, bough_error *error) {
    const uint32_t most = t->lids < BLOCK ? BLOCK / t->lids : 1, rooms = most < t->nodes ? most : t->nodes;
    const uint64_t bytes = bough_add(sizeof *t->block, bough_mul(rooms, t->lids));
    struct bough_table_block *block = NULL;
    bough_status status = bough_memory_check(bytes, "the forwarding tables", error);
    TRY(bough_alloc(&block, bytes, 1, error));
    if (status) return status;
    *block = (struct bough_table_block){.next = t->block, .rooms = rooms};
    t->block = block;
    return BOUGH_OK;
}

bough_status table_row(bough_tables *t, uint32_t node, uint8_t **row, bough_error *error) {
    *row = t->port[node];
    if (*row) return BOUGH_OK;
    if (!t->block || t->block->used == t->block->rooms) {
        bough_status status = add_block(t, error);
        if (status) return status;
    }
    *row = t->port[node] = t->block->entry + (size_t)t->block->used++ * t->lids;
    memset(*row, BOUGH_NO_PORT, t->lids);
    return BOUGH_OK;
}

static void free_blocks(struct bough_table_block *block) {
    while (block) {
        struct bough_table_block *next = block->next;
        free(block);
        block = next;
    }
}

bough_status table_rows_lengthen(bough_tables *t, uint32_t lids, bough_error *error) {
    bough_tables longer = {.nodes = t->nodes, .lids = lids};
    if (lids <= t->lids) return BOUGH_OK;
    bough_status status = bough_alloc(&longer.port, t->nodes, sizeof *longer.port, error);
    for (uint32_t n = 0; n < t->nodes && !status; n++) {
        uint8_t *row;
        if (!t->port[n]) continue;
        status = table_row(&longer, n, &row, error);
        if (!status) memcpy(row, t->port[n], t->lids);
    }
    if (status) {
        bough_tables_fini(&longer);
        return status;
    }
    free_blocks(t->block);
    free(t->port);
    t->port = longer.port;
    t->block = longer.block;
    t->lids = lids;
    return BOUGH_OK;
}

void bough_tables_fini(bough_tables *tables) {
    if (!tables) return;
    free_blocks(tables->block);
    free(tables->port);
    *tables = (bough_tables){0};
}

bough_status table_switches(const bough_fabric *fabric, bough_index_map *switches, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint32_t n = 0; n < fabric->node_count && !status; n++)
        if (fabric->node[n].kind == BOUGH_FABRIC_SWITCH)
            status = bough_index_map_put(switches, fabric->node[n].guid, n, error);
    return status;
}

void table_log_private(bough_finding_log *log, uint64_t tables) {
    if (!tables) return;
    bough_log_finding(log, &(bough_finding_head){BOUGH_WARN, "private-table"},
                      "%" PRIu64 " private table%s (PLFT 1 and above) %s ignored; a switch with several "
                      "tables selects one by virtual lane, and only the paths of PLFT 0 are checked",
                      tables, bough_s(tables), tables == 1 ? "was" : "were");
}
