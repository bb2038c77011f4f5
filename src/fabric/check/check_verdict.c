/* What the figures of one routing amount to. */
#include "fabric/check/check_verdict.h"
#include "network/hosts.h"

#include <math.h>

const char *bough_verdict_name(bough_verdict_kind kind) {
    static const char *const name[] = {
#define X(id, text, fields) [BOUGH_VERDICT_##id] = text,
        BOUGH_VERDICT_MAP(X)
#undef X
    };
    return name[kind];
}

unsigned bough_verdict_fields(bough_verdict_kind kind) {
    static const unsigned has[] = {
#define X(id, text, fields) [BOUGH_VERDICT_##id] = fields,
        BOUGH_VERDICT_MAP(X)
#undef X
    };
    return has[kind];
}

static void add(bough_routing_report *part, bough_verdict verdict) {
    part->verdict[part->verdicts++] = verdict;
}

static void judge_pairs(bough_routing_report *part) {
    const bough_check_result *r = &part->result;
    if (r->pairs == 0)
        add(part, (bough_verdict){BOUGH_VERDICT_NO_PAIRS, BOUGH_INFO});
    else if (!r->routed)
        add(part, (bough_verdict){BOUGH_VERDICT_NONE_ROUTED, BOUGH_ERROR, .pairs = r->pairs});
    else if (r->routed == r->pairs)
        add(part, (bough_verdict){BOUGH_VERDICT_ALL_ROUTED, BOUGH_INFO, .pairs = r->pairs});
    else
        add(part, (bough_verdict){BOUGH_VERDICT_SOME_ROUTED, BOUGH_ERROR, .count = r->pairs - r->routed,
                                  .pairs = r->pairs});
}

/* Rates say more than flows, where they are known: two flows on a link of twice the rate are no bottleneck.
 */
static void judge_alltoall(const bough_net *net, bough_routing_report *part) {
    const bough_check_result *r = &part->result;
    bough_verdict v = {.expected = r->expected, .load = r->alltoall_max};
    bool rates = !isnan(r->alltoall_share);
    double own = (double)net_partners(net);
    bool ideal = rates ? r->alltoall_share >= 0.9999999 : r->alltoall_max <= own * 1.0000001;
    v.severity = ideal ? BOUGH_INFO : BOUGH_WARN;
    v.kind = ideal   ? BOUGH_VERDICT_ALLTOALL_IDEAL
             : rates ? BOUGH_VERDICT_ALLTOALL_SHARE
                     : BOUGH_VERDICT_ALLTOALL_LOAD;
    if (v.kind == BOUGH_VERDICT_ALLTOALL_SHARE) v.share = r->alltoall_share;
    if (v.kind == BOUGH_VERDICT_ALLTOALL_LOAD) v.ratio = r->alltoall_max / own;
    add(part, v);
}

static void judge_shifts(bough_routing_report *part) {
    const bough_check_result *r = &part->result;
    bough_verdict v = {BOUGH_VERDICT_SHIFTS_FREE, BOUGH_INFO, .load = r->shift_max};
    if (r->expected || r->shift_max > 1) {
        v.kind = BOUGH_VERDICT_SHIFTS_SHARED;
        v.severity = BOUGH_WARN;
        v.expected = r->expected;
        v.mean = r->shift_mean;
    }
    add(part, v);
}

/* Said in any case. */
static void judge_deadlock(bough_routing_report *part) {
    bool tables = part->routing->kind->needs & BOUGH_HAS_TABLES;
    if (part->result.cycle)
        add(part, (bough_verdict){BOUGH_VERDICT_DEADLOCK, tables ? BOUGH_ERROR : BOUGH_WARN,
                                  .count = part->result.cycle});
    else
        add(part, (bough_verdict){BOUGH_VERDICT_DEADLOCK_FREE, BOUGH_INFO});
}

void check_verdict_find(const bough_net *net, bough_routing_report *part) {
    part->verdicts = 0;
    judge_pairs(part);
    if (!part->result.routed) return;
    judge_alltoall(net, part);
    judge_shifts(part);
    if (part->worst_known)
        add(part,
            (bough_verdict){BOUGH_VERDICT_WORST_PERMUTATION, part->worst.load > 1 ? BOUGH_WARN : BOUGH_INFO,
                            part->worst.expected, .load = part->worst.load});
    judge_deadlock(part);
    if (part->result.unused_links)
        add(part,
            (bough_verdict){BOUGH_VERDICT_UNUSED_LINKS, BOUGH_INFO, .count = part->result.unused_links});
}
