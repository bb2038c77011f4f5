#include "routing/tables/link_table.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

/* Rows are an odd number of cache lines: the entries of one address in all rows would otherwise share few
 * places of the cache where addresses are a power of two. */
static uint64_t stride_for(uint64_t addresses, uint64_t size) {
    const uint64_t line = LINE / size;
    return ((addresses + line - 1) / line | 1) * line;
}

uint64_t link_table_shape(link_table *t, uint64_t addresses, uint64_t links) {
    t->slots = links <= LINK_SLOTS_MAX ? (uint32_t)links + 1 : 0;
    t->stride = stride_for(addresses, t->slots ? sizeof *t->slot : sizeof *t->link);
    const uint64_t entries = bough_mul(t->rows, t->stride);
    if (!t->slots) return bough_mul(entries, sizeof *t->link);
    return bough_add(entries, bough_mul(bough_mul(t->rows, t->slots), sizeof *t->link));
}

bough_status link_table_make(link_table *t, bough_error *error) {
    const uint64_t entries = bough_mul(t->rows, t->stride), slots = bough_mul(t->rows, t->slots);
    if (!t->slots) return large_alloc(&t->link, entries, sizeof *t->link, error);
    bough_status status = large_alloc(&t->slot, entries, sizeof *t->slot, error);
    TRY(bough_alloc(&t->link, slots, sizeof *t->link, error));
    if (!status) memset(t->link, 0xff, slots * sizeof *t->link);
    return status;
}

void link_table_fini(link_table *t) {
    FREE_ALL(t->slot, t->link);
    t->slot = NULL;
    t->link = NULL;
}

void link_table_clear(const link_table *t, uint64_t first, uint64_t end) {
    const uint64_t bytes = link_table_row_bytes(t);
    memset((char *)link_table_entries(t) + first * bytes, t->slot ? 0 : 0xff, (end - first) * bytes);
}
