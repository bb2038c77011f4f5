/* Irregularities of a fabric's wiring, as findings. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "bough/check_routing.h"
#include "bough/physical.h"
#include "network/wiring.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN = 20, LEVELS = 256, CABLES = 64 };

typedef struct check {
    const bough_net *net;
    bough_findings *findings;
    bough_error *error;
    /* The neighbours of the switch at hand: in seen, and how many cables go there. */
    uint32_t *cables;
    uint64_t *seen, count;
    uint32_t *above;        /* per node: switches above a switch */
    uint32_t usual[LEVELS]; /* cables to each of them, of the most; 0: not compared */
    bool odd[LEVELS];       /* there are others */
} check;

static const char *whole(const bough_net *net) {
    return net->fabric ? net->fabric->source : net->spec;
}

static unsigned level_of(const bough_net *net, uint64_t v) {
    return net->ops->node_level(net, v) & (LEVELS - 1);
}

/* The neighbours of v whose level is higher. */
static void find_above(check *c, uint64_t v) {
    const bough_net *net = c->net;
    const unsigned level = net->ops->node_level(net, v);
    for (uint64_t i = 0; i < c->count; i++) c->cables[c->seen[i]] = 0;
    c->count = 0;
    for (node_links at = node_links_of(net, v); node_links_next(&at);) {
        const uint64_t to = net->ops->link_end(net, at.link).node;
        if (net->ops->node_level(net, to) > level && !c->cables[to]++) c->seen[c->count++] = to;
    }
}

/* The commonest number of cables between a switch and one above it is what its level was built with.
 * pairs: of such switches, by cables; [0]: CABLES or more. */
static void take_usual(check *c, unsigned level, const uint64_t pairs[CABLES]) {
    uint32_t usual = 1;
    for (uint32_t i = 2; i < CABLES; i++)
        if (pairs[i] > pairs[usual]) usual = i;
    if (pairs[0] > pairs[usual]) usual = 0; /* very many: not compared */
    c->usual[level] = usual;
    for (uint32_t i = 0; i < CABLES && usual; i++)
        if (i != usual && pairs[i]) c->odd[level] = true;
}

static bough_status look_up(check *c) {
    const bough_net *net = c->net;
    uint64_t(*pairs)[CABLES];
    bough_status status = bough_alloc(&pairs, LEVELS, sizeof *pairs, c->error);
    if (status) return status;
    for (uint64_t v = net->endpoints; v < net->nodes; v++) {
        find_above(c, v);
        c->above[v] = (uint32_t)c->count;
        for (uint64_t i = 0; i < c->count; i++) {
            const uint32_t cables = c->cables[c->seen[i]];
            pairs[level_of(net, v)][cables < CABLES ? cables : 0]++;
        }
    }
    for (unsigned level = 1; level < LEVELS; level++) take_usual(c, level, pairs[level]);
    free(pairs);
    return BOUGH_OK;
}

static bough_status check_cables(check *c) {
    const bough_net *net = c->net;
    uint64_t odd = 0;
    bough_status status = BOUGH_OK;
    for (uint64_t v = net->endpoints; v < net->nodes && !status; v++) {
        uint32_t expected = c->usual[level_of(net, v)];
        if (!c->odd[level_of(net, v)]) continue;
        find_above(c, v);
        for (uint64_t i = 0; i < c->count && !status; i++) {
            uint32_t cables = c->cables[c->seen[i]];
            char a[128], b[128];
            if (cables == expected || odd++ >= SHOWN) continue;
            status = bough_findings_add(
                c->findings,
                &(bough_finding_head){BOUGH_WARN, "unequal-cables", bough_node_name(net, v, a, sizeof a)},
                c->error, "%u cable%s to %s, where most such pairs have %u", cables, cables == 1 ? "" : "s",
                bough_node_name(net, c->seen[i], b, sizeof b), expected);
        }
    }
    if (!status && odd > SHOWN)
        status = bough_findings_add(
            c->findings, &(bough_finding_head){BOUGH_WARN, "unequal-cables", whole(net)}, c->error,
            "and %" PRIu64 " more pairs of switches with an unusual number of cables", odd - SHOWN);
    return status;
}

static bough_status check_levels(check *c) {
    const bough_net *net = c->net;
    uint64_t flat = 0, first = BOUGH_NONE;
    char name[300];
    for (uint64_t l = 0; l < net->links; l++) {
        if (bough_link_direction(net, l) != 0) continue;
        if (first == BOUGH_NONE) first = l;
        flat++;
    }
    if (!flat) return BOUGH_OK;
    return bough_findings_add(
        c->findings,
        &(bough_finding_head){BOUGH_WARN, "not-a-tree", bough_link_name(net, first, name, sizeof name)},
        c->error,
        "%" PRIu64
        " cable%s join%s switches of one level (as counted from the endpoints); this is not a plain fat-tree",
        flat / 2, flat == 2 ? "" : "s", flat == 2 ? "s" : "");
}

/* A switch that sees fewer switches above it than the others of its level do. */
static bough_status check_reach(check *c) {
    const bough_net *net = c->net;
    uint32_t most[LEVELS] = {0};
    bough_status status = BOUGH_OK;
    for (uint64_t v = net->endpoints; v < net->nodes; v++)
        if (c->above[v] > most[level_of(net, v)]) most[level_of(net, v)] = c->above[v];
    for (uint64_t v = net->endpoints; v < net->nodes && !status; v++) {
        char name[128];
        const uint32_t above = c->above[v], others = most[level_of(net, v)];
        if (above >= others) continue;
        status = bough_findings_add(
            c->findings,
            &(bough_finding_head){above ? BOUGH_INFO : BOUGH_WARN, "fewer-parents",
                                  bough_node_name(net, v, name, sizeof name)},
            c->error, "is cabled to %" PRIu32 " switch%s above it, others of its level to %" PRIu32, above,
            above == 1 ? "" : "es", others);
    }
    return status;
}

static bough_status check_rates(check *c) {
    const bough_net *net = c->net;
    if (!bough_net_knows_rates(net)) return BOUGH_OK;
    uint64_t low = UINT64_MAX, high = 0, unknown = 0;
    char taken[40];
    bough_status status = BOUGH_OK;
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t rate = bough_net_known_rate(net, l);
        if (rate == 0) {
            unknown++;
            continue;
        }
        if (rate < low) low = rate;
        if (rate > high) high = rate;
    }
    if (unknown)
        status = bough_findings_add(
            c->findings, &(bough_finding_head){BOUGH_INFO, "unknown-rates", whole(net)}, c->error,
            "%" PRIu64 " of %" PRIu64 " cables have no known rate: they are taken as %s, by the setting %s",
            unknown / 2, net->links / 2,
            bough_format_measure(BOUGH_RATE, (int64_t)bough_net_physical(net)->rate, taken, sizeof taken),
            bough_net_physical(net)->spec);
    if (!status && high > low)
        status = bough_findings_add(c->findings, &(bough_finding_head){BOUGH_INFO, "mixed-rates", whole(net)},
                                    c->error, "link rates run from %g to %g Gb/s", (double)low / 1e9,
                                    (double)high / 1e9);
    return status;
}

static bough_status add_slow(check *c, const bough_slow_cable *slow) {
    const bough_net *net = c->net;
    char cable[300], host[128];
    double rate = (double)slow->rate / 1e9, nominal = (double)slow->nominal / 1e9;
    bough_finding_head head = {BOUGH_WARN, "slow-cable",
                               bough_link_name(net, slow->link, cable, sizeof cable)};
    if (!slow->host)
        return bough_findings_add(c->findings, &head, c->error,
                                  "runs at %g Gb/s, most cables of its level at %g Gb/s", rate, nominal);
    uint64_t v = bough_link_start(net, slow->link);
    if (v >= net->endpoints) v = net->ops->link_end(net, slow->link).node;
    return bough_findings_add(c->findings, &head, c->error,
                              "runs at %g Gb/s, most cables of hosts at %g Gb/s: what waits for %s, such as "
                              "all-to-all, takes at least %.3g times as long",
                              rate, nominal, bough_node_name(net, v, host, sizeof host), nominal / rate);
}

/* One finding for all, where many of a class are slow. */
static bough_status add_mixed(check *c, const bough_rate_class *k) {
    char text[200];
    bough_rate_class_text(c->net, k, text, sizeof text);
    bough_finding_head head = {BOUGH_WARN, "slow-cable", whole(c->net)};
    if (k->level) return bough_findings_add(c->findings, &head, c->error, "%s", text);
    return bough_findings_add(
        c->findings, &head, c->error,
        "%s: what waits for these, such as all-to-all, takes at least %.3g times as long", text,
        (double)k->nominal / (double)k->slowest);
}

static bough_status add_all_slow(check *c, const bough_link_rates *rates) {
    bough_status status = BOUGH_OK;
    size_t shown = 0;
    for (size_t i = 0; i < rates->kinds && !status; i++)
        if (bough_rate_class_mixed(&rates->kind[i])) status = add_mixed(c, &rates->kind[i]);
    for (size_t i = 0; i < rates->slows && !status; i++)
        if (rates->slow[i].single && shown++ < SHOWN) status = add_slow(c, &rates->slow[i]);
    if (status || shown <= SHOWN) return status;
    return bough_findings_add(c->findings, &(bough_finding_head){BOUGH_WARN, "slow-cable", whole(c->net)},
                              c->error, "and %zu more cables are slower than most of their kind",
                              shown - SHOWN);
}

static bough_status check_slow(check *c) {
    bough_link_rates rates;
    bough_status status = bough_link_rates_find(c->net, &rates, c->error);
    if (status) return status;
    status = add_all_slow(c, &rates);
    bough_link_rates_fini(&rates);
    return status;
}

bough_status bough_check_wiring(const bough_net *net, bough_findings *findings, bough_error *error) {
    check c = {.net = net, .findings = findings, .error = error};
    bough_status status =
        bough_net_memory_check(net, bough_mul(net->nodes, 16), "the check of the wiring", error);
    TRY(bough_alloc(&c.cables, net->nodes, sizeof *c.cables, error));
    TRY(bough_alloc(&c.seen, net->nodes, sizeof *c.seen, error));
    TRY(bough_alloc(&c.above, net->nodes, sizeof *c.above, error));
    TRY(look_up(&c));
    TRY(check_levels(&c));
    TRY(check_cables(&c));
    TRY(check_reach(&c));
    TRY(check_slow(&c));
    TRY(check_rates(&c));
    FREE_ALL(c.cables, c.seen, c.above);
    return status;
}
