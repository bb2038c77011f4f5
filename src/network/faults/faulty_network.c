#include "network/faults/faulty_network.h"
#include "base/compare.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "network/wiring.h"

#include <stddef.h>
#include <stdlib.h>

/* Uses net->faults, which copies of the struct share. */
static const faulted *of(const bough_net *net) {
    return (const faulted *)((const char *)net->faults - offsetof(faulted, report));
}

/* ---- routes ---- */

/* The route of the original network, restricted to the remaining links of its group. */
static void ranged_route(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    const faulted *f = of(net);
    f->base->ops->route(f->base, node, address, route);
    if (!route->count) return;
    if (!net->dead_ends && node < net->endpoints && f->known.islands &&
        reach_bars(&f->known, node, address)) {
        route->count = 0;
        return;
    }
    const choices_group *g = choices_find(&f->choices, route->group);
    if (g) {
        const choices_piece *p = choices_at(&f->choices, g, address);
        route->count = p->count & ~CHOICES_LISTED;
        route->list = p->count & CHOICES_LISTED ? f->choices.list + p->first : NULL;
        route->first = route->list ? *route->list : route->first + p->first;
    } else if (route->count == 1 && bit_of(f->dead, route->first)) {
        route->count = 0;
    }
}

static bool ranged_reaches(const bough_net *net, uint64_t endpoint, uint64_t address) {
    const faulted *f = of(net);
    uint64_t group = net->ops->node_group(net, endpoint, 0);
    return reach_has(f->lost ? &f->truth : &f->known, endpoint, group, address);
}

static uint64_t ranged_reached(const bough_net *net, uint64_t endpoint) {
    const faulted *f = of(net);
    return net->addresses - 1 - reach_count_missed(f->lost ? &f->truth : &f->known, net, endpoint);
}

static void listed_route(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    faulty_routes_route(&of(net)->routes, node, address, route);
}

static bool listed_reaches(const bough_net *net, uint64_t endpoint, uint64_t address) {
    return faulty_routes_reach(&of(net)->routes, endpoint, address);
}

static uint64_t listed_reached(const bough_net *net, uint64_t endpoint) {
    uint64_t count = 0;
    for (uint64_t a = 0; a < net->addresses; a++)
        count += bough_address_node(net, a) != endpoint && listed_reaches(net, endpoint, a);
    return count;
}

/* Without dead parts. */
static bool whole_reaches(const bough_net *net, uint64_t endpoint, uint64_t address) {
    (void)net;
    (void)endpoint;
    (void)address;
    return true;
}

static uint64_t whole_reached(const bough_net *net, uint64_t endpoint) {
    uint64_t count = 0;
    for (uint64_t a = 0; a < net->addresses; a++) count += bough_address_node(net, a) != endpoint;
    return count;
}

/* ---- channels ---- */

/* The original capacity of a channel, minus cables with a dead direction. */
static uint64_t capacity_left(const bough_net *net, unsigned level, uint64_t subtree) {
    const faulted *f = of(net);
    uint64_t key = subtree << 8 | level, bound[2];
    for (int end = 0; end < 2; end++) {
        uint64_t low = 0, high = f->cables.count;
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;
            if (f->cables.channel[middle] < key + (unsigned)end)
                low = middle + 1;
            else
                high = middle;
        }
        bound[end] = low;
    }
    uint64_t had = f->base->ops->channel_capacity(f->base, level, subtree), lost = bound[1] - bound[0];
    return lost < had ? had - lost : 0;
}

/* An endpoint below a node, or BOUGH_NONE. */
static uint64_t below(const bough_net *net, uint64_t node) {
    for (unsigned steps = 0; node >= net->endpoints && steps <= net->levels; steps++) {
        uint64_t next = BOUGH_NONE;
        for (uint32_t i = 0; i < net->ops->node_group_count(net, node) && next == BOUGH_NONE; i++) {
            uint64_t link = net->ops->group_links(net, net->ops->node_group(net, node, i)).first;
            if (bough_link_direction(net, link) < 0) next = net->ops->link_end(net, link).node;
        }
        if (next == BOUGH_NONE) return BOUGH_NONE;
        node = next;
    }
    return node < net->endpoints ? node : BOUGH_NONE;
}

/* Counts each cable once, by its upward direction if both are dead. */
static bough_status find_lost_cables(faulted *f, bough_error *error) {
    const bough_net *net = f->base;
    if (!(net->capabilities & BOUGH_HAS_CHANNELS)) return BOUGH_OK;
    bough_status status = bough_alloc(&f->cables.channel, count_bits(f->cut, net->links), 8, error);
    for (uint64_t w = 0; w < words_for(net->links) && !status; w++)
        for (uint64_t bits = f->cut[w]; bits; bits &= bits - 1) {
            uint64_t link = 64 * w + (uint64_t)__builtin_ctzll(bits);
            uint64_t twin = bough_link_twin(net, link);
            int direction = bough_link_direction(net, link);
            if (direction == 0 || (direction < 0 && twin != BOUGH_NONE && bit_of(f->cut, twin))) continue;
            uint64_t low = direction > 0 ? bough_link_start(net, link) : net->ops->link_end(net, link).node;
            uint64_t endpoint = below(net, low);
            unsigned level = bough_link_level(net, link);
            if (endpoint == BOUGH_NONE || level > 255) continue;
            f->cables.channel[f->cables.count++] = net->ops->subtree(net, level, endpoint) << 8 | level;
        }
    if (f->cables.count) qsort(f->cables.channel, f->cables.count, 8, bough_compare_u64);
    return status;
}

/* ---- making it ---- */

static void destroy(bough_net *net) {
    faulted *f = (faulted *)net;
    if (f->cut != f->dead) free(f->cut);
    FREE_ALL(f->dead, f->lost, f->rate, f->compute, f->cables.channel, f->report.spec);
    choices_fini(&f->choices);
    reach_fini(&f->known);
    reach_fini(&f->truth);
    faulty_routes_fini(&f->routes);
}

static void count_dead(faulted *f, const bough_fault_marks *m) {
    const bough_net *net = f->base;
    bough_fault_report *r = &f->report;
    r->links = count_bits(f->dead, net->links);
    r->lost = count_bits(f->lost, net->links);
    r->rerouted = m->rerouted;
    for (uint64_t v = 0; v < net->nodes; v++)
        r->switches += bough_is_switch(net, v) && (bit_of(m->dead_node, v) || bit_of(m->unknown, v));
    for (uint64_t w = 0; w < words_for(net->links); w++)
        for (uint64_t bits = f->cut[w]; bits; bits &= bits - 1) {
            uint64_t link = 64 * w + (uint64_t)__builtin_ctzll(bits);
            uint64_t twin = bough_link_twin(net, link);
            r->cables += twin == BOUGH_NONE || link < twin || !bit_of(f->cut, twin);
        }
}

/* Slow parts that are not dead. */
static void count_slow(faulted *f) {
    const bough_net *net = f->base;
    bough_fault_report *r = &f->report;
    uint32_t least = BOUGH_SPEED_ONE, most = BOUGH_SPEED_ONE;
    for (uint64_t l = 0; l < net->links && f->rate; l++) {
        if (f->rate[l] == BOUGH_SPEED_ONE || bit_of(f->cut, l)) continue;
        uint64_t twin = bough_link_twin(net, l);
        bool both = twin != BOUGH_NONE && f->rate[twin] != BOUGH_SPEED_ONE && !bit_of(f->cut, twin);
        if (f->rate[l] < least) least = f->rate[l];
        r->slow_links++;
        r->slow_cables += !both || l < twin;
    }
    for (uint64_t e = 0; e < net->endpoints && f->compute; e++) {
        if (f->compute[e] > most) most = f->compute[e];
        r->slow_hosts += f->compute[e] != BOUGH_SPEED_ONE;
    }
    r->rate_least = (double)least / BOUGH_SPEED_ONE;
    r->compute_most = (double)most / BOUGH_SPEED_ONE;
}

/* A chip is dead if all its switches are. */
static bough_status count_chips(faulted *f, const bough_fault_marks *m, bough_error *error) {
    const bough_net *net = f->base;
    uint64_t *dead, *alive;
    if (!net->ops->node_chip || !f->report.switches) {
        f->report.chips = f->report.switches;
        return BOUGH_OK;
    }
    bough_status status = bough_alloc(&dead, words_for(net->nodes), sizeof *dead, error);
    if (status) return status;
    status = bough_alloc(&alive, words_for(net->nodes), sizeof *alive, error);
    for (uint64_t v = 0; v < net->nodes && !status; v++)
        if (bough_is_switch(net, v))
            set_bit(bit_of(m->dead_node, v) || bit_of(m->unknown, v) ? dead : alive,
                    net->ops->node_chip(net, v));
    for (uint64_t w = 0; w < words_for(net->nodes) && !status; w++)
        f->report.chips += (uint64_t)__builtin_popcountll(dead[w] & ~alive[w]);
    free(dead);
    if (!status) free(alive);
    return status;
}

static void note_usable(void *context, uint64_t link) {
    const faulted *f = ((const faulted **)context)[0];
    bool *alive = ((bool **)context)[1];
    *alive |= !bit_of(f->cut, link);
}

/* Counts endpoints without a usable link out or in. */
static bough_status count_endpoints(faulted *f, bough_error *error) {
    const bough_net *net = f->base;
    fault_inputs inputs = {0};
    bough_status status = inputs_make(&inputs, net, error);
    for (uint64_t e = 0; e < net->endpoints && !status; e++) {
        bool out = false, in = false;
        const void *context[] = {f, &in};
        for (node_links at = node_links_of(net, e); node_links_next(&at);) out |= !bit_of(f->cut, at.link);
        inputs_visit(&inputs, e, note_usable, context);
        f->report.endpoints += !out || !in;
    }
    inputs_fini(&inputs);
    return status;
}

/* left: space for the links of the group. */
static bough_status mask_group(faulted *f, uint64_t group, uint32_t *left, bough_error *error) {
    bough_range r = f->base->ops->group_links(f->base, group);
    uint32_t count = 0;
    if (r.count == 1) return BOUGH_OK;
    for (uint64_t l = r.first; l < r.first + r.count; l++)
        if (!bit_of(f->dead, l)) left[count++] = (uint32_t)l;
    bough_status status = choices_begin(&f->choices, group, r.first, error);
    TRY(choices_add(&f->choices, 0, left, count, error));
    return status;
}

/* Only known dead links change routes, so only they change masked groups. */
static bough_status mask_groups(faulted *f, bough_error *error) {
    const bough_net *net = f->base;
    uint32_t *left;
    uint64_t last = BOUGH_NONE;
    bough_status status = bough_alloc(&left, net->group_max, sizeof *left, error);
    for (uint64_t w = 0; w < words_for(net->links) && !status; w++)
        for (uint64_t bits = f->dead[w]; bits && !status; bits &= bits - 1) {
            uint64_t group = net->ops->link_group(net, 64 * w + (uint64_t)__builtin_ctzll(bits));
            if (group == last) continue;
            last = group;
            status = mask_group(f, group, left, error);
        }
    free(left);
    return status ? status : choices_end(&f->choices, net->groups, error);
}

static bough_status find_ranged(faulted *f, bool rerouted, bough_error *error) {
    bough_status status = BOUGH_OK;
    f->ops.route = ranged_route;
    f->ops.reaches = ranged_reaches;
    f->ops.reached = ranged_reached;
    if (!rerouted) status = mask_groups(f, error);
    if (!status && (rerouted || !f->lost))
        status = reach_find(f->base, f->dead, &f->known, rerouted ? &f->choices : NULL, error);
    if (!status && f->lost) status = reach_find(f->base, f->cut, &f->truth, NULL, error);
    return status;
}

static bough_status find_listed(faulted *f, bool rerouted, bough_error *error) {
    f->routes = (faulty_routes){.net = f->base, .dead = f->dead, .cut = f->cut, .recomputed = rerouted};
    bough_status status = faulty_routes_find(&f->routes, error);
    f->ops.route = listed_route;
    f->ops.reaches = listed_reaches;
    f->ops.reached = listed_reached;
    f->net.hops_max = f->routes.hops_max;
    if (!status && rerouted && !f->routes.ascend) f->net.capabilities &= ~(unsigned)BOUGH_HAS_ORDER;
    return status;
}

static char *describe(const char *base, const char *spec) {
    bough_text text = {0};
    bough_text_printf(&text, "%s with %s", base, spec ? spec : "faults");
    return bough_text_take(&text);
}

static bough_status fill(faulted *f, bough_fault_marks *m, const char *spec, bough_error *error) {
    const bough_net *base = f->base;
    uint64_t words = words_for(base->links);
    bough_status status = BOUGH_OK;
    f->dead = m->dead;
    m->dead = NULL;
    f->cut = f->dead;
    f->net.spec = describe(base->spec ? base->spec : "a network", spec);
    if (spec) f->report.spec = bough_strdup(spec);
    if (!f->net.spec || (spec && !f->report.spec)) return bough_fail_memory(error, 256);
    if (count_bits(m->lost, base->links)) {
        f->lost = m->lost;
        m->lost = NULL;
        status = bough_alloc(&f->cut, words, sizeof *f->cut, error);
        for (uint64_t w = 0; w < words && !status; w++) f->cut[w] = f->dead[w] | f->lost[w];
    }
    f->net.faults = &f->report;
    f->rate = m->rate;
    f->compute = m->compute;
    m->rate = m->compute = NULL;
    f->speeds = (bough_speeds){f->rate, f->compute};
    if (f->rate || f->compute) f->net.speeds = &f->speeds;
    if (f->rate) f->net.capabilities |= BOUGH_HAS_RATES;
    return status;
}

/* Nothing is dead: all capabilities and operations remain valid. */
static void keep_whole(faulted *f) {
    f->ops.reaches = whole_reaches;
    f->ops.reached = whole_reached;
}

static bough_status take_away(faulted *f, bool rerouted, bough_error *error) {
    const bough_net *base = f->base;
    f->net.dead = f->dead;
    f->net.lost = f->lost;
    f->net.dead_ends = !rerouted;
    f->net.shape_kind = NULL;
    f->net.shape = NULL;
    f->ops.step = NULL;
    f->ops.channel_capacity = capacity_left;
    f->net.capabilities &= ~(unsigned)(BOUGH_HAS_EVEN | BOUGH_HAS_BITFIX);
    bool scoped = base->ops->group_coverage && (base->capabilities & BOUGH_HAS_ORDER);
    bough_status status = count_endpoints(f, error);
    TRY(scoped ? find_ranged(f, rerouted, error) : find_listed(f, rerouted, error));
    return status ? status : find_lost_cables(f, error);
}

bough_status faulted_make(bough_fault_marks *m, const char *spec, bough_net **out, bough_error *error) {
    const bough_net *base = m->net;
    faulted *f;
    *out = NULL;
    bough_status status = bough_alloc(&f, 1, sizeof *f, error);
    if (status) return status;
    f->base = f->report.base = base;
    f->net = *base;
    f->net.view = false;
    f->net.spec = NULL;
    f->ops = *base->ops;
    f->net.ops = &f->ops;
    f->ops.destroy = destroy;
    status = fill(f, m, spec, error);
    if (!status) count_dead(f, m);
    if (!status) count_slow(f);
    TRY(count_chips(f, m, error));
    if (!status && (f->report.links || f->report.lost))
        status = take_away(f, m->rerouted, error);
    else if (!status)
        keep_whole(f);
    f->report.bytes = 16 * words_for(base->links) + choices_bytes(&f->choices) + reach_bytes(&f->known) +
                      reach_bytes(&f->truth) + faulty_routes_bytes(&f->routes) + 8 * f->cables.count +
                      (f->rate ? 4 * base->links : 0) + (f->compute ? 4 * base->endpoints : 0);
    if (status)
        bough_net_destroy(&f->net);
    else
        *out = &f->net;
    return status;
}
