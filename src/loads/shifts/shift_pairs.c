#include "loads/shifts/shift_pairs.h"
#include "network/hosts.h"

static bool before(const shift_pair *a, const shift_pair *b) {
    return a->shift != b->shift ? a->shift < b->shift : a->source < b->source;
}

void shift_example_add(shift_loads *found, spread_end end, shift_pair pair) {
    shift_pair *list = found->failed[end];
    unsigned *count = &found->failures[end], at = *count;
    if (at == SHIFT_EXAMPLES && !before(&pair, &list[at - 1])) return;
    if (at == SHIFT_EXAMPLES) at--;
    for (; at > 0 && before(&pair, &list[at - 1]); at--) list[at] = list[at - 1];
    list[at] = pair;
    if (*count < SHIFT_EXAMPLES) ++*count;
}

static void note_failures(const origin_list *o, uint32_t origin, uint32_t target, spread_end end,
                          shift_loads *found) {
    for (uint32_t r = o->run[origin]; r < o->run[origin + 1]; r++)
        for (uint32_t e = o->runs[r].first; e < o->runs[r].end; e++) {
            uint64_t shift = (target + o->endpoints - e) % o->endpoints;
            if (shift) shift_example_add(found, end, (shift_pair){shift, e});
        }
}

/* Routed pairs whose paths are equally long: those of neighbours mostly are, and are added together. */
typedef struct hop_count {
    uint32_t links;
    uint64_t pairs;
} hop_count;

static void add_hops(shift_loads *found, const hop_count *c) {
    const uint32_t switches = c->links - 1;
    if (c->pairs) found->hops[switches < SHIFT_HOPS_MAX ? switches : SHIFT_HOPS_MAX - 1] += c->pairs;
    found->ended[SPREAD_ARRIVES] += c->pairs;
}

void shift_pairs_count(const origin_list *o, const uint8_t *ends, const uint32_t *links, uint32_t target,
                       shift_loads *found) {
    hop_count count = {0};
    for (uint32_t i = 0; i < o->count; i++) {
        uint64_t pairs = o->size[i] - (o->of[target] == i);
        if (ends[i] != SPREAD_ARRIVES) {
            if (!net_same_plane(o->net, o->runs[o->run[i]].first, target)) continue; /* no pairs */
            found->ended[ends[i]] += pairs;
            note_failures(o, i, target, ends[i], found);
            continue;
        }
        const uint32_t length = links[o->node[i]] + origin_lead(o, i);
        if (length != count.links) {
            add_hops(found, &count);
            count = (hop_count){.links = length};
        }
        count.pairs += pairs;
    }
    add_hops(found, &count);
}
