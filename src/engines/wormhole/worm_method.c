#include "engines/wormhole/worm.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/engine_list.h"
#include "engines/wormhole/routers/worm_router.h"
#include "engines/wormhole/switches/worm_switch.h"
#include "engines/wormhole/timed/worm_timed.h"
#include "engines/wormhole/worm_butterfly.h"
#include "engines/wormhole/worm_events.h"
#include "method/assumptions.h"
#include "method/engine_trial.h"
#include "method/message_routes.h"
#include "method/method_run.h"
#include "method/premises.h"
#include "method/transfers/timeline_rows.h"
#include "routing/deadlock.h"
#include "traffic/schedules/messages_in_flight.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bough_status worm_count_flits(uint64_t size, uint64_t flits, uint32_t *count, bough_error *error) {
    const uint64_t all = bough_mul(size, flits);
    *count = (uint32_t)all;
    if (all && all <= UINT32_MAX) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "a message of size %" PRIu64 " has %s flits; 1 .. 2^32 - 1 are possible", size,
                      all ? "too many" : "no");
}

enum {
    P_FLITS = ENGINE_PARAMS,
    P_BUFFER,
    P_VCS,
    P_CREDIT,
    P_DEADLOCK,
    P_ENGINE,
    P_SHARING,
    P_FLIT,
    P_RATE,
    P_CHANNEL,
    P_ROUTER,
    P_ROUTE,
    P_VC_ALLOC,
    P_SWITCH_ALLOC,
    P_TRAVERSE,
    P_LINK,
    P_PORT,
    P_CRITICAL
};

#define STAGE(key, what, least, most)                                                                        \
    { key, "router=: cycles " what "; default: the router's", BOUGH_INT, "", least, most }

static const bough_param params[] = {
    ENGINE_PARAM_LIST,
    [P_FLITS] = {"flits", "flits per unit of a message's size", BOUGH_INT, "1", 1, 0x1p20},
    [P_BUFFER] =
        {"buffer",
         "buffer at the end of a link, or of a virtual channel of it, in flits; default: the physical "
         "setting's, 1 (with router= 8)",
         BOUGH_INT, "", 1, WORM_SWITCH_BUFFER},
    [P_VCS] =
        {"vcs",
         "virtual channels of a link (under valiant half of them for each phase); default: the physical "
         "setting's, 1 (with router= 16)",
         BOUGH_INT, "", 1, WORM_SWITCH_VCS},
    [P_CREDIT] = {"credit",
                  "cycles until a free slot at the end of a link is visible at its start; default: 0, with "
                  "virtual channels 1; with router= besides those of the link, default 0",
                  BOUGH_INT, "", 0, 1024},
    [P_DEADLOCK] = {"deadlock",
                    "routes with cyclic dependencies: refuse them, or run and report deadlocked messages",
                    BOUGH_CHOICE, "refuse", .choices = "refuse|detect"},
    [P_ENGINE] = {"engine",
                  "auto: fast engine where the network allows it; generic: always the generic engine",
                  BOUGH_CHOICE, "auto", .choices = "auto|generic"},
    [P_SHARING] = {"sharing",
                   "a buffer: flits of several messages share it, or it belongs to a message until its tail "
                   "has left; default: flits, with virtual channels or credit message",
                   BOUGH_CHOICE, "", .choices = "flits|message"},
    [P_FLIT] = {"flit", "time=physical: bytes of a flit; default: the physical setting's", BOUGH_BYTES, "", 1,
                0x1p40},
    [P_RATE] = {"rate", "time=physical: rate of all links; default: their own", BOUGH_RATE, "", 1e6, 1e15},
    [P_CHANNEL] =
        {"channel",
         "virtual channel that a message takes: a free one, or one by hop: the k-th for its k-th cable "
         "between switches, so that with as many there is no deadlock",
         BOUGH_CHOICE, "free", .choices = "free|hop"},
    [P_ROUTER] =
        {"router",
         "routers with a pipeline (BookSim 2's): iq: routing, VC allocation, switch allocation, "
         "traversal, 1 cycle each; lookahead: routed a router ahead; speculative: both allocations in "
         "one cycle; fast: lookahead and speculative. none: a hop takes 1 cycle",
         BOUGH_CHOICE, "none", .choices = "none|" WORM_ROUTER_CHOICES},
    [P_ROUTE] = STAGE("route", "of routing; 0: known before", 0, WORM_ROUTER_STAGE),
    [P_VC_ALLOC] = STAGE("vc_alloc", "of an attempt to allocate a virtual channel", 1, WORM_ROUTER_STAGE),
    [P_SWITCH_ALLOC] = STAGE("switch_alloc", "of an attempt to allocate the switch", 1, WORM_ROUTER_STAGE),
    [P_TRAVERSE] = STAGE("traverse", "in the switch", 1, WORM_ROUTER_STAGE),
    [P_LINK] = STAGE("link", "of a link between routers", 1, WORM_ROUTER_LINK),
    [P_PORT] = STAGE("port", "of a link of an endpoint", 1, WORM_ROUTER_LINK),
    [P_CRITICAL] = TIMELINE_PARAM,
    BOUGH_PARAMS_END,
};

typedef struct setup {
    worm_options o;
    engine_settings a;
    bool butterfly, switches, timed;  /* selected engine; none: that of equal links in cycles */
    const worm_router_preset *router; /* NULL: switches without a pipeline */
    worm_stages stages;
    unsigned longest;
} setup;

/* ---- routers with a pipeline ---- */

/* What they do not take. */
static bough_status check_router(const bough_run *run, bough_error *error) {
    const bough_value *v = run->args.value;
    const bool schedule = run->point.traffic->shape == BOUGH_SCHEDULE;
    const char *why = NULL;
    if (v[P_DEADLOCK].integer == 1)
        why = "refuse routes that can deadlock; deadlock=detect needs router=none";
    if (v[P_FLIT].given || v[P_RATE].given) why = "count cycles: flit= and rate= need router=none";
    if (schedule || (v[ENGINE_TIME].given && v[ENGINE_TIME].integer == 1))
        why = "count cycles: schedules and time=physical need router=none";
    if (!why) return BOUGH_OK;
    return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "worm: router=%s: routers with a pipeline %s",
                      v[P_ROUTER].text, why);
}

static bough_status refuse_stages(const bough_run *run, bough_error *error) {
    for (unsigned p = P_ROUTE; p <= P_PORT; p++)
        if (run->args.value[p].given)
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "worm: %s= is a parameter of routers with a pipeline: "
                              "router=" WORM_ROUTER_CHOICES,
                              params[p].key);
    return BOUGH_OK;
}

/* The router that router= names, with the stages that other parameters change. */
static bough_status set_router(const bough_run *run, setup *s, bough_error *error) {
    const bough_value *v = run->args.value;
    if (v[P_ROUTER].integer == 0) return refuse_stages(run, error);
    s->router = &worm_router_presets[v[P_ROUTER].integer - 1];
    s->stages = s->router->stages;
    uint32_t *const stage[] = {&s->stages.route,    &s->stages.vc_alloc, &s->stages.switch_alloc,
                               &s->stages.traverse, &s->stages.link,     &s->stages.port};
    for (unsigned p = P_ROUTE; p <= P_PORT; p++)
        if (v[p].given) *stage[p - P_ROUTE] = (uint32_t)v[p].integer;
    if (!v[P_VCS].given && s->o.vcs == 1) s->o.vcs = s->router->vcs;
    if (!v[P_BUFFER].given && s->o.buffer == 1) s->o.buffer = s->router->buffer;
    s->o.credit = v[P_CREDIT].set ? (uint32_t)v[P_CREDIT].integer : 0;
    if (s->stages.speculative && (s->stages.vc_alloc > 1 || s->stages.switch_alloc > 1))
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "worm: router=%s makes both allocations in one cycle; vc_alloc= and switch_alloc= above 1 "
            "need router=iq or lookahead",
            s->router->name);
    bough_status status = check_router(run, error);
    TRY(worm_router_check(run->point.routing, &s->o, &s->stages, error));
    return status;
}

/* ---- binding ---- */

/* Channels that free all paths of deadlock: one for each cable between switches. */
static unsigned hops_of(const bough_run *run, const setup *s) {
    const unsigned ends = bough_is_switch(run->point.net, 0) ? 0 : 2;
    const unsigned cables = s->longest > ends ? s->longest - ends : 0;
    return run->point.routing->kind->via ? 2 * cables : cables;
}

static bough_status refuse_cycle(const bough_run *run, const setup *s, const bough_link_cycle *c,
                                 bough_error *error) {
    char *text = bough_link_cycle_text(run->point.net, c, 6), advice[60] = "";
    if (!text) return bough_fail_memory(error, 512);
    if (hops_of(run, s) > 1 && hops_of(run, s) <= WORM_SWITCH_VCS)
        snprintf(advice, sizeof advice, "; with vcs=%u,channel=hop they cannot", hops_of(run, s));
    bough_status status = bough_fail(error, BOUGH_UNSUPPORTED, NULL, "worms under %s can deadlock: %s%s%s",
                                     run->point.routing->spec, text, advice,
                                     s->router ? "" : "; deadlock=detect runs them anyway");
    free(text);
    return status;
}

/* Any three endpoints have a cycle in one class: u to w by way of v, and v to w by way of u. */
static bough_status check_phases(const bough_run *run, const setup *s, bough_error *error) {
    const bough_routing *routing = run->point.routing;
    if (!routing->kind->via) return BOUGH_OK;
    if (routing->synchronous)
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "%s waits until all messages are at their intermediate nodes, but worms do not stop "
            "there; use phase2=async",
            routing->spec);
    if (s->o.vcs > 1 || s->o.detect) return BOUGH_OK; /* by hop: see check_hops */
    return bough_fail(
        error, BOUGH_UNSUPPORTED, NULL,
        "worms under %s can deadlock: on one virtual channel, worms in their second phase wait for "
        "worms in their first; use vcs=2 or more, or deadlock=detect to run them anyway",
        routing->spec);
}

/* With fewer channels messages of both phases share the last one. */
static bough_status check_hops(const bough_run *run, const setup *s, bough_error *error) {
    if (!s->o.by_hop || s->o.detect || s->o.vcs >= hops_of(run, s)) return BOUGH_OK;
    if (s->o.vcs > 1 && !run->point.routing->kind->via) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "worm: channel=hop under %s needs vcs=%u here, one for each cable between switches%s",
                      run->point.routing->spec, hops_of(run, s) > 2 ? hops_of(run, s) : 2,
                      s->router ? "" : "; deadlock=detect runs worms with fewer");
}

static bough_status check_deadlock(bough_run *run, const setup *s, bough_error *error) {
    if (run->args.value[P_DEADLOCK].integer == 1) return BOUGH_OK;
    if (s->o.by_hop && s->o.vcs >= hops_of(run, s)) return BOUGH_OK;
    bough_link_cycle cycle = {0};
    bough_status status = bough_deadlock_find_in_phase(run->point.routing, &cycle, error);
    if (!status && cycle.count) status = refuse_cycle(run, s, &cycle, error);
    bough_link_cycle_fini(&cycle);
    return status;
}

static void assume(bough_run *run, const setup *s) {
    char text[40];
    if (s->o.flit) {
        run_assume_links(run, (uint64_t)run->args.value[P_RATE].integer);
        run_assume_delay(run);
        run_assume(run, "units", "flits of %s", run_format_bytes(s->o.flit, text, sizeof text));
        if (!run->point.traffic->law) run_assume_sizes(run, bough_mul(s->o.flit, s->o.flits));
    } else {
        run_assume_flit_cycles(run);
    }
    run_assume_wormhole(run, s->o.buffer, s->o.vcs);
    if (s->o.buffer > 1)
        run_assume(run, "buffers",
                   s->o.owned ? "belong to a message until its tail has left"
                              : "flits of several messages share them");
    if (s->router)
        run_assume(
            run, "routers",
            "%s (BookSim 2's): routing %u, VC allocation %u, switch allocation %u%s, traversal %u cycles; "
            "links %u, of endpoints %u; credits %u beside those of the link; iSLIP, one iteration",
            s->router->name, s->stages.route, s->stages.vc_alloc, s->stages.switch_alloc,
            s->stages.speculative ? " (both at once)" : "", s->stages.traverse, s->stages.link,
            s->stages.port, s->o.credit);
    if (s->o.by_hop) run_assume(run, "channels", "by hop: the k-th for the k-th cable between switches");
    run_assume_hosts(run);
}

static bough_status check_units(const bough_run *run, bough_error *error) {
    const bough_value *v = run->args.value;
    if (run->in_seconds || (!v[P_FLIT].given && !v[P_RATE].given)) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "worm: flit= and rate= apply to time=physical; %s counts cycles, in which a link "
                      "carries one flit",
                      run->point.traffic->spec);
}

/* Whose a buffer is, and which engine this needs. */
static bough_status set_sharing(const bough_run *run, setup *s, bough_error *error) {
    enum { FLITS, MESSAGE };
    const bough_value *sharing = &run->args.value[P_SHARING];
    s->o.owned = sharing->given && sharing->integer == MESSAGE;
    if (s->router) return BOUGH_OK;
    s->switches = s->o.vcs > 1 || s->o.credit > 0 || s->o.by_hop || run->point.routing->kind->via;
    s->o.owned |= s->switches;
    if (!s->switches || !sharing->given || sharing->integer != FLITS) return BOUGH_OK;
    return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                      "worm: sharing=flits needs vcs=1, credit=0 and a routing without intermediate nodes: "
                      "a virtual channel belongs to one message until its tail has left");
}

#define SLOWEST_FLIT (UINT64_C(1) << 50) /* ps */

/* With rates and delays, time is in picoseconds; the engine of virtual channels counts flits of the fastest
 * link. */
static bough_status set_clock(bough_run *run, setup *s, bough_error *error) {
    const bough_value *v = run->args.value;
    const bough_net *net = run->point.net;
    bough_status status = engine_time_bind(run, error);
    TRY(check_units(run, error));
    if (status) return status;
    s->timed = !s->switches && !s->router && (run->in_seconds || (s->o.buffer > 1 && !s->o.owned));
    if (!run->in_seconds) return BOUGH_OK;
    bough_rate_range rates = bough_net_rate_range(net);
    if (v[P_RATE].given) rates.low = rates.high = (uint64_t)v[P_RATE].integer;
    s->o.flit = v[P_FLIT].given ? (uint64_t)v[P_FLIT].integer : bough_net_physical(net)->flit;
    s->o.tick = worm_wire_time(s->o.flit, rates.high);
    if (worm_wire_time(s->o.flit, rates.low) > SLOWEST_FLIT)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "worm: a flit of %" PRIu64 " bytes takes more than 18 minutes on a link",
                          s->o.flit);
    engine_clock_set(
        run, &(engine_unit){s->o.flit, s->o.flit, s->timed ? 1 : s->o.tick, (uint64_t)v[P_RATE].integer},
        &s->a);
    s->a.clock.unit_bytes = bough_mul(s->o.flit, s->o.flits);
    s->a.clock.headers = true;
    if (!s->timed) return BOUGH_OK;
    s->a.plan.limit = bough_mul(s->a.plan.limit, s->o.tick);
    s->a.plan.slice = UINT64_MAX;
    return BOUGH_OK;
}

static uint64_t engine_bytes(const bough_run *run, const setup *s, uint64_t live) {
    const bough_net *net = run->point.net;
    if (s->router) return worm_router_bytes(net, &s->o, &s->stages, live);
    if (s->butterfly) return worm_butterfly_bytes(net, live);
    if (s->timed) return worm_timed_bytes(net, s->longest, live);
    if (s->switches) return worm_switch_bytes(run->point.routing, &s->o, live);
    return worm_events_bytes(net, &s->o, s->longest, live);
}

/* Cycles for each link of a path, without load. */
static unsigned alone_of_link(const bough_run *run, const setup *s) {
    const worm_stages *p = &s->stages;
    if (!s->router) return run->point.routing->kind->via ? 2 : 1;
    return p->route + p->vc_alloc + p->switch_alloc + p->traverse + (p->link > p->port ? p->link : p->port);
}

static bough_status worm_open(bough_run *run, bough_error *error) {
    const bough_value *v = run->args.value;
    setup *s;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) return status;
    run->data = s;
    const bough_physical *physical = bough_net_physical(run->point.net);
    uint32_t vcs = v[P_VCS].given ? (uint32_t)v[P_VCS].integer : physical->channels;
    s->o = (worm_options){.flits = (uint64_t)v[P_FLITS].integer,
                          .buffer = v[P_BUFFER].given ? (uint32_t)v[P_BUFFER].integer : physical->buffer,
                          .vcs = vcs,
                          .credit = v[P_CREDIT].set ? (uint32_t)v[P_CREDIT].integer : vcs > 1,
                          .detect = v[P_DEADLOCK].integer == 1,
                          .by_hop = v[P_CHANNEL].integer == 1};
    status = engine_settings_bind(run, s->o.flits, s->o.detect, &s->a, error);
    TRY(set_router(run, s, error));
    TRY(set_sharing(run, s, error));
    TRY(check_phases(run, s, error));
    TRY(set_clock(run, s, error));
    TRY(survey_message_routes(&run->point, &s->longest, error));
    TRY(check_hops(run, s, error));
    TRY(check_deadlock(run, s, error));
    if (status) return status;
    assume(run, s);
    const unsigned alone = s->longest * alone_of_link(run, s);
    s->a.plan.alone += alone + (s->a.times ? engine_delay_alone(run, &s->a, alone) : 0);
    s->butterfly = v[P_ENGINE].integer == 0 && !s->router && !s->timed && !s->o.flit &&
                   worm_butterfly_fits(&run->point, &s->o);
    messages_in_flight flying = {.messages = engine_live_messages(run, &s->a)};
    if (run->point.traffic->shape == BOUGH_SCHEDULE)
        TRY(messages_in_flight_of(run->point.traffic, s->o.flit, &flying, error));
    run->bytes = bough_add(engine_bytes(run, s, flying.messages), engine_series_bytes(run, &s->a));
    s->a.critical = v[P_CRITICAL].integer;
    TRY(timeline_rows_open(run, s->a.critical, error));
    return status;
}

static bough_status make_engine(const bough_run *run, sim_engine **engine, bough_error *error) {
    const setup *s = run->data;
    const bough_routing *routing = run->point.routing;
    worm_options o = s->o;
    worm_wire *wires = NULL;
    bough_status status = BOUGH_OK;
    if (s->router) return worm_router_make(routing, &o, &s->stages, engine, error);
    if (s->butterfly) return worm_butterfly_make(&run->point, s->o.flits, engine, error);
    if (o.flit)
        status = worm_wires_make(run->point.net, (uint64_t)run->args.value[P_RATE].integer, &wires, error);
    o.wires = wires;
    if (s->timed)
        TRY(worm_timed_make(routing, &o, s->longest, engine, error));
    else if (s->switches)
        TRY(worm_switch_make(routing, &o, engine, error));
    else
        TRY(worm_events_make(routing, &o, s->longest, engine, error));
    free(wires);
    return status;
}

static bough_status worm_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                               bough_error *error) {
    const setup *s = run->data;
    const engine_trial trial = {run, key, &s->a, make_engine};
    measurement result;
    return engine_trial_run(&trial, space, &result, rows, error);
}

const bough_method bough_method_worm = {
    .name = "worm",
    .summary = "wormhole routing, simulated: latency versus load, waits, hot links",
    .source = "greenberg1997; Dally, Seitz, 1987",
    .params = params,
    .headline = BOUGH_METRIC_LATENCY,
    .needs_net = BOUGH_HAS_ROUTES,
    .needs_traffic = 1 << BOUGH_BATCH | 1 << BOUGH_STREAM | 1 << BOUGH_SCHEDULE,
    .needs_routing = true,
    .takes_via = true,
    .takes_timeline = true,
    .assumes = BOUGH_ASSUMES_ONE_RATE,
    .random_links = METHOD_LINK_BY_LINK,
    .open = worm_open,
    .trial = worm_trial,
    .free_workspace = engine_workspace_free,
    .close = run_free_data,
};
