/* Time of flight through a network: by the level at which endpoints meet, and for the messages of the traffic
 * (dehon1991, Table 3). The paper refers to a report for its derivation. wires=longest is a reconstruction
 * that yields its figures; wires=layout measures the wires that the arrangement has. */
#include "models/geometry/time_of_flight.h"

#include "base/memory/memory.h"
#include "base/random/random.h"
#include "base/status/try.h"
#include "method/method_run.h"
#include "method/premises.h"
#include "method/rows.h"
#include "models/model_list.h"
#include "network/subtrees.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { P_CLOCK, P_PER_FOOT, P_LATERAL, P_WIRES, P_PAIRS, P_CROSSOVERS, P_ARRANGE, P_ROOM };

static const bough_param params[] = {
    [P_CLOCK] = {"clock", "clock period of a switch: 100 MHz in the paper", BOUGH_TIME, "10ns", 1, 1e15},
    [P_PER_FOOT] = {"foot", "signal delay of a foot of wire; 1.1 to 1.25 ns give the paper's figures",
                    BOUGH_TIME, "1250ps", 0, 1e12},
    [P_LATERAL] = {"lateral", "clocks for a turn within a stack", BOUGH_INT, "1", 0, 1000},
    [P_WIRES] =
        {"wires",
         "longest: every wire between stacks is the longest of its stage; layout: every wire has its own "
         "length; cube: as if all stacks formed one solid cube, which every wire crosses",
         BOUGH_CHOICE, "longest", .choices = "longest|layout|cube"},
    [P_PAIRS] = {"pairs", "layout: pairs of endpoints to draw per level; all of them if there are no more",
                 BOUGH_INT, "4096", 1, 1e9},
    [P_CROSSOVERS] = {"crossovers",
                      "0: count the switches of a tree without lateral crossovers, two per level of the tree",
                      BOUGH_FLAG, "1"},
    [P_ARRANGE] = {"arrange", LINK_ARRANGE_TEXT, BOUGH_CHOICE, "hollow", .choices = LINK_ARRANGE_CHOICES},
    [P_ROOM] = {"room", LINK_ROOM_TEXT, BOUGH_REAL, "1", 1, 1e6},
    BOUGH_PARAMS_END,
};

static const link_wires wires[] = {LINK_WIRES_LONGEST, LINK_WIRES_LAYOUT, LINK_WIRES_CUBE};

typedef struct setup {
    link_clock_rules rules;
    uint64_t pairs; /* per level */
    subtrees tree;
} setup;

/* Flights of the pairs of one level, or of messages. */
typedef struct flights {
    uint64_t count;
    double longest, shortest, mean, wires, switches; /* the last three: sums */
} flights;

static bough_status add_pair(flight *f, uint64_t from, uint64_t to, flights *all, bough_error *error) {
    flight_clocks c;
    if (f->net->ops->reaches && !f->net->ops->reaches(f->net, from, bough_endpoint_address(f->net, to)))
        return BOUGH_OK; /* not counted */
    bough_status status = flight_measure(f, from, to, &c, error);
    if (status) return status;
    if (!all->count || (double)c.longest > all->longest) all->longest = (double)c.longest;
    if (!all->count || (double)c.shortest < all->shortest) all->shortest = (double)c.shortest;
    all->count++;
    all->mean += c.mean;
    all->wires += c.wires;
    all->switches += c.switches;
    return BOUGH_OK;
}

/* ---- by level ---- */

/* Pairs of a level, at most `most` + 1. */
static uint64_t count_pairs(const subtrees *tree, unsigned level, uint64_t most) {
    uint64_t sum = 0;
    for (uint64_t place = 0; place < tree->net->endpoints && sum <= most; place++)
        sum = bough_add(sum, subtrees_nca_count(tree, level, place));
    return sum;
}

static bough_status add_all(const setup *s, flight *f, unsigned level, flights *all, bough_error *error) {
    const subtrees *tree = &s->tree;
    bough_status status = BOUGH_OK;
    for (uint64_t place = 0; place < tree->net->endpoints && !status; place++) {
        uint64_t from = tree->endpoint ? tree->endpoint[place] : place;
        uint64_t count = subtrees_nca_count(tree, level, place);
        for (uint64_t i = 0; i < count && !status; i++)
            status = add_pair(f, from, subtrees_nca_endpoint(tree, level, place, i), all, error);
    }
    return status;
}

/* The sample is the same in every trial. */
static bough_status add_sample(const setup *s, flight *f, unsigned level, flights *all, bough_error *error) {
    const subtrees *tree = &s->tree;
    bough_stream draw = bough_stream_make(bough_key_make(1, 0), BOUGH_DRAW_SAMPLE, level, 0);
    bough_status status = BOUGH_OK;
    for (uint64_t i = 0; i < 16 * s->pairs && all->count < s->pairs && !status; i++) {
        uint64_t place = bough_stream_below(&draw, tree->net->endpoints);
        uint64_t count = subtrees_nca_count(tree, level, place);
        if (!count) continue;
        uint64_t to = subtrees_nca_endpoint(tree, level, place, bough_stream_below(&draw, count));
        status = add_pair(f, tree->endpoint ? tree->endpoint[place] : place, to, all, error);
    }
    return status;
}

static bough_status measure_level(const setup *s, flight *f, unsigned level, flights *all,
                                  bough_error *error) {
    uint64_t count = count_pairs(&s->tree, level, s->pairs);
    *all = (flights){0};
    if (!count) return BOUGH_OK;
    return count <= s->pairs ? add_all(s, f, level, all, error) : add_sample(s, f, level, all, error);
}

static bough_status report_level(const bough_run *run, unsigned level, const flights *all, bough_rows *rows,
                                 bough_error *error) {
    const setup *s = run->data;
    double ns = (double)s->rules.period_ps / 1000, count = (double)all->count;
    bough_status status = bough_rows_add(rows, BOUGH_METRIC_FLIGHT, level, ns * all->mean / count, error);
    if (s->rules.wires == LINK_WIRES_LAYOUT) {
        TRY(bough_rows_add(rows, BOUGH_METRIC_FLIGHT_LONGEST, level, ns * all->longest, error));
        TRY(bough_rows_add(rows, BOUGH_METRIC_FLIGHT_SHORTEST, level, ns * all->shortest, error));
    }
    TRY(bough_rows_add(rows, BOUGH_METRIC_ROUTING_STAGES, level, all->switches / count, error));
    TRY(bough_rows_add(rows, BOUGH_METRIC_WIRE_CLOCKS, level, all->wires / count, error));
    return status;
}

/* ---- the messages of the traffic ---- */

static bough_status report_messages(const bough_run *run, bough_key key, flight *f, bough_rows *rows,
                                    bough_error *error) {
    const setup *s = run->data;
    bough_batch batch;
    flights all = {0};
    bough_status status = bough_batch_read(run->point.traffic, key, &batch, error);
    if (status) return status;
    for (uint64_t i = 0; i < batch.count && !status; i++)
        status = add_pair(f, batch.source[i], bough_address_node(f->net, batch.address[i]), &all, error);
    bough_batch_fini(&batch);
    double ns = (double)s->rules.period_ps / 1000;
    if (!status && all.count)
        status = bough_rows_add(rows, BOUGH_METRIC_FLIGHT_MEAN, BOUGH_NO_ROW_INDEX,
                                ns * all.mean / (double)all.count, error);
    return status;
}

/* ---- the method ---- */

static void describe(const bough_run *run, bough_rows *rows) {
    const setup *s = run->data;
    char each[32], foot[32], most[64] = "; a reconstruction: the paper does not derive its figures";
    const char *of = "a wire between stacks";
    if (s->rules.wires == LINK_WIRES_LAYOUT)
        snprintf(most, sizeof most, ", by its own length; at most %" PRId64 " pairs per level",
                 run->args.value[P_PAIRS].integer);
    if (s->rules.wires == LINK_WIRES_CUBE) {
        of = "the diagonal of a solid cube of all stacks";
        most[0] = 0;
    }
    snprintf(rows->note, sizeof rows->note,
             "%s per switch, %" PRId64 " times that for a turn within a stack, whole clocks for %s at %s per "
             "foot%s",
             bough_format_measure(BOUGH_TIME, (int64_t)s->rules.period_ps, each, sizeof each),
             run->args.value[P_LATERAL].integer, of,
             bough_format_measure(BOUGH_TIME, (int64_t)s->rules.foot_ps, foot, sizeof foot), most);
    if (s->rules.arrange) rows_note_append(rows, "; %s", link_arrangement_text(&s->rules, foot, sizeof foot));
    if (!run->args.value[P_CROSSOVERS].integer)
        rows_note_append(rows, "; switches as in a tree without crossovers");
}

static bough_status open_flight(bough_run *run, bough_error *error) {
    const bough_value *v = run->args.value;
    setup *s;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) return status;
    run->data = s;
    s->rules = (link_clock_rules){.wires = wires[v[P_WIRES].integer],
                                  .period_ps = (uint64_t)v[P_CLOCK].integer,
                                  .foot_ps = (uint64_t)v[P_PER_FOOT].integer,
                                  .lateral = (uint64_t)v[P_LATERAL].integer,
                                  .arrange = (bough_arrangement)v[P_ARRANGE].integer,
                                  .room = v[P_ROOM].real};
    status = link_arrangement_fits("flight", &s->rules, v[P_ROOM].given, error);
    if (status) return status;
    /* where wires have the length of their stage, all pairs of a level have the same flight */
    s->pairs = s->rules.wires == LINK_WIRES_LAYOUT ? (uint64_t)v[P_PAIRS].integer : 1;
    if (v[P_PAIRS].given && s->rules.wires != LINK_WIRES_LAYOUT)
        return bough_fail(error, BOUGH_INVALID, NULL, "flight: pairs= applies to wires=layout");
    run->bytes = flight_bytes(run->point.net, &s->rules);
    if (run->point.traffic && run->point.traffic->shape == BOUGH_BATCH)
        run->bytes = bough_add(run->bytes, bough_add(bough_mul(run->point.traffic->messages, 8),
                                                     run->point.traffic->source_bytes));
    return subtrees_make(run->point.net, &s->tree, error);
}

static bough_status trial_flight(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                 bough_error *error) {
    (void)workspace;
    const setup *s = run->data;
    const bough_traffic *traffic = run->point.traffic;
    double worst = 0, best = INFINITY, ns = (double)s->rules.period_ps / 1000;
    flight f;
    bough_status status = flight_make(run->point.net, &s->rules, &f, error);
    if (status) return status;
    f.plain = !run->args.value[P_CROSSOVERS].integer;
    for (unsigned level = 1; level <= s->tree.levels && !status; level++) {
        flights all;
        status = measure_level(s, &f, level, &all, error);
        if (status || !all.count) continue;
        worst = fmax(worst, ns * all.longest);
        best = fmin(best, ns * all.shortest);
        status = report_level(run, level, &all, rows, error);
    }
    TRY(bough_rows_add(rows, BOUGH_METRIC_FLIGHT_WORST, BOUGH_NO_ROW_INDEX, worst, error));
    TRY(bough_rows_add(rows, BOUGH_METRIC_FLIGHT_BEST, BOUGH_NO_ROW_INDEX, best, error));
    if (traffic && traffic->shape == BOUGH_BATCH) TRY(report_messages(run, key, &f, rows, error));
    flight_fini(&f);
    describe(run, rows);
    return status;
}

static void close_flight(bough_run *run) {
    setup *s = run->data;
    if (s) subtrees_fini(&s->tree);
    run_free_data(run);
}

const bough_method bough_method_flight = {
    .name = "flight",
    .summary = "time of flight through a network of stacks: switches, lateral turns and wires",
    .source = "dehon1991, section 6.1 and Table 3 (a reconstruction)",
    .params = params,
    .headline = BOUGH_METRIC_FLIGHT_WORST,
    .needs_net = BOUGH_HAS_ROUTES | BOUGH_HAS_CHANNELS,
    .lacks = method_lacks_stacks,
    .exact = true,
    .open = open_flight,
    .trial = trial_flight,
    .close = close_flight,
};
