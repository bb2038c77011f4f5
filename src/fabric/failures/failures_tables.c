/* Wiring and tables as flat arrays, and how entries are mended. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/failures/failures_internal.h"

#include <stdlib.h>
#include <string.h>

#define FAR UINT16_MAX

enum { UNKNOWN, OPEN, GOOD, BAD };

/* ---- wiring ---- */

/* Endpoints behind one switch have the same distances but for the last link. */
static bool hangs(const bough_failures *f, uint32_t e) {
    if (f->is_switch[e] || f->in.first[e + 1] - f->in.first[e] != 1 ||
        f->out.first[e + 1] - f->out.first[e] != 1)
        return false;
    uint32_t at = f->start[f->in.item[f->in.first[e]]];
    return f->is_switch[at] && f->end[f->out.item[f->out.first[e]]] == at;
}

static bough_status find_roots(bough_failures *f, bough_error *error) {
    uint32_t *index;
    bough_status status = bough_alloc(&index, f->nodes, sizeof *index, error);
    if (status) return status;
    memset(index, 0xff, f->nodes * sizeof *index);
    for (uint32_t e = 0; e < f->n; e++) {
        bool hanging = hangs(f, e);
        f->root_link[e] = hanging ? f->in.item[f->in.first[e]] : NO_LINK;
        f->root[e] = hanging ? f->start[f->root_link[e]] : e;
        if (index[f->root[e]] == UINT32_MAX) index[f->root[e]] = f->roots++;
        f->root_index[e] = index[f->root[e]];
    }
    free(index);
    return BOUGH_OK;
}

bough_status tables_wire(bough_failures *f, bough_error *error) {
    const bough_net *net = f->net;
    const bough_array want[] = {
        {&f->start, f->links, 4},           {&f->end, f->links, 4},     {&f->is_switch, f->nodes, 1},
        {&f->dead, words_for(f->links), 8}, {&f->root, f->n, 4},        {&f->root_link, f->n, 4},
        {&f->root_index, f->n, 4},          {&f->entries, f->links, 4}, {&f->talks, f->n, 4},
    };
    bough_status status = arena_alloc_all(&f->memory, want, sizeof want / sizeof *want, error);
    if (status) return status;
    for (uint32_t l = 0; l < f->links; l++) {
        f->start[l] = (uint32_t)bough_link_start(net, l);
        f->end[l] = (uint32_t)net->ops->link_end(net, l).node;
        if (!bough_link_works(net, l)) set_bit(f->dead, l);
    }
    for (uint32_t v = 0; v < f->nodes; v++) f->is_switch[v] = bough_is_switch(net, v) != 0;
    f->in.memory = f->out.memory = &f->memory;
    status = wiring_in(&f->in, net, NULL, error);
    TRY(wiring_out(&f->out, net, NULL, error));
    TRY(find_roots(f, error));
    return status;
}

/* ---- shortest ways that are left ---- */

bough_status search_make(const bough_failures *f, arena *memory, failure_search *s, bough_error *error) {
    *s = (failure_search){.f = f, .memory = memory};
    bough_status status = arena_alloc(memory, &s->entries, f->links, sizeof *s->entries, error);
    TRY(arena_alloc(memory, &s->fresh, f->nodes, sizeof *s->fresh, error));
    TRY(arena_alloc(memory, &s->good, f->nodes, sizeof *s->good, error));
    TRY(arena_alloc(memory, &s->stack, f->nodes, sizeof *s->stack, error));
    TRY(arena_alloc(memory, &s->searched, f->roots, sizeof *s->searched, error));
    TRY(arena_alloc(memory, &s->distance, bough_mul(f->roots, f->nodes), sizeof *s->distance, error));
    if (!status) memcpy(s->entries, f->entries, f->links * sizeof *s->entries);
    return status;
}

uint64_t search_bytes(const bough_failures *f) {
    return bough_add(bough_mul(2 * (uint64_t)f->roots, f->nodes), 16 * ((uint64_t)f->links + f->nodes));
}

void search_begin(failure_search *s, const uint64_t *dead) {
    s->dead = dead;
    s->logged = 0;
    s->failure++; /* 2^32 of them are not reached */
}

void search_end(failure_search *s) {
    while (s->logged) {
        uint32_t change = s->log[--s->logged];
        s->entries[change >> 1] -= change & 1 ? 1 : UINT32_MAX;
    }
}

static void find_distances(failure_search *s, uint32_t root, uint16_t *distance) {
    const bough_failures *f = s->f;
    uint32_t count = 0;
    memset(distance, 0xff, f->nodes * sizeof *distance);
    distance[root] = 0;
    s->stack[count++] = root;
    for (uint32_t q = 0; q < count; q++) {
        uint32_t v = s->stack[q];
        if (q && !f->is_switch[v]) continue;
        for (uint32_t i = f->in.first[v]; i < f->in.first[v + 1]; i++) {
            uint32_t from = f->start[f->in.item[i]];
            if (distance[from] != FAR || bit_of(s->dead, f->in.item[i])) continue;
            distance[from] = distance[v] + 1 < FAR ? (uint16_t)(distance[v] + 1) : FAR;
            s->stack[count++] = from;
        }
    }
}

/* Which nodes reach the target by entries that stay. Each node is walked through once. */
static void find_good(failure_search *s, uint32_t target) {
    const bough_failures *f = s->f;
    const uint32_t *next = f->next + (uint64_t)target * f->nodes;
    memset(s->good, UNKNOWN, f->nodes);
    s->good[target] = GOOD;
    for (uint32_t from = 0; from < f->nodes; from++) {
        uint32_t depth = 0, v = from;
        uint8_t end = BAD;
        while (s->good[v] == UNKNOWN && (depth == 0 || f->is_switch[v])) {
            s->good[v] = OPEN;
            s->stack[depth++] = v;
            if (next[v] == NO_LINK || bit_of(s->dead, next[v])) break;
            v = f->end[next[v]];
        }
        if (s->good[v] == GOOD && (v == target || f->is_switch[v])) end = GOOD;
        while (depth) s->good[s->stack[--depth]] = end;
    }
    for (uint32_t v = 0; v < f->nodes; v++) s->good[v] = s->good[v] == GOOD;
}

static bough_status change(failure_search *s, uint32_t link, bool comes, bough_error *error) {
    if (link == NO_LINK) return BOUGH_OK;
    bough_status status = arena_grow(s->memory, &s->log, s->logged + 1, sizeof *s->log, error);
    if (status) return status;
    s->log[s->logged++] = 2 * link + comes;
    s->entries[link] += comes ? 1 : UINT32_MAX;
    return BOUGH_OK;
}

static bool is_nearer(const failure_search *s, uint32_t link, uint32_t target, const uint16_t *distance) {
    const bough_failures *f = s->f;
    uint32_t to = f->end[link];
    return !bit_of(s->dead, link) && (f->is_switch[to] || to == target) && distance[to] != FAR &&
           distance[to] + 1 == distance[f->start[link]];
}

/* Of the links on shortest ways, one that fewest addresses use. Where several do, the turn goes round by node
 * and target: if all switches preferred the lowest link, they would meet on the way down. */
static uint32_t choose(const failure_search *s, uint32_t v, uint32_t target, const uint16_t *distance) {
    const bough_failures *f = s->f;
    uint32_t best = NO_LINK, last = f->root_link[target], count = 0, seen = 0;
    if (last != NO_LINK && bit_of(s->dead, last)) return NO_LINK;
    if (last != NO_LINK && v == f->root[target]) return last;
    if (distance[v] == FAR) return NO_LINK;
    for (uint32_t i = f->out.first[v]; i < f->out.first[v + 1]; i++)
        count += is_nearer(s, f->out.item[i], target, distance);
    uint32_t turn = count ? (v + target) % count : 0;
    for (uint32_t round = 0; round < 2; round++) {
        seen = 0;
        for (uint32_t i = f->out.first[v]; i < f->out.first[v + 1]; i++) {
            uint32_t l = f->out.item[i];
            if (!is_nearer(s, l, target, distance) || (seen++ < turn) == (round == 0)) continue;
            if (best == NO_LINK || s->entries[l] < s->entries[best]) best = l;
        }
    }
    return best;
}

bough_status search_mend(failure_search *s, uint32_t target, bough_error *error) {
    const bough_failures *f = s->f;
    uint32_t root = f->root_index[target];
    uint16_t *distance = s->distance + (uint64_t)root * f->nodes;
    bough_status status = BOUGH_OK;
    if (s->searched[root] != s->failure) find_distances(s, f->root[target], distance);
    s->searched[root] = s->failure;
    find_good(s, target);
    for (uint32_t v = 0; v < f->nodes && !status; v++) {
        if (s->good[v]) continue;
        status = change(s, failure_next(f, target, v), false, error);
        s->fresh[v] = choose(s, v, target, distance);
        TRY(change(s, s->fresh[v], true, error));
    }
    return status;
}

/* ---- the tables ---- */

/* What the routing says at every node. A node that is no switch is asked as the source. */
static void copy_tables(bough_failures *f) {
    const bough_net *net = f->net;
    for (uint32_t t = 0; t < f->n; t++) {
        uint64_t address = bough_endpoint_address(net, t);
        uint32_t *next = f->next + (uint64_t)t * f->nodes;
        for (uint32_t v = 0; v < f->nodes; v++) {
            const bough_flow flow = {v < f->n ? v : t, address, 0};
            const uint64_t link = v == t ? BOUGH_NONE : bough_next_link(f->routing, v, &flow);
            next[v] = NO_LINK;
            if (link == BOUGH_NONE || bough_link_lost(net, link)) continue;
            next[v] = (uint32_t)link;
            f->entries[link]++;
        }
    }
}

/* The rule for mending, when no entry is there yet. */
static bough_status make_tables(bough_failures *f, bough_error *error) {
    failure_search s;
    arena memory = {0};
    memset(f->next, 0xff, (uint64_t)f->n * f->nodes * sizeof *f->next);
    bough_status status = search_make(f, &memory, &s, error);
    if (!status) search_begin(&s, f->dead);
    for (uint32_t t = 0; t < f->n && !status; t++) {
        status = search_mend(&s, t, error);
        for (uint32_t v = 0; v < f->nodes && !status; v++)
            if (!s.good[v]) f->next[(uint64_t)t * f->nodes + v] = s.fresh[v];
        s.logged = 0;
    }
    if (!status) memcpy(f->entries, s.entries, f->links * sizeof *f->entries);
    arena_fini(&memory);
    return status;
}

bough_status tables_take(bough_failures *f, bough_error *error) {
    bough_status status =
        arena_alloc(&f->memory, &f->next, bough_mul(f->n, f->nodes), sizeof *f->next, error);
    if (status) return status;
    if (f->made) return make_tables(f, error);
    copy_tables(f);
    return BOUGH_OK;
}

uint32_t failure_path(const bough_failures *f, uint32_t source, uint32_t target, uint32_t *path) {
    uint32_t v = source, length = 0;
    while (v != target) {
        uint32_t l = failure_passes(f, source, v) ? failure_next(f, target, v) : NO_LINK;
        if (l == NO_LINK || length == f->nodes) return 0;
        path[length++] = l;
        v = f->end[l];
    }
    return length;
}
