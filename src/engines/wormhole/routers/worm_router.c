/* The engine: its memory, a trial, and the order of a cycle. */
#include "engines/wormhole/routers/worm_router.h"

#include "base/compare.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/wormhole/routers/worm_router_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static unsigned shift_for(uint32_t vcs) {
    unsigned shift = 0;
    while (1u << shift < vcs) shift++;
    return shift;
}

/* Slots of the lists of what arrives in a cycle. */
static uint64_t wheel_of(const worm_options *o, const worm_stages *s) {
    const uint64_t link = s->link > s->port ? s->link : s->port;
    return UINT64_C(2) + link + (s->traverse > o->credit ? s->traverse : o->credit);
}

uint64_t worm_router_bytes(const bough_net *net, const worm_options *o, const worm_stages *s,
                           uint64_t messages) {
    const uint64_t channels = bough_mul(net->links, UINT64_C(1) << shift_for(o->vcs));
    if (channels >= ROUTER_LIMIT || net->nodes >= ROUTER_LIMIT) return UINT64_MAX;
    const uint64_t wire = wheel_of(o, s) * (sizeof(router_flight) + sizeof(uint32_t));
    const uint64_t attempt =
        s->vc_alloc * (2 * sizeof(uint32_t) + sizeof(bool)) + s->switch_alloc * sizeof(uint32_t);
    const uint64_t link = sizeof(router_link) + 4 * sizeof(uint32_t) + 3 * sizeof(uint64_t);
    const uint64_t router = sizeof(router_node) + (1 + 2 * (uint64_t)s->switch_alloc) * sizeof(uint64_t);
    uint64_t bytes = bough_mul(channels, sizeof(router_channel) + (uint64_t)o->buffer * sizeof(uint32_t));
    bytes = bough_add(bytes, bough_mul(net->links, link + wire + attempt));
    bytes = bough_add(bytes, bough_mul(net->nodes, router));
    bytes = bough_add(bytes, bough_mul(net->endpoints, sizeof(router_endpoint) + sizeof(sim_delivery)));
    return bough_add(bytes, bough_mul(messages, sizeof(router_message)));
}

/* ---- making ---- */

static bough_status check_ranges(const worm_options *o, const worm_stages *s, bough_error *error) {
    const struct {
        const char *place;
        uint32_t value, least, most;
    } want[] = {{"vcs", o->vcs, 1, WORM_ROUTER_VCS},
                {"buffer", o->buffer, 1, UINT16_MAX},
                {"credit", o->credit, 0, WORM_ROUTER_LINK},
                {"route", s->route, 0, WORM_ROUTER_STAGE},
                {"vc_alloc", s->vc_alloc, 1, s->speculative ? 1 : WORM_ROUTER_STAGE},
                {"switch_alloc", s->switch_alloc, 1, s->speculative ? 1 : WORM_ROUTER_STAGE},
                {"traverse", s->traverse, 1, WORM_ROUTER_STAGE},
                {"link", s->link, 1, WORM_ROUTER_LINK},
                {"port", s->port, 1, WORM_ROUTER_LINK}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (want[i].value < want[i].least || want[i].value > want[i].most)
            return bough_fail(error, BOUGH_INVALID, want[i].place, "%u is not in %u .. %u%s", want[i].value,
                              want[i].least, want[i].most,
                              want[i].most == 1 ? ": a speculative router allocates in one cycle" : "");
    return BOUGH_OK;
}

/* Links that end, and that start, at every router. */
static bough_status count_ports(const bough_net *net, uint32_t **ins, uint32_t **outs, bough_error *error) {
    const uint64_t routers = net->nodes - net->endpoints;
    *outs = NULL;
    bough_status status = bough_alloc(ins, routers, sizeof **ins, error);
    TRY(bough_alloc(outs, routers, sizeof **outs, error));
    for (uint64_t l = 0; l < net->links && !status; l++) {
        const uint64_t start = bough_link_start(net, l), end = net->ops->link_end(net, l).node;
        if (start >= net->endpoints) (*outs)[start - net->endpoints]++;
        if (end >= net->endpoints) (*ins)[end - net->endpoints]++;
    }
    return status;
}

static bough_status check_ports(const bough_net *net, bough_error *error) {
    uint32_t *ins, *outs;
    char name[96];
    bough_status status = count_ports(net, &ins, &outs, error);
    for (uint64_t r = 0; r < net->nodes - net->endpoints && !status; r++) {
        const uint32_t most = ins[r] > outs[r] ? ins[r] : outs[r];
        if (most > WORM_ROUTER_PORTS)
            status = bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                                "routers with a pipeline have at most %d ports; %s has %u", WORM_ROUTER_PORTS,
                                bough_node_name(net, net->endpoints + r, name, sizeof name), most);
    }
    free(ins);
    free(outs);
    return status;
}

bough_status worm_router_check(const bough_routing *routing, const worm_options *o, const worm_stages *s,
                               bough_error *error) {
    const bough_net *net = routing->net;
    bough_status status = check_ranges(o, s, error);
    if (status) return status;
    if (routing->kind->via)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "routers with a pipeline take no routing with intermediate nodes, as %s",
                          routing->spec);
    for (uint64_t e = 0; e < net->endpoints; e++)
        if (bough_is_switch(net, e))
            return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                              "routers with a pipeline need endpoints with links of their own: ports=one");
    TRY(bough_memory_check(worm_router_bytes(net, o, s, 0), "the routers", error));
    TRY(check_ports(net, error));
    return status;
}

static bough_status allocate(worm_router *w, bough_error *error) {
    const uint64_t links = w->net->links, vc = w->s.vc_alloc, sw = w->s.switch_alloc,
                   channels = links << w->shift;
    const bough_array arrays[] = {
        {&w->link, links, sizeof *w->link},
        {&w->channel, channels, sizeof *w->channel},
        {&w->slot, bough_mul(channels, w->o.buffer), sizeof *w->slot},
        {&w->node, w->routers, sizeof *w->node},
        {&w->ends, links, sizeof *w->ends},
        {&w->starts, links, sizeof *w->starts},
        {&w->endpoint, w->net->endpoints, sizeof *w->endpoint},
        {&w->sending, (w->net->endpoints >> 6) + 1, sizeof *w->sending},
        {&w->ready, sw * links, sizeof *w->ready},
        {&w->inputs, sw * w->routers, sizeof *w->inputs},
        {&w->active, sw * w->words, sizeof *w->active},
        {&w->tries, links, sizeof *w->tries},
        {&w->tryings, w->routers, sizeof *w->tryings},
        {&w->early, links, sizeof *w->early},
        {&w->waiting, vc * links, sizeof *w->waiting},
        {&w->listed, vc * links, sizeof *w->listed},
        {&w->list_count, vc, sizeof *w->list_count},
        {&w->in_list, vc * links, sizeof *w->in_list},
        {&w->route_at, w->s.route + UINT64_C(2), sizeof *w->route_at},
        {&w->won_at, vc, sizeof *w->won_at},
        {&w->leaves_at, sw, sizeof *w->leaves_at},
        {&w->flights, w->wheel, sizeof *w->flights},
        {&w->credits, w->wheel, sizeof *w->credits},
        {&w->free, w->net->group_max, sizeof *w->free},
        {&w->load, w->net->group_max, sizeof *w->load},
        {&w->grants, links, sizeof *w->grants},
        {&w->waited, links, sizeof *w->waited},
        {&w->crossed, links, sizeof *w->crossed},
    };
    return bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
}

static void destroy(sim_engine *engine) {
    worm_router *w = (worm_router *)engine;
    for (uint64_t i = 0; w->flights && i < w->wheel; i++) free(w->flights[i].item);
    for (uint64_t i = 0; w->credits && i < w->wheel; i++) free(w->credits[i].item);
    FREE_ALL(w->link, w->channel, w->slot, w->node, w->ends, w->starts, w->endpoint, w->sending, w->message,
             w->ready, w->inputs, w->active, w->tries, w->tryings, w->early, w->waiting, w->listed,
             w->list_count, w->in_list, w->route_at, w->won_at, w->leaves_at, w->flights, w->credits, w->tail,
             w->out, w->free, w->load, w->grants, w->waited, w->crossed);
    free(w);
}

static uint32_t router_of(const worm_router *w, uint64_t node) {
    return node < w->net->endpoints ? ROUTER_NONE : (uint32_t)(node - w->net->endpoints);
}

static void set_link(worm_router *w, uint64_t l) {
    const bough_net *net = w->net;
    router_link *link = &w->link[l];
    link->start = router_of(w, bough_link_start(net, l));
    link->end = router_of(w, net->ops->link_end(net, l).node);
    link->cycles = link->start == ROUTER_NONE || link->end == ROUTER_NONE ? w->s.port : w->s.link;
    link->back = 1 + link->cycles + (link->start == ROUTER_NONE ? 0 : w->o.credit);
}

static void number_port(worm_router *w, uint64_t l) {
    router_link *link = &w->link[l];
    if (link->end != ROUTER_NONE) {
        link->input = w->node[link->end].inputs++;
        w->ends[w->node[link->end].in + link->input] = (uint32_t)l;
    }
    if (link->start != ROUTER_NONE) {
        link->output = w->node[link->start].outputs++;
        w->starts[w->node[link->start].out + link->output] = (uint32_t)l;
    }
}

/* Ports are numbered in the order of links. */
static bough_status set_ports(worm_router *w, bough_error *error) {
    uint32_t *ins, *outs;
    bough_status status = count_ports(w->net, &ins, &outs, error);
    for (uint32_t r = 0, in = 0, out = 0; r < w->routers && !status; r++) {
        w->node[r] = (router_node){.in = in, .out = out};
        in += ins[r];
        out += outs[r];
    }
    for (uint64_t l = 0; l < w->net->links && !status; l++) {
        set_link(w, l);
        number_port(w, l);
    }
    free(ins);
    free(outs);
    return status;
}

/* ---- the tally ---- */

static void reset(sim_engine *engine) {
    worm_router *w = (worm_router *)engine;
    w->reset_at = w->base.now;
    w->entered = w->entry_waited = 0;
    memset(w->grants, 0, w->net->links * sizeof *w->grants);
    memset(w->waited, 0, w->net->links * sizeof *w->waited);
    memset(w->crossed, 0, w->net->links * sizeof *w->crossed);
}

static void tally(const sim_engine *engine, sim_tally *t) {
    const worm_router *w = (const worm_router *)engine;
    *t = (sim_tally){
        .cycles = w->base.now - w->reset_at, .entered = w->entered, .entry_waited = w->entry_waited};
    for (uint64_t l = 0; l < w->net->links; l++) {
        const unsigned kind = sim_kind(w->net, l);
        t->grants[kind] += w->grants[l];
        t->waited[kind] += w->waited[l];
        sim_tally_link(t, l, kind, w->crossed[l]);
    }
}

/* ---- a trial ---- */

static void empty_lists(worm_router *w) {
    const uint64_t links = w->net->links, vc = w->s.vc_alloc, sw = w->s.switch_alloc;
    for (uint64_t i = 0; i < vc * links; i++) w->waiting[i] = ROUTER_NONE, w->in_list[i] = false;
    for (uint64_t i = 0; i < vc; i++) w->won_at[i] = ROUTER_NONE, w->list_count[i] = 0;
    for (uint64_t i = 0; i < sw; i++) w->leaves_at[i] = ROUTER_NONE;
    for (uint64_t i = 0; i < w->s.route + UINT64_C(2); i++) w->route_at[i] = ROUTER_NONE;
    for (uint64_t i = 0; i < w->wheel; i++) w->flights[i].count = w->credits[i].count = 0;
    memset(w->sending, 0, ((w->net->endpoints >> 6) + 1) * sizeof *w->sending);
    memset(w->ready, 0, sw * links * sizeof *w->ready);
    memset(w->inputs, 0, sw * w->routers * sizeof *w->inputs);
    memset(w->active, 0, sw * w->words * sizeof *w->active);
    memset(w->tries, 0, links * sizeof *w->tries);
    memset(w->tryings, 0, w->routers * sizeof *w->tryings);
}

static void start(sim_engine *engine, bough_key key, bough_source *source) {
    worm_router *w = (worm_router *)engine;
    w->key = key;
    w->source = source;
    w->base.now = w->base.offered = w->base.arrived = w->base.moves = w->base.unrouted = 0;
    w->outs = w->live = w->buffered = w->moving = 0;
    w->tails = w->messages = 0;
    w->unused = ROUTER_NONE;
    empty_lists(w);
    for (uint64_t l = 0; l < w->net->links; l++) {
        router_link *link = &w->link[l];
        link->free = UINT32_MAX >> (32 - w->vcs);
        link->used = link->next = link->taken = 0;
        memset(link->accept, 0, sizeof link->accept);
        memset(link->grant, 0, sizeof link->grant);
    }
    for (uint64_t c = 0; c < w->net->links << w->shift; c++)
        w->channel[c] =
            (router_channel){.to = ROUTER_NONE, .credits = (uint16_t)w->o.buffer, .owner = ROUTER_NONE};
    for (uint64_t e = 0; e < w->net->endpoints; e++)
        w->endpoint[e] = (router_endpoint){ROUTER_NONE, ROUTER_NONE, ROUTER_NONE, ROUTER_NONE};
    reset(engine);
}

static bough_status deliver(worm_router *w, bough_error *error) {
    bough_status status = bough_grow(&w->out, &w->out_capacity, w->outs + w->tails, sizeof *w->out, error);
    if (status) return status;
    if (w->tails > 1) qsort(w->tail, w->tails, sizeof *w->tail, bough_compare_u64);
    for (uint32_t i = 0; i < w->tails; i++) {
        const uint32_t m = (uint32_t)w->tail[i];
        router_message *s = &w->message[m];
        w->out[w->outs++] =
            (sim_delivery){s->offered, s->entered, w->base.now, s->id, s->source, s->address, s->hops};
        if (w->source->delivered) w->source->delivered(w->source, s->id, w->base.now);
        s->next = w->unused;
        w->unused = m;
    }
    w->base.arrived += w->tails;
    w->live -= w->tails;
    w->tails = 0;
    return BOUGH_OK;
}

static bough_status cycle(worm_router *w, bough_error *error) {
    bough_status status = router_make_room(w, error);
    if (status) return status;
    router_arrive(w);
    status = deliver(w, error);
    if (status) return status;
    router_take_credits(w);
    status = router_take_messages(w, error);
    TRY(router_make_room(w, error));
    TRY(router_send_from_sources(w, error));
    if (w->s.route == 0) TRY(router_route(w, error));
    if (status) return status;
    router_allocate_channels(w);
    if (w->s.route > 0) status = router_route(w, error);
    if (status) return status;
    router_allocate_switches(w);
    router_give_channels(w);
    if (w->s.speculative) router_leave_early(w);
    return BOUGH_OK;
}

static bough_status advance(sim_engine *engine, sim_advance *part, bough_error *error) {
    worm_router *w = (worm_router *)engine;
    const uint64_t until = part->until, want = part->want;
    bough_status status = BOUGH_OK;
    w->outs = 0;
    while (w->base.now < until && w->outs < want && !status) {
        if (!w->live && !w->moving) {
            uint64_t next = w->source->next_time(w->source);
            if (next == BOUGH_NONE) break;
            if (next > until) next = until;
            if (next > w->base.now) w->base.now = next;
            if (next == until) break;
        }
        status = cycle(w, error);
        w->base.now++;
    }
    part->deliveries = w->out;
    part->count = w->outs;
    return status;
}

static const sim_engine_ops ops = {destroy, start, advance, NULL, reset, tally};

bough_status worm_router_make(const bough_routing *routing, const worm_options *o, const worm_stages *s,
                              sim_engine **out, bough_error *error) {
    worm_router *w;
    *out = NULL;
    bough_status status = worm_router_check(routing, o, s, error);
    TRY(bough_alloc(&w, 1, sizeof *w, error));
    if (status) return status;
    w->base.ops = &ops;
    w->net = routing->net;
    w->routing = routing;
    w->o = *o;
    w->s = *s;
    w->vcs = o->vcs;
    w->shift = shift_for(o->vcs);
    w->routers = (uint32_t)(w->net->nodes - w->net->endpoints);
    w->words = (w->routers >> 6) + 1;
    w->wheel = wheel_of(o, s);
    status = allocate(w, error);
    TRY(set_ports(w, error));
    if (status)
        destroy(&w->base);
    else
        *out = &w->base;
    return status;
}
