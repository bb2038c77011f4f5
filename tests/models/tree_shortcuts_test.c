/* Shortcuts that count subtrees instead of following routes: `queueing` by classes of alike links against
 * link by link, `linkload` by channels against flow by flow. On all trees of up to 64 endpoints, which hosts=
 * fills evenly or not, and on recorded trees with any number of hosts at each leaf.
 *
 *     tree_shortcuts_test [STEP [FIRST]]    every STEP-th tree from FIRST on; default: few enough for seconds
 */
#include "base/random/random.h"
#include "base/text/text.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ENDPOINTS_MAX = 64, STEP = 1009, RECORDED = 150 };

static uint64_t step = STEP, first_tree;

/* ---- all trees ---- */

typedef struct tree_list {
    void (*each)(const char *spec);
    uint64_t trees, visited;
} tree_list;

static void visit(tree_list *l, const char *spec) {
    if (l->trees++ % step != first_tree) return;
    l->each(spec);
    l->visited++;
}

/* Up to 2 parents and 2 cables to each, above the leaf switches. */
static void visit_wirings(tree_list *l, unsigned levels, const unsigned *m, unsigned hosts) {
    for (unsigned wiring = 0; wiring < 1u << 2 * (levels - 1); wiring++) {
        unsigned w[3] = {1, 1, 1}, p[3] = {1, 1, 1};
        char spec[120];
        for (unsigned i = 1; i < levels; i++) {
            w[i] += wiring >> 2 * (i - 1) & 1;
            p[i] += wiring >> (2 * i - 1) & 1;
        }
        if (levels == 1)
            snprintf(spec, sizeof spec, "xgft:down=%u,up=1,hosts=%u", m[0], hosts);
        else if (levels == 2)
            snprintf(spec, sizeof spec, "xgft:down=%ux%u,up=1x%u,links=1x%u,hosts=%u", m[0], m[1], w[1], p[1],
                     hosts);
        else
            snprintf(spec, sizeof spec, "xgft:down=%ux%ux%u,up=1x%ux%u,links=1x%ux%u,hosts=%u", m[0], m[1],
                     m[2], w[1], w[2], p[1], p[2], hosts);
        visit(l, spec);
    }
}

static void visit_trees(void (*each)(const char *spec)) {
    tree_list l = {.each = each};
    for (unsigned top = 1; top <= ENDPOINTS_MAX; top++)
        for (unsigned middle = 1; middle * top <= ENDPOINTS_MAX; middle++)
            for (unsigned low = 1; low * middle * top <= ENDPOINTS_MAX; low++)
                for (unsigned levels = top > 1 ? 3 : middle > 1 ? 2 : 1; levels <= 3; levels++) {
                    const unsigned m[] = {low, middle, top}, leaves = middle * top;
                    for (unsigned hosts = leaves > 2 ? leaves : 2; hosts <= low * leaves; hosts++)
                        visit_wirings(&l, levels, m, hosts);
                }
    assert_true(l.visited >= l.trees / step && l.visited > 100);
}

/* ---- comparison ---- */

/* Values of metrics that both have; rows are in one order. */
static void same_rows(const bough_rows *a, const bough_rows *b, const char *what) {
    size_t k = 0, compared = 0;
    if (a->outcome != b->outcome) fail_msg("%s: outcomes %d and %d", what, a->outcome, b->outcome);
    for (size_t i = 0; i < a->count; i++) {
        const bough_row *x = &a->row[i];
        while (k < b->count && (b->row[k].metric != x->metric || b->row[k].index != x->index)) k++;
        if (k == b->count) fail_msg("%s: no %s %" PRId64, what, bough_metrics[x->metric].name, x->index);
        const double u = x->value, v = b->row[k].value;
        if (!(isnan(u) && isnan(v)) && !(fabs(u - v) <= 1e-9 * fabs(u) + 1e-12))
            fail_msg("%s: %s %" PRId64 " = %.12g and %.12g", what, bough_metrics[x->metric].name, x->index, u,
                     v);
        compared++;
    }
    assert_true(compared > 2);
}

static void agree(const char *network, const char *routing, const char *traffic, const char *method) {
    char generic[100], what[300];
    bough_point point = point_make(network, routing, traffic);
    snprintf(generic, sizeof generic, "%s,engine=generic", method);
    snprintf(what, sizeof what, "%s %s --routing %s %s", network, traffic, routing, method);
    bough_rows a = rows_of(&point, method), b = rows_of(&point, generic);
    same_rows(&a, &b, what);
    bough_rows_fini(&a);
    bough_rows_fini(&b);
    point_free(&point);
}

static void queueing_agrees(const char *network) {
    static const char *const routings[] = {"random", "hash", "dmodk", "smodk"};
    for (size_t r = 0; r < 4; r++)
        agree(network, routings[r], "poisson:load=0.1,flits=16", "queueing:levels=1,turns=exact");
    agree(network, "random", "poisson:load=0.1,flits=16", "queueing:levels=1");
}

static void linkload_agrees(const char *network) {
    agree(network, "random", "uniform", "linkload:levels=1,histogram=1");
    agree(network, "random", "alltoall", "linkload:levels=1");
    agree(network, "dmodk", "alltoall", "linkload:levels=1,histogram=1");
}

static void classes_are_link_by_link(void **state) {
    (void)state;
    visit_trees(queueing_agrees);
}

static void channels_are_flow_by_flow(void **state) {
    (void)state;
    visit_trees(linkload_agrees);
}

/* ---- recorded trees ---- */

static unsigned draw(bough_stream *random, unsigned from, unsigned to) {
    return from + (unsigned)bough_stream_below(random, to - from + 1);
}

/* As many cables between two levels as links says, from each below to each above. */
static void put_cables(bough_text *csv, const char *low, unsigned lows, const char *high, unsigned highs,
                       unsigned links) {
    for (unsigned i = 0; i < lows; i++)
        for (unsigned k = 0; k < highs * links; k++)
            bough_text_printf(csv, "%s%u,switch,%s%u,switch\n", low, i, high, k / links);
}

/* Leaves with 0 to 5 hosts, of which the first two have one at least; one or two levels above. */
static char *recorded_tree(bough_stream *random) {
    const unsigned leaves = draw(random, 2, 7), spines = draw(random, 1, 3), cores = draw(random, 0, 2);
    bough_text csv = {0};
    bough_text_put(&csv, "node,kind,node,kind\n");
    for (unsigned leaf = 0; leaf < leaves; leaf++)
        for (unsigned h = draw(random, leaf < 2, 5); h > 0; h--)
            bough_text_printf(&csv, "h%u-%u,host,leaf%u,switch\n", leaf, h, leaf);
    put_cables(&csv, "leaf", leaves, "spine", spines, draw(random, 1, 2));
    put_cables(&csv, "spine", cores ? spines : 0, "core", cores, draw(random, 1, 2));
    char *spec = spec_of("ibnet", temporary_file("tree.csv", csv.data, csv.length));
    bough_text_fini(&csv);
    return spec;
}

static void recorded_trees_agree(void **state) {
    (void)state;
    static const char *const routings[] = {"random", "hash", "minhop", "updn"};
    bough_stream random = bough_stream_make(bough_key_make(3, 0), BOUGH_DRAW_TEST, 0, 0);
    for (unsigned n = 0; n < RECORDED; n++) {
        char *network = recorded_tree(&random);
        const char *routing = routings[n % 4];
        agree(network, routing, "poisson:load=0.05,flits=16", "queueing:levels=1,turns=exact");
        agree(network, routing, "uniform", "linkload:levels=1,histogram=1");
        agree(network, routing, "alltoall", "linkload:levels=1,histogram=1");
        free(network);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_link_by_link),
        cmocka_unit_test(channels_are_flow_by_flow),
        cmocka_unit_test(recorded_trees_agree),
    };
    if (argc > 1) step = strtoull(argv[1], NULL, 10);
    if (argc > 2) first_tree = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
