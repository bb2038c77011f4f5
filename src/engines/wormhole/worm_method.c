#include "engines/wormhole/worm.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "bough/deadlock.h"
#include "engines/method_list.h"
#include "engines/wormhole/worm_butterfly.h"
#include "engines/wormhole/worm_events.h"
#include "engines/wormhole/worm_switch.h"
#include "method/assumptions.h"
#include "method/engine_trial.h"
#include "method/message_routes.h"
#include "method/method_run.h"
#include "method/premises.h"
#include "method/schedule_clock.h"

#include <stdlib.h>

enum { P_FLITS = ENGINE_PARAMS, P_BUFFER, P_VCS, P_CREDIT, P_DEADLOCK, P_ENGINE, P_FLIT, P_RATE };

static const bough_param params[] = {
    ENGINE_PARAM_LIST,
    [P_FLITS] = {"flits", "flits per unit of a message's size", BOUGH_INT, "1", 1, 0x1p20},
    [P_BUFFER] =
        {"buffer",
         "buffer at the end of a link, or of a virtual channel of it, in flits; default: the physical "
         "setting's, 1",
         BOUGH_INT, "", 1, WORM_SWITCH_BUFFER},
    [P_VCS] = {"vcs", "virtual channels of a link; default: the physical setting's, 1", BOUGH_INT, "", 1,
               WORM_SWITCH_VCS},
    [P_CREDIT] = {"credit",
                  "cycles until a free slot at the end of a link is visible at its start; default: 0, with "
                  "virtual channels 1",
                  BOUGH_INT, "", 0, 1024},
    [P_DEADLOCK] = {"deadlock",
                    "routes with cyclic dependencies: refuse them, or run and report deadlocked messages",
                    BOUGH_CHOICE, "refuse", .choices = "refuse|detect"},
    [P_ENGINE] = {"engine",
                  "auto: fast engine where the network allows it; generic: always the generic engine",
                  BOUGH_CHOICE, "auto", .choices = "auto|generic"},
    [P_FLIT] = {"flit",
                "schedules: bytes of a flit (default: the physical setting's); a cycle is its time on a link",
                BOUGH_BYTES, "", 1, 0x1p40},
    [P_RATE] = {"rate", SCHEDULE_RATE_TEXT, BOUGH_RATE, "", 1e6, 1e15},
    BOUGH_PARAMS_END,
};

typedef struct setup {
    worm_options o;
    engine_settings a;
    bool butterfly, switches; /* selected engine; neither: the event-driven one */
    unsigned longest;
} setup;

/* ---- binding ---- */

static bough_status refuse_cycle(const bough_run *run, const bough_link_cycle *c, bough_error *error) {
    char *text = bough_link_cycle_text(run->point.net, c, 6);
    if (!text) return bough_fail_memory(error, 512);
    bough_status status = bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                                     "worms under %s can deadlock: %s; deadlock=detect runs them anyway",
                                     run->point.routing->spec, text);
    free(text);
    return status;
}

static bough_status check_deadlock(bough_run *run, bough_error *error) {
    if (run->args.value[P_DEADLOCK].integer == 1) return BOUGH_OK;
    bough_link_cycle cycle = {0};
    bough_status status = bough_deadlock_find(run->point.routing, &cycle, error);
    if (!status && cycle.count) status = refuse_cycle(run, &cycle, error);
    bough_link_cycle_fini(&cycle);
    return status;
}

static void assume(bough_run *run, const setup *s, uint64_t flit) {
    char text[40];
    bool schedule = s->a.clock.tick_ps > 0;
    if (schedule) {
        run_assume_links(run, (uint64_t)run->args.value[P_RATE].integer);
        run_assume(run, "delay", "none");
        run_assume(run, "units", "flits of %s", run_format_bytes(flit, text, sizeof text));
        run_assume_sizes(run, 1);
    } else {
        run_assume(run, "time", "cycles; a link carries one flit in each");
    }
    run_assume(run, "sharing", "wormhole with buffers of %u flit%s, %u virtual channel%s", s->o.buffer,
               s->o.buffer > 1 ? "s" : "", s->o.vcs, s->o.vcs > 1 ? "s" : "");
    if (schedule) run_assume_hosts(run);
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
                          .detect = v[P_DEADLOCK].integer == 1};
    status = engine_settings_bind(run, s->o.flits, s->o.detect, &s->a, error);
    TRY(schedule_clock(run, &(schedule_unit){P_FLIT, P_RATE, physical->flit, 0}, &s->a.clock, error));
    uint64_t flit = s->a.clock.unit_bytes;
    s->a.clock.unit_bytes = bough_mul(flit, s->o.flits);
    TRY(survey_message_routes(&run->point, &s->longest, error));
    TRY(check_deadlock(run, error));
    if (status) return status;
    assume(run, s, flit);
    s->a.plan.alone += s->longest;
    s->switches = s->o.vcs > 1 || s->o.credit > 0;
    s->butterfly = v[P_ENGINE].integer == 0 && worm_butterfly_fits(&run->point, &s->o);
    uint64_t live = engine_live_messages(run, &s->a);
    run->bytes = s->butterfly  ? worm_butterfly_bytes(run->point.net, live)
                 : s->switches ? worm_switch_bytes(run->point.routing, &s->o, live)
                               : worm_events_bytes(run->point.net, &s->o, s->longest, live);
    run->bytes = bough_add(run->bytes, engine_series_bytes(run, &s->a));
    return BOUGH_OK;
}

static bough_status make_engine(const bough_run *run, sim_engine **engine, bough_error *error) {
    const setup *s = run->data;
    if (s->butterfly) return worm_butterfly_make(run->point.net, s->a.flits, engine, error);
    if (s->switches) return worm_switch_make(run->point.routing, &s->o, engine, error);
    return worm_events_make(run->point.routing, &s->o, s->longest, engine, error);
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
    .assumes = BOUGH_ASSUMES_ONE_RATE,
    .random_links = METHOD_LINK_BY_LINK,
    .open = worm_open,
    .trial = worm_trial,
    .free_workspace = engine_workspace_free,
    .close = run_free_data,
};
