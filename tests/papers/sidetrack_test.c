/* sidetrack: what it refuses; the paper's fixed permutations; every position after every pass against the
 * program that goes vertex by vertex; lemmas on every run; bit steps by hand. */
#include "papers/bay1991/sidetrack.h"
#include "papers/bay1991/sidetrack_steps.h"
#include "support/fabrics.h"
#include "support/points.h"
#include "support/sidetrack_oracle.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NO_INDEX BOUGH_NO_ROW_INDEX

static char *pruned(unsigned lg, char spec[32]) {
    snprintf(spec, 32, "pruned:n=2^%u", lg);
    return spec;
}

static double answer(const char *network, const char *traffic, const char *method, bough_metric_id metric) {
    bough_point point = point_make(network, NULL, traffic);
    bough_rows rows = rows_of(&point, method);
    double value = row_value(&rows, metric, NO_INDEX);
    bough_rows_fini(&rows);
    point_free(&point);
    return value;
}

/* ---- bad input ---- */

static void refused(const char *network, const char *traffic, const char *method, bough_status status,
                    const char *text) {
    bough_point point = point_make(network, NULL, traffic);
    run_refused(&point, method, status, text);
    point_free(&point);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    refused("fattree:n=64", "bitrev", "sidetrack", BOUGH_UNSUPPORTED, "needs the pruned butterfly");
    refused("xgft:down=2x2,up=2x2", "bitrev", "sidetrack", BOUGH_UNSUPPORTED, "pruned:n=");
    refused("pruned:n=64", "poisson:rate=0.1", "sidetrack", BOUGH_UNSUPPORTED, "does not accept a stream");
    refused("pruned:n=64", NULL, "sidetrack", BOUGH_UNSUPPORTED, "needs traffic");
    refused("pruned:n=64", "bitrev", "sidetrack:body=49", BOUGH_INVALID,
            "body=49 is longer than the model allows");
    refused("pruned:n=64", "bitrev", "sidetrack:body=1e6", BOUGH_INVALID, "at most 8 lg n = 48");
    refused("pruned:n=4", "shift", "sidetrack:body=17", BOUGH_INVALID, "at most 8 lg n = 16");
    refused("pruned:n=64", "bitrev", "sidetrack:body=0", BOUGH_INVALID, "body must lie between 1");
    refused("pruned:n=64", "bitrev", "sidetrack:compress=leaf", BOUGH_INVALID, "peak");
    refused("pruned:n=64", "bitrev", "sidetrack:verify=2", BOUGH_INVALID, "verify");
    refused("pruned:n=64", "bitrev", "sidetrack:stage=1", BOUGH_INVALID, "did you mean 'stages'");
    refused("pruned:n=64", "bitrev", "sidetrack:engine=bit", BOUGH_INVALID, "bits");
    refused("pruned:n=64", "bitrev", "sidetrack:engine=bits,body=5", BOUGH_INVALID,
            "numbers 64 messages in their bodies, which takes body=6; here body=5");
    refused("pruned:n=64", "hrelation:h=4", "sidetrack:engine=bits", BOUGH_INVALID, "takes body=8");
    refused("pruned:n=4096", "bitrev", "sidetrack:engine=bits,body=41", BOUGH_INVALID,
            "body=41 is too long, at most 40 with 4096 leaves");
}

/* Counters of 8 lg n bits: with four leaves less than 2^16 messages. */
static void more_messages_than_counters_hold_are_refused(void **state) {
    (void)state;
    for (unsigned too_many = 0; too_many < 2; too_many++) {
        size_t lines = 65535 + too_many, at = 0;
        char *text = malloc(64 + lines * 4);
        assert_non_null(text);
        at = (size_t)sprintf(text, "source,destination\n");
        for (size_t i = 0; i < lines; i++, at += 4) memcpy(text + at, i % 2 ? "0,3\n" : "2,1\n", 4);
        char *spec = spec_of("messages", temporary_file("many.csv", text, at));
        if (too_many)
            refused("pruned:n=4", spec, "sidetrack", BOUGH_INVALID,
                    "65536 messages do not fit into counters");
        /* 32768 from one leaf, two a pass */
        if (!too_many) assert_near(answer("pruned:n=4", spec, "sidetrack", BOUGH_METRIC_PASSES), 16384, 0);
        free(spec);
        free(text);
    }
}

/* ---- the paper's permutations ---- */

static void totals_are_those_known(void **state) {
    (void)state;
    static const struct {
        const char *network, *traffic;
        double peak, root, lambda;
    } known[] = {
        {"pruned:n=64", "bitrev", 4, 4, 4},      {"pruned:n=64", "transpose", 4, 4, 4},
        {"pruned:n=64", "bitcomp", 4, 4, 8},     {"pruned:n=256", "bitrev", 8, 9, 8},
        {"pruned:n=4096", "bitrev", 34, 36, 32}, {"pruned:n=4096", "transpose", 29, 33, 32},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        double peak = answer(known[i].network, known[i].traffic, "sidetrack:verify=1", BOUGH_METRIC_PASSES);
        double root = answer(known[i].network, known[i].traffic, "sidetrack:compress=root,verify=1",
                             BOUGH_METRIC_PASSES);
        double lambda = answer(known[i].network, known[i].traffic, "sidetrack", BOUGH_METRIC_LOAD_FACTOR);
        if (peak != known[i].peak || root != known[i].root || lambda != known[i].lambda)
            fail_msg("%s %s: %g / %g, lambda %g", known[i].network, known[i].traffic, peak, root, lambda);
    }
}

/* The complement: all N/2 messages of T cross a channel of sqrt(N) in the first stage, and none is in
 * another's way: sqrt(N)/2 passes. The shift by N/2 the same; by one: a leaf and its sibling in every stage,
 * one pass each. */
static void totals_by_hand_at_other_sizes(void **state) {
    (void)state;
    static const char *const methods[] = {"sidetrack:verify=1", "sidetrack:compress=root,verify=1"};
    for (unsigned k = 1; k <= 7; k++)
        for (size_t m = 0; m < COUNT(methods); m++) {
            char network[32], half[32];
            pruned(2 * k, network);
            snprintf(half, sizeof half, "shift:k=%u", 1u << (2 * k - 1));
            double passes = k > 1 ? (double)(1u << (k - 1)) : 1;
            assert_near(answer(network, "bitcomp", methods[m], BOUGH_METRIC_PASSES), passes, 0);
            assert_near(answer(network, half, methods[m], BOUGH_METRIC_PASSES), passes, 0);
            assert_near(answer(network, "shift:k=1", methods[m], BOUGH_METRIC_PASSES), 2 * k, 0);
            assert_near(answer(network, "shift:k=1", methods[m], BOUGH_METRIC_SIDETRACKED), 0, 0);
        }
}

static void random_permutations_take_33_and_38(void **state) {
    (void)state;
    bough_point point = point_make("pruned:n=4096", NULL, "randperm");
    static const struct {
        const char *method;
        double passes;
    } known[] = {{"sidetrack:verify=1", 33}, {"sidetrack:compress=root,verify=1", 38}};
    for (size_t i = 0; i < COUNT(known); i++) {
        bough_run *run = run_make(&point, known[i].method);
        assert_false(bough_run_exact(run));
        bough_stats passes = run_trials(run, 1, 20, BOUGH_METRIC_PASSES);
        bough_stats lambda = run_trials(run, 1, 20, BOUGH_METRIC_LOAD_FACTOR);
        assert_near(passes.mean, known[i].passes, 1);
        assert_near(lambda.mean, 32, 1);
        bough_run_destroy(run);
    }
    point_free(&point);
}

/* ---- small sets by hand ---- */

static bough_rows rows_of_lines(const char *network, const char *lines, const char *method) {
    char *spec = spec_of("messages", temporary_file("set.csv", lines, 0));
    bough_point point = point_make(network, NULL, spec);
    bough_rows rows = rows_of(&point, method);
    point_free(&point);
    free(spec);
    return rows;
}

static void nothing_takes_nothing(void **state) {
    (void)state;
    bough_rows rows =
        rows_of_lines("pruned:n=16", "source,destination\n3,3\n", "sidetrack:verify=1,stages=1");
    assert_near(row_value(&rows, BOUGH_METRIC_PASSES, NO_INDEX), 0, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_LAMBDA_RATIO, NO_INDEX), 0, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_SIDETRACKED, NO_INDEX), 0, 0);
    assert_true(row_value(&rows, BOUGH_METRIC_BIT_STEPS, NO_INDEX) > 0); /* every stage looks for messages */
    assert_near(row_value(&rows, BOUGH_METRIC_OPERATION_BIT_STEPS, SIDETRACK_OPERATIONS), 0, 0);
    bough_rows_fini(&rows);
}

/* N = 16, four leaves of the right half to leaf 0: no channel on the way up is more than full, so one batch,
 * ranks 0 to 3 at the root's four vertices. Two come to each vertex of height 2, and all want its left edge:
 * ranks 0 and 1 go on to leaf 0 by its two edges, 2 and 3 are sidetracked to the two vertices above leaves 2
 * and 3, whose direction bits are left: both to leaf 2. From there they go in one batch in stage 2. lambda =
 * 4 / 2 at leaf 0. */
static void four_to_one_leaf(void **state) {
    (void)state;
    for (unsigned top = 0; top < 2; top++) {
        bough_rows rows =
            rows_of_lines("pruned:n=16", "source,destination\n8,0\n14,0\n10,0\n12,0\n",
                          top ? "sidetrack:compress=root,verify=1,stages=1" : "sidetrack:verify=1,stages=1");
        assert_near(row_value(&rows, BOUGH_METRIC_PASSES, NO_INDEX), 2, 0);
        for (unsigned i = 0; i < 4; i++)
            assert_near(row_value(&rows, BOUGH_METRIC_STAGE_PASSES, i), i % 2 == 0, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_LOAD_FACTOR, NO_INDEX), 2, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_ETA, NO_INDEX), 4, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_DEGREE, NO_INDEX), 4, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_LAMBDA_RATIO, NO_INDEX), 0.5, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_QUEUE_MAX, NO_INDEX), 2, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_QUEUE_BOUND, NO_INDEX), 5 * 4 + 4, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_SIDETRACKED, NO_INDEX), 0.5, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_MESSAGES, NO_INDEX), 4, 0);
        bough_rows_fini(&rows);
    }
}

/* ---- against the program that goes vertex by vertex ---- */

typedef struct trail {
    unsigned lg, messages;
    size_t count, capacity, at;
    uint32_t *word; /* stage, pass, leaf of every message; and so on */
} trail;

static void note(void *context, unsigned stage, unsigned pass, const uint32_t *leaf) {
    trail *t = context;
    size_t need = t->count + 2 + t->messages;
    if (need > t->capacity) {
        t->capacity = 2 * need;
        t->word = realloc(t->word, t->capacity * sizeof *t->word);
        if (!t->word) abort();
    }
    t->word[t->count] = stage;
    t->word[t->count + 1] = pass;
    memcpy(t->word + t->count + 2, leaf, t->messages * sizeof *leaf);
    t->count = need;
}

static bough_status compare(void *context, unsigned peak, uint32_t pass, const uint32_t *leaf,
                            bough_error *error) {
    trail *t = context;
    (void)error;
    assert_true(t->at < t->count);
    assert_int_equal(t->word[t->at], t->lg - peak);
    assert_int_equal(t->word[t->at + 1], pass);
    assert_memory_equal(t->word + t->at + 2, leaf, t->messages * sizeof *leaf);
    t->at += 2 + t->messages;
    return BOUGH_OK;
}

static void both_agree(sidetrack_engine *engine, unsigned lg, const bough_batch *batch, sidetrack_top top) {
    trail t = {.lg = lg, .messages = (unsigned)batch->count};
    sidetrack_oracle o = {.leaves = 1u << lg,
                          .root_rule = top == SIDETRACK_ROOT,
                          .source = batch->source,
                          .destination = batch->address,
                          .messages = (unsigned)batch->count,
                          .after_pass = note,
                          .context = &t};
    sidetrack_oracle_run(&o);
    assert_int_equal(o.undelivered, 0);
    assert_int_equal(o.compression_clash, 0);
    const sidetrack_watch watch = {.context = &t, .pass = compare};
    const sidetrack_options options = {.top = top, .watch = &watch};
    sidetrack_result r;
    bough_error error;
    assert_int_equal(sidetrack_run(engine, batch, &options, &r, &error), BOUGH_OK);
    assert_true(t.at == t.count);
    assert_int_equal(r.passes, o.passes);
    assert_int_equal(r.lambda_max, o.lambda_max);
    assert_int_equal(r.queue_max, o.queue_max);
    assert_int_equal(r.sidetracked, o.sidetracked);
    for (unsigned i = 0; i < lg; i++) assert_int_equal(r.stage_passes[lg - i], o.stage_passes[i]);
    free(t.word);
}

static void permutations_equal_the_oracle(void **state) {
    (void)state;
    static const char *const traffic[] = {"bitrev",   "transpose", "bitcomp",         "shuffle",  "tornado",
                                          "neighbor", "shift:k=7", "hotspot:share=1", "alltoall", "randperm",
                                          "uniform",  "incast",    "hrelation:h=3"};
    for (unsigned lg = 2; lg <= 8; lg += 2)
        for (size_t i = 0; i < COUNT(traffic); i++)
            for (unsigned top = 0; top < 2; top++) {
                char network[32];
                if (lg == 8 && strcmp(traffic[i], "alltoall") == 0) continue; /* the oracle would take long */
                bough_point point = point_make(pruned(lg, network), NULL, traffic[i]);
                bough_batch batch;
                bough_error error;
                sidetrack_engine *engine;
                assert_int_equal(bough_batch_read(point.traffic, bough_key_make(1, lg), &batch, &error),
                                 BOUGH_OK);
                assert_int_equal(sidetrack_create(lg, batch.count, &engine, &error), BOUGH_OK);
                both_agree(engine, lg, &batch, top ? SIDETRACK_ROOT : SIDETRACK_PEAK);
                sidetrack_destroy(engine);
                bough_batch_fini(&batch);
                point_free(&point);
            }
}

/* Sets without a plan, one engine for all of a size: what a run leaves behind must not matter. */
static void drawn_sets_equal_the_oracle(void **state) {
    (void)state;
    bough_stream s = bough_stream_make(bough_key_make(2, 0), BOUGH_DRAW_TEST, 0, 0);
    for (unsigned lg = 2; lg <= 8; lg += 2) {
        uint32_t n = 1u << lg, source[512], address[512];
        sidetrack_engine *engine;
        bough_error error;
        assert_int_equal(sidetrack_create(lg, 512, &engine, &error), BOUGH_OK);
        for (unsigned trial = 0; trial < (lg == 8 ? 30u : 150u); trial++) {
            bough_batch batch = {source, address, 1 + bough_stream_below(&s, trial % 2 ? n : 512)};
            uint32_t hot = (uint32_t)bough_stream_below(&s, n), spread = 1u << bough_stream_below(&s, lg + 1);
            for (uint64_t i = 0; i < batch.count; i++) { /* to a subtree, from a subtree, or anyhow */
                source[i] = (uint32_t)bough_stream_below(&s, trial % 3 == 1 ? spread : n);
                address[i] = hot ^ (uint32_t)bough_stream_below(&s, trial % 3 == 0 ? spread : n);
            }
            both_agree(engine, lg, &batch, trial / 6 % 2 ? SIDETRACK_ROOT : SIDETRACK_PEAK);
        }
        sidetrack_destroy(engine);
    }
}

/* ---- every lemma on every run ---- */

static void lemmas_hold_on_all_traffic(void **state) {
    (void)state;
    static const char *const traffic[] = {"bitrev",        "transpose",    "bitcomp",   "shuffle",
                                          "tornado",       "neighbor",     "shift:k=5", "hotspot:share=.5",
                                          "hrelation:h=5", "randperm",     "uniform",   "incast",
                                          "uniform:m=3",   "hotspot:hot=9"};
    for (unsigned lg = 4; lg <= 12; lg += 2)
        for (size_t i = 0; i < COUNT(traffic); i++)
            for (unsigned top = 0; top < 2; top++) {
                char network[32];
                bough_point point = point_make(pruned(lg, network), NULL, traffic[i]);
                bough_run *run =
                    run_make(&point, top ? "sidetrack:compress=root,verify=1" : "sidetrack:verify=1");
                for (uint64_t trial = 0; trial < 3; trial++) {
                    bough_rows rows = run_once(run, trial); /* fails where a lemma does not hold */
                    assert_true(row_value(&rows, BOUGH_METRIC_LAMBDA_RATIO, NO_INDEX) <= 2);
                    assert_true(row_value(&rows, BOUGH_METRIC_QUEUE_MAX, NO_INDEX) <=
                                row_value(&rows, BOUGH_METRIC_QUEUE_BOUND, NO_INDEX));
                    bough_rows_fini(&rows);
                }
                bough_run_destroy(run);
                point_free(&point);
            }
}

/* Looking on changes nothing, and a workspace remembers nothing. */
static void answers_are_the_same_again(void **state) {
    (void)state;
    bough_point point = point_make("pruned:n=256", NULL, "uniform:m=200");
    bough_run *plain = run_make(&point, "sidetrack:stages=1"),
              *checked = run_make(&point, "sidetrack:stages=1,verify=1");
    assert_true(plain->bytes < checked->bytes);
    void *space = NULL;
    bough_rows again = {0};
    bough_error error;
    for (uint64_t trial = 0; trial < 5; trial++) {
        bough_rows a = run_once(plain, trial), b = run_once(checked, trial);
        assert_int_equal(bough_run_trial(plain, bough_key_make(1, trial), &space, &again, &error), BOUGH_OK);
        assert_true(a.count == b.count && a.count == again.count);
        for (size_t i = 0; i < a.count; i++) {
            assert_near(a.row[i].value, b.row[i].value, 0);
            assert_near(a.row[i].value, again.row[i].value, 0);
        }
        bough_rows_fini(&a);
        bough_rows_fini(&b);
    }
    bough_rows_fini(&again);
    bough_run_free_workspace(plain, space);
    bough_run_destroy(plain);
    bough_run_destroy(checked);
    point_free(&point);
}

static void a_run_can_be_stopped(void **state) {
    (void)state;
    bough_point point = point_make("pruned:n=64", NULL, "bitrev");
    bough_run *run = run_make(&point, "sidetrack");
    atomic_bool stop = true;
    void *space = NULL;
    bough_rows rows = {0};
    bough_error error;
    run->stop = &stop;
    assert_int_equal(bough_run_trial(run, bough_key_make(1, 0), &space, &rows, &error), BOUGH_INTERRUPTED);
    bough_run_free_workspace(run, space);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&point);
}

/* ---- bit steps ---- */

/* N = 16, the stage of the root (peak 4, q = 3, L = 4): body 5, counters of 6 bits; a record has 5 + 4 + 2
 * bits. */
static void bit_steps_by_hand(void **state) {
    (void)state;
    static const uint64_t want[2][SIDETRACK_OPERATIONS] = {
        /* to the peak: d = 4, v = 2; the sort has 16 / 8 places a leaf: 2 (20 + 16 + 10 + 4) */
        {6, 9, 6, 9, 9, 12, 13, 22, 8, 15, 0, 100, 18, 4, 22, 11, 6},
        /* to the root of T: d = 3, v = 2; places the same: 2 (15 + 16 + 10 + 4) */
        {6, 9, 6, 9, 9, 12, 13, 22, 8, 14, 11, 90, 17, 4, 22, 11, 6}};
    for (unsigned top = 0; top < 2; top++) {
        const sidetrack_machine machine = {4, 5, 6, top ? SIDETRACK_ROOT : SIDETRACK_PEAK};
        uint64_t steps[SIDETRACK_OPERATIONS];
        sidetrack_steps(&machine, 4, steps);
        for (int o = 0; o < SIDETRACK_OPERATIONS; o++)
            if (steps[o] != want[top][o]) fail_msg("operation %d: %" PRIu64, o + 1, steps[o]);
        assert_int_equal(sidetrack_partition_steps(steps), 75);
        assert_int_equal(sidetrack_pass_steps(steps), top ? 194 : 195);
    }
}

/* The O(lg N) of Lemmas 4 and 5, at every size there is and with the longest fields. */
static void steps_are_logarithmic(void **state) {
    (void)state;
    for (unsigned lg = 2; lg < SIDETRACK_HEIGHTS; lg += 2)
        for (unsigned peak = 1; peak <= lg; peak++)
            for (unsigned top = 0; top < 2; top++) {
                unsigned most = SIDETRACK_FIELD_MAX * lg;
                const sidetrack_machine machine = {lg, most, most, top ? SIDETRACK_ROOT : SIDETRACK_PEAK};
                uint64_t steps[SIDETRACK_OPERATIONS];
                sidetrack_steps(&machine, peak, steps);
                assert_true(sidetrack_partition_steps(steps) <= SIDETRACK_PARTITION_MAX * lg);
                assert_true(sidetrack_pass_steps(steps) <= SIDETRACK_PASS_MAX * lg);
            }
}

/* By stage and by operation the same steps; and passes times what a pass takes. */
static void bit_steps_add_up(void **state) {
    (void)state;
    bough_point point = point_make("pruned:n=256", NULL, "randperm");
    bough_rows rows = rows_of(&point, "sidetrack:stages=1,body=20");
    double all = row_value(&rows, BOUGH_METRIC_BIT_STEPS, NO_INDEX), by_stage = 0, by_operation = 0,
           passes = 0, sum = 0;
    const sidetrack_machine machine = {8, 20, 9, SIDETRACK_PEAK}; /* counters for 256 messages */
    for (unsigned i = 0; i < 8; i++) {
        uint64_t steps[SIDETRACK_OPERATIONS];
        double here = row_value(&rows, BOUGH_METRIC_STAGE_PASSES, i);
        sidetrack_steps(&machine, 8 - i, steps);
        sum += (double)sidetrack_partition_steps(steps) + here * (double)sidetrack_pass_steps(steps);
        by_stage += row_value(&rows, BOUGH_METRIC_STAGE_BIT_STEPS, i);
        passes += here;
    }
    for (int o = 1; o <= SIDETRACK_OPERATIONS; o++)
        by_operation += row_value(&rows, BOUGH_METRIC_OPERATION_BIT_STEPS, o);
    assert_near(by_stage, all, 0);
    assert_near(by_operation, all, 0);
    assert_near(sum, all, 0);
    assert_near(passes, row_value(&rows, BOUGH_METRIC_PASSES, NO_INDEX), 0);
    bough_rows_fini(&rows);
    point_free(&point);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(more_messages_than_counters_hold_are_refused),
        cmocka_unit_test(totals_are_those_known),
        cmocka_unit_test(totals_by_hand_at_other_sizes),
        cmocka_unit_test(random_permutations_take_33_and_38),
        cmocka_unit_test(nothing_takes_nothing),
        cmocka_unit_test(four_to_one_leaf),
        cmocka_unit_test(permutations_equal_the_oracle),
        cmocka_unit_test(drawn_sets_equal_the_oracle),
        cmocka_unit_test(lemmas_hold_on_all_traffic),
        cmocka_unit_test(answers_are_the_same_again),
        cmocka_unit_test(a_run_can_be_stopped),
        cmocka_unit_test(bit_steps_by_hand),
        cmocka_unit_test(steps_are_logarithmic),
        cmocka_unit_test(bit_steps_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
