/* Local traffic: probabilities of levels as the paper prints them and as they follow, requests as drawn.
 * Limits of statistical tests are 4.5 standard errors. */
#include "network/subtrees.h"
#include "support/cube.h"
#include "support/fabrics.h"
#include "support/points.h"
#include "traffic/traffic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- bad input ---- */

static void wrong_specs_are_refused(void **state) {
    (void)state;
    traffic_refused("transit:n=64", "local:p=1.5", BOUGH_INVALID, "not between 0 and 1");
    traffic_refused("transit:n=64", "local:p=-0.1", BOUGH_INVALID, "not between 0 and 1");
    traffic_refused("transit:n=64", "local:inject=wire", BOUGH_INVALID, "inject is one of proc|line");
    traffic_refused("transit:n=64", "local:columns=printedd", BOUGH_INVALID, "did you mean 'printed'");
    traffic_refused("transit:n=64", "local:columns=given", BOUGH_INVALID,
                    "requires weights= for the 3 levels");
    traffic_refused("transit:n=64", "local:columns=given,weights=1x2", BOUGH_INVALID,
                    "for the 3 levels of transit:n=64");
    traffic_refused("transit:n=64", "local:columns=given,weights=0x0x0", BOUGH_INVALID, "all weights are 0");
    traffic_refused("transit:n=64", "local:weights=1x1x1", BOUGH_INVALID, "weights= requires columns=given");
    traffic_refused("transit:n=64", "local:columns=uniform,up=0.1", BOUGH_INVALID,
                    "up= requires columns=consistent");
    traffic_refused("transit:n=64", "local:columns=printed,leaf=0.5", BOUGH_INVALID,
                    "leaf= requires columns=consistent");
    traffic_refused("fattree:n=32", "local:columns=printed", BOUGH_UNSUPPORTED,
                    "the paper has no column for");
    traffic_refused("transit:leaf=12,stages=3", "local:columns=printed", BOUGH_UNSUPPORTED, "has no column");
    traffic_refused("kary:k=1,levels=3", "local", BOUGH_UNSUPPORTED, "a tree of at least two endpoints");
    traffic_refused("xgft:down=4x1x4,up=1x1x1", "local", BOUGH_UNSUPPORTED, "has no destination at level 2");
    traffic_refused("transit:n=64", "poisson:load=0.01,pattern=\"local:p=0.5\"", BOUGH_INVALID, "omit them");
    bough_net *cube;
    assert_int_equal(cube_create(4, &cube, NULL), BOUGH_OK);
    traffic_refused_on(cube, "local", BOUGH_UNSUPPORTED, "is not one");
    bough_net_destroy(cube);
}

/* ---- probabilities ---- */

static void shares_are(const char *network, const char *spec, const double *want, double total) {
    bough_net *net = net_make(network);
    bough_traffic *t = traffic_make(net, spec);
    const bough_batch_law *law = t->batch_law;
    assert_non_null(law);
    assert_int_equal(law->levels, net->levels);
    assert_near(law->total, total, 1e-12);
    for (unsigned l = 1; l <= net->levels; l++)
        if (!(fabs(law->share[l] * law->total - want[l - 1]) < 1e-12))
            fail_msg("%s %s: level %u has %.6g, not %.6g", network, spec, l, law->share[l] * law->total,
                     want[l - 1]);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

static void columns_are_those_of_the_tables(void **state) {
    (void)state;
    const double a = 0.834 / 3, b = 0.166 / 3, c = 0.822 / 3, d = 0.178 * 0.822 / 3, e = 0.178 * 0.178 / 3,
                 f = 0.25 * 0.834 / 3, g = 0.25 * 0.166 / 3, h = 0.25 / 3, t = 1 / 3.0;
    shares_are("transit:n=64", "local", (double[]){t, t, t}, 1);
    shares_are("transit:n=4096", "local", (double[]){a, a, a, b, b, b}, 1);
    shares_are("transit:n=262144", "local", (double[]){c, c, c, d, d, d, e, e, e}, 1);
    shares_are("transit:leaf=48", "local", (double[]){0.75, h, h, h}, 1);
    shares_are("transit:leaf=12,stages=2", "local", (double[]){0.75, f, f, f, g, g, g}, 1);
    shares_are("transit:flat=64", "local", (double[]){1}, 1);
    shares_are("transit:n=4096", "local:up=0.5", (double[]){t / 2, t / 2, t / 2, t / 2, t / 2, t / 2}, 1);
    shares_are("transit:leaf=12", "local:leaf=0.4", (double[]){0.4, 0.2, 0.2, 0.2}, 1);
    shares_are("transit:n=64", "local:columns=given,weights=3x0x1", (double[]){0.75, 0, 0.25}, 1);
    /* three levels a unit tree where the network does not say: 3 + 2 levels */
    shares_are("fattree:n=32", "local", (double[]){a, a, a, 0.083, 0.083}, 1);
    /* as printed: sums of 0.999, 0.9999, 0.9489, 0.9999, 1.167 */
    shares_are("transit:n=64", "local:columns=printed", (double[]){0.333, 0.333, 0.333}, 0.999);
    shares_are("transit:n=4096", "local:columns=printed",
               (double[]){0.278, 0.278, 0.278, 0.0553, 0.0553, 0.0553}, 0.9999);
    shares_are("transit:n=262144", "local:columns=printed",
               (double[]){0.274, 0.274, 0.274, 0.0317, 0.0317, 0.0317, 0.0106, 0.0106, 0.0106}, 0.9489);
    shares_are("transit:leaf=192", "local:columns=printed", (double[]){0.75, 0.0833, 0.0833, 0.0833}, 0.9999);
    shares_are("transit:leaf=12,stages=2", "local:columns=printed",
               (double[]){0.75, 0.0695, 0.0695, 0.0695, 0.0695, 0.0695, 0.0695}, 1.167);
}

/* ---- requests ---- */

typedef struct tally {
    uint64_t requests, level[SUBTREES_LEVELS + 1], from[4096], to[4096], most;
} tally;

static tally draw(const bough_net *net, const bough_traffic *t, unsigned trials) {
    static tally count;
    memset(&count, 0, sizeof count);
    subtrees tree;
    bough_error error;
    assert_int_equal(subtrees_make(net, &tree, &error), BOUGH_OK);
    for (unsigned k = 0; k < trials; k++) {
        bough_batch b;
        uint32_t last = UINT32_MAX;
        uint64_t same = 0;
        assert_int_equal(bough_batch_read(t, bough_key_make(3, k), &b, &error), BOUGH_OK);
        for (uint64_t i = 0; i < b.count; i++) {
            uint64_t d = bough_address_node(net, b.address[i]);
            assert_true(d < net->endpoints && d != b.source[i]);
            assert_true(i == 0 || b.source[i] >= b.source[i - 1]);
            same = b.source[i] == last ? same + 1 : 1;
            last = b.source[i];
            if (same > count.most) count.most = same;
            count.requests++;
            count.level[subtrees_nca_level(&tree, b.source[i], d)]++;
            count.from[b.source[i]]++;
            count.to[d]++;
        }
        bough_batch_fini(&b);
    }
    subtrees_fini(&tree);
    return count;
}

static void is_within(uint64_t have, uint64_t of, double share, double errors) {
    double n = (double)of, error = sqrt(n * share * (1 - share));
    if (!(fabs((double)have - n * share) <= errors * error + 1e-9))
        fail_msg("%.0f of %.0f, share %.5f", (double)have, n, share);
}

static void is_share(uint64_t have, uint64_t of, double share) {
    is_within(have, of, share, 4.5);
}

static void requests_are_as_probable_as_said(void **state) {
    (void)state;
    static const struct {
        const char *network, *traffic;
        double p;
        unsigned draws;
    } cases[] = {{"transit:n=64", "local:p=1", 1, 1},
                 {"transit:n=64", "local:p=0.3", 0.3, 1},
                 {"transit:n=64", "local:p=0.6,inject=line", 0.6, 2},
                 {"transit:leaf=12", "local:p=50%", 0.5, 1},
                 {"fattree:n=64", "local:p=0.8,inject=line", 0.8, 1},
                 {"kary:k=3,levels=4", "local:p=0.9", 0.9, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_net *net = net_make(cases[i].network);
        bough_traffic *t = traffic_make(net, cases[i].traffic);
        unsigned trials = 20000 / (unsigned)net->endpoints * 5;
        assert_true(t->messages == net->endpoints * cases[i].draws && t->distinct == (cases[i].draws == 1));
        tally n = draw(net, t, trials);
        is_share(n.requests, (uint64_t)trials * net->endpoints * cases[i].draws, cases[i].p);
        assert_true(n.most == cases[i].draws);
        for (unsigned l = 1; l <= net->levels; l++) is_share(n.level[l], n.requests, t->batch_law->share[l]);
        for (uint64_t e = 0; e < net->endpoints; e++) { /* everybody sends and receives alike */
            is_within(n.from[e], (uint64_t)trials * cases[i].draws, cases[i].p, 6);
            is_within(n.to[e], n.requests, 1.0 / (double)net->endpoints, 6);
        }
        bough_traffic_destroy(t);
        bough_net_destroy(net);
    }
}

/* Within a level everybody alike: processor 5 of 64 meets 3, 12 and 48 others. */
static void destinations_of_a_level_are_alike(void **state) {
    (void)state;
    bough_net *net = net_make("transit:n=64");
    bough_traffic *t = traffic_make(net, "local:p=1");
    uint64_t to[64] = {0}, trials = 30000;
    for (uint64_t k = 0; k < trials; k++) {
        bough_batch b;
        assert_int_equal(bough_batch_read(t, bough_key_make(4, k), &b, NULL), BOUGH_OK);
        assert_int_equal(b.source[5], 5);
        to[b.address[5]]++;
        bough_batch_fini(&b);
    }
    for (unsigned d = 0; d < 64; d++)
        is_share(to[d], trials, d == 5 ? 0 : d / 4 == 1 ? 1 / 9.0 : d / 16 == 0 ? 1 / 36.0 : 1 / 144.0);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

/* The requests of a smaller p are among those of a larger one, with the same destinations. */
static void more_load_is_the_same_and_more(void **state) {
    (void)state;
    bough_net *net = net_make("transit:leaf=12");
    bough_traffic *low = traffic_make(net, "local:p=0.3"), *high = traffic_make(net, "local:p=0.6");
    bough_batch a, b;
    assert_int_equal(bough_batch_read(low, bough_key_make(1, 0), &a, NULL), BOUGH_OK);
    assert_int_equal(bough_batch_read(high, bough_key_make(1, 0), &b, NULL), BOUGH_OK);
    assert_true(a.count > 0 && b.count > a.count);
    for (uint64_t i = 0, k = 0; i < a.count; i++, k++) {
        while (k < b.count && b.source[k] != a.source[i]) k++;
        assert_true(k < b.count && b.address[k] == a.address[i]);
    }
    bough_batch_fini(&a);
    bough_batch_fini(&b);
    bough_traffic_destroy(low);
    bough_traffic_destroy(high);
    bough_net_destroy(net);
}

typedef struct sum {
    double all, level[SUBTREES_LEVELS + 1];
    const subtrees *tree;
    uint32_t source, last;
    bool first;
} sum;

static void add(void *context, uint32_t destination, double probability) {
    sum *s = context;
    assert_true(s->first || destination > s->last);
    assert_true(destination != s->source && probability > 0);
    s->first = false;
    s->last = destination;
    s->all += probability;
    s->level[subtrees_nca_level(s->tree, s->source, destination)] += probability;
}

/* What models of streams see, and what streams draw. */
static void the_pattern_is_the_same(void **state) {
    (void)state;
    static const char *const specs[] = {"local", "local:columns=uniform",
                                        "local:columns=given,weights=5x0x1x1x1x1x1"};
    bough_net *net = net_make("fattree:n=128");
    subtrees tree;
    assert_int_equal(subtrees_make(net, &tree, NULL), BOUGH_OK);
    for (int i = 0; i < 3; i++) {
        bough_traffic *t = traffic_make(net, specs[i]);
        const bough_pattern *p = t->kind->pattern;
        sum s = {.tree = &tree, .source = 77, .first = true};
        p->visit(t, NULL, 77, add, &s);
        assert_near(s.all, 1, 1e-12);
        uint64_t count[8] = {0}, draws = 40000;
        bough_stream words = bough_stream_make(bough_key_make(1, 1), BOUGH_DRAW_TEST, 0, 0);
        for (uint64_t k = 0; k < draws; k++)
            count[subtrees_nca_level(&tree, 77, p->draw(t, NULL, 77, bough_stream_next(&words)))]++;
        for (unsigned l = 1; l <= 7; l++) {
            if (t->batch_law->share) assert_near(s.level[l], t->batch_law->share[l], 1e-12);
            is_share(count[l], draws, s.level[l]);
        }
        bough_traffic_destroy(t);
    }
    subtrees_fini(&tree);
    bough_traffic *stream = traffic_make(net, "poisson:load=0.1,pattern=local");
    assert_non_null(stream->law);
    bough_traffic *faster; /* made of its canonical spec */
    assert_int_equal(bough_traffic_at_rate(stream, 0.5, &faster, NULL), BOUGH_OK);
    bough_traffic_destroy(faster);
    bough_traffic_destroy(stream);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_specs_are_refused),
        cmocka_unit_test(columns_are_those_of_the_tables),
        cmocka_unit_test(requests_are_as_probable_as_said),
        cmocka_unit_test(destinations_of_a_level_are_alike),
        cmocka_unit_test(more_load_is_the_same_and_more),
        cmocka_unit_test(the_pattern_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
