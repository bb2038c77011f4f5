/* queueing by classes of alike links: which networks, routings and patterns it takes; that rates are
 * conserved; that it equals link by link. Random selection of uniform traffic is in queueing_agree_test.c,
 * too. */
#include "support/points.h"

#include "models/queueing/queueing.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a)     (sizeof(a) / sizeof *(a))
#define UNIFORM      "poisson:load=0.2,flits=16"
#define LOCAL        "poisson:load=0.2,flits=16,pattern=local"
#define FAR(weights) "poisson:load=0.2,flits=16,pattern=\"local:columns=given,weights=" weights "\""

/* ---- what is usable ---- */

static void where_links_differ_it_is_link_by_link(void **state) {
    (void)state;
    static const struct {
        const char *network, *routing, *traffic;
        bool usable;
    } known[] = {
        {"kary:k=4,levels=9", "dmodk", UNIFORM, true},
        {"kary:k=4,levels=9", "smodk", LOCAL, true},
        {"bft:n=4^9", "dmodk", UNIFORM, true},
        {"clos:radix=12,hosts=64,taper=2", "dmodk", UNIFORM, true},
        {"clos:radix=12,hosts=64,taper=2", "random", UNIFORM, true},
        {"xgft:down=4x6,up=1x2,links=1x2", "dmodk", UNIFORM, true},
        {"xgft:down=4x6,up=1x3", "free", UNIFORM, true},
        {"xgft:down=4x6,up=1x3", "dmodk", UNIFORM, false},                  /* 4 addresses, 3 residues */
        {"xgft:down=2x4,up=1x4", "dmodk", UNIFORM, false},                  /* 2 addresses, 4 residues */
        {"xgft:down=6x6x2,up=1x2x3", "dmodk", UNIFORM, true},               /* 6 divides 6 */
        {"xgft:down=6x12x2,up=1x2x2", "dmodk", UNIFORM, false},             /* 4 and 6 */
        {"xgft:down=12x2x2,up=1x3x2", "dmodk", UNIFORM, true},              /* 6 divides 12 */
        {"xgft:down=12x2x2,up=1x2x2,links=1x3x1", "dmodk", UNIFORM, false}, /* 6 residues, then 4 */
        {"xgft:down=4x4,up=2x2", "dmodk", UNIFORM, false},                  /* an endpoint has two links */
        {"xgft:down=4x4,up=2x2", "random", UNIFORM, true},
        {"kary:k=4,levels=2,hosts=14", "dmodk", UNIFORM, false},
        {"kary:k=4,levels=2,hosts=7", "free", UNIFORM, false}, /* leaves of 1, 2, 2 and 2 */
        {"kary:k=4,levels=9,hosts=200000", "free", UNIFORM, false},
        {"kary:k=4,levels=9,hosts=131072", "free", UNIFORM, true},
        {"kary:k=4,levels=2,hosts=14", "random", UNIFORM, false},
        {"kary:k=4,levels=2", "dmodk", "poisson:load=0.2,pattern=shift", false},
        {"kary:k=4,levels=2", "free", "poisson:load=0.2,pattern=\"hotspot:share=5%\"", false},
        {"kary:k=4,levels=2", "minhop", UNIFORM, false},
        {"mesh:dims=4x4", "random", UNIFORM, false},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        bough_point point = point_make(known[i].network, known[i].routing, known[i].traffic);
        if (queueing_alike_usable(&point) != known[i].usable)
            fail_msg("%s %s %s: usable %d", known[i].network, known[i].routing, known[i].traffic,
                     !known[i].usable);
        point_free(&point);
    }
}

/* ---- rates ---- */

/* The messages of a link end there or turn; those into a queue cross its links; a queue has a whole number of
 * inputs. */
static void conserved(const queueing_net *q, const char *what) {
    double into[128] = {0}, inputs[128] = {0};
    for (uint64_t c = 0; c < q->channels; c++) {
        double out = q->channel[c].ends;
        for (uint32_t k = 0; k < q->channel[c].turns; k++) {
            const queueing_turn *t = &q->turn[q->channel[c].first + k];
            double links = q->channel[c].links * t->copies / q->queue[t->queue].copies;
            out += t->rate;
            into[t->queue] += t->rate / t->copies * links;
            inputs[t->queue] += links;
            if (fabs(links - round(links)) > 1e-9 || fabs(t->copies - round(t->copies)) > 1e-9)
                fail_msg("%s: class %" PRIu64 " has %g links at each of %g queues", what, c, links,
                         t->copies);
        }
        assert_close(out, q->channel[c].rate, 1e-9);
    }
    for (uint64_t i = 0; i < q->queues; i++) {
        assert_close(into[i] + q->queue[i].enters, q->queue[i].rate, 1e-9);
        assert_true(i == 0 || inputs[i] >= 1);
    }
}

static void rates_are_conserved(void **state) {
    (void)state;
    static const char *const nets[] = {"kary:k=4,levels=9", "kary:k=2,levels=18", "bft:n=4^9",
                                       "fattree:n=2^18",    "clos:radix=64",      "xgft:down=12x2x2,up=1x3x2",
                                       "kary:k=3,levels=11"};
    static const char *const routings[] = {"free", "random", "dmodk", "smodk"};
    static const char *const traffic[] = {UNIFORM, LOCAL};
    for (size_t n = 0; n < COUNT(nets) * COUNT(routings) * COUNT(traffic); n++) {
        const char *net = nets[n / 8], *routing = routings[n / 2 % 4];
        bough_point point = point_make(net, routing, traffic[n % 2]);
        bough_error error;
        queueing_net q = {.net = point.net, .law = point.traffic->law, .flits = 16};
        assert_true(queueing_alike_usable(&point));
        assert_int_equal(queueing_alike_build(&point, &q, &error), BOUGH_OK);
        assert_int_equal(queueing_finish(&q, &error), BOUGH_OK);
        conserved(&q, net);
        assert_close(q.messages, (double)point.net->endpoints, 1e-9);
        queueing_fini(&q);
        point_free(&point);
    }
}

/* ---- agreement ---- */

static void same_rows(const bough_rows *a, const bough_rows *b, double within, const char *what) {
    assert_int_equal(a->outcome, b->outcome);
    if (strcmp(a->note, b->note) != 0) fail_msg("%s: '%s' and '%s'", what, a->note, b->note);
    if (a->count != b->count) fail_msg("%s: %zu rows and %zu", what, a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const bough_row *x = &a->row[i], *y = &b->row[i];
        bool equal = fabs(x->value - y->value) <= within * fabs(x->value) + 1e-12;
        if (x->metric != y->metric || x->index != y->index ||
            !(equal || (isnan(x->value) && isnan(y->value))))
            fail_msg("%s: %s %" PRId64 " = %.12g, %s %" PRId64 " = %.12g", what,
                     bough_metrics[x->metric].name, x->index, x->value, bough_metrics[y->metric].name,
                     y->index, y->value);
    }
}

/* Notes name one link of a class: that of link by link, where routes have a single link and messages go to
 * all levels. */
static void agree(const bough_point *point, const char *method, double within) {
    char fast[120], generic[140], what[400];
    snprintf(fast, sizeof fast, "queueing:levels=1,turns=exact,%s", method);
    snprintf(generic, sizeof generic, "%s,engine=generic", fast);
    snprintf(what, sizeof what, "%s %s %s %s", point->net->spec, point->routing->spec, point->traffic->spec,
             method);
    bough_rows a = rows_of(point, fast), b = rows_of(point, generic);
    if (!point->routing->kind->route || strstr(what, "weights")) memcpy(a.note, b.note, sizeof a.note);
    same_rows(&a, &b, within, what);
    bough_rows_fini(&a);
    bough_rows_fini(&b);
}

static bough_point at_load(const char *network, const char *routing, const char *traffic, double load) {
    char spec[200];
    snprintf(spec, sizeof spec, "poisson:load=%g%s", load, traffic + strlen("poisson:load=0.2"));
    return point_make(network, routing, spec);
}

static void classes_agree_with_link_by_link(void **state) {
    (void)state;
    static const struct {
        const char *network, *traffic;
    } cases[] = {
        {"kary:k=4,levels=2", UNIFORM},
        {"kary:k=2,levels=5", UNIFORM},
        {"kary:k=3,levels=3", LOCAL},
        {"kary:k=4,levels=3", FAR("1x0x2")},
        {"kary:k=2,levels=4", FAR("3x2x0x0")},
        {"kary:k=7,levels=1", UNIFORM},
        {"bft:n=64", UNIFORM},
        {"bft:n=64", LOCAL},
        {"bft:n=16", FAR("0x1")},
        {"fattree:n=32", UNIFORM},
        {"fattree:n=16", LOCAL},
        {"clos:radix=12,hosts=64,taper=2", UNIFORM},
        {"xgft:down=4x6,up=1x2,links=1x2", UNIFORM},
        {"xgft:down=6x6x2,up=1x2x3", UNIFORM},
        {"xgft:down=12x2x2,up=1x3x2", LOCAL},
        {"xgft:down=4x2x4,up=1x2x2,links=1x2x1", UNIFORM},
        {"xgft:down=1x4x4,up=1x1x2", UNIFORM},
        {"xgft:down=4x1x4,up=1x2x2", UNIFORM},
    };
    static const char *const routings[] = {"free", "random", "dmodk", "smodk"};
    static const char *const methods[] = {"find=latency",
                                          "variant=uncorrected",
                                          "variant=conditional",
                                          "variance=eq5",
                                          "variant=finite",
                                          "find=saturation",
                                          "find=saturation,variant=conditional"};
    for (size_t i = 0; i < COUNT(cases) * COUNT(routings); i++)
        for (double load = 0.05; load < 1; load *= 2.5) {
            const char *routing = routings[i % COUNT(routings)];
            bough_point point = at_load(cases[i / 4].network, routing, cases[i / 4].traffic, load);
            assert_true(queueing_alike_usable(&point));
            for (size_t m = 0; m < COUNT(methods); m++)
                if (load < 0.1 || m < 5) agree(&point, methods[m], 1e-9);
            point_free(&point);
        }
}

/* A sweep that changes nothing by more than 1e-9 is the last. */
static void distributions_agree_with_link_by_link(void **state) {
    (void)state;
    static const struct {
        const char *network, *routing, *traffic;
    } cases[] = {
        {"kary:k=4,levels=2", "dmodk", UNIFORM},
        {"kary:k=2,levels=3", "smodk", LOCAL},
        {"xgft:down=4x4,up=1x2", "random", UNIFORM},
        {"bft:n=16", "dmodk", "poisson:load=0.2,lengths=16:0.8+64:0.2"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        for (double load = 0.1; load < 1; load *= 3) {
            bough_point point = at_load(cases[i].network, cases[i].routing, cases[i].traffic, load);
            assert_true(queueing_alike_usable(&point));
            agree(&point, "variant=distribution", 1e-7);
            point_free(&point);
        }
}

/* ---- size ---- */

static uint64_t stated_bytes(const char *network, const char *routing, const char *method) {
    bough_point point = point_make(network, routing, UNIFORM);
    bough_run *run = run_make(&point, method);
    uint64_t bytes = run->bytes;
    bough_run_destroy(run);
    point_free(&point);
    return bytes;
}

static void memory_is_that_of_the_levels(void **state) {
    (void)state;
    static const char *const routings[] = {"free", "random", "dmodk", "smodk"};
    for (size_t i = 0; i < COUNT(routings); i++) {
        uint64_t small = stated_bytes("kary:k=4,levels=3", routings[i], "queueing");
        uint64_t large = stated_bytes("kary:k=4,levels=9", routings[i], "queueing");
        assert_true(small > 1000 && large < 100000);
        assert_int_equal(large, 3 * small);
        assert_true(stated_bytes("kary:k=4,levels=9", routings[i], "queueing:variant=finite") > large);
        uint64_t spectra = (uint64_t)18 * 7 * 2049 * 16; /* of 18 queues */
        uint64_t all = stated_bytes("kary:k=4,levels=9", routings[i], "queueing:variant=distribution");
        assert_true(all > spectra && all < 2 * spectra);
        uint64_t queues = i ? 64 : 52; /* of 64 links; random: of 20 groups up, 32 down */
        all = stated_bytes("kary:k=4,levels=2", routings[i], "queueing:variant=distribution,engine=generic");
        spectra = queues * 7 * 2049 * 16;
        assert_true(all > spectra && all < 2 * spectra);
    }
}

/* At a load of nearly 0 a message takes its length and a cycle for each link but one. */
static void a_quarter_of_a_million_endpoints(void **state) {
    (void)state;
    static const char *const routings[] = {"free", "random", "dmodk", "smodk"};
    for (size_t i = 0; i < COUNT(routings); i++) {
        bough_point point = point_make("kary:k=4,levels=9", routings[i], "poisson:load=1e-9,flits=32");
        bough_rows rows = rows_of(&point, "queueing:turns=exact");
        double n = 262144, distance = 0, size = 4;
        for (int level = 1; level <= 9; level++, size *= 4) distance += 2 * level * (size * 3 / 4) / (n - 1);
        assert_close(row_value(&rows, BOUGH_METRIC_DISTANCE, BOUGH_NO_ROW_INDEX), distance, 1e-12);
        assert_close(row_value(&rows, BOUGH_METRIC_LATENCY, BOUGH_NO_ROW_INDEX), 32 + distance - 1, 1e-6);
        bough_rows_fini(&rows);
        point_free(&point);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_links_differ_it_is_link_by_link),
        cmocka_unit_test(rates_are_conserved),
        cmocka_unit_test(classes_agree_with_link_by_link),
        cmocka_unit_test(distributions_agree_with_link_by_link),
        cmocka_unit_test(memory_is_that_of_the_levels),
        cmocka_unit_test(a_quarter_of_a_million_endpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
