/* Towards one destination, a switch may be updated when all switches behind it on the new path that change
 * are updated. Then there is no loop at any time: from an updated switch the rest of the path is new, as the
 * switches on it are updated or did not change; and from any other switch a packet follows old entries, which
 * have no loop, until it arrives or meets an updated switch.
 *
 * There is no constraint where old and new entries are all choices: each leads one link closer to the
 * destination, so no mixture of them has a loop.
 *
 * A switch has one such constraint for each other destination. If together they have no cycle, switches can
 * be updated one at a time, each with its whole table, in an order of them. */
#include "fabric/tune/tune_change.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/tune/tune_routing.h"
#include "routing/deadlock.h"

#include <stdlib.h>
#include <string.h>

typedef struct differ {
    const tune_tables *old, *fresh;
    const tune_graph *g;
    bool *after;     /* [a * switches + b]: a is updated after b */
    bool *differs;   /* [switches]: in any entry */
    uint32_t *waits; /* [switches] */
    uint32_t *stack; /* [switches] */
} differ;

static bool entry_differs(const differ *w, uint32_t host, uint32_t s) {
    return *tune_entry(w->old, host, s) != *tune_entry(w->fresh, host, s);
}

/* Switches that change and lie behind s on the new path; the first one suffices, as it waits for the next. */
static void constrain(differ *w, uint32_t host, uint32_t s) {
    uint32_t arc = *tune_entry(w->fresh, host, s);
    for (uint32_t hops = 0; arc != BOUGH_NO_INDEX && hops < TUNE_PATH_MAX; hops++) {
        const uint32_t to = w->g->to[arc];
        if (entry_differs(w, host, to)) {
            w->after[(uint64_t)s * w->g->switches + to] = true;
            return;
        }
        arc = *tune_entry(w->fresh, host, to);
    }
}

/* All old entries of a host are choices. */
static bool old_is_near(const differ *w, uint32_t host) {
    for (uint32_t s = 0; s < w->g->switches; s++) {
        const uint32_t arc = *tune_entry(w->old, host, s);
        const tune_choices c = tune_choices_at(w->g, w->g->leaf_of[host], s);
        if (arc != BOUGH_NO_INDEX && !tune_is_choice(&c, arc)) return false;
    }
    return true;
}

static void compare_entries(differ *w, uint32_t host, bough_tune_change *c) {
    const bool near = old_is_near(w, host);
    uint64_t changed = 0;
    for (uint32_t s = 0; s < w->g->switches; s++) {
        if (!entry_differs(w, host, s)) continue;
        changed++;
        w->differs[s] = true;
        if (!near) constrain(w, host, s);
    }
    c->changed += changed;
    c->destinations += changed > 0;
    if (changed > c->depth) c->depth = changed;
    if (changed && !near) c->far++;
}

static void compare_paths(differ *w, uint32_t host, bough_tune_change *c) {
    const tune_graph *g = w->g;
    const uint32_t own = g->leaf_of[host];
    for (uint32_t l = 0; l < g->leaves; l++) {
        bool moved = false;
        const uint32_t start = g->leaf_switch[l];
        if (l == own) {
            c->pairs += g->leaf_hosts[l] - 1;
            continue;
        }
        if (*tune_entry(w->old, host, start) == BOUGH_NO_INDEX ||
            *tune_entry(w->fresh, host, start) == BOUGH_NO_INDEX)
            continue;
        for (uint32_t s = start, arc; (arc = *tune_entry(w->old, host, s)) != BOUGH_NO_INDEX && !moved;
             s = g->to[arc])
            moved = entry_differs(w, host, s);
        c->pairs += g->leaf_hosts[l];
        c->moved += moved ? g->leaf_hosts[l] : 0;
    }
}

/* Switches in an order of the constraints, as far as there is one. */
static bough_status order_switches(differ *w, bough_tune_change *c, bough_error *error) {
    const tune_graph *g = w->g;
    uint32_t depth = 0;
    uint64_t placed = 0;
    for (uint32_t s = 0; s < g->switches; s++) c->switches += w->differs[s];
    bough_status status = bough_alloc(&c->order, c->switches, sizeof *c->order, error);
    for (uint32_t s = 0; s < g->switches && !status; s++) {
        for (uint32_t t = 0; t < g->switches; t++) w->waits[s] += w->after[(uint64_t)s * g->switches + t];
        if (w->differs[s] && !w->waits[s]) w->stack[depth++] = s;
    }
    while (depth) {
        const uint32_t s = w->stack[--depth];
        c->order[placed++] = g->net->endpoints + s;
        for (uint32_t t = 0; t < g->switches; t++)
            if (w->after[(uint64_t)t * g->switches + s] && !--w->waits[t]) w->stack[depth++] = t;
    }
    c->stuck = c->switches - placed;
    if (c->stuck) {
        free(c->order);
        c->order = NULL;
    }
    return status;
}

bough_status tune_change_between(const tune_tables *old, const tune_tables *fresh, bough_tune_change *c,
                                 bough_error *error) {
    const tune_graph *g = fresh->graph;
    differ w = {.old = old, .fresh = fresh, .g = g};
    const bough_array arrays[] = {
        {&w.after, bough_mul(g->switches, g->switches), sizeof *w.after},
        {&w.differs, g->switches, sizeof *w.differs},

        {&w.waits, g->switches, sizeof *w.waits},
        {&w.stack, g->switches, sizeof *w.stack},
    };
    *c = (bough_tune_change){.known = true};
    bough_status status = bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
    for (uint32_t d = 0; d < g->destinations && !status; d++) {
        if (g->leaf_of[d] == BOUGH_NO_INDEX) continue;
        c->entries += g->switches;
        compare_entries(&w, d, c);
        compare_paths(&w, d, c);
    }
    TRY(order_switches(&w, c, error));
    FREE_ALL(w.after, w.differs, w.waits, w.stack);
    return status;
}

bough_status tune_change_find(const tune_tables *fresh, const char *spec, bough_tune_change *c,
                              bough_error *error) {
    tune_tables old = {0};
    tune_raw raw;
    bough_routing *routing = NULL;
    bough_status status = bough_routing_create(fresh->graph->net, spec, &routing, error);
    TRY(tune_tables_make(&old, fresh->graph, error));
    TRY(tune_routing_read(routing, &old, &raw, error));
    TRY(tune_change_between(&old, fresh, c, error));
    tune_tables_fini(&old);
    bough_routing_destroy(routing);
    return status;
}
