/* The method `slowest`: a search for the permutation that takes most steps. */
#include "base/files/output.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "loads/pair_survey.h"
#include "loads/worst/adversary.h"
#include "method/assumptions.h"
#include "method/method_run.h"
#include "method/rows.h"
#include "searches/search_list.h"
#include "searches/slowest/slowest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { P_OUT, P_QUEUE, P_SEARCH, P_BUDGET, P_STARTS };

static const bough_param params[] = {
    [P_OUT] = {"out", "write the permutation to this file, for messages:FILE; a forecast does not write it",
               BOUGH_TEXT, "", .output = true},
    [P_QUEUE] = {"queue", "queue discipline, as in packet", BOUGH_CHOICE, "fifo",
                 .choices = "fifo|lifo|farthest"},
    [P_SEARCH] = {"search", "climb from several starts, or try all permutations; auto: all up to 8 endpoints",
                  BOUGH_CHOICE, "auto", .choices = "auto|climb|all"},
    [P_BUDGET] = {"budget", "permutations that climbs simulate, together", BOUGH_INT, "20000", 1, 1e12},
    [P_STARTS] = {"starts", "starts of climbs: the worst by load, bit reversal, transpose, then random ones",
                  BOUGH_INT, "8", 1, 65535},
    BOUGH_PARAMS_END,
};

enum { START_LOAD, START_BITREV, START_TRANSPOSE, START_RANDOM };

typedef struct setup {
    packet_options o;
    bool all;
} setup;

/* ---- binding ---- */

static bough_status open_slowest(bough_run *run, bough_error *error) {
    const bough_value *v = run->args.value;
    const bough_routing *routing = run->point.routing;
    const bough_net *net = routing->net;
    setup *s;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) return status;
    run->data = s;
    s->o.queue = (packet_discipline)v[P_QUEUE].integer;
    s->all = v[P_SEARCH].integer == 2 || (v[P_SEARCH].integer == 0 && net->endpoints < SLOWEST_ALL);
    if (s->all && net->endpoints > SLOWEST_ALL)
        return bough_fail(
            error, BOUGH_TOO_LARGE, NULL,
            "slowest: search=all tries all permutations of at most %d endpoints; %s has %" PRIu64,
            SLOWEST_ALL, net->spec, net->endpoints);
    status = bough_routing_survey(routing, &s->o.hops, error);
    TRY(packet_check(routing, &s->o, error));
    if (!status && v[P_OUT].set) status = bough_output_check(v[P_OUT].text, error);
    run_assume(run, "time", "steps; a link carries one packet in each");
    run_assume(run, "sharing", "queues without limit");
    run->bytes = bough_add(packet_bytes(routing, &s->o, net->endpoints), bough_mul(net->endpoints, 8));
    bough_error none;
    if (!status && !s->all && bough_adversary_check(routing, "slowest", &none) == BOUGH_OK)
        run->bytes = bough_add(run->bytes, bough_adversary_bytes(routing, 1));
    return status;
}

/* ---- starts ---- */

/* A pattern of the traffic module; *known: whether the network has it. */
static bough_status read_pattern(const bough_net *net, const char *name, uint32_t *destination, bool *known,
                                 bough_error *error) {
    bough_traffic *t;
    bough_error none;
    bough_status status = bough_traffic_create(net, name, &t, &none);
    *known = false;
    if (status == BOUGH_NO_MEMORY) return bough_fail_memory(error, net->endpoints);
    if (status) return BOUGH_OK;
    const bough_pattern *p = t->kind->pattern;
    *known = p && !p->open;
    for (uint32_t e = 0; e < net->endpoints && *known; e++) destination[e] = p->draw(t, NULL, e, 0);
    bough_traffic_destroy(t);
    return BOUGH_OK;
}

/* The worst permutation by load, if there are not too many endpoints. */
static bough_status read_worst(const bough_run *run, uint32_t *destination, bool *known, bough_error *error) {
    const bough_adversary_options options = {.threads = 1, .stop = run->stop};
    const bough_routing *routing = run->point.routing;
    bough_adversary_result r;
    bough_error none;
    *known = bough_adversary_check(routing, "slowest", &none) == BOUGH_OK;
    if (!*known) return BOUGH_OK;
    bough_status status = bough_adversary_find(routing, &options, &r, error);
    if (status) return status;
    memcpy(destination, r.destination, routing->net->endpoints * sizeof *destination);
    bough_adversary_fini(&r);
    return BOUGH_OK;
}

static void shuffle(uint32_t *destination, uint32_t count, bough_key key, uint32_t number) {
    bough_stream stream = bough_stream_make(key, BOUGH_DRAW_SEARCH, number, UINT64_MAX >> 24);
    for (uint32_t e = 0; e < count; e++) destination[e] = e;
    for (uint32_t e = count; e > 1; e--) {
        uint32_t other = (uint32_t)bough_stream_below(&stream, e), to = destination[e - 1];
        destination[e - 1] = destination[other];
        destination[other] = to;
    }
}

/* *known: false if the network does not have this start. */
static bough_status make_start(const bough_run *run, slowest_climb *climb, bool *known, bough_error *error) {
    const bough_net *net = run->point.net;
    *known = true;
    switch (climb->number) {
    case START_LOAD:
        return read_worst(run, climb->destination, known, error);
    case START_BITREV:
    case START_TRANSPOSE:
        return read_pattern(net, climb->number == START_BITREV ? "bitrev" : "transpose", climb->destination,
                            known, error);
    default:
        shuffle(climb->destination, (uint32_t)net->endpoints, climb->key, climb->number);
        return BOUGH_OK;
    }
}

/* ---- a trial ---- */

typedef struct search {
    const bough_run *run;
    slowest_clock *clock;
    slowest_climb climb;
    uint32_t *best; /* [endpoints] */
    slowest_time time;
    uint32_t from; /* the start that led to the best */
    uint64_t evaluated;
    bough_rows *rows;
} search;

static bough_status climb_from(search *s, uint64_t swaps, bough_error *error) {
    slowest_climb *climb = &s->climb;
    slowest_time first;
    bool known;
    bough_status status = make_start(s->run, climb, &known, error);
    if (status || !known) return status;
    climb->swaps = swaps;
    status = slowest_time_of(s->clock, climb->destination, &first, error);
    TRY(slowest_climb_from(s->clock, climb, error));
    int64_t index = climb->number + 1;
    TRY(bough_rows_add(s->rows, BOUGH_METRIC_START_STEPS, index, (double)first.steps, error));
    TRY(bough_rows_add(s->rows, BOUGH_METRIC_CLIMB_STEPS, index, (double)climb->time.steps, error));
    s->evaluated += swaps + 1;
    if (status || (s->time.last != UINT32_MAX && climb->time.steps <= s->time.steps)) return status;
    s->time = climb->time;
    s->from = climb->number;
    memcpy(s->best, climb->destination, s->run->point.net->endpoints * sizeof *s->best);
    return BOUGH_OK;
}

static bough_status climb_all(search *s, bough_error *error) {
    const bough_value *v = s->run->args.value;
    uint64_t starts = (uint64_t)v[P_STARTS].integer, budget = (uint64_t)v[P_BUDGET].integer;
    uint64_t swaps = budget > starts ? budget / starts - 1 : 0;
    bough_status status = BOUGH_OK;
    for (uint32_t i = 0; i < starts && !status; i++) {
        s->climb.number = i;
        status = climb_from(s, swaps, error);
        if (s->run->progress) s->run->progress(s->run->progress_context, (double)(i + 1) / (double)starts);
    }
    if (!status && s->time.last == UINT32_MAX)
        status = bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                            "slowest: %s has none of the first %" PRIu64
                            " starts; starts=4 or more adds random permutations",
                            s->run->point.net->spec, starts);
    return status;
}

static bough_status write_best(const search *s, bough_error *error) {
    const bough_point *p = &s->run->point;
    bough_text text = {0};
    bough_text_printf(&text, "a slow permutation of %s under %s\n%" PRIu64 " steps under packet:queue=%s",
                      p->net->spec, p->routing->spec, s->time.steps, s->run->args.value[P_QUEUE].text);
    bough_status status = text.failed ? bough_fail_memory(error, 256)
                                      : bough_permutation_write(s->run->args.value[P_OUT].text, text.data,
                                                                s->best, p->net->endpoints, error);
    bough_text_fini(&text);
    return status;
}

static void write_note(const search *s, bool all) {
    static const char *const starts[] = {"the worst permutation by load", "bit reversal", "transpose"};
    if (all)
        snprintf(s->rows->note, sizeof s->rows->note, "of all permutations");
    else if (s->from < START_RANDOM)
        snprintf(s->rows->note, sizeof s->rows->note, "the slowest found, from %s; others may be slower",
                 starts[s->from]);
    else
        snprintf(s->rows->note, sizeof s->rows->note,
                 "the slowest found, from random permutation %u; others may be slower", s->from + 1);
}

static bough_status run_search(search *s, bough_error *error) {
    const setup *o = s->run->data;
    uint64_t n = s->run->point.net->endpoints;
    bough_status status = slowest_clock_make(s->run->point.routing, &o->o, &s->clock, error);
    TRY(bough_alloc(&s->best, n, sizeof *s->best, error));
    TRY(bough_alloc(&s->climb.destination, n, sizeof *s->climb.destination, error));
    if (!status && o->all) {
        status = slowest_of_all(s->clock, &s->climb, &s->evaluated, error);
        s->time = s->climb.time;
        memcpy(s->best, s->climb.destination, n * sizeof *s->best);
    } else {
        TRY(climb_all(s, error));
    }
    TRY(bough_rows_add(s->rows, BOUGH_METRIC_EVALUATED, BOUGH_NO_ROW_INDEX, (double)s->evaluated, error));
    if (!status) write_note(s, o->all);
    if (!status && s->run->args.value[P_OUT].set && !s->run->rehearsal) status = write_best(s, error);
    return status;
}

static bough_status trial_slowest(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                  bough_error *error) {
    search s = {.run = run, .rows = rows, .climb = {.run = run, .key = key}, .time = {.last = UINT32_MAX}};
    (void)workspace;
    bough_status status = bough_rows_add(rows, BOUGH_METRIC_STEPS, BOUGH_NO_ROW_INDEX, 0, error);
    TRY(run_search(&s, error));
    if (!status) rows->row[0].value = (double)s.time.steps;
    slowest_clock_free(s.clock);
    FREE_ALL(s.best, s.climb.destination);
    return status;
}

const bough_method bough_method_slowest = {
    .name = "slowest",
    .summary = "a permutation that takes many steps under packet, by search (up to 8 endpoints: the slowest)",
    .source = "valiant1982, Theorem 1",
    .params = params,
    .headline = BOUGH_METRIC_STEPS,
    .needs_net = BOUGH_HAS_ROUTES,
    .needs_routing = true,
    .needs_deterministic = true,
    .exact = true,
    .ignores_traffic = true,
    .open = open_slowest,
    .trial = trial_slowest,
    .close = run_free_data,
};
