#include "network/next_links.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

static bough_status grow(next_links *t, uint64_t links, bough_error *error) {
    bough_status status = bough_grow(&t->list, &t->list_capacity, t->lists + 1, sizeof *t->list, error);
    TRY(bough_grow(&t->pool, &t->pool_capacity, t->pooled + links, sizeof *t->pool, error));
    TRY(bough_grow(&t->older, &t->older_capacity, t->lists + 1, sizeof *t->older, error));
    return status;
}

/* With the empty list. */
static bough_status make_lists(next_links *t, bough_error *error) {
    bough_status status = bough_alloc(&t->newest, t->rows, sizeof *t->newest, error);
    TRY(grow(t, 1, error));
    if (status) return status;
    t->list[t->lists++] = (link_list){0, 0};
    return BOUGH_OK;
}

bough_status next_links_make(next_links *t, bough_error *error) {
    uint64_t entries = bough_mul(t->rows, t->columns);
    bough_status status = bough_memory_check(bough_mul(entries, 4), "the next links", error);
    TRY(bough_alloc(&t->list_of, entries, sizeof *t->list_of, error));
    TRY(make_lists(t, error));
    return status;
}

bough_status next_links_part(const next_links *t, uint64_t first, uint64_t rows, next_links *part,
                             bough_error *error) {
    part->part = true;
    part->rows = rows;
    part->columns = t->columns;
    part->list_of = t->list_of + first * t->columns;
    return make_lists(part, error);
}

/* Appends the lists of a part, of which the first is the empty one. */
static void join_part(next_links *t, const next_links *part) {
    const uint32_t list = (uint32_t)t->lists - 1, pooled = (uint32_t)t->pooled;
    for (uint64_t i = 1; i < part->lists; i++)
        t->list[t->lists++] = (link_list){part->list[i].first + pooled, part->list[i].count};
    if (part->pooled) memcpy(t->pool + pooled, part->pool, part->pooled * sizeof *t->pool);
    t->pooled += part->pooled;
    for (uint64_t i = 0; i < part->rows * part->columns; i++)
        if (part->list_of[i]) part->list_of[i] += list;
}

bough_status next_links_join(next_links *t, next_links *const *part, unsigned parts, bough_error *error) {
    uint64_t lists = t->lists, pooled = t->pooled;
    for (unsigned i = 0; i < parts; i++) lists += part[i]->lists - 1, pooled += part[i]->pooled;
    bough_status status = bough_grow(&t->list, &t->list_capacity, lists, sizeof *t->list, error);
    TRY(bough_grow(&t->pool, &t->pool_capacity, pooled, sizeof *t->pool, error));
    for (unsigned i = 0; i < parts && !status; i++) join_part(t, part[i]);
    next_links_filled(t);
    return status;
}

static bool is_list(const next_links *t, uint32_t id, const uint32_t *link, uint32_t count) {
    return t->list[id].count == count && memcmp(t->pool + t->list[id].first, link, count * sizeof *link) == 0;
}

bough_status next_links_set(next_links *t, uint64_t entry, const uint32_t *link, uint32_t count,
                            bough_error *error) {
    uint32_t *newest = &t->newest[entry / t->columns], id = count ? *newest : 0;
    uint32_t before = entry % t->columns ? t->list_of[entry - 1] : 0; /* mostly the same list again */
    if (count && before && is_list(t, before, link, count)) id = before;
    while (id && !is_list(t, id, link, count)) id = t->older[id];
    t->list_of[entry] = id;
    if (id || !count) return BOUGH_OK;
    bough_status status = grow(t, count, error);
    if (status) return status;
    id = (uint32_t)t->lists++;
    t->list[id] = (link_list){(uint32_t)t->pooled, count};
    memcpy(t->pool + t->pooled, link, count * sizeof *link);
    t->pooled += count;
    t->older[id] = *newest;
    *newest = t->list_of[entry] = id;
    return BOUGH_OK;
}

void next_links_filled(next_links *t) {
    FREE_ALL(t->newest, t->older);
    t->newest = t->older = NULL;
    t->older_capacity = 0;
}

void next_links_fini(next_links *t) {
    next_links_filled(t);
    if (!t->part) free(t->list_of);
    FREE_ALL(t->list, t->pool);
    *t = (next_links){0};
}

uint64_t next_links_bytes(const next_links *t) {
    return 4 * t->rows * t->columns + t->list_capacity * sizeof *t->list + 4 * t->pool_capacity;
}
