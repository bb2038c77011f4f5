/* The bounds of adversary_upper_bounds.c where all flows to an address follow one tree: paths are followed
 * from origins, the switches at which adapters join. Destinations of a link are counted address by address;
 * its sources are the endpoints of the origins that use it, which are kept as bits. */
#include "base/status/stop.h"
#include "loads/worst/adversary_internal.h"

#include "base/memory/bits.h"
#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "loads/tree_loop.h"

#include <stdlib.h>
#include <string.h>

enum { GRAIN = 16 }; /* addresses that a thread takes at once */

/* Flows of origins first .. last that have come to a node. */
typedef struct joined_flows {
    uint32_t node, first, last, flows;
    bool own; /* of one origin, to one of its endpoints */
} joined_flows;

/* What one thread finds, from the addresses that it takes. */
typedef struct tree_counter {
    uint64_t *pairs;        /* per link */
    uint32_t *destinations; /* per link */
    uint32_t *latest;       /* per link: 1 + the latest of them */
    /* [link * words]: bit i: origin i uses the link; for endpoints other than itself: else its only address
     * there is one of its own endpoints, which does not send to itself. */
    uint64_t *uses, *full;
    origin_arrivals arrivals;
    joined_flows *joined; /* [origins] */
    uint64_t routed, failed;
} tree_counter;

typedef struct team {
    adversary_job *job;
    const bough_net *net;
    origin_list origins;
    uint64_t words;
    tree_counter *counter;
    adversary_link_bounds *counts;
    atomic_uint done; /* addresses */
} team;

uint64_t adversary_trees_bytes(const bough_routing *routing) {
    const bough_net *net = routing->net;
    uint64_t origins = net->endpoints < net->switches ? net->endpoints : net->switches;
    uint64_t words = (origins + 63) / 64;
    return bough_add(bough_mul(net->links, 16 + bough_mul(16, words)), address_tree_bytes(routing));
}

/* All their flows have the link. */
static void use_link(const team *t, tree_counter *c, uint64_t link, const joined_flows *f, uint32_t target) {
    for (uint32_t i = f->first / 64; i <= f->last / 64; i++) {
        uint64_t *uses = &c->uses[link * t->words + i], *full = &c->full[link * t->words + i];
        uint64_t bits = UINT64_MAX;
        if (i == f->first / 64) bits &= UINT64_MAX << f->first % 64;
        if (i == f->last / 64) bits &= UINT64_MAX >> (63 - f->last % 64);
        if ((*full & bits) == bits) continue; /* then they are in `uses`, too */
        *full |= f->own ? *uses & bits : bits;
        *uses |= bits;
    }
    c->pairs[link] += f->flows;
    if (c->latest[link] == target + 1) return;
    c->latest[link] = target + 1;
    c->destinations[link]++;
}

static void note_failure(const team *t, tree_counter *c, uint32_t origin, uint32_t target) {
    uint64_t n = t->origins.endpoints;
    uint32_t first = t->origins.runs[t->origins.run[origin]].first;
    if (first == target) { /* the next one of the origin */
        endpoint_run run = t->origins.runs[t->origins.run[origin]];
        first = run.end > first + 1 ? first + 1 : t->origins.runs[t->origins.run[origin] + 1].first;
    }
    if (first * n + target < c->failed) c->failed = first * n + target;
}

/* Whether flows of an origin to the target go on from its node; they are counted. */
static bool begin_origin(const team *t, tree_counter *c, address_tree *tree, uint32_t origin,
                         uint32_t target) {
    const bool own = t->origins.of[target] == origin;
    uint32_t node = t->origins.node[origin], flows = t->origins.size[origin] - own;
    if (!flows) return false;
    if (address_tree_from(tree, &t->origins, origin) != SPREAD_ARRIVES ||
        tree->links[node] + origin_lead(&t->origins, origin) > ADVERSARY_LONGEST) {
        note_failure(t, c, origin, target);
        return false;
    }
    origin_arrivals_add(&c->arrivals, &t->origins, origin, target);
    c->routed += flows;
    return node != tree->target;
}

/* Adds flows to the last ones if these are at the same node. Those to an endpoint of their own origin stay
 * apart, as not all endpoints of the origin send them. */
static void join_flows(tree_counter *c, uint32_t *count, const joined_flows *f) {
    joined_flows *last = *count ? &c->joined[*count - 1] : NULL;
    if (last && last->node == f->node && last->last + 1 == f->first && !last->own && !f->own) {
        last->last = f->last;
        last->flows += f->flows;
    } else {
        c->joined[(*count)++] = *f;
    }
}

/* All flows to an address, link by link: those that meet at a node go on together. */
static void follow_target(const team *t, tree_counter *c, address_tree *tree, uint32_t target) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->origins.count; i++) {
        const bool own = t->origins.of[target] == i;
        if (begin_origin(t, c, tree, i, target))
            c->joined[count++] = (joined_flows){t->origins.node[i], i, i, t->origins.size[i] - own, own};
    }
    while (count) {
        uint32_t left = 0;
        for (uint32_t i = 0; i < count; i++) {
            joined_flows f = c->joined[i];
            use_link(t, c, tree->link[f.node], &f, target);
            f.node = tree->to[f.node];
            if (f.node != tree->target) join_flows(c, &left, &f);
        }
        count = left;
    }
}

static bough_status visit(void *context, unsigned number, address_tree *tree, uint32_t target,
                          bough_error *error) {
    team *t = context;
    const uint32_t n = t->origins.endpoints, step = n / ADVERSARY_BLOCKS + 1;
    follow_target(t, &t->counter[number], tree, target);
    const unsigned done = atomic_fetch_add(&t->done, 1) + 1;
    if (number == 0 && done % step < t->job->threads)
        adversary_report_progress(t->job, t->job->told + 0.7 * done / n);
    return stop_check(t->job->options->stop, error);
}

static bough_status make_counter(const team *t, tree_counter *c, bough_error *error) {
    const uint64_t links = t->net->links, bits = bough_mul(links, t->words);
    const bough_array arrays[] = {
        {&c->pairs, links, sizeof *c->pairs},   {&c->destinations, links, sizeof *c->destinations},
        {&c->latest, links, sizeof *c->latest}, {&c->uses, bits, sizeof *c->uses},
        {&c->full, bits, sizeof *c->full},      {&c->joined, t->origins.count, sizeof *c->joined},
    };
    c->failed = BOUGH_NONE;
    bough_status status = bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
    TRY(origin_arrivals_make(&c->arrivals, &t->origins, error));
    if (status) return status;
    large_advise(c->uses, bits * sizeof *c->uses);
    large_advise(c->full, bits * sizeof *c->full);
    return BOUGH_OK;
}

static void free_counter(tree_counter *c) {
    origin_arrivals_fini(&c->arrivals);
    FREE_ALL(c->pairs, c->destinations, c->latest, c->uses, c->full, c->joined);
}

static uint64_t sources_of(const team *t, const tree_counter *c, uint64_t link) {
    uint64_t sources = 0;
    for (uint64_t w = 0; w < t->words; w++) {
        uint64_t at = link * t->words + w;
        for (uint64_t bits = c->uses[at]; bits; bits &= bits - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(bits);
            sources += t->origins.size[64 * w + bit] - !(c->full[at] >> bit & 1);
        }
    }
    return sources;
}

/* Adds what another thread found about a link. An origin that uses it for an address in both has two. */
static void add_link(const team *t, tree_counter *to, const tree_counter *c, uint64_t link) {
    to->pairs[link] += c->pairs[link];
    to->destinations[link] += c->destinations[link];
    for (uint64_t i = link * t->words; i < (link + 1) * t->words; i++) {
        to->full[i] |= c->full[i] | (to->uses[i] & c->uses[i]);
        to->uses[i] |= c->uses[i];
    }
}

enum { SOME_LINKS = 256 };

/* The bounds of some links, from the counts of all threads. */
static void bound_some(void *context, unsigned worker, uint64_t i) {
    const team *t = context;
    tree_counter *c = &t->counter[0];
    uint64_t end = (i + 1) * SOME_LINKS < t->net->links ? (i + 1) * SOME_LINKS : t->net->links;
    (void)worker;
    for (uint64_t l = i * SOME_LINKS; l < end; l++) {
        for (unsigned k = 1; k < t->job->threads; k++) add_link(t, c, &t->counter[k], l);
        uint64_t sources = sources_of(t, c, l);
        t->counts->pairs[l] = c->pairs[l];
        t->counts->bound[l] = (double)(sources < c->destinations[l] ? sources : c->destinations[l]);
    }
}

static void add_counter(const team *t, tree_counter *to, const tree_counter *c) {
    origin_arrivals_join(&to->arrivals, &c->arrivals, &t->origins);
    to->routed += c->routed;
    if (c->failed < to->failed) to->failed = c->failed;
}

static void take_counts(team *t) {
    tree_counter *c = &t->counter[0];
    adversary_link_bounds *counts = t->counts;
    team_loop(t->job->threads, (t->net->links + SOME_LINKS - 1) / SOME_LINKS, bound_some, t);
    for (unsigned i = 1; i < t->job->threads; i++) add_counter(t, c, &t->counter[i]);
    for (uint32_t e = 0; e < t->origins.endpoints; e++) {
        if (!origin_lead(&t->origins, t->origins.of[e])) continue;
        uint64_t link = bough_injection_link(t->net, e);
        counts->pairs[link] = origin_arrivals_of(&c->arrivals, &t->origins, e);
        counts->bound[link] = counts->pairs[link] > 0;
    }
    counts->routed = c->routed;
    counts->failed = c->failed;
}

bough_status adversary_bound_by_trees(adversary_job *job, adversary_link_bounds *counts, bough_error *error) {
    team t = {.job = job, .net = job->routing->net, .counts = counts};
    bough_status status = origin_list_make(t.net, &t.origins, error);
    t.words = (t.origins.count + 63) / 64;
    TRY(bough_alloc(&t.counter, job->threads, sizeof *t.counter, error));
    for (unsigned i = 0; i < job->threads && !status; i++) status = make_counter(&t, &t.counter[i], error);
    const tree_loop loop = {
        .routing = job->routing, .threads = job->threads, .grain = GRAIN, .visit = visit, .context = &t};
    TRY(tree_loop_run(&loop, error));
    if (!status) take_counts(&t);
    job->told += 0.7;
    for (unsigned i = 0; t.counter && i < job->threads; i++) free_counter(&t.counter[i]);
    origin_list_fini(&t.origins);
    free(t.counter);
    return status;
}
