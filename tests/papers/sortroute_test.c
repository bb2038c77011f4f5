/* `sortroute`: what it refuses, runs small enough for hand, the bounds of bay1991, and agreement with a
 * program that moves every message from vertex to vertex, place by place after every wave. */
#include "papers/bay1991/sortroute.h"

#include "papers/bay1991/sortroute_state.h"
#include "support/fabrics.h"
#include "support/message_set.h"
#include "support/points.h"
#include "support/sortroute_oracle.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NONE BOUGH_NO_ROW_INDEX

static bough_net *sorting(uint64_t n) {
    char spec[40];
    snprintf(spec, sizeof spec, "sorting:n=%" PRIu64, n);
    return net_make(spec);
}

/* ---- bad input ---- */

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    bough_point p = point_make("fattree:n=256", NULL, "randperm");
    run_refused(&p, "sortroute", BOUGH_UNSUPPORTED, "needs the sorting fat-tree of bay1991 (sorting:n=...)");
    point_free(&p);
    p = point_make("sorting:n=256", NULL, "poisson:rate=0.01");
    run_refused(&p, "sortroute", BOUGH_UNSUPPORTED, "does not accept a stream");
    point_free(&p);
    p = point_make("sorting:n=256", NULL, "alltoall");
    run_refused(
        &p, "sortroute", BOUGH_INVALID,
        "constant degree: alltoall sends 65280 messages, so some terminal 255 or more; the limit is 4");
    point_free(&p);
    p = point_make("sorting:n=256", NULL, "randperm");
    run_refused(&p, "sortroute:body=33", BOUGH_INVALID,
                "body=33 bits; bodies have O(lg n) bits, here 4 lg n = 32");
    run_refused(&p, "sortroute:degree=0", BOUGH_INVALID, "degree must lie between 1 and 1024");
    run_refused(&p, "sortroute:stages=odd", BOUGH_INVALID, "alternate");
    point_free(&p);
    p = point_make("sorting:n=2^32", NULL, NULL);
    run_refused(&p, "sortroute", BOUGH_UNSUPPORTED, "needs traffic");
    point_free(&p);
}

/* One trial of a list; returns the error's reason, or "" . */
static const char *reason_of(const message_list *list, const char *method) {
    static bough_error error;
    bough_net *net = sorting(256);
    bough_traffic *traffic = list_traffic(net, list);
    bough_point point = {net, NULL, traffic};
    bough_rows rows = {0};
    void *space = NULL;
    bough_run *run = run_make(&point, method);
    bough_status status = bough_run_trial(run, bough_key_make(1, 0), &space, &rows, &error);
    if (status)
        assert_int_equal(status, BOUGH_INVALID);
    else
        error.reason[0] = 0;
    bough_run_free_workspace(run, space);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    bough_traffic_destroy(traffic);
    bough_net_destroy(net);
    return error.reason;
}

static void a_degree_too_large_is_refused(void **state) {
    (void)state;
    uint32_t one[] = {9, 9, 9, 9, 9}, other[] = {1, 70, 130, 200, 255};
    message_list list = {one, other, NULL, 5};
    assert_string_equal(reason_of(&list, "sortroute"),
                        "sortroute needs message sets of constant degree: a terminal "
                        "sends 5 messages of list, the limit is 4 (degree=)");
    assert_string_equal(reason_of(&list, "sortroute:degree=5"), "");
    list = (message_list){other, one, NULL, 5};
    assert_non_null(
        strstr(reason_of(&list, "sortroute"), "a terminal receives 5 messages of list, the limit is 4"));
    list.count = 4;
    assert_string_equal(reason_of(&list, "sortroute"), "");
    assert_non_null(
        strstr(reason_of(&list, "sortroute:degree=3"), "receives 4 messages of list, the limit is 3"));
}

static void a_body_too_long_is_refused(void **state) {
    (void)state;
    uint32_t from[] = {0, 1, 2}, to[] = {100, 101, 102};
    uint64_t size[] = {1, 4, 5};
    message_list list = {from, to, size, 3};
    assert_string_equal(
        reason_of(&list, "sortroute"),
        "sortroute: message 2 from 2 to 102 has a body of 40 bits (size 5 x body=8); bodies have O(lg n) "
        "bits, here 4 lg n = 32 at most");
    list.count = 2;
    assert_string_equal(reason_of(&list, "sortroute"), "");
    size[1] = UINT64_MAX;
    assert_non_null(strstr(reason_of(&list, "sortroute"), "message 1 from 1 to 101"));
}

/* ---- by hand ---- */

static bough_rows trial(uint64_t n, const message_list *list, const char *method) {
    bough_net *net = sorting(n);
    bough_traffic *traffic = list_traffic(net, list);
    bough_point point = {net, NULL, traffic};
    bough_run *run = run_make(&point, method);
    bough_rows rows = run_once(run, 0);
    bough_run_destroy(run);
    bough_traffic_destroy(traffic);
    bough_net_destroy(net);
    return rows;
}

static void equals(bough_rows *rows, bough_metric_id metric, int64_t index, double want) {
    double have = row_value(rows, metric, index);
    if (have != want) fail_msg("%s: %g, not %g", bough_metrics[metric].name, have, want);
}

/* n = 256: words of 8 + 16 + 1 + 3 bits; R = 2; mesh sort 2 (14 7 - 8 3) = 148 unit routes, spread 56,
 * prefix 28. */
static void one_message_by_hand(void **state) {
    (void)state;
    uint32_t from[] = {5}, to[] = {255};
    message_list list = {from, to, NULL, 1};
    bough_rows rows = trial(256, &list, "sortroute:verify=1,steps=1");
    equals(&rows, BOUGH_METRIC_WAVES, NONE, 4); /* mesh, level 1; root, level 1 */
    equals(&rows, BOUGH_METRIC_SORTER_PASSES, NONE, 2 + 2 + 2);
    equals(&rows, BOUGH_METRIC_PASSES, NONE, 10);
    equals(&rows, BOUGH_METRIC_LOAD_FACTOR, NONE, 0.125);
    equals(&rows, BOUGH_METRIC_QUEUE_MAX, NONE, 1);
    equals(&rows, BOUGH_METRIC_DEGREE, NONE, 1);
    equals(&rows, BOUGH_METRIC_STORAGE, NONE, 1.0 / 128);
    equals(&rows, BOUGH_METRIC_STEP_BITS, 1, 8 + 28 * (148 + 56 + 28));
    equals(&rows, BOUGH_METRIC_STEP_BITS, 2, 8 + 2 * (16 + 9) + 8);
    equals(&rows, BOUGH_METRIC_STEP_BITS, 3, 28 * (2 * 148 + 56));
    /* 17 stages of 4 for synchronization; waves from a mesh and a node; sorts of one column, 16 and 32 lines
     */
    equals(&rows, BOUGH_METRIC_STEP_BITS, 4, 17 * 4 + 28 * 2 + (28 + 4) + (28 + 5));
    equals(&rows, BOUGH_METRIC_STEP_BITS, 5, 28 + 5 + 4);
    equals(&rows, BOUGH_METRIC_STEP_BITS, 6, 8 + 28 + 5 + 4);
    /* 16 stages; the root shifts in its own word */
    equals(&rows, BOUGH_METRIC_STEP_BITS, 7, 16 * 4 + (28 + 28 + 5 + 28) + (28 + 4 + 28));
    equals(&rows, BOUGH_METRIC_STEP_BITS, 8, 28 * (148 + 56 + 28));
    assert_false(row_given(&rows, BOUGH_METRIC_STEP_WAVES, 3));
    bough_rows_fini(&rows);
    to[0] = 60; /* within the mesh */
    rows = trial(256, &list, "sortroute:verify=1");
    equals(&rows, BOUGH_METRIC_PASSES, NONE, 0);
    equals(&rows, BOUGH_METRIC_MESSAGES, NONE, 1);
    equals(&rows, BOUGH_METRIC_LOAD_FACTOR, NONE, 0);
    bough_rows_fini(&rows);
    list.count = 0;
    rows = trial(256, &list, "sortroute:verify=1");
    equals(&rows, BOUGH_METRIC_PASSES, NONE, 0);
    bough_rows_fini(&rows);
}

/* The complement on 256: every batch of a mesh is one full wave, of a node two; the root has all 256
 * messages, 8 columns of 32, and 8 columns of 32 need K = 16. */
static void the_complement_by_hand(void **state) {
    (void)state;
    bough_point p = point_make("sorting:n=256", NULL, "bitcomp");
    bough_rows rows = rows_of(&p, "sortroute:verify=1,steps=1");
    equals(&rows, BOUGH_METRIC_LOAD_FACTOR, NONE, 16);
    equals(&rows, BOUGH_METRIC_STEP_WAVES, 4, 16);
    equals(&rows, BOUGH_METRIC_STEP_WAVES, 7, 16);
    equals(&rows, BOUGH_METRIC_STEP_PASSES, 5, 128);
    equals(&rows, BOUGH_METRIC_STEP_PASSES, 6, 128);
    equals(&rows, BOUGH_METRIC_QUEUE_MAX, NONE, 256);
    equals(&rows, BOUGH_METRIC_STORAGE, NONE, 1);
    bough_rows_fini(&rows);
    rows = rows_of(&p, "sortroute:verify=1,steps=1,stages=every");
    equals(&rows, BOUGH_METRIC_STEP_WAVES, 4, 9); /* 8 batches, one level on */
    equals(&rows, BOUGH_METRIC_NORM_WAVES, NONE, 18.0 / 24);
    bough_rows_fini(&rows);
    point_free(&p);
}

/* ---- violations have names ---- */

static void violations_are_named(void **state) {
    (void)state;
    bough_point p = point_make("sorting:n=256", NULL, "bitcomp");
    bough_run *run = run_make(&p, "sortroute:verify=1");
    sortroute_options options = {.degree = 1, .body = 8, .gap = 2, .verify = true};
    sortroute *r = NULL;
    sortroute_result result;
    bough_error error;
    const method_trial trial = {run, bough_key_make(1, 0)};
    assert_int_equal(sortroute_run(&trial, &options, &r, &result, &error), BOUGH_OK);
    assert_int_equal(sortroute_verify_channels(r, 7), BOUGH_OK);
    r->counter[3]++; /* mesh 0, peak at the root, batch 3: 9 of 65 */
    r->counter[4]++;
    assert_int_equal(sortroute_verify_channels(r, 7), BOUGH_OK); /* ceil(66 / 8) = 9 */
    r->counter[4]++;
    assert_int_equal(sortroute_verify_channels(r, 7), BOUGH_FAILED);
    assert_string_equal(error.reason,
                        "sortroute: Lemma 10 (5) is violated in step 7: batch 4 puts 10 messages with a peak "
                        "at level 2 on the channel above s0.0 (s0: a mesh), more than ceil(67 / 8)");
    uint32_t id = r->arrival[0], target = r->set.target[id];
    r->set.target[id] = 200;
    assert_int_equal(sortroute_verify_delivery(r), BOUGH_FAILED);
    assert_non_null(strstr(error.reason, "to 200 arrived at mesh 0"));
    r->set.target[id] = target;
    r->arrived[2]--;
    assert_int_equal(sortroute_verify_delivery(r), BOUGH_FAILED);
    assert_non_null(strstr(error.reason, "255 of 256 messages arrived at their meshes"));
    r->arrived[2]++;
    r->arrival[0] = r->arrival[1];
    assert_int_equal(sortroute_verify_delivery(r), BOUGH_FAILED);
    assert_non_null(strstr(error.reason, "receives more messages than were sent to it"));
    r->sorter[2].capacity = 255;
    assert_int_equal(sortroute_run(&trial, &options, &r, &result, &error), BOUGH_FAILED);
    assert_string_equal(error.reason, "sortroute: sorter s2.0 holds 256 messages, more than its l = 255");
    sortroute_free(r);
    bough_run_destroy(run);
    point_free(&p);
}

/* ---- vertex by vertex ---- */

/* The places of all messages at every moment. */
typedef struct film {
    uint64_t messages, moments, capacity;
    sortroute_place *now, *place; /* place: messages a moment */
    sortroute_moment *moment;
} film;

static void on_moved(void *context, uint64_t number, sortroute_place place) {
    film *f = context;
    assert_true(number < f->messages);
    f->now[number] = place;
}

static void on_moment(void *context, sortroute_moment moment) {
    film *f = context;
    if (f->moments == f->capacity) {
        f->capacity = 2 * f->capacity + 64;
        f->place = realloc(f->place, f->capacity * f->messages * sizeof *f->place);
        f->moment = realloc(f->moment, f->capacity * sizeof *f->moment);
        assert_true(f->place && f->moment);
    }
    memcpy(f->place + f->moments * f->messages, f->now, f->messages * sizeof *f->now);
    f->moment[f->moments++] = moment;
}

static film film_make(uint64_t messages) {
    film f = {.messages = messages, .now = calloc(messages + 1, sizeof *f.now)};
    assert_non_null(f.now);
    return f;
}

static void film_free(film *f) {
    free(f->now);
    free(f->place);
    free(f->moment);
}

static void compare_films(const film *have, const film *want) {
    for (uint64_t m = 0; m < want->moments && m < have->moments; m++) {
        const sortroute_moment *a = &have->moment[m], *b = &want->moment[m];
        if (a->step != b->step || a->stage != b->stage || a->wave != b->wave)
            fail_msg("moment %" PRIu64 ": step %u stage %" PRIu64 " wave %" PRIu64
                     ", not step %u stage %" PRIu64 " wave %" PRIu64,
                     m, a->step, a->stage, a->wave, b->step, b->stage, b->wave);
        for (uint64_t i = 0; i < want->messages; i++) {
            const sortroute_place *x = &have->place[m * want->messages + i],
                                  *y = &want->place[m * want->messages + i];
            if (x->node != y->node || x->part != y->part || x->slot != y->slot)
                fail_msg("step %u stage %" PRIu64 " wave %" PRIu64 ": message %" PRIu64 " at node %" PRIu64
                         " part %d slot %" PRIu64 ", not node %" PRIu64 " part %d slot %" PRIu64,
                         a->step, a->stage, a->wave, i, x->node, x->part, x->slot, y->node, y->part, y->slot);
        }
    }
    assert_int_equal(have->moments, want->moments);
}

/* What the oracle counts on the way is what the engine reports. */
static void compare_counts(const bough_run *run, const sortroute_result *have,
                           const sortroute_oracle_result *want) {
    const sorting_shape *shape = sorting_shape_of(run->point.net);
    for (unsigned step = 1; step <= SORTROUTE_STEPS; step++) {
        assert_int_equal(have->waves[step], want->waves[step]);
        assert_int_equal(have->passes[step], want->passes[step]);
        uint64_t bits = want->routes[step] * have->word_bits + (step == 1 ? shape->lg_n : 0);
        if (want->routes[step]) assert_int_equal(have->bits[step], bits);
    }
    assert_int_equal(have->queue_max, want->queue_max);
}

static void agree(uint64_t n, const message_list *list, uint64_t gap) {
    bough_net *net = sorting(n);
    bough_traffic *traffic = list_traffic(net, list);
    bough_point point = {net, NULL, traffic};
    bough_run *run = run_make(&point, gap == 2 ? "sortroute" : "sortroute:stages=every");
    sortroute_options options = {.degree = 8, .body = 8, .gap = gap, .verify = true};
    film have = film_make(list->count), want = film_make(list->count);
    sortroute_observer watch_have = {&have, on_moved, on_moment}, watch_want = {&want, on_moved, on_moment};
    sortroute *space = NULL;
    sortroute_result result, unwatched;
    sortroute_oracle_result slow;
    bough_error error;
    const method_trial trial = {run, bough_key_make(1, 0)};
    options.observer = &watch_have;
    if (sortroute_run(&trial, &options, &space, &result, &error)) fail_msg("%s", error.reason);
    sortroute_oracle(n, list->source, list->target, list->count, gap, &watch_want, &slow);
    compare_films(&have, &want);
    compare_counts(run, &result, &slow);
    /* in used memory, and with nobody watching */
    options.observer = NULL;
    if (sortroute_run(&trial, &options, &space, &unwatched, &error)) fail_msg("%s", error.reason);
    assert_memory_equal(&result, &unwatched, sizeof result);
    sortroute_free(space);
    film_free(&have);
    film_free(&want);
    bough_run_destroy(run);
    bough_traffic_destroy(traffic);
    bough_net_destroy(net);
}

static void partial_permutations_go_the_same_ways(void **state) {
    (void)state;
    for (uint64_t n = 128; n <= 256; n *= 2)
        for (uint64_t count = 1, seed = 1; count <= n; count = count * 3 + 1, seed++) {
            message_list list = list_partial(n, count, seed);
            agree(n, &list, 2);
            agree(n, &list, 1);
            message_list_free(&list);
        }
    for (unsigned trial_ = 0; trial_ < 4; trial_++) {
        message_list list = list_partial(256, 256, 100 + trial_);
        agree(256, &list, 2);
        message_list_free(&list);
    }
}

static void larger_degrees_go_the_same_ways(void **state) {
    (void)state;
    for (uint64_t degree = 2; degree <= 4; degree++) {
        message_list list = list_permutations(256, degree, degree);
        agree(256, &list, 2);
        if (degree == 2) agree(256, &list, 1);
        message_list_free(&list);
    }
}

/* Message sets with a shape: all of one mesh to one other, to all others, from all to one; neighbours;
 * complements; several messages of one pair. */
static void sets_with_a_shape_go_the_same_ways(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 6; kind++) {
        message_list list = list_partial(256, 256, kind); /* for its memory */
        list.count = 0;
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t to[] = {192 + (63 - i) % 64, i * 4 % 256 + 1, i / 4 + 64,
                             (i + 1) % 256,       255 - i,         255 - i / 4 % 64};
            if ((kind < 2 && i >= 64) || (kind == 2 && i % 4) || i == to[kind]) continue;
            list.source[list.count] = kind == 5 ? i / 4 : i;
            list.target[list.count++] = to[kind];
        }
        agree(256, &list, 2);
        agree(256, &list, 1);
        message_list_free(&list);
    }
}

/* Other sizes, where the mesh's side is not lg n: 512 has two meshes of 256, 1024 four. */
static void sizes_between_go_the_same_ways(void **state) {
    (void)state;
    for (uint64_t n = 512; n <= 1024; n *= 2) {
        message_list list = list_partial(n, n, n);
        agree(n, &list, 2);
        message_list_free(&list);
    }
}

/* Sorters of one degree are not those of another: memory that was used for degree 2 does for 3 and 1. */
static void memory_serves_other_degrees(void **state) {
    (void)state;
    message_list list = list_permutations(256, 3, 1);
    bough_net *net = sorting(256);
    bough_traffic *traffic = list_traffic(net, &list);
    bough_point point = {net, NULL, traffic};
    bough_run *run = run_make(&point, "sortroute");
    sortroute_options options = {.degree = 3, .body = 8, .gap = 2, .verify = true};
    const uint64_t count[] = {500, list.count, 200};
    const method_trial trial = {run, bough_key_make(1, 0)};
    sortroute *used = NULL;
    bough_error error;
    for (unsigned i = 0; i < 3; i++) {
        sortroute *fresh = NULL;
        sortroute_result have, want;
        list.count = count[i]; /* the traffic still names all */
        assert_int_equal(sortroute_run(&trial, &options, &used, &have, &error), BOUGH_OK);
        assert_int_equal(sortroute_run(&trial, &options, &fresh, &want, &error), BOUGH_OK);
        assert_memory_equal(&have, &want, sizeof have);
        assert_int_equal(have.degree, i == 0 ? 2 : i == 1 ? 3 : 1);
        sortroute_free(fresh);
    }
    sortroute_free(used);
    bough_run_destroy(run);
    bough_traffic_destroy(traffic);
    bough_net_destroy(net);
    message_list_free(&list);
}

/* ---- bounds ---- */

static void within(uint64_t n, const message_list *list, const char *method) {
    bough_rows rows = trial(n, list, method);
    const unsigned lg = (unsigned)__builtin_ctzll(n);
    double lambda = row_value(&rows, BOUGH_METRIC_LOAD_FACTOR, NONE);
    double lower = reference_load_factor(n, list, false), upper = reference_load_factor(n, list, true);
    double waves = row_value(&rows, BOUGH_METRIC_NORM_WAVES, NONE);
    assert_true(lambda <= lower && lambda <= 2 * upper);
    assert_true(row_value(&rows, BOUGH_METRIC_STORAGE, NONE) <= 1);
    bough_net *net = sorting(n);
    double stages = 2 * (2.0 * (lg - 1) + net->levels);
    /* Lemma 10: a batch takes at most 1 + lambda_a / lg N + 1 waves on a channel; fuller ones in both
     * parities. */
    if (waves * (lambda + lg) > 2 * stages + 4 * lambda)
        fail_msg("n=%" PRIu64 ": %g waves", n, waves * (lambda + lg));
    bough_net_destroy(net);
    bough_rows_fini(&rows);
}

static void random_sets_keep_the_bounds(void **state) {
    (void)state;
    for (uint64_t n = 128; n <= 4096; n *= 2)
        for (unsigned i = 0; i < (n < 1024 ? 40u : 8u); i++) {
            message_list list =
                i % 4 == 3 ? list_permutations(n, 1 + i % 5, i) : list_partial(n, 1 + n * i / 40, i);
            within(n, &list,
                   i % 2 ? "sortroute:verify=1,degree=5" : "sortroute:verify=1,degree=5,stages=every");
            message_list_free(&list);
        }
}

/* The permutations of the field, and random ones: waves / (lambda + lg N) at most 3.5, sorter passes
 * included 32. */
static void permutations_keep_the_figures(void **state) {
    (void)state;
    static const char *const traffic[] = {"bitrev",  "transpose", "bitcomp", "shuffle",
                                          "tornado", "neighbor",  "randperm"};
    static const uint64_t size[] = {256, 1024, 4096, 65536};
    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        for (size_t i = 0; i < sizeof traffic / sizeof *traffic; i++) {
            char spec[40];
            snprintf(spec, sizeof spec, "sorting:n=%" PRIu64, size[k]);
            bough_point p = point_make(spec, NULL, traffic[i]);
            bough_rows rows = rows_of(&p, "sortroute:verify=1");
            double waves = row_value(&rows, BOUGH_METRIC_NORM_WAVES, NONE);
            double passes = row_value(&rows, BOUGH_METRIC_NORM_PASSES, NONE);
            if (waves < 0.6 || waves > 3.5 || passes >= 32)
                fail_msg("%s under %s: %g waves, %g passes", spec, traffic[i], waves, passes);
            bough_rows_fini(&rows);
            point_free(&p);
        }
}

/* One way, an eighth of the terminals to another: lambda = 64 on channels of both parities up, and on others
 * down. In a batch 512 messages have 128 wires, or 256 have 64; 16 batches of 4 + 4 waves, and those that
 * fill the tree. */
static void one_way_takes_both_parities(void **state) {
    (void)state;
    const uint64_t n = 65536;
    message_list list = list_partial(n, n, 1); /* for its memory */
    list.count = n / 8;
    for (uint32_t i = 0; i < n / 8; i++) list.source[i] = i, list.target[i] = (uint32_t)n / 2 + i;
    bough_rows rows = trial(n, &list, "sortroute:verify=1");
    equals(&rows, BOUGH_METRIC_LOAD_FACTOR, NONE, 64);
    equals(&rows, BOUGH_METRIC_WAVES, NONE, 2 * (16 * 8 + 12));
    equals(&rows, BOUGH_METRIC_NORM_WAVES, NONE, 3.5);
    bough_rows_fini(&rows);
    message_list_free(&list);
}

static void lambda_is_that_of_linkload(void **state) {
    (void)state;
    bough_point p = point_make("sorting:n=1024", "free", "randperm");
    bough_rows mine = rows_of(&p, "sortroute"), theirs = rows_of(&p, "linkload");
    equals(&mine, BOUGH_METRIC_LOAD_FACTOR, NONE, row_value(&theirs, BOUGH_METRIC_LOAD_FACTOR, NONE));
    bough_rows_fini(&mine);
    bough_rows_fini(&theirs);
    point_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(a_degree_too_large_is_refused),
        cmocka_unit_test(a_body_too_long_is_refused),
        cmocka_unit_test(one_message_by_hand),
        cmocka_unit_test(the_complement_by_hand),
        cmocka_unit_test(violations_are_named),
        cmocka_unit_test(partial_permutations_go_the_same_ways),
        cmocka_unit_test(larger_degrees_go_the_same_ways),
        cmocka_unit_test(sets_with_a_shape_go_the_same_ways),
        cmocka_unit_test(sizes_between_go_the_same_ways),
        cmocka_unit_test(memory_serves_other_degrees),
        cmocka_unit_test(random_sets_keep_the_bounds),
        cmocka_unit_test(permutations_keep_the_figures),
        cmocka_unit_test(one_way_takes_both_parities),
        cmocka_unit_test(lambda_is_that_of_linkload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
