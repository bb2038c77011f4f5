/* Up/down routing as a table: choice of roots and filling of the table; up_down_paths.c computes the paths.
 *
 * The default roots are the switches of the highest level. If these leave connected pairs without a path (for
 * example, if switches of one level are neighbours), one of them is moved above the others (up_down_roots.c),
 * only in the parts of the network with such pairs. Layers of spines, also damaged ones, have the same ranks
 * as in OpenSM. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/threads.h"
#include "routing/computed/engine_settings.h"
#include "routing/computed/table_filler.h"
#include "routing/routing_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { P_ROOTS, P_ORDER };

static const bough_param params[] = {
    [P_ROOTS] =
        {"roots",
         "a file of switch GUIDs (0x.. or S-..) or names, one per line, or quoted names separated by commas; "
         "default: the switches of the highest level, with one of them above the others if pairs would "
         "remain "
         "without a path",
         BOUGH_TEXT, ""},
    [P_ORDER] = ENGINE_ORDER_PARAM,
    BOUGH_PARAMS_END,
};

/* ---- the table ---- */

typedef struct filler {
    next_table *table;
    up_down paths;
    uint32_t *sources; /* per node: number of endpoints attached to it */
    uint32_t *part;
    bool *lost;                   /* per part: it has pairs without a path */
    uint64_t pairs;               /* connected pairs without a path */
    uint64_t source, destination; /* the first of them by (destination, source): see example_source */
    bough_lock lock;              /* of `lost` and of what follows it */
} filler;

static bough_status make_filler(filler *f, const bool *root, bough_error *error) {
    const bough_net *net = f->table->net;
    bough_status status = up_down_make(&f->paths, net, root, error);
    TRY(bough_alloc(&f->sources, net->nodes, sizeof *f->sources, error));
    TRY(bough_alloc(&f->part, net->nodes, sizeof *f->part, error));
    TRY(bough_alloc(&f->lost, net->nodes, sizeof *f->lost, error));
    if (status) return status;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        const compressed_rows *out = &f->paths.out;
        if (f->table->entries.first_row == 0)
            f->sources[e] = 1;
        else if (rows_count(out, e)) /* its only link is alive */
            f->sources[net->ops->link_end(net, out->item[out->first[e]]).node]++;
    }
    return up_down_parts(&f->paths, f->part, error);
}

static void fini_filler(filler *f) {
    FREE_ALL(f->sources, f->part, f->lost);
    up_down_fini(&f->paths);
}

/* The switches through which messages from (or to) a node enter (or leave): their number, and the part of the
 * i-th. */
static uint32_t doors(const filler *f, uint64_t node, const compressed_rows *links) {
    return bough_is_switch(f->table->net, node) ? 1 : rows_count(links, node);
}

static uint32_t door(const filler *f, uint64_t node, bool out, uint32_t i) {
    const bough_net *net = f->table->net;
    const up_down *w = &f->paths;
    if (bough_is_switch(net, node)) return f->part[node];
    return f->part[out ? net->ops->link_end(net, w->out.item[w->out.first[node] + i]).node
                       : bough_link_start(net, w->in.item[w->in.first[node] + i])];
}

/* A part that has a switch of both: messages can get from one node to the other; BOUGH_NO_INDEX: none. */
static uint32_t common_part(const filler *f, uint64_t source, uint64_t target) {
    uint32_t from = doors(f, source, &f->paths.out), to = doors(f, target, &f->paths.in);
    for (uint32_t i = 0; i < from; i++)
        for (uint32_t k = 0; k < to; k++) {
            uint32_t part = door(f, source, true, i);
            if (door(f, target, false, k) == part) return part;
        }
    return BOUGH_NO_INDEX;
}

static bool comes_before(uint64_t source, uint64_t destination, const filler *f) {
    return destination != f->destination ? destination < f->destination : source < f->source;
}

/* A node with endpoints has no entry for a destination: checks whether they are connected. */
static void note_gap(void *context, uint64_t node, uint64_t destination) {
    filler *f = context;
    const struct next_table_destination *d = &f->table->order[destination];
    if (!f->sources[node] || node == d->node) return;
    uint32_t part = common_part(f, node, d->node);
    if (part == BOUGH_NO_INDEX) return;
    lock_take(&f->lock);
    f->lost[part] = true;
    if (!f->pairs || comes_before(node, destination, f)) f->source = node, f->destination = destination;
    f->pairs += f->sources[node];
    lock_leave(&f->lock);
}

static bough_status fill(filler *f, bough_error *error) {
    const table_filler table = {.table = f->table, .paths = &f->paths, .missing = note_gap, .context = f};
    f->pairs = 0;
    memset(f->table->load, 0, f->table->net->links * sizeof *f->table->load);
    return table_fill(&table, error);
}

/* An endpoint attached to the node found by note_gap, other than the destination. */
static uint64_t example_source(const filler *f) {
    const bough_net *net = f->table->net;
    if (f->table->entries.first_row == 0) return f->source;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        const compressed_rows *out = &f->paths.out;
        if (rows_count(out, e) && net->ops->link_end(net, out->item[out->first[e]]).node == f->source)
            return e;
    }
    return f->source;
}

static bough_status say_gaps(const filler *f, bough_routing *r, const char *where, bough_error *error) {
    char from[160], to[160];
    return bough_findings_add(
        &r->findings, &(bough_finding_head){BOUGH_WARN, "roots", where}, error,
        "%" PRIu64
        " pairs are connected, but have no up/down path under these roots, for example from %s to %s",
        f->pairs, bough_node_name(r->net, example_source(f), from, sizeof from),
        bough_node_name(r->net, bough_address_node(r->net, f->table->order[f->destination].address), to,
                        sizeof to));
}

static bough_status join(filler *f, const bool *root, bough_routing *r, bough_error *error) {
    char name[160];
    uint64_t top, pairs = f->pairs;
    bough_status status =
        up_down_join(&f->paths, &(up_down_parts_wanted){root, f->part, f->lost}, &top, error);
    if (status) return status;
    status = fill(f, error);
    if (status) return status;
    return bough_findings_add(
        &r->findings,
        &(bough_finding_head){BOUGH_INFO, "roots", bough_node_name(r->net, top, name, sizeof name)}, error,
        "it is the uppermost root; with equal switches of the highest level %" PRIu64
        " connected pairs would have no path",
        pairs);
}

static void take_highest(const bough_net *net, bool *root) {
    for (uint64_t v = 0; v < net->nodes; v++)
        if (bough_is_switch(net, v) && net->ops->node_level(net, v) == net->levels) root[v] = true;
}

bough_status updn_fill(bough_routing *r, const engine_settings *settings, bough_error *error) {
    bool *highest = NULL;
    filler f = {0};
    bough_status status = bough_alloc(&f.table, 1, sizeof *f.table, error);
    if (status) return status;
    r->data = f.table;
    f.table->place = settings->place;
    lock_init(&f.lock);
    status = next_table_make(f.table, r->net, error);
    r->bytes = f.table->bytes;
    if (!settings->root) TRY(bough_alloc(&highest, r->net->nodes, sizeof *highest, error));
    if (highest && !status) take_highest(r->net, highest);
    TRY(make_filler(&f, highest ? highest : settings->root, error));
    TRY(fill(&f, error));
    if (!status) {
        if (f.pairs && highest) status = join(&f, highest, r, error);
        if (!status && f.pairs)
            status = say_gaps(&f, r, highest || !settings->roots ? "highest level" : settings->roots, error);
        next_table_filled(f.table);
    }
    fini_filler(&f);
    lock_fini(&f.lock);
    free(highest);
    return status;
}

static bough_status open_updn(bough_args *args, bough_routing *r, bough_error *error) {
    const bough_value *v = args->value;
    engine_settings settings = {0};
    bough_status status = engine_roots_read(v[P_ROOTS].set ? v[P_ROOTS].text : "", r, &settings, error);
    TRY(engine_order_read(v[P_ORDER].set ? v[P_ORDER].text : "", r, &settings, error));
    TRY(updn_fill(r, &settings, error));
    engine_settings_fini(&settings);
    return status;
}

const bough_routing_kind bough_routing_updn = {
    .name = "updn",
    .summary =
        "a table of up*/down* paths: towards the roots, then away from them; deadlock-free on any network",
    .source = "Schroeder et al.: Autonet, 1991; OpenSM: the updn routing engine",
    .params = params,
    .needs = BOUGH_HAS_ROUTES,
    .oblivious = true,
    .by_address = true,
    .own_ways = true,
    .open = open_updn,
    .route = next_table_route,
    .next = next_table_next,
    .row = next_table_row,
    .fini = next_table_free,
};
