/* One walk over all pairs fills the loads of the whole fabric and, for every cable or switch, the list of the
 * pairs that cross it. A failure then costs what the pairs on its list cost. */
#include "base/memory/memory.h"
#include "base/status/stop.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "fabric/failures/failures_internal.h"
#include "loads/address_tree.h"
#include "network/physical/physical.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ENDPOINTS_MAX 65535

/* ---- the fabric as it stands ---- */

/* Without what depends on the wiring, which is little. */
static uint64_t least_bytes(const bough_net *net) {
    const bough_failures size = {
        .n = (uint32_t)net->endpoints, .nodes = (uint32_t)net->nodes, .links = (uint32_t)net->links};
    return bough_add(bough_mul(4 * net->endpoints, net->nodes), bough_mul(2, loads_bytes(&size)));
}

bough_status bough_failures_check(const bough_routing *r, bough_error *error) {
    const bough_net *net = r->net;
    if (r->kind->via || r->kind->wants_load || (r->kind->oblivious && !address_tree_fits(r)))
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "single failures are looked at under tables, an entry for each switch and address; "
            "`%s` has none; use lft:FILE, dmodk, or no routing (bough then makes minimal tables)",
            r->spec);
    if (net->endpoints > ENDPOINTS_MAX || net->links >= UINT32_MAX / 2)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "failures are looked at pair by pair, and %s has %" PRIu64
                          " endpoints; at most %d are possible",
                          net->spec, net->endpoints, ENDPOINTS_MAX);
    return bough_net_memory_check(net, least_bytes(net), "the check of failures", error);
}

/* ---- all pairs ---- */

/* Shift by shift, as their loads then stay in a cache. */
enum { SHIFTS = 16 }; /* that a thread takes at once */

/* What all pairs come to: of one thread, in the end of all. */
typedef struct pair_counts {
    uint64_t *link;  /* [links]: flows */
    uint64_t *talks; /* [endpoints], behind `link`; then the pairs that arrive */
    uint32_t *path;  /* [nodes] */
} pair_counts;

typedef struct pair_walk {
    bough_failures *f;
    const bough_failures_options *options;
    uint64_t first, end; /* shifts of this rank */
    pair_counts *counts; /* [threads] */
    atomic_size_t done;  /* shifts */
} pair_walk;

static uint64_t numbers_of(const bough_failures *f) {
    return (uint64_t)f->links + f->n + 1;
}

static void count_pair(const bough_failures *f, pair_counts *c, uint32_t s, uint32_t t, uint16_t *load) {
    const uint32_t length = failure_path(f, s, t, c->path);
    for (uint32_t i = 0; i < length; i++) load[c->path[i]]++;
    if (!length) return;
    c->talks[s]++;
    c->talks[t]++;
    c->talks[f->n]++;
}

static void walk_shifts(void *context, unsigned worker, uint64_t i) {
    pair_walk *w = context;
    bough_failures *f = w->f;
    pair_counts *c = &w->counts[worker];
    const uint64_t first = w->first + i * SHIFTS, end = first + SHIFTS < w->end ? first + SHIFTS : w->end;
    if (stop_asked(w->options->stop)) return;
    for (uint32_t s = 0; s < f->n; s++)
        for (uint64_t k = first; k < end; k++) {
            const uint32_t t = net_plane_shifted(&f->planes, net_plane(f->net, s), s, k);
            if (t != s) count_pair(f, c, s, t, f->loads.shift + k * f->links);
        }
    for (uint64_t k = first; k < end; k++) loads_count(f, &f->loads, (uint32_t)k, c->link);
    const size_t done = atomic_fetch_add(&w->done, end - first) + (end - first);
    if (worker == 0 && w->options->progress)
        w->options->progress(w->options->progress_context, (double)done / (double)(w->end - w->first));
}

/* Adds what the other threads have counted. */
static void join_counts(const pair_walk *w) {
    const bough_failures *f = w->f;
    for (unsigned i = 1; i < f->threads; i++)
        for (uint64_t k = 0; k < numbers_of(f); k++) w->counts[0].link[k] += w->counts[i].link[k];
}

static bough_status walk_all(bough_failures *f, const bough_failures_options *o, bough_error *error) {
    pair_walk w = {.f = f, .options = o, .first = 1, .end = f->shifts + UINT64_C(1)};
    bough_status status = bough_alloc(&w.counts, f->threads, sizeof *w.counts, error);
    for (unsigned i = 0; i < f->threads && !status; i++) {
        status = bough_alloc(&w.counts[i].link, numbers_of(f), sizeof *w.counts[i].link, error);
        TRY(bough_alloc(&w.counts[i].path, f->nodes, sizeof *w.counts[i].path, error));
        if (!status) w.counts[i].talks = w.counts[i].link + f->links;
    }
    if (!status) team_loop(f->threads, (w.end - w.first + SHIFTS - 1) / SHIFTS, walk_shifts, &w);
    TRY(stop_check(o->stop, error));
    if (!status) join_counts(&w);
    for (uint32_t l = 0; l < f->links && !status; l++) f->loads.link[l] = (uint32_t)w.counts[0].link[l];
    for (uint32_t e = 0; e < f->n && !status; e++) f->talks[e] = (uint32_t)w.counts[0].talks[e];
    if (!status) f->loads.pairs = w.counts[0].talks[f->n];
    if (!status && o->progress) o->progress(o->progress_context, 1);
    for (unsigned i = 0; w.counts && i < f->threads; i++) FREE_ALL(w.counts[i].link, w.counts[i].path);
    free(w.counts);
    return status;
}

/* As many threads as there is memory for. */
static bough_status fit(bough_failures *f, const bough_failures_options *o, bough_error *error) {
    uint64_t tables = bough_mul(4 * (uint64_t)f->n, f->nodes), each = state_bytes(f);
    uint64_t fixed = bough_add(bough_add(tables, loads_bytes(f)), 48 * (uint64_t)f->links);
    const uint64_t share = bough_memory_limit() / (f->net->sharers ? f->net->sharers : 1);
    f->threads = o->threads ? o->threads : 1;
    while (f->threads > 1 && bough_add(fixed, bough_mul(each, f->threads)) > share / 2) f->threads--;
    return bough_net_memory_check(f->net, bough_add(fixed, bough_mul(each, f->threads)),
                                  "the check of failures", error);
}

bough_status bough_failures_create(const bough_routing *routing, const bough_failures_options *options,
                                   bough_failures **out, bough_error *error) {
    const bough_net *net = routing->net;
    bough_failures *f = NULL;
    *out = NULL;
    bough_status status = bough_failures_check(routing, error);
    if (status) return status;
    status = bough_alloc(&f, 1, sizeof *f, error);
    if (status) return status;
    bough_rate_range range = bough_net_rate_range(net);
    *f = (bough_failures){.routing = routing,
                          .net = net,
                          .n = (uint32_t)net->endpoints,
                          .nodes = (uint32_t)net->nodes,
                          .links = (uint32_t)net->links,
                          .shifts = (uint32_t)net_partners(net),
                          .made = !address_tree_fits(routing),
                          .rates = range.low < range.high};
    status = tables_wire(f, error);
    TRY(net_plane_order_make(net, &f->memory, &f->planes, error));
    TRY(fit(f, options, error));
    TRY(tables_take(f, error));
    TRY(loads_make(f, &f->memory, &f->loads, error));
    TRY(walk_all(f, options, error));
    if (!status) {
        f->time = loads_measure(f, &f->loads, f->dead, &f->whole);
        f->whole.slowdown = 1;
        *out = f;
        return BOUGH_OK;
    }
    bough_failures_destroy(f);
    return status;
}

void bough_failures_destroy(bough_failures *f) {
    if (!f) return;
    arena_fini(&f->memory);
    free(f);
}

bool bough_failures_made(const bough_failures *f) {
    return f->made;
}

const bough_failure_load *bough_failures_whole(const bough_failures *f) {
    return &f->whole;
}

/* ---- any set of links ---- */

bough_status failures_dead(const bough_failures *f, const uint64_t *dead, bool anew, bough_failure *result,
                           bough_error *error) {
    failure_state s = {0};
    uint64_t *all = NULL, words = words_for(f->links);
    uint32_t *pair = NULL, *path = NULL;
    size_t count = 0, capacity = 0;
    bough_status status = bough_alloc(&all, words, sizeof *all, error);
    TRY(bough_alloc(&path, f->nodes, sizeof *path, error));
    TRY(state_make(f, &s, error));
    for (uint64_t w = 0; w < words && !status; w++) all[w] = dead[w] | f->dead[w];
    for (uint32_t t = 0; t < f->n && !status; t++)
        for (uint32_t source = 0; source < f->n && !status; source++) {
            uint32_t length = source == t ? 0 : failure_path(f, source, t, path), i = 0;
            while (i < length && !bit_of(all, path[i])) i++;
            if (i == length) continue;
            status = bough_grow(&pair, &capacity, count + 1, sizeof *pair, error);
            if (!status) pair[count++] = t * f->n + source;
        }
    TRY(state_evaluate(&s, all, (hit_pairs){pair, count}, result, error));
    if (anew) TRY(failures_anew(f, all, result, error));
    arena_fini(&s.memory);
    FREE_ALL(all, path, pair);
    return status;
}

bough_status bough_failures_dead(const bough_failures *f, const uint64_t *dead, bough_failure *result,
                                 bough_error *error) {
    return failures_dead(f, dead, failures_anew_wanted(f, 1), result, error);
}
