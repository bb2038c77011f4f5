/* Irregularities of a fabric's wiring, as findings. */
#include "base/memory.h"
#include "bough/check.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct neighbours {
    uint32_t *cables;   /* [switch][switch] would be large: counted per switch at a time */
    uint64_t *seen;
    uint64_t count;
} neighbours;

/* Cables from switch v to each switch above it; the commonest number is what the fabric was built with. */
static void count_up(const bough_net *net, uint64_t v, neighbours *k) {
    for (uint64_t i = 0; i < k->count; i++) k->cables[k->seen[i]] = 0;
    k->count = 0;
    for (uint32_t g = 0; g < net->ops->node_group_count(net, v); g++) {
        bough_range r = net->ops->group_links(net, net->ops->node_group(net, v, g));
        for (uint64_t l = r.first; l < r.first + r.count; l++) {
            uint64_t to = net->ops->link_end(net, l).node;
            if (net->ops->node_level(net, to) <= net->ops->node_level(net, v)) continue;
            if (!k->cables[to]++) k->seen[k->count++] = to;
        }
    }
}

static bough_status check_cables(const bough_net *net, bough_findings *findings, bough_error *error) {
    neighbours k = {0};
    uint64_t histogram[64] = {0}, odd = 0;
    bough_status status = bough_alloc(&k.cables, net->nodes, sizeof *k.cables, error);
    if (!status) status = bough_alloc(&k.seen, net->nodes, sizeof *k.seen, error);
    for (int pass = 0; pass < 2 && !status; pass++) {
        uint64_t usual = 0;
        for (uint64_t c = 1; c < 64; c++)
            if (histogram[c] > histogram[usual]) usual = c;
        for (uint64_t v = net->endpoints; v < net->nodes && !status; v++) {
            count_up(net, v, &k);
            for (uint64_t i = 0; i < k.count && !status; i++) {
                uint32_t cables = k.cables[k.seen[i]];
                if (pass == 0) {
                    histogram[cables < 63 ? cables : 63]++;
                } else if (cables != usual && odd++ < 20) {
                    char a[128], b[128];
                    status = bough_findings_add(findings, BOUGH_WARN, "unequal-cables",
                                                bough_node_name(net, v, a, sizeof a), error,
                                                "%u cable%s to %s, where most such pairs have %" PRIu64, cables,
                                                cables == 1 ? "" : "s",
                                                bough_node_name(net, k.seen[i], b, sizeof b), usual);
                }
            }
        }
    }
    if (!status && odd > 20)
        status = bough_findings_add(findings, BOUGH_WARN, "unequal-cables", net->spec, error,
                                    "and %" PRIu64 " more pairs of switches with an unusual number of cables", odd - 20);
    free(k.cables);
    free(k.seen);
    return status;
}

static bough_status check_levels(const bough_net *net, bough_findings *findings, bough_error *error) {
    uint64_t flat = 0, first = BOUGH_NONE;
    bough_status status = BOUGH_OK;
    for (uint64_t l = 0; l < net->links; l++)
        if (bough_link_direction(net, l) == 0) {
            if (first == BOUGH_NONE) first = l;
            flat++;
        }
    if (flat) {
        char name[300];
        status = bough_findings_add(findings, BOUGH_WARN, "not-a-tree", bough_link_name(net, first, name, sizeof name),
                                    error,
                                    "%" PRIu64 " cables join switches of one level (as counted from the endpoints); this "
                                    "is not a plain fat-tree",
                                    flat / 2);
    }
    return status;
}

/* A leaf that sees fewer switches above it than the others do. */
static bough_status check_reach(const bough_net *net, bough_findings *findings, bough_error *error) {
    neighbours k = {0};
    uint64_t most[256] = {0};
    bough_status status = bough_alloc(&k.cables, net->nodes, sizeof *k.cables, error);
    if (!status) status = bough_alloc(&k.seen, net->nodes, sizeof *k.seen, error);
    for (int pass = 0; pass < 2 && !status; pass++)
        for (uint64_t v = net->endpoints; v < net->nodes && !status; v++) {
            unsigned level = net->ops->node_level(net, v) & 255;
            count_up(net, v, &k);
            if (pass == 0 && k.count > most[level]) most[level] = k.count;
            if (pass == 1 && k.count < most[level]) {
                char name[128];
                status = bough_findings_add(findings, k.count ? BOUGH_INFO : BOUGH_WARN, "fewer-parents",
                                            bough_node_name(net, v, name, sizeof name), error,
                                            "is cabled to %" PRIu64 " switches above it, others of its level to %" PRIu64,
                                            k.count, most[level]);
            }
        }
    free(k.cables);
    free(k.seen);
    return status;
}

static bough_status check_rates(const bough_net *net, bough_findings *findings, bough_error *error) {
    if (!net->ops->link_rate) return BOUGH_OK;
    uint64_t low = UINT64_MAX, high = 0, unknown = 0;
    bough_status status = BOUGH_OK;
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t rate = net->ops->link_rate(net, l);
        if (rate == 0) {
            unknown++;
            continue;
        }
        if (rate < low) low = rate;
        if (rate > high) high = rate;
    }
    if (unknown)
        status = bough_findings_add(findings, BOUGH_INFO, "unknown-rates", net->spec, error,
                                    "%" PRIu64 " links have no known rate: no shares of bandwidth are given", unknown / 2);
    if (!status && high > low)
        status = bough_findings_add(findings, BOUGH_INFO, "mixed-rates", net->spec, error,
                                    "link rates run from %g to %g Gb/s", (double)low / 1e9, (double)high / 1e9);
    return status;
}

bough_status bough_check_wiring(const bough_net *net, bough_findings *findings, bough_error *error) {
    bough_status status = check_levels(net, findings, error);
    if (!status) status = check_cables(net, findings, error);
    if (!status) status = check_reach(net, findings, error);
    if (!status) status = check_rates(net, findings, error);
    return status;
}
