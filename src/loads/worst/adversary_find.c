#include "base/status/try.h"
#include "loads/worst/adversary.h"

#include "base/memory/memory.h"
#include "loads/address_tree.h"
#include "loads/alltoall_load.h"
#include "loads/flow_spread.h"
#include "loads/worst/adversary_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- requirements ---- */

static bool branches(const bough_routing *routing) {
    return !routing->kind->oblivious && routing->net->group_max > 1;
}

bough_status bough_adversary_check(const bough_routing *routing, const char *what, bough_error *error) {
    const bough_net *net = routing->net;
    bool splits = branches(routing);
    if (splits && spread_check(routing, what, NULL))
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "%s needs an oblivious routing: under `%s` the path of a flow depends on other traffic, so pairs "
            "of endpoints have no fixed links; use random, hash, dmodk, forwarding tables, ...",
            what, routing->spec);
    if (routing->kind->via && !routing->kind->via_uniform)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "%s needs a routing whose intermediate nodes are uniform over all endpoints, which "
                          "`%s` does not provide",
                          what, routing->spec);
    uint64_t most = splits ? BOUGH_ADVERSARY_CHOOSING : BOUGH_ADVERSARY_ENDPOINTS;
    if (net->endpoints > most)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "%s follows every pair of endpoints%s, and %s has %" PRIu64
                          " endpoints; at most %" PRIu64 " are supported under `%s`",
                          what, splits ? " on all its paths" : "", net->spec, net->endpoints, most,
                          routing->spec);
    return BOUGH_OK;
}

/* At most one thread per block. */
static unsigned team_size(unsigned threads) {
    if (threads == 0) return 1;
    return threads < ADVERSARY_BLOCKS ? threads : ADVERSARY_BLOCKS;
}

static uint64_t at_most_held(uint64_t bytes) {
    return bytes < ADVERSARY_HELD ? bytes : ADVERSARY_HELD;
}

uint64_t bough_adversary_bytes(const bough_routing *routing, unsigned threads) {
    const bough_net *net = routing->net;
    uint64_t chooses = !bough_routing_deterministic(routing), team = team_size(threads);
    if (routing->kind->via) return bough_mul(net->links, 8 * ADVERSARY_BLOCKS + 24 * team);
    uint64_t pairs = bough_mul(bough_mul(net->endpoints, net->endpoints), chooses ? 12 : 4);
    uint64_t all = bough_mul(pairs, net->hops_max && !chooses ? net->hops_max : 64);
    /* Per link: counts, candidates; per thread: counts, and the loads of a flow or pairs that were found. The
     * pairs of a batch; per thread those of one link, as a graph. */
    uint64_t bytes = bough_mul(net->links, 96 + team * (64 + 24 * chooses));
    /* Threads take places for several pairs at a time. */
    if (team > 1) all = bough_add(all, bough_add(all / 8, bough_mul(net->links, 32 * team)));
    bytes = bough_add(bytes, at_most_held(all));
    if (address_tree_fits(routing)) bytes = bough_add(bytes, bough_mul(team, adversary_trees_bytes(routing)));
    return bough_add(bytes, team * bough_add(2 * at_most_held(pairs), bough_mul(net->endpoints, 128)));
}

/* ---- permutations ---- */

static bough_status apply(const adversary_matching *flows, uint64_t endpoints, uint32_t **destination,
                          bough_error *error) {
    bough_status status = bough_alloc(destination, endpoints, sizeof **destination, error);
    if (status) return status;
    memset(*destination, 0xff, endpoints * sizeof **destination); /* MATCHING_NONE */
    for (uint64_t i = 0; i < flows->flows; i++) (*destination)[flows->source[i]] = flows->destination[i];
    return adversary_complete(*destination, (uint32_t)endpoints, error);
}

/* Swaps neighbours where one would be sent to itself: all numbers are different, so no fixed point
 * remains. */
static void avoid_fixed_points(const uint32_t *from, uint32_t *to, uint32_t count) {
    for (uint32_t i = 0; i < count && count > 1; i++) {
        if (from[i] != to[i]) continue;
        uint32_t other = i + 1 < count ? i + 1 : i - 1, swap = to[i];
        to[i] = to[other];
        to[other] = swap;
    }
}

bough_status adversary_complete(uint32_t *destination, uint32_t endpoints, bough_error *error) {
    uint32_t *from = NULL, *to = NULL, count = 0, left = 0;
    bool *taken = NULL;
    bough_status status = bough_alloc(&from, endpoints, sizeof *from, error);
    TRY(bough_alloc(&to, endpoints, sizeof *to, error));
    TRY(bough_alloc(&taken, endpoints, sizeof *taken, error));
    if (!status) {
        for (uint32_t e = 0; e < endpoints; e++)
            if (destination[e] == MATCHING_NONE)
                from[count++] = e;
            else
                taken[destination[e]] = true;
        for (uint32_t e = 0; e < endpoints; e++)
            if (!taken[e]) to[left++] = e;
        avoid_fixed_points(from, to, count);
        for (uint32_t i = 0; i < count; i++) destination[from[i]] = to[i];
    }
    FREE_ALL(from, to, taken);
    return status;
}

/* ---- whole flows, and flows that spread ---- */

static bough_status bound_of(const bough_net *net, uint64_t *bound, bough_error *error) {
    uint32_t *in;
    uint64_t degree = 0, alive = 0;
    bough_status status = bough_alloc(&in, net->nodes, sizeof *in, error);
    if (status) return status;
    for (uint64_t l = 0; l < net->links; l++) {
        if (!bough_link_alive(net, l)) continue;
        uint32_t here = ++in[net->ops->link_end(net, l).node];
        if (here > degree) degree = here;
        alive++;
    }
    free(in);
    *bound = bough_adversary_bound(net->endpoints, degree, alive);
    return BOUGH_OK;
}

static bough_status add_theorem(const adversary_job *job, const adversary_matching *counted,
                                bough_adversary_result *r, bough_error *error) {
    const bough_net *net = job->routing->net;
    bough_status status = apply(counted, net->endpoints, &r->counted_destination, error);
    if (status) return status;
    r->counted = counted->flows;
    r->counted_link = counted->link;
    /* the theorem requires a route for every pair */
    return r->routed == r->pairs ? bound_of(net, &r->bound, error) : BOUGH_OK;
}

static void name_failure(const adversary_job *job, uint64_t pair, bough_adversary_result *r) {
    const bough_net *net = job->routing->net;
    spread_result end;
    r->failed_source = pair / net->endpoints;
    r->failed_destination = pair % net->endpoints;
    bough_flow flow =
        adversary_flow_between(job->routing, (uint32_t)r->failed_source, (uint32_t)r->failed_destination);
    spread_end_of(job->routing, &flow, &end);
    r->failed_at = end.at;
}

static bough_status find_by_matching(adversary_job *job, bough_adversary_result *r, bough_error *error) {
    const bough_net *net = job->routing->net;
    adversary_link_bounds counts;
    adversary_matching worst = {.link = BOUGH_NONE}, counted = {.link = BOUGH_NONE};
    bough_status status = adversary_bound_links(job, &counts, error);
    TRY(adversary_search(job, &counts, &worst, &counted, error));
    TRY(apply(&worst, net->endpoints, &r->destination, error));
    if (!status) {
        r->load = worst.load;
        r->link = worst.link;
        r->flows = worst.flows;
        r->routed = counts.routed;
        if (counts.failed != BOUGH_NONE) name_failure(job, counts.failed, r);
        for (uint64_t l = 0; l < net->links && !job->chooses; l++) r->open += counts.bound[l] > worst.load;
    }
    if (!status && !job->chooses) status = add_theorem(job, &counted, r, error);
    adversary_link_bounds_fini(&counts);
    adversary_matching_fini(&worst);
    adversary_matching_fini(&counted);
    return status;
}

/* ---- routing by a uniform intermediate node ---- */

typedef struct all_pairs {
    double *load; /* per link */
    uint64_t routed, failed, endpoints;
} all_pairs;

static void add_all(void *context, const adversary_flow *f) {
    all_pairs *a = context;
    uint64_t pair = f->source * a->endpoints + f->destination;
    for (uint32_t i = 0; i < f->links; i++) a->load[f->link[i]] += f->share[i];
    a->routed += f->links > 0;
    if (!f->links && pair < a->failed) a->failed = pair;
}

/* Each of the two phases sends every endpoint's flow to, or from, a uniform node: all-to-all over n. A port
 * carries the flow of its endpoint only. */
static void sum_blocks(const adversary_job *job, all_pairs *block, bough_adversary_result *r) {
    const bough_net *net = job->routing->net;
    for (unsigned b = 1; b < ADVERSARY_BLOCKS; b++)
        for (uint64_t l = 0; l < net->links; l++) block[0].load[l] += block[b].load[l];
    uint64_t most = 0;
    for (uint64_t l = 0; l < net->links; l++) {
        if (!(block[0].load[l] > 0)) continue;
        double load = alltoall_is_port(net, l) ? block[0].load[l] / (double)(net->endpoints - 1)
                                               : 2 * block[0].load[l] / (double)net->endpoints;
        if (adversary_rank(load) > most) most = adversary_rank(load), r->load = load, r->link = l;
    }
}

/* If an intermediate node cannot be reached, or cannot reach all, permutations would differ. */
static bough_status check_all_routed(const adversary_job *job, const all_pairs *block,
                                     bough_adversary_result *r, bough_error *error) {
    const bough_net *net = job->routing->net;
    char from[96], to[96], at[96];
    uint64_t failed = BOUGH_NONE;
    for (unsigned b = 0; b < ADVERSARY_BLOCKS; b++) {
        r->routed += block[b].routed;
        if (block[b].failed < failed) failed = block[b].failed;
    }
    if (failed == BOUGH_NONE) return BOUGH_OK;
    name_failure(job, failed, r);
    return bough_fail(
        error, BOUGH_INVALID, NULL,
        "with intermediate nodes every pair needs a route, and %s to %s has none (it ends at %s)",
        bough_node_name(net, r->failed_source, from, sizeof from),
        bough_node_name(net, r->failed_destination, to, sizeof to),
        bough_node_name(net, r->failed_at, at, sizeof at));
}

static bough_status find_by_symmetry(adversary_job *job, bough_adversary_result *r, bough_error *error) {
    const bough_net *net = job->routing->net;
    all_pairs block[ADVERSARY_BLOCKS];
    void *context[ADVERSARY_BLOCKS];
    adversary_matching none = {.link = BOUGH_NONE};
    bough_status status = BOUGH_OK;
    for (unsigned b = 0; b < ADVERSARY_BLOCKS; b++) {
        block[b] = (all_pairs){.failed = BOUGH_NONE, .endpoints = net->endpoints};
        context[b] = &block[b];
        TRY(bough_alloc(&block[b].load, net->links, sizeof *block[b].load, error));
    }
    adversary_pass pass = {.by_block = true, .visit = add_all, .context = context, .part = 1};
    TRY(adversary_all_pairs(job, &pass, error));
    TRY(check_all_routed(job, block, r, error));
    if (!status) sum_blocks(job, block, r);
    for (unsigned b = 0; b < ADVERSARY_BLOCKS; b++) free(block[b].load);
    r->any = true;
    r->flows = net->endpoints > 1 ? net->endpoints : 0;
    return status ? status : apply(&none, net->endpoints, &r->destination, error);
}

bough_status bough_adversary_find(const bough_routing *routing, const bough_adversary_options *options,
                                  bough_adversary_result *result, bough_error *error) {
    unsigned threads = team_size(options->threads);
    uint64_t n = routing->net->endpoints;
    *result = (bough_adversary_result){.link = BOUGH_NONE,
                                       .counted_link = BOUGH_NONE,
                                       .pairs = n * (n - 1),
                                       .failed_source = BOUGH_NONE,
                                       .failed_destination = BOUGH_NONE,
                                       .failed_at = BOUGH_NONE};
    bough_status status = bough_adversary_check(routing, "the worst permutation", error);
    TRY(bough_net_memory_check(routing->net, bough_adversary_bytes(routing, threads), "adversary", error));
    if (status) return status;
    result->expected = !bough_routing_deterministic(routing);
    adversary_job job = {.routing = routing,
                         .options = options,
                         .threads = threads,
                         .chooses = result->expected,
                         .held = ADVERSARY_HELD};
    status =
        routing->kind->via ? find_by_symmetry(&job, result, error) : find_by_matching(&job, result, error);
    if (status)
        bough_adversary_fini(result);
    else
        adversary_report_progress(&job, 1);
    return status;
}

void bough_adversary_fini(bough_adversary_result *result) {
    FREE_ALL(result->destination, result->counted_destination);
    *result = (bough_adversary_result){0};
}
