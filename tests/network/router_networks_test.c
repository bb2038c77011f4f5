/* The families of routers: bad input, the graphs by their definitions, and the paths by a search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "routing/routing.h"
#include "support/specs.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void refused(void **state) {
    (void)state;
    net_refused("hyperx", BOUGH_INVALID, "dims");
    net_refused("hyperx:dims=1x4", BOUGH_INVALID, "dims=1 is out of range");
    net_refused("hyperx:dims=4x4,hosts=0", BOUGH_INVALID, "hosts");
    net_refused("hyperx:dims=1024x1024x1024x1024x1024", BOUGH_TOO_LARGE, "more than 2^40 endpoints");
    net_refused("dragonfly:groups=4", BOUGH_INVALID,
                "a h = 8 cables to others, which groups - 1 must divide, as 9");
    net_refused("dragonfly:a=4,h=2,groups=10", BOUGH_INVALID, "groups=10");
    net_refused("slimfly:q=9", BOUGH_INVALID, "q=9 is not an odd prime");
    net_refused("slimfly:q=4", BOUGH_INVALID, "q=4 is not an odd prime");
    net_refused("slimfly:q=257", BOUGH_INVALID, "q must lie between 3 and 251");
}

/* Cables between switches i and j. */
typedef struct graph {
    uint64_t n, *cables;
} graph;

static graph graph_of(const bough_net *net) {
    graph g = {net->switches, calloc(net->switches * net->switches, sizeof(uint64_t))};
    assert_non_null(g.cables);
    for (uint64_t l = 0; l < net->links; l++) {
        const uint64_t a = bough_link_start(net, l), b = net->ops->link_end(net, l).node;
        if (a >= net->endpoints && b >= net->endpoints)
            g.cables[(a - net->endpoints) * g.n + b - net->endpoints]++;
    }
    return g;
}

static uint64_t cables(const graph *g, uint64_t a, uint64_t b) {
    return g->cables[a * g->n + b];
}

static uint64_t degree(const graph *g, uint64_t a) {
    uint64_t sum = 0;
    for (uint64_t b = 0; b < g->n; b++) sum += cables(g, a, b);
    return sum;
}

static uint64_t common(const graph *g, uint64_t a, uint64_t b) {
    uint64_t count = 0;
    for (uint64_t c = 0; c < g->n; c++) count += cables(g, a, c) && cables(g, c, b);
    return count;
}

/* Breadth first from a: distances in distance[n]. */
static void search(const graph *g, uint64_t a, unsigned *distance) {
    uint64_t *queue = calloc(g->n, sizeof *queue), first = 0, last = 0;
    assert_non_null(queue);
    for (uint64_t b = 0; b < g->n; b++) distance[b] = UINT32_MAX;
    distance[a] = 0;
    for (queue[last++] = a; first < last; first++)
        for (uint64_t b = 0; b < g->n; b++)
            if (cables(g, queue[first], b) && distance[b] == UINT32_MAX) {
                distance[b] = distance[queue[first]] + 1;
                queue[last++] = b;
            }
    free(queue);
}

/* Every pair of endpoints; shortest: its path has as few cables as any. Returns the most cables of a path. */
static unsigned check_paths(const bough_net *net, const graph *g, bool shortest) {
    bough_routing *r = routing_make(net, "first");
    unsigned *distance = calloc(g->n, sizeof *distance), most = 0;
    const uint64_t hosts = net->endpoints / g->n;
    assert_non_null(distance);
    for (uint64_t a = 0; a < net->endpoints; a += hosts) {
        search(g, a / hosts, distance);
        for (uint64_t b = 0; b < net->endpoints; b++) {
            uint64_t path[16];
            const bough_flow flow = {a, b, 0};
            if (a == b) continue;
            const int links = bough_path(r, &flow, path, 16);
            assert_true(links >= 2);
            if ((unsigned)links - 2 > most) most = (unsigned)links - 2;
            if (shortest) assert_int_equal(links - 2, distance[b / hosts]);
        }
    }
    free(distance);
    bough_routing_destroy(r);
    return most;
}

static void invariants(void **state) {
    (void)state;
    static const char *const specs[] = {"hyperx:dims=2",
                                        "hyperx:dims=3x4x2,hosts=2",
                                        "hyperx:dims=5x5",
                                        "dragonfly",
                                        "dragonfly:a=4,h=2,p=3,groups=5",
                                        "dragonfly:a=4,h=2,p=1,groups=3",
                                        "dragonfly:a=1,h=3,p=2",
                                        "dragonfly:a=3,h=4,p=1,groups=2",
                                        "slimfly:q=3",
                                        "slimfly:q=5,p=1",
                                        "slimfly:q=7,p=1"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        bough_net *net = net_make(specs[i]);
        bough_error error;
        if (bough_net_check(net, 1 << 20, &error)) fail_msg("%s: %s", specs[i], error.reason);
        bough_net_destroy(net);
    }
}

/* Routers differ in one coordinate where a cable joins them, and paths correct each once. */
static void hyperx_by_definition(void **state) {
    (void)state;
    bough_net *net = net_make("hyperx:dims=3x4x2,hosts=2");
    graph g = graph_of(net);
    assert_int_equal(net->endpoints, 48);
    assert_int_equal(g.n, 24);
    for (uint64_t a = 0; a < g.n; a++)
        for (uint64_t b = 0; b < g.n; b++) {
            const unsigned apart = (a % 3 != b % 3) + (a / 3 % 4 != b / 3 % 4) + (a / 12 != b / 12);
            assert_int_equal(cables(&g, a, b), apart == 1);
        }
    assert_int_equal(check_paths(net, &g, true), 3);
    free(g.cables);
    bough_net_destroy(net);
    net = net_make("hyperx:dims=4x4"); /* a flattened butterfly */
    assert_int_equal(net->endpoints, 64);
    bough_net_destroy(net);
}

/* One cable between any two groups, or as many as groups= leaves; paths of one in a group, one between, one.
 */
static void dragonfly_by_definition(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        uint64_t a, groups, between;
        bool shortest;
    } at[] = {{"dragonfly:a=4,h=2,p=2", 4, 9, 1, false},
              {"dragonfly:a=4,h=2,p=2,groups=5", 4, 5, 2, false},
              {"dragonfly:a=4,h=2,p=2,groups=3", 4, 3, 4, false},
              {"dragonfly:a=2,h=3,p=1,groups=2", 2, 2, 6, true},
              {"dragonfly:a=1,h=4,p=1", 1, 5, 1, true}};
    for (size_t i = 0; i < COUNT(at); i++) {
        bough_net *net = net_make(at[i].spec);
        graph g = graph_of(net);
        assert_int_equal(g.n, at[i].a * at[i].groups);
        for (uint64_t x = 0; x < at[i].groups; x++)
            for (uint64_t y = 0; y < at[i].groups; y++) {
                uint64_t sum = 0;
                for (uint64_t k = 0; k < at[i].a * at[i].a; k++)
                    sum += cables(&g, x * at[i].a + k / at[i].a, y * at[i].a + k % at[i].a);
                assert_int_equal(sum, x == y ? at[i].a * (at[i].a - 1) : at[i].between);
            }
        assert_true(check_paths(net, &g, at[i].shortest) <= (at[i].a > 1 ? 3 : 1));
        free(g.cables);
        bough_net_destroy(net);
    }
}

/* q = 5 is the graph of Hoffman and Singleton: two routers that are connected have no common neighbour, two
 * that are not have one. Others: of diameter 2. */
static void slimfly_by_definition(void **state) {
    (void)state;
    static const unsigned q[] = {3, 5, 7, 11, 13};
    for (size_t i = 0; i < COUNT(q); i++) {
        char spec[40];
        snprintf(spec, sizeof spec, "slimfly:q=%u,p=1", q[i]);
        bough_net *net = net_make(spec);
        graph g = graph_of(net);
        assert_int_equal(g.n, 2 * q[i] * q[i]);
        for (uint64_t a = 0; a < g.n; a++) {
            assert_int_equal(degree(&g, a), (3 * q[i] + (q[i] % 4 == 3)) / 2);
            for (uint64_t b = 0; b < g.n; b++) {
                const uint64_t direct = cables(&g, a, b), over = common(&g, a, b);
                assert_true(direct <= 1);
                if (q[i] == 5 && a != b) assert_int_equal(over, !direct);
                assert_true(a == b || direct || over);
            }
        }
        assert_int_equal(check_paths(net, &g, true), 2);
        free(g.cables);
        bough_net_destroy(net);
    }
}

static void names(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        uint64_t node;
        const char *name;
    } at[] = {{"hyperx:dims=3x4x2,hosts=2", 48 + 3 * 4 + 3 * 2 + 1, "r1.2.1"},
              {"dragonfly", 72 + 4 * 3 + 2, "g3.r2"},
              {"slimfly:q=5,p=1", 50 + 25 + 5 * 2 + 3, "r1.2.3"},
              {"dragonfly", 7, "h7"}};
    for (size_t i = 0; i < COUNT(at); i++) {
        bough_net *net = net_make(at[i].spec);
        char name[64];
        assert_string_equal(bough_node_name(net, at[i].node, name, sizeof name), at[i].name);
        bough_net_destroy(net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),
        cmocka_unit_test(invariants),
        cmocka_unit_test(hyperx_by_definition),
        cmocka_unit_test(dragonfly_by_definition),
        cmocka_unit_test(slimfly_by_definition),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
