/* Two steps, for a part of the nodes at a time if the paths of all do not fit in the budget:
 *
 * 1. for every address: its tree; which runs of origins reach which node (a record for each);
 * 2. for every node: the loads of its links under every shift, from its records (shift_sweep.h).
 *
 * The flows of an origin's own endpoints have no record: at the origin all its addresses are visited again.
 * Links between endpoints and switches have one flow in a shift, and are counted without a table. */
#include "loads/shifts/shift_loads.h"
#include "base/status/stop.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/threads.h"
#include "loads/shifts/shift_records.h"
#include "loads/shifts/shift_sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 64 }; /* endpoints of a word of `arrives` */
static const uint64_t BUDGET = UINT64_C(512) << 20;

_Static_assert(SHIFT_ENDPOINTS_MAX - 1 <= UINT16_MAX, "records have the numbers of endpoints and origins");

typedef struct search search;

typedef struct worker {
    search *search;
    unsigned number;
    address_tree tree;
    record_list *list; /* [nodes] */
    record_pool pool;
    uint64_t end;      /* nodes before this one are kept */
    uint8_t *ends;     /* [origins]: of the current endpoint, all its addresses */
    uint64_t *arrived; /* [origins]: the current words of `arrives`; neighbours share cache lines */
    pair_tally found;
    shift_sweep sweep;
    bough_status status;
    bough_error error;
} worker;

struct search {
    const shift_question *question;
    const bough_net *net;
    shift_loads *loads;
    origin_list origins;
    shift_lanes lanes;
    uint64_t *arrives; /* [origin][words]: bit d: its flows to endpoint d arrive */
    uint64_t words;
    uint64_t *address;   /* [endpoints] */
    uint64_t first, end; /* nodes of the current part */
    bool counted;        /* pairs were counted, in the first part */
    worker *worker;
    unsigned workers;
    uint64_t steps;      /* grains of endpoints, or nodes of the part */
    bough_lock lock;     /* protects what follows */
    uint64_t taken;      /* steps */
    bool over;           /* a worker has failed */
    double before, span; /* finished fraction before this step, and that of this step */
};

/* ---- work for threads ---- */

/* Takes the next step, or none: a worker has failed or the user has stopped. */
static bool take(worker *w, uint64_t *step) {
    search *s = w->search;
    const shift_question *q = s->question;
    if (!w->status) w->status = stop_check(q->stop, &w->error);
    lock_take(&s->lock);
    s->over = s->over || w->status;
    const bool any = !s->over && s->taken < s->steps;
    if (any) *step = s->taken++;
    if (q->progress && any)
        q->progress(q->context, s->before + s->span * (double)s->taken / (double)s->steps);
    lock_leave(&s->lock);
    return any;
}

static bough_status run_workers(search *s, uint64_t steps, void (*work)(void *, unsigned),
                                bough_error *error) {
    s->steps = steps;
    s->taken = 0;
    parallel_run(s->workers, work, s);
    for (unsigned i = 0; i < s->workers; i++) {
        if (!s->worker[i].status) continue;
        if (error) *error = s->worker[i].error;
        return s->worker[i].status;
    }
    return BOUGH_OK;
}

/* ---- step 1 ---- */

static void drop_lists(worker *w, uint64_t from) {
    for (uint64_t n = from; n < w->end; n++) record_list_drop(&w->list[n], &w->pool);
    w->end = from;
}

/* Halves the part until its records fit. */
static void respect_budget(worker *w) {
    const search *s = w->search;
    const uint64_t budget = s->question->budget ? s->question->budget : BUDGET, limit = budget / s->workers;
    while (w->pool.used > limit && w->end > s->first + 1) drop_lists(w, s->first + (w->end - s->first) / 2);
}

/* Whether the flows of both origins, which arrive, join at the next node. */
static bool joins(const worker *w, uint32_t a, uint32_t b) {
    const uint32_t *node = w->search->origins.node;
    return node[a] != w->tree.target && node[b] != w->tree.target &&
           w->tree.to[node[a]] == w->tree.to[node[b]];
}

/* The paths of some origins, which join at the next node. */
static void note_paths(worker *w, const record *flows) {
    const search *s = w->search;
    const address_tree *t = &w->tree;
    const bool adapter = !bough_is_switch(s->net, t->target);
    uint64_t *total = s->loads->total; /* one worker has all flows to this endpoint */
    uint64_t all = 0;
    uint32_t node = s->origins.node[flows->first];
    if (node == t->target) return;
    const bool at_once = t->to[node] == t->target;
    for (uint32_t i = flows->first; i <= flows->last; i++) {
        const uint32_t own = s->origins.size[i] - (s->origins.of[flows->target] == i);
        if (adapter && at_once && !s->counted) total[t->link[s->origins.node[i]]] += own;
        all += own;
    }
    while ((node = t->to[node]) != t->target) {
        if (adapter && t->to[node] == t->target) {
            if (!s->counted) total[t->link[node]] += all;
        } else if (node >= s->first && node < w->end && !w->status) {
            w->status = record_list_add(&w->list[node], flows, &w->pool, &w->error);
        }
    }
}

/* links of the first address stay in tree.links, as the tree of another one is found only where all pairs to
 * the first were counted */
static void other_addresses(worker *w, uint32_t target) {
    const bough_net *net = w->search->net;
    uint64_t first = bough_endpoint_address(net, target);
    for (uint64_t a = first + 1; a < net->addresses && bough_address_node(net, a) == target; a++) {
        address_tree_start(&w->tree, a);
        for (uint32_t i = 0; i < w->search->origins.count; i++)
            if (w->ends[i] == SPREAD_ARRIVES)
                w->ends[i] = (uint8_t)address_tree_from(&w->tree, &w->search->origins, i);
    }
}

static bool has_others(const bough_net *net, uint32_t target) {
    uint64_t next = bough_endpoint_address(net, target) + 1;
    return next < net->addresses && bough_address_node(net, next) == target;
}

/* Origins whose paths join at the next node are followed together. */
static void follow_origins(worker *w, uint32_t target) {
    const uint32_t count = w->search->origins.count;
    record flows = {.target = (uint16_t)target};
    bool open = false; /* there are flows */
    for (uint32_t i = 0; i < count; i++) {
        w->ends[i] = (uint8_t)address_tree_from(&w->tree, &w->search->origins, i);
        const bool arrives = w->ends[i] == SPREAD_ARRIVES;
        if (arrives) w->arrived[i] |= UINT64_C(1) << target % 64;
        if (open && arrives && joins(w, flows.last, i)) {
            flows.last = (uint16_t)i;
            continue;
        }
        if (open) note_paths(w, &flows);
        flows.first = flows.last = (uint16_t)i;
        open = arrives;
    }
    if (open) note_paths(w, &flows);
}

static void follow_target(worker *w, uint32_t target) {
    search *s = w->search;
    address_tree_start(&w->tree, bough_endpoint_address(s->net, target));
    follow_origins(w, target);
    if (s->counted) return;
    if (s->question->visit) s->question->visit(s->question->context, w->number, &w->tree, target);
    if (!has_others(s->net, target)) {
        pair_tally_count(&w->found, &s->origins, w->ends, w->tree.links, target);
        return;
    }
    uint32_t *links = NULL;
    w->status = w->status ? w->status : bough_alloc(&links, s->net->nodes, sizeof *links, &w->error);
    if (w->status) return;
    memcpy(links, w->tree.links, s->net->nodes * sizeof *links);
    other_addresses(w, target);
    pair_tally_count(&w->found, &s->origins, w->ends, links, target);
    free(links);
}

/* The same words in every part. */
static void keep_arrived(worker *w, uint64_t word) {
    const search *s = w->search;
    for (uint32_t i = 0; i < s->origins.count; i++) {
        s->arrives[i * s->words + word] = w->arrived[i];
        w->arrived[i] = 0;
    }
}

static void follow(void *context, unsigned number) {
    search *s = context;
    worker *w = &s->worker[number];
    const uint64_t n = s->net->endpoints;
    uint64_t grain;
    while (take(w, &grain)) {
        const uint64_t first = grain * SHIFT_GRAIN, end = first + SHIFT_GRAIN < n ? first + SHIFT_GRAIN : n;
        for (uint64_t d = first; d < end && !w->status; d++) {
            follow_target(w, (uint32_t)d);
            respect_budget(w);
            if (d % WORD == WORD - 1 || d == end - 1) keep_arrived(w, d / WORD);
        }
    }
}

/* ---- step 2 ---- */

static void add_origins(worker *w, uint64_t link, uint32_t first, uint32_t last, uint32_t target) {
    const origin_list *o = &w->search->origins;
    for (uint32_t i = first, end; i <= last; i = end + 1) {
        end = o->joined[i] < last ? o->joined[i] : last;
        for (uint32_t r = o->run[i]; r < o->run[i + 1]; r++) {
            endpoint_run run = {o->runs[r].first, end > i ? o->runs[o->run[end]].end : o->runs[r].end};
            shift_sweep_add(&w->sweep, link, run, target);
        }
    }
}

/* Flows of the endpoints whose paths begin here. */
static void add_own(worker *w, uint32_t origin) {
    const search *s = w->search;
    const uint32_t node = s->origins.node[origin];
    const uint32_t *end = w->tree.link_end;
    for (uint32_t d = 0; d < s->origins.endpoints; d++) {
        if (!(s->arrives[origin * s->words + d / 64] >> d % 64 & 1) || node == d) continue;
        uint64_t link = address_tree_link(&w->tree, node, s->address[d]);
        if (end[link] < s->origins.endpoints && !bough_is_switch(s->net, end[link])) continue;
        shift_sweep_count(&w->sweep, link);
        for (uint32_t r = s->origins.run[origin]; r < s->origins.run[origin + 1]; r++)
            shift_sweep_add(&w->sweep, link, s->origins.runs[r], d);
    }
}

static void add_list(worker *w, uint64_t node, const record_list *list) {
    const search *s = w->search;
    uint64_t link = 0;
    uint32_t target = BOUGH_NO_INDEX;
    for (const record_block *block = list->first; block; block = block->next) {
        const record *end = block->item + record_count(list, block);
        for (const record *r = block->item; r < end; r++) {
            if (r->target != target) {
                link = address_tree_link(&w->tree, node, s->address[r->target]);
                shift_sweep_count(&w->sweep, link);
            }
            target = r->target;
            add_origins(w, link, r->first, r->last, target);
        }
    }
}

static bool has_records(const search *s, uint64_t node) {
    for (unsigned i = 0; i < s->workers; i++)
        if (s->worker[i].list[node].first) return true;
    return false;
}

static void sweep(void *context, unsigned number) {
    search *s = context;
    worker *w = &s->worker[number];
    uint64_t step;
    while (take(w, &step)) {
        const uint64_t node = s->first + step;
        uint32_t origin = s->origins.at[node];
        if (!origin && !has_records(s, node)) continue;
        shift_sweep_start(&w->sweep, node);
        if (origin) add_own(w, origin - 1);
        for (unsigned i = 0; i < s->workers; i++) add_list(w, node, &s->worker[i].list[node]);
        w->status = shift_sweep_end(&w->sweep, origin ? s->origins.size[origin - 1] : 0, &w->error);
    }
}

/* The nodes from s->first on, as many as fit in the budget; both steps. */
static bough_status run_part(search *s, bough_error *error) {
    for (unsigned i = 0; i < s->workers; i++) s->worker[i].end = s->net->nodes;
    s->span = (1 - s->before) / 2;
    const uint64_t grains = (s->net->endpoints + SHIFT_GRAIN - 1) / SHIFT_GRAIN;
    bough_status status = run_workers(s, grains, follow, error);
    s->before += s->span;
    s->end = s->net->nodes;
    for (unsigned i = 0; i < s->workers; i++)
        if (s->worker[i].end < s->end) s->end = s->worker[i].end;
    for (unsigned i = 0; i < s->workers; i++) drop_lists(&s->worker[i], s->end);
    s->counted = true;
    s->span = (1 - s->before) * (double)(s->end - s->first) / (double)(s->net->nodes - s->first);
    TRY(run_workers(s, s->end - s->first, sweep, error));
    for (unsigned i = 0; i < s->workers; i++) drop_lists(&s->worker[i], s->first);
    s->first = s->end;
    s->before += s->span;
    return status;
}

/* ---- links of endpoints ---- */

static bool arrives(const search *s, uint32_t endpoint, uint32_t target) {
    return s->arrives[s->origins.of[endpoint] * s->words + target / 64] >> target % 64 & 1;
}

static uint64_t count_arrived(const search *s, uint32_t origin) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < s->words; i++)
        count += (uint64_t)__builtin_popcountll(s->arrives[origin * s->words + i]);
    return count;
}

/* Flows on the only links of endpoints; true if all pairs arrive. */
static bool total_injections(search *s) {
    bool all = true;
    uint64_t addresses = 0; /* to which the flows of an origin arrive */
    for (uint32_t e = 0; e < s->origins.endpoints; e++) {
        uint32_t origin = s->origins.of[e];
        if (e == 0 || origin != s->origins.of[e - 1]) addresses = count_arrived(s, origin);
        uint64_t flows = addresses - arrives(s, e, e);
        all = all && flows == s->net->endpoints - 1;
        if (origin_lead(&s->origins, origin)) s->loads->total[bough_injection_link(s->net, e)] = flows;
    }
    return all;
}

/* Whether every endpoint is an adapter with one link in each direction that carries anything. */
static bool single_links(const search *s) {
    const uint32_t *end = s->worker[0].tree.link_end;
    uint64_t last = 0;
    for (uint32_t e = 0; e < s->origins.endpoints; e++)
        if (!origin_lead(&s->origins, s->origins.of[e])) return false;
    for (uint64_t l = 0; l < s->net->links; l++)
        last += s->loads->total[l] && !bough_is_switch(s->net, end[l]);
    return last == s->net->endpoints;
}

static void mark(search *s, uint64_t link, uint64_t shift) {
    uint16_t *max = &s->loads->max[s->question->class_of[link] * s->net->endpoints + shift];
    if (*max == 0) *max = 1;
}

static void mark_all_shifts(search *s) {
    const uint64_t links = s->net->links;
    bool found[SHIFT_CLASSES_MAX] = {false};
    for (uint64_t l = 0; l < links; l++) {
        uint64_t start = s->loads->total[l] ? bough_link_start(s->net, l) : 0;
        if (!s->loads->total[l] || found[s->question->class_of[l]]) continue;
        if (bough_is_switch(s->net, start) && !shift_link_is_last(s->net, l)) continue;
        found[s->question->class_of[l]] = true;
        for (uint64_t k = 1; k < s->net->endpoints; k++) mark(s, l, k);
    }
}

/* Otherwise: pair by pair. */
static bough_status mark_pairs(search *s, bough_error *error) {
    worker *w = &s->worker[0];
    const uint32_t n = s->origins.endpoints;
    for (uint32_t d = 0; d < n; d++) {
        bough_status status = stop_check(s->question->stop, error);
        if (status) return status;
        address_tree_start(&w->tree, bough_endpoint_address(s->net, d));
        for (uint32_t e = 0; e < n; e++) {
            if (e == d || !arrives(s, e, d)) continue;
            uint32_t origin = s->origins.of[e], node = s->origins.node[origin];
            if (origin_lead(&s->origins, origin)) mark(s, bough_injection_link(s->net, e), (d + n - e) % n);
            if (bough_is_switch(s->net, w->tree.target)) continue;
            address_tree_reach(&w->tree, node);
            while (w->tree.to[node] != w->tree.target) node = w->tree.to[node];
            mark(s, w->tree.link[node], (d + n - e) % n);
        }
    }
    return BOUGH_OK;
}

/* ---- all ---- */

static void collect(search *s) {
    for (unsigned i = 0; i < s->workers; i++) {
        shift_sweep_collect(&s->worker[i].sweep, s->loads->max);
        pair_tally_join(&s->loads->pairs, &s->worker[i].found);
    }
}

static bough_status make_workers(search *s, bough_error *error) {
    bough_status status = bough_alloc(&s->worker, s->workers, sizeof *s->worker, error);
    for (unsigned i = 0; i < s->workers && !status; i++) {
        worker *w = &s->worker[i];
        w->search = s;
        w->number = i;
        w->sweep = (shift_sweep){.question = s->question, .lanes = &s->lanes, .total = s->loads->total};
        status = i ? address_tree_make_like(&w->tree, &s->worker[0].tree, error)
                   : address_tree_make(&w->tree, s->question->routing, error);
        TRY(bough_alloc(&w->list, s->net->nodes, sizeof *w->list, error));
        TRY(bough_alloc(&w->ends, s->origins.count + CACHE_LINE, sizeof *w->ends, error));
        TRY(bough_alloc(&w->arrived, s->origins.count + CACHE_LINE, sizeof *w->arrived, error));
        TRY(shift_sweep_make(&w->sweep, s->net, error));
    }
    return status;
}

static void free_search(search *s) {
    for (unsigned i = 0; s->worker && i < s->workers; i++) {
        worker *w = &s->worker[i];
        if (w->list) {
            w->end = s->net->nodes;
            drop_lists(w, 0);
        }
        record_pool_fini(&w->pool);
        address_tree_fini(&w->tree);
        shift_sweep_fini(&w->sweep);
        FREE_ALL(w->list, w->ends, w->arrived);
    }
    origin_list_fini(&s->origins);
    FREE_ALL(s->worker, s->arrives, s->address, s->lanes.lane);
}

static bough_status allocate(search *s, bough_error *error) {
    const uint64_t n = s->net->endpoints, nodes = s->net->nodes;
    s->words = (((n + 63) / 64 + 7) / 8 | 1) * 8; /* rows at different places of the cache */
    bough_status status = origin_list_make(s->net, &s->origins, error);
    TRY(shift_lanes_make(s->net, s->question, &s->lanes, error));
    if (status) return status;
    uint64_t bits = bough_mul(bough_mul(s->origins.count, s->words), 8);
    uint64_t each = bough_add(bough_add(shift_sweep_bytes(s->net, s->question, &s->lanes),
                                        address_tree_bytes(s->question->routing)),
                              bough_mul(nodes, sizeof(record_list)));
    uint64_t result = bough_mul(n, 2 * (uint64_t)s->question->classes + sizeof *s->address);
    status = bough_net_memory_check(s->net, bough_add(bough_add(bits, result), bough_mul(each, s->workers)),
                                    "check", error);
    TRY(bough_alloc(&s->arrives, bough_mul(s->origins.count, s->words), sizeof *s->arrives, error));
    if (!status) large_advise(s->arrives, bits);
    TRY(bough_alloc(&s->address, n, sizeof *s->address, error));
    for (uint64_t e = 0; e < n && !status; e++) s->address[e] = bough_endpoint_address(s->net, e);
    TRY(bough_alloc(&s->loads->total, s->net->links, sizeof *s->loads->total, error));
    const uint64_t maxima = bough_mul(n, s->question->classes);
    TRY(bough_alloc(&s->loads->max, maxima, sizeof *s->loads->max, error));
    TRY(make_workers(s, error));
    return status;
}

bough_status shift_loads_find(const shift_question *question, shift_loads *loads, bough_error *error) {
    const bough_net *net = question->routing->net;
    search s = {.question = question, .net = net, .loads = loads};
    *loads = (shift_loads){0};
    if (net->endpoints > SHIFT_ENDPOINTS_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "all shifts of %s are too many: it has %" PRIu64
                          " endpoints; at most %d are possible",
                          net->spec, net->endpoints, SHIFT_ENDPOINTS_MAX);
    s.workers = question->threads ? question->threads : 1;
    bough_status status = allocate(&s, error);
    if (!status) {
        lock_init(&s.lock);
        while (s.first < net->nodes && !status) status = run_part(&s, error);
        lock_fini(&s.lock);
    }
    if (!status) {
        collect(&s);
        if (total_injections(&s) && single_links(&s))
            mark_all_shifts(&s);
        else
            status = mark_pairs(&s, error);
    }
    free_search(&s);
    if (status) shift_loads_fini(loads);
    return status;
}

void shift_loads_fini(shift_loads *loads) {
    FREE_ALL(loads->total, loads->max);
    *loads = (shift_loads){0};
}
