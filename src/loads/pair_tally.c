#include "loads/pair_tally.h"

#include "network/hosts.h"

static bool before(const shift_pair *a, const shift_pair *b) {
    return a->shift != b->shift ? a->shift < b->shift : a->source < b->source;
}

void pair_tally_routed(pair_tally *t, unsigned links, uint64_t pairs) {
    const unsigned switches = links - 1;
    if (pairs) t->hops[switches < PAIR_HOPS_MAX ? switches : PAIR_HOPS_MAX - 1] += pairs;
    t->ended[SPREAD_ARRIVES] += pairs;
}

void pair_tally_example(pair_tally *t, spread_end end, shift_pair pair) {
    shift_pair *list = t->failed[end];
    uint64_t *count = &t->failures[end], at = *count;
    if (at == PAIR_EXAMPLES && !before(&pair, &list[at - 1])) return;
    if (at == PAIR_EXAMPLES) at--;
    for (; at > 0 && before(&pair, &list[at - 1]); at--) list[at] = list[at - 1];
    list[at] = pair;
    if (*count < PAIR_EXAMPLES) ++*count;
}

void pair_tally_join(pair_tally *t, const pair_tally *other) {
    for (unsigned h = 0; h < PAIR_HOPS_MAX; h++) t->hops[h] += other->hops[h];
    for (unsigned end = 0; end <= SPREAD_LOOP; end++) {
        t->ended[end] += other->ended[end];
        for (uint64_t i = 0; i < other->failures[end]; i++) pair_tally_example(t, end, other->failed[end][i]);
    }
}

/* ---- by origins ---- */

static void note_failures(pair_tally *t, const origin_list *o, uint32_t origin, uint32_t target,
                          spread_end end) {
    for (uint32_t r = o->run[origin]; r < o->run[origin + 1]; r++)
        for (uint32_t e = o->runs[r].first; e < o->runs[r].end; e++) {
            uint64_t shift = (target + o->endpoints - e) % o->endpoints;
            if (shift) pair_tally_example(t, end, (shift_pair){shift, e});
        }
}

void pair_tally_count(pair_tally *t, const origin_list *o, const uint8_t *ends, const uint32_t *links,
                      uint32_t target) {
    uint32_t length = 1;
    uint64_t alike = 0; /* routed pairs of this length: neighbours are mostly alike, and added together */
    for (uint32_t i = 0; i < o->count; i++) {
        const uint64_t pairs = o->size[i] - (o->of[target] == i);
        if (ends[i] != SPREAD_ARRIVES) {
            if (!net_same_plane(o->net, o->runs[o->run[i]].first, target)) continue; /* no pairs */
            t->ended[ends[i]] += pairs;
            note_failures(t, o, i, target, ends[i]);
            continue;
        }
        const uint32_t own = links[o->node[i]] + origin_lead(o, i);
        if (own != length) {
            pair_tally_routed(t, length, alike);
            length = own;
            alike = 0;
        }
        alike += pairs;
    }
    pair_tally_routed(t, length, alike);
}
