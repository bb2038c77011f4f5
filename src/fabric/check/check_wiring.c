/* Irregularities of a fabric's wiring, as findings. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/check/check_routing.h"
#include "fabric/expect/tree_cables.h"
#include "network/physical/physical.h"
#include "network/wiring.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct check {
    const bough_net *net;
    bough_findings *findings;
    bough_error *error;
} check;

static const char *whole(const bough_net *net) {
    return net->fabric ? net->fabric->source : net->spec;
}

/* ---- the nearest regular tree ---- */

static const char *name_of(const check *c, uint64_t node, char name[128]) {
    return bough_node_name(c->net, node, name, 128);
}

static bough_status add_pair(const check *c, const odd_cable *odd) {
    const bool missing = odd->count < odd->usual;
    char pair[300], count[40] = "no cable";
    const bool ports = odd_cable_name(c->net, odd, pair, sizeof pair);
    if (odd->count) snprintf(count, sizeof count, "%u cable%s", odd->count, odd->count == 1 ? "" : "s");
    return bough_findings_add(
        c->findings, &(bough_finding_head){BOUGH_WARN, missing ? "missing-cable" : "extra-cable", pair},
        c->error, "%s between these switches, other pairs like them have %u%s", count, odd->usual,
        ports ? ODD_CABLE_PORTS : "");
}

static bough_status add_pairs(const check *c, const odd_list *list) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < list->count && !status; i++)
        if (list->item[i].usual && odd_is_new_pair(list, i)) status = add_pair(c, &list->item[i]);
    return status;
}

static bough_status add_skipped(const check *c, unsigned level) {
    return bough_findings_add(
        c->findings, &(bough_finding_head){BOUGH_INFO, "irregular-cables", whole(c->net)}, c->error,
        "more than a quarter of the cables between levels %u and %u differ from those of a "
        "regular tree; none of them counts as missing",
        level, level + 1);
}

/* Cables that differ from the nearest regular tree, as `--expect regular` finds them. */
static bough_status check_tree(const check *c) {
    tree *t;
    odd_cables odd = {0};
    uint32_t usual[TREE_LEVELS];
    if (!c->net->fabric || c->net->levels < 2) return BOUGH_OK;
    bough_status status = bough_alloc(&t, 1, sizeof *t, c->error);
    if (status) return status;
    status = tree_make(c->net, t, c->error);
    for (unsigned k = 0; k < TREE_LEVELS; k++) usual[k] = t->layer[k].cables;
    TRY(odd_cables_find(t, usual, &odd, c->error));
    TRY(add_pairs(c, &odd.missing));
    TRY(add_pairs(c, &odd.extra));
    for (unsigned k = 1; k < t->levels && !status; k++)
        if (odd.skipped[k]) status = add_skipped(c, k);
    arena_fini(&odd.memory);
    arena_fini(&t->memory);
    free(t);
    return status;
}

/* A spine that a storage or management node was plugged into. */
static bough_status check_hosts(const check *c) {
    const bough_net *net = c->net;
    bough_status status = BOUGH_OK;
    for (uint64_t v = net->endpoints; v < net->nodes && net->fabric && !status; v++) {
        uint64_t hosts = 0;
        char name[128];
        if (net->ops->node_level(net, v) < 2) continue;
        for (node_links at = node_links_of(net, v); node_links_next(&at);)
            hosts += net->ops->link_end(net, at.link).node < net->endpoints;
        if (!hosts) continue;
        status = bough_findings_add(
            c->findings, &(bough_finding_head){BOUGH_WARN, "endpoints-above-leaves", name_of(c, v, name)},
            c->error, "has %" PRIu64 " endpoint%s, and is of level %u of the tree", hosts,
            hosts == 1 ? "" : "s", net->ops->node_level(net, v));
    }
    return status;
}

/* A cable from a switch to itself is a finding of the file: loop-cable. */
static bool joins_one_level(const bough_net *net, uint64_t link) {
    return bough_link_direction(net, link) == 0 &&
           net->ops->link_end(net, link).node != bough_link_start(net, link);
}

static bough_status check_levels(check *c) {
    const bough_net *net = c->net;
    uint64_t flat = 0, first = BOUGH_NONE;
    char name[300];
    if (!net->fabric) return BOUGH_OK; /* a family is what it is */
    for (uint64_t l = 0; l < net->links; l++) {
        if (!joins_one_level(net, l)) continue;
        if (first == BOUGH_NONE) first = l;
        flat++;
    }
    if (!flat) return BOUGH_OK;
    return bough_findings_add(
        c->findings,
        &(bough_finding_head){BOUGH_WARN, "not-a-tree", bough_link_name(net, first, name, sizeof name)},
        c->error, "%" PRIu64 " cable%s join%s switches of one level; this is not a plain fat-tree", flat / 2,
        flat == 2 ? "" : "s", flat == 2 ? "s" : "");
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
    for (size_t i = 0; i < rates->kinds && !status; i++)
        if (bough_rate_class_mixed(&rates->kind[i])) status = add_mixed(c, &rates->kind[i]);
    for (size_t i = 0; i < rates->slows && !status; i++)
        if (rates->slow[i].single) status = add_slow(c, &rates->slow[i]);
    return status;
}

static bough_status check_slow(check *c) {
    bough_link_rates rates;
    arena memory = {0};
    bough_status status = bough_link_rates_find(c->net, &memory, &rates, c->error);
    TRY(add_all_slow(c, &rates));
    arena_fini(&memory);
    return status;
}

bough_status bough_check_wiring(const bough_net *net, bough_findings *findings, bough_error *error) {
    check c = {.net = net, .findings = findings, .error = error};
    bough_status status =
        bough_net_memory_check(net, bough_mul(net->nodes, 48), "the check of the wiring", error);
    TRY(check_levels(&c));
    TRY(check_hosts(&c));
    TRY(check_tree(&c));
    TRY(check_slow(&c));
    TRY(check_rates(&c));
    return status;
}
