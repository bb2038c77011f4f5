/* Flows, links, and the crossings between them. max_min_solve.c computes the rates. */
#include "engines/flow/max_min/max_min_rates.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

static size_t blocks(const max_min *f) {
    return (f->weighted ? MAX_MIN_PARTS_MAX : MAX_MIN_HOPS_MAX) + (size_t)1;
}

bough_status max_min_init(max_min *f, uint64_t links, bool weighted, bough_error *error) {
    *f = (max_min){.weighted = weighted};
    if (links >= MAX_MIN_NONE)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "at most 2^32 - 2 links are supported");
    f->links = (uint32_t)links;
    bough_status status = bough_alloc(&f->link_memory, links + 1, sizeof *f->link, error);
    TRY(bough_alloc(&f->touched, links, sizeof *f->touched, error));
    TRY(bough_alloc(&f->free, blocks(f), sizeof *f->free, error));
    TRY(max_min_queue_make(&f->queue, links, error));
    if (status) return status;
    const uintptr_t over = (uintptr_t)f->link_memory % sizeof *f->link;
    f->link = (max_min_link *)((char *)f->link_memory + (over ? sizeof *f->link - over : 0));
    large_advise(f->link, links * sizeof *f->link);
    max_min_clear(f);
    return status;
}

void max_min_fini(max_min *f) {
    FREE_ALL(f->link_memory, f->flow, f->crossing, f->weight, f->free, f->touched, f->changed);
    max_min_queue_fini(&f->queue);
    *f = (max_min){0};
}

uint64_t max_min_bytes(uint64_t links, uint64_t flows, uint64_t hops, bool weighted) {
    uint64_t of_crossing = sizeof(max_min_crossing) + (weighted ? sizeof(uint32_t) : 0);
    uint64_t of_link = sizeof(max_min_link) + 2 * sizeof(heap_entry) + 2 * sizeof(uint32_t);
    uint64_t of_flow = bough_add(sizeof(max_min_flow) + sizeof(uint32_t), bough_mul(hops, of_crossing));
    return bough_add(bough_mul(links, of_link), bough_mul(flows, of_flow));
}

void max_min_clear(max_min *f) {
    for (uint32_t l = 0; l < f->links && f->present; l++)
        f->link[l] = (max_min_link){.capacity = f->link[l].capacity, .carried = f->link[l].carried};
    f->most = (uint32_t)blocks(f) - 1;
    max_min_free_all(f);
    f->touches = f->changes = f->came = f->present = 0;
    f->work = 0;
}

void max_min_free_all(max_min *f) {
    memset(f->free, 0xff, (f->most + (size_t)1) * sizeof *f->free);
    f->crossings = f->most = 0;
}

bough_status max_min_reserve(max_min *f, uint64_t flows, uint64_t crossings, bough_error *error) {
    bough_status status = BOUGH_OK;
    const size_t before = f->crossing_capacity;
    crossings = bough_add(crossings, f->crossings);
    if (flows >= MAX_MIN_NONE || crossings >= MAX_MIN_NONE)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "more than 2^32 - 2 concurrent flows, or links on their paths in total");
    status = bough_grow(&f->flow, &f->flow_capacity, flows, sizeof *f->flow, error);
    TRY(bough_grow(&f->changed, &f->changed_capacity, flows, sizeof *f->changed, error));
    TRY(bough_grow(&f->crossing, &f->crossing_capacity, crossings, sizeof *f->crossing, error));
    if (f->weighted) TRY(bough_grow(&f->weight, &f->weight_capacity, crossings, sizeof *f->weight, error));
    if (f->crossing_capacity > before) large_advise(f->crossing, f->crossing_capacity * sizeof *f->crossing);
    return status;
}

static uint32_t take_block(max_min *f, uint32_t hops) {
    uint32_t first = f->free[hops];
    if (first == MAX_MIN_NONE) {
        first = f->crossings;
        f->crossings += hops;
    } else {
        f->free[hops] = f->crossing[first].next;
    }
    return first;
}

void max_min_come(max_min *f, uint32_t id, uint32_t parts) {
    f->present++;
    f->flow[id] = (max_min_flow){.first = take_block(f, parts),
                                 .bottleneck = MAX_MIN_NONE,
                                 .hops = (uint16_t)parts,
                                 .state = (uint8_t)MAX_MIN_OPEN,
                                 .alone = !f->weighted};
    f->changed[f->came++] = id;
}

void max_min_place(max_min *f, uint32_t id, const uint32_t *link, const uint32_t *weight) {
    const uint32_t first = f->flow[id].first, parts = f->flow[id].hops;
    for (uint32_t i = 0; i < parts; i++) {
        f->crossing[first + i].link = link[i];
        f->crossing[first + i].flow = id;
        if (f->weight) f->weight[first + i] = weight ? weight[i] : 1;
    }
}

void max_min_attach(max_min *f, uint32_t id, uint32_t section, uint32_t sections) {
    max_min_flow *g = &f->flow[id];
    const uint32_t first = g->first, end = first + g->hops;
    bool meets = false;
    for (uint32_t c = first; c < end; c++) {
        max_min_crossing *x = &f->crossing[c];
        if (!max_min_has(section, sections, x->link)) continue;
        max_min_link *k = &f->link[x->link];
        x->next = k->flows ? k->head : MAX_MIN_NONE;
        x->previous = MAX_MIN_NONE;
        if (k->flows) f->crossing[k->head].previous = c;
        k->head = c;
        k->growing += max_min_weight(f, c);
        meets = k->flows++ || meets;
    }
    if (meets) __atomic_store_n(&g->alone, false, __ATOMIC_RELAXED); /* several sections may find it */
}

bool max_min_leave_alone(max_min *f, uint32_t id) {
    const max_min_flow *g = &f->flow[id];
    if (!g->alone) return false;
    for (uint32_t c = g->first; c < g->first + g->hops; c++)
        if (f->link[f->crossing[c].link].flows > 1) return false;
    for (uint32_t c = g->first; c < g->first + g->hops; c++) {
        max_min_link *k = &f->link[f->crossing[c].link];
        k->load = 0;
        k->bound = 0;
        k->head = MAX_MIN_NONE;
        k->flows = 0;
    }
    return true;
}
