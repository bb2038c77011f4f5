/* Plans: every tree is built and counted again from the network itself. */
#include "fabric/plan/plan.h"
#include "network/net.h"
#include "support/fat_tree_oracle.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void refused(bough_plan_ask ask, bough_status status, const char *text) {
    bough_plan_tree *tree;
    size_t count;
    bough_error error = {0};
    assert_int_equal(bough_plan(&ask, &tree, &count, &error), status);
    if (!strstr(error.reason, text)) fail_msg("'%s' does not say '%s'", error.reason, text);
    assert_null(tree);
    assert_int_equal(count, 0);
}

static void bad_questions_are_refused(void **state) {
    (void)state;
    refused((bough_plan_ask){.hosts = 0, .radix = 4, .taper = 1}, BOUGH_INVALID, "hosts");
    refused((bough_plan_ask){.hosts = 8, .radix = 1, .taper = 1}, BOUGH_INVALID, "2 to 1024 ports");
    refused((bough_plan_ask){.hosts = 8, .radix = 4, .taper = 0.5}, BOUGH_INVALID, "taper");
    refused((bough_plan_ask){.hosts = 8, .radix = 4, .taper = NAN}, BOUGH_INVALID, "taper");
    refused((bough_plan_ask){.hosts = 8, .radix = 4, .taper = 1, .levels = 5}, BOUGH_INVALID, "levels");
    refused((bough_plan_ask){.hosts = 5, .radix = 4, .taper = 1, .levels = 1}, BOUGH_UNSUPPORTED,
            "no fat-tree of 4-port switches in 1 level joins 5 hosts");
    refused((bough_plan_ask){.hosts = 2049, .radix = 64, .taper = 1, .levels = 2}, BOUGH_UNSUPPORTED,
            "about 2048 is the most");
    const atomic_bool stop = true;
    refused((bough_plan_ask){.hosts = 100000, .radix = 64, .taper = 4, .stop = &stop}, BOUGH_INTERRUPTED,
            "interrupted");
}

static void prices(const char *text, bough_status status, const char *reason, bough_prices *p) {
    char path[] = "/tmp/bough-prices-XXXXXX";
    bough_error error = {0};
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    assert_int_equal(bough_prices_read(path, p, &error), status);
    if (reason && !strstr(error.reason, reason)) fail_msg("'%s' does not say '%s'", error.reason, reason);
    if (reason) assert_non_null(strstr(error.place, path));
    unlink(path);
}

static void price_files(void **state) {
    (void)state;
    bough_prices p;
    prices("switch,1\ncable\n", BOUGH_INVALID, "item,price", &p);
    prices("switch,x\n", BOUGH_INVALID, "switch: 'x'", &p);
    prices("switch,-1\n", BOUGH_INVALID, "must not be negative", &p);
    prices("swich,1\n", BOUGH_INVALID, "no item 'swich'", &p);
    prices("# nothing\n", BOUGH_INVALID, "names no price", &p);
    prices("item,price\n\n# a comment\n switch , 20000 \ncable,1e2\nhost,0.5\ncurrency,EUR\n", BOUGH_OK, NULL,
           &p);
    assert_true(p.switches == 20000 && p.cables == 100 && p.hosts == 0.5 && p.given);
    assert_string_equal(p.currency, "EUR");
}

static size_t plan(bough_plan_ask ask, bough_plan_tree **tree) {
    size_t count;
    bough_error error;
    if (bough_plan(&ask, tree, &count, &error)) fail_msg("%s", error.reason);
    return count;
}

static void cases_by_hand(void **state) {
    (void)state;
    const struct {
        bough_plan_ask ask;
        const char *spec;
        uint64_t switches, cables, free;
    } cases[] = {
        {{.hosts = 16, .radix = 16, .taper = 1}, "xgft:down=16,up=1", 1, 0, 0},
        {{.hosts = 1024, .radix = 64, .taper = 1}, "xgft:down=32x32,up=1x16,links=1x2", 48, 1024, 0},
        {{.hosts = 2048, .radix = 64, .taper = 1}, "xgft:down=32x64,up=1x32", 96, 2048, 0},
        {{.hosts = 16, .radix = 4, .taper = 1}, "xgft:down=2x2x4,up=1x2x2", 20, 32, 0},
        /* 3 hosts and 1 cable up a leaf; one switch joins the four leaves */
        {{.hosts = 12, .radix = 4, .taper = 3}, "xgft:down=3x4,up=1x1", 5, 4, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_plan_tree *tree;
        plan(cases[i].ask, &tree);
        assert_string_equal(tree[0].spec, cases[i].spec);
        assert_int_equal(tree[0].switches, cases[i].switches);
        assert_int_equal(tree[0].cables, cases[i].cables);
        assert_int_equal(tree[0].free_ports, cases[i].free);
        free(tree);
    }
}

static uint64_t nodes_of_level(const bough_net *net, unsigned level) {
    uint64_t nodes = 0;
    for (uint64_t v = 0; v < net->nodes; v++) nodes += net->ops->node_level(net, v) == level;
    return nodes;
}

/* What the network built from the spec says of itself. */
static void check_tree(const bough_plan_ask *ask, const bough_plan_tree *t) {
    bough_net *net;
    bough_error error;
    if (bough_net_create(t->spec, &net, &error)) fail_msg("%s: %s", t->spec, error.reason);
    assert_int_equal(net->endpoints, t->endpoints);
    assert_int_equal(net->switches, t->switches);
    assert_int_equal(net->cables, t->cables);
    assert_true(t->endpoints == ask->hosts);
    double taper = 1;
    for (unsigned level = 1; level < net->levels; level++) {
        uint64_t below = 0, subtree = 0;
        for (uint64_t e = 0; e < net->endpoints; e++) {
            uint64_t next = net->ops->subtree(net, level, e);
            below = next == subtree ? below + 1 : 1;
            subtree = next;
            taper = fmax(taper, (double)below / (double)net->ops->channel_capacity(net, level, subtree));
        }
    }
    assert_near(t->taper, taper, 1e-9);
    assert_true(taper <= ask->taper * (1 + 1e-9));
    uint64_t ports = 0; /* no switch has more than there are */
    for (uint64_t v = net->endpoints; v < net->nodes; v++) {
        uint64_t used = 0;
        for (uint32_t g = 0; g < net->ops->node_group_count(net, v); g++)
            used += net->ops->group_links(net, net->ops->node_group(net, v, g)).count;
        assert_true(used <= ask->radix);
        ports += ask->radix - used;
    }
    assert_int_equal(ports, t->free_ports);
    bough_net_destroy(net);
}

static void trees_are_what_they_say_and_none_beats_another(void **state) {
    (void)state;
    for (uint64_t hosts = 1; hosts < 200; hosts = hosts * 3 / 2 + 1)
        for (uint32_t radix = 6; radix <= 16; radix += 5)
            for (double taper = 1; taper < 4; taper += 1.5)
                for (int priced = 0; priced < 2; priced++) {
                    bough_plan_ask ask = {hosts, radix, taper, 0, {10, 1, 1, "", priced}};
                    bough_plan_tree *tree;
                    size_t count = plan(ask, &tree);
                    assert_true(count > 0);
                    for (size_t i = 0; i < count; i++) {
                        check_tree(&ask, &tree[i]);
                        for (size_t j = 0; j < count; j++) {
                            const bough_plan_tree *a = &tree[i], *b = &tree[j];
                            bool cheap = priced ? a->cost <= b->cost
                                                : a->switches <= b->switches && a->cables <= b->cables;
                            assert_false(i != j && cheap && a->taper <= b->taper);
                        }
                    }
                    free(tree);
                }
}

/* The Pareto-optimal trees are those among all. */
static void no_better_tree_is_missing(const bough_plan_ask *ask) {
    bough_plan_tree *tree;
    size_t expected;
    oracle_tree *oracle = fat_tree_oracle(ask->hosts, ask->radix, ask->taper, &expected);
    if (expected == 0) { /* more levels */
        free(oracle);
        return;
    }
    size_t count = plan(*ask, &tree);
    for (size_t i = 0; i < count || i < expected; i++) {
        const bough_plan_tree *a = &tree[i < count ? i : 0];
        const oracle_tree *b = &oracle[i < expected ? i : 0];
        if (i < count && i < expected && a->switches == b->switches && a->cables == b->cables &&
            a->taper == b->taper)
            continue;
        fail_msg("%d hosts, radix %u, taper %g, tree %zu: %d switches, %d cables, taper %g, not %d, %d, %g",
                 (int)ask->hosts, ask->radix, ask->taper, i, (int)a->switches, (int)a->cables, a->taper,
                 (int)b->switches, (int)b->cables, b->taper);
    }
    free(oracle);
    free(tree);
}

static void no_tree_is_missing(void **state) {
    (void)state;
    for (uint32_t radix = 3; radix <= 10; radix++)
        for (uint64_t hosts = 1; hosts <= radix * radix / 2 * 3 / 2; hosts += 1 + hosts / 6)
            for (double taper = 1; taper < 4; taper += 0.75)
                no_better_tree_is_missing(&(bough_plan_ask){.hosts = hosts, .radix = radix, .taper = taper});
    /* a middle switch with more ports up than down */
    no_better_tree_is_missing(&(bough_plan_ask){.hosts = 300, .radix = 16, .taper = 3});
    no_better_tree_is_missing(&(bough_plan_ask){.hosts = 500, .radix = 24, .taper = 2});
}

static bool is_listed(const char *spec, const bough_plan_tree *tree, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(tree[i].spec, spec) == 0) return true;
    return false;
}

static void more_ports_up_than_down(void **state) {
    (void)state;
    bough_plan_tree *tree;
    size_t count = plan((bough_plan_ask){.hosts = 500, .radix = 24, .taper = 2}, &tree);
    assert_true(is_listed("xgft:down=12x11x4,up=1x7x2,links=1x1x6,hosts=500", tree, count));
    free(tree);
}

/* `clos` is the first tree of the plan for the same arguments. */
static void clos_is_the_first_tree(void **state) {
    (void)state;
    static const uint64_t hosts[] = {1, 7, 16, 33, 100, 250, 512, 700, 1000};
    static const uint32_t radix[] = {12, 16, 36, 64};
    static const double taper[] = {1, 1.5, 2, 3};
    for (size_t h = 0; h < sizeof hosts / sizeof *hosts; h++)
        for (size_t r = 0; r < sizeof radix / sizeof *radix; r++)
            for (size_t t = 0; t < sizeof taper / sizeof *taper; t++) {
                bough_plan_ask ask = {.hosts = hosts[h], .radix = radix[r], .taper = taper[t]};
                char spec[100];
                bough_plan_tree *tree;
                bough_net *clos, *first;
                plan(ask, &tree);
                snprintf(spec, sizeof spec, "clos:radix=%u,hosts=%d,taper=%g", ask.radix, (int)ask.hosts,
                         ask.taper);
                assert_int_equal(bough_net_create(spec, &clos, NULL), BOUGH_OK);
                assert_int_equal(bough_net_create(tree->spec, &first, NULL), BOUGH_OK);
                assert_int_equal(clos->endpoints, hosts[h]);
                assert_int_equal(clos->switches, tree->switches);
                assert_int_equal(clos->cables, tree->cables);
                assert_int_equal(clos->levels, first->levels);
                for (unsigned level = 0; level <= clos->levels; level++)
                    assert_int_equal(nodes_of_level(clos, level), nodes_of_level(first, level));
                bough_net_destroy(first);
                bough_net_destroy(clos);
                free(tree);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_questions_are_refused),
        cmocka_unit_test(price_files),
        cmocka_unit_test(cases_by_hand),
        cmocka_unit_test(trees_are_what_they_say_and_none_beats_another),
        cmocka_unit_test(no_tree_is_missing),
        cmocka_unit_test(more_ports_up_than_down),
        cmocka_unit_test(clos_is_the_first_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
