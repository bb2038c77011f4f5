/* Deadlock: rings and cubes by hand, recorded tables, and all dependencies of random tables against a matrix
 * and its closure. */
#include "base/memory/memory.h"
#include "routing/deadlock.h"
#include "support/cube.h"
#include "support/fabrics.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static bough_link_cycle find_on(const bough_routing *routing, unsigned threads) {
    bough_net net = *routing->net;
    bough_routing on = *routing;
    bough_link_cycle cycle;
    bough_error error;
    net.threads = threads;
    on.net = &net;
    if (bough_deadlock_find(&on, &cycle, &error)) fail_msg("%s: %s", routing->spec, error.reason);
    assert_true((cycle.count > 0) == (cycle.link != NULL));
    return cycle;
}

/* The same on any number of threads. */
static bough_link_cycle find(const bough_routing *routing) {
    bough_link_cycle cycle = find_on(routing, 0);
    for (unsigned threads = 2; threads <= 4; threads++) {
        bough_link_cycle other = find_on(routing, threads);
        if (other.count != cycle.count || other.dependencies != cycle.dependencies)
            fail_msg("%s on %s, %u threads: a cycle of %" PRIu64 " among %" PRIu64
                     " dependencies, not %" PRIu64 " among %" PRIu64,
                     routing->spec, routing->net->spec, threads, other.count, other.dependencies, cycle.count,
                     cycle.dependencies);
        if (cycle.count) assert_memory_equal(other.link, cycle.link, cycle.count * sizeof *cycle.link);
        bough_link_cycle_fini(&other);
    }
    return cycle;
}

/* The length of the cycle, and the number of dependencies. */
static void expect(const bough_routing *routing, uint64_t length, uint64_t dependencies) {
    bough_link_cycle cycle = find(routing);
    if (cycle.count != length || cycle.dependencies != dependencies)
        fail_msg("%s on %s: a cycle of %" PRIu64 " among %" PRIu64 " dependencies, not %" PRIu64
                 " among %" PRIu64,
                 routing->spec, routing->net->spec, cycle.count, cycle.dependencies, length, dependencies);
    bough_link_cycle_fini(&cycle);
}

/* The same network without the promise that would answer at once. */
static bough_net unranked(const bough_net *net) {
    bough_net copy = *net;
    copy.capabilities &= ~(unsigned)BOUGH_HAS_ORDER;
    return copy;
}

/* ---- bad input, and what there is nothing to do for ---- */

static void random_nodes_are_refused(void **state) {
    (void)state;
    bough_routing *routing = routing_make(net_make("fattree:n=8"), "valiant");
    bough_link_cycle cycle;
    bough_error error;
    assert_int_equal(bough_deadlock_find(routing, &cycle, &error), BOUGH_UNSUPPORTED);
    assert_non_null(strstr(error.reason, "intermediate nodes"));
    assert_null(cycle.link);
    routing_free(routing);
}

static void ranks_answer_at_any_size(void **state) {
    (void)state;
    static const char *const specs[] = {"random", "least", "hash", "dmodk", "smodk"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        bough_routing *routing = routing_make(net_make("fattree:n=2^40"), specs[i]);
        expect(routing, 0, 0);
        routing_free(routing);
    }
}

static void what_does_not_fit_is_said(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=2^40"), copy = unranked(net);
    bough_routing *routing = routing_make(&copy, "random");
    bough_link_cycle cycle;
    bough_error error;
    assert_int_equal(bough_deadlock_find(routing, &cycle, &error), BOUGH_TOO_LARGE);
    assert_non_null(strstr(error.reason, "the search for a deadlock would take "));
    assert_non_null(strstr(error.reason, "PiB"));
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

/* Leaves of 2^17 ports: the links fit, their inputs times outputs, 2 GiB a leaf, do not. */
static void big_switches_are_counted(void **state) {
    (void)state;
    uint64_t leaves = bough_memory_limit() / (UINT64_C(1) << 31) + 1;
    if (leaves > 40) skip();
    char spec[64];
    snprintf(spec, sizeof spec, "xgft:down=65536x%" PRIu64 ",up=1x65536", leaves);
    bough_net *net = net_make(spec), copy = unranked(net);
    bough_routing *routing = routing_make(&copy, "random");
    bough_link_cycle cycle;
    bough_error error;
    assert_int_equal(bough_deadlock_find(routing, &cycle, &error), BOUGH_TOO_LARGE);
    assert_non_null(strstr(error.reason, "the search for a deadlock would take"));
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

static void one_switch_has_no_dependencies_but_through_it(void **state) {
    (void)state;
    static const char *const fabric[] = {"S1 lid 1",  "H1 lid 2",  "H2 lid 3",  "H3 lid 4",
                                         "H1:1 S1:1", "H2:1 S1:2", "H3:1 S1:3", NULL};
    static const char *const tables[] = {"S1 2>1 3>2 4>3", NULL};
    bough_routing *routing = fabric_routing(fabric, tables);
    expect(routing, 0, 6);
    routing_free(routing);
}

/* ---- rings by hand ---- */

static const char *const ring[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "H1 lid 11",
                                   "H2 lid 12", "H3 lid 13", "H4 lid 14", "H1:1 S1:1", "H2:1 S2:1",
                                   "H3:1 S3:1", "H4:1 S4:1", "S1:2 S2:3", "S2:2 S3:3", "S3:2 S4:3",
                                   "S4:2 S1:3", NULL};
/* Port 2 is clockwise, 3 the other way. */
static const char *const clockwise[] = {"S1 11>1 12>2 13>2 14>2", "S2 11>2 12>1 13>2 14>2",
                                        "S3 11>2 12>2 13>1 14>2", "S4 11>2 12>2 13>2 14>1", NULL};
/* The shorter way, clockwise where both are. */
static const char *const shorter[] = {"S1 11>1 12>2 13>2 14>3", "S2 11>3 12>1 13>2 14>2",
                                      "S3 11>2 12>3 13>1 14>2", "S4 11>2 12>2 13>3 14>1", NULL};
/* Never between S4 and S1. */
static const char *const line[] = {"S1 11>1 12>2 13>2 14>2", "S2 11>3 12>1 13>2 14>2",
                                   "S3 11>3 12>3 13>1 14>2", "S4 11>3 12>3 13>3 14>1", NULL};

static void a_ring_of_four_waits_for_itself(void **state) {
    (void)state;
    /* at each switch: in from the host, on; in from the ring, on; and from the ring to the host */
    bough_routing *routing = fabric_routing(ring, clockwise);
    expect(routing, 4, 12);
    bough_link_cycle cycle = find(routing);
    char *text = bough_link_cycle_text(routing->net, &cycle, 0),
         *cut = bough_link_cycle_text(routing->net, &cycle, 2);
    assert_string_equal(text, "S1/2 -> S2/3 waits for S2/2 -> S3/3 waits for S3/2 -> S4/3 waits for "
                              "S4/2 -> S1/3 waits for the first");
    assert_string_equal(cut, "S1/2 -> S2/3 waits for S2/2 -> S3/3 waits for 2 more links, the last of which "
                             "waits for the first");
    free(text);
    free(cut);
    bough_link_cycle_fini(&cycle);
    bough_link_cycle_fini(&cycle); /* twice is fine */
    routing_free(routing);
}

static void the_shorter_way_waits_too(void **state) {
    (void)state;
    /* clockwise as before; the other way round only between neighbours: host on, and on to the host */
    bough_routing *routing = fabric_routing(ring, shorter);
    expect(routing, 4, 12 + 8);
    routing_free(routing);
    routing = fabric_routing(ring, line);
    /* at S2 and S3 both ways through; everywhere host to every way there is, and back */
    expect(routing, 0, 2 * 2 + 2 * 6);
    routing_free(routing);
}

static void a_table_that_turns_in_a_loop_waits_for_itself(void **state) {
    (void)state;
    static const char *const loop[] = {"S1 11>1 12>2", "S2 11>3 12>3", NULL}; /* 12: S1, S2, S1 */
    bough_routing *routing = fabric_routing(ring, loop);
    bough_link_cycle cycle = find(routing);
    assert_int_equal(cycle.count, 2);
    char *text = bough_link_cycle_text(routing->net, &cycle, 0);
    assert_string_equal(text, "S1/2 -> S2/3 waits for S2/3 -> S1/2 waits for the first");
    free(text);
    bough_link_cycle_fini(&cycle);
    routing_free(routing);
}

/* A head that comes to a wrong adapter, or a switch without an entry, goes no further. */
static void heads_count_as_far_as_they_get(void **state) {
    (void)state;
    static const char *const stops[] = {"S1 13>2", "S2 13>2", "S3 13>2", NULL}, *const wrong[] = {
                                                                                    "S1 13>2", "S2 13>2",
                                                                                    "S3 13>2", "S4 13>1",
                                                                                    NULL};
    bough_routing *routing = fabric_routing(ring, stops);
    expect(routing, 0, 2 + 2); /* from H1 and H2; at S2, at S3 */
    routing_free(routing);
    routing = fabric_routing(ring, wrong);
    expect(routing, 0, 3 + 3); /* H4 to itself; at S4 */
    routing_free(routing);
}

static void dead_links_hold_nobody(void **state) {
    (void)state;
    bough_routing *whole = fabric_routing(ring, clockwise);
    bough_link_cycle cycle = find(whole);
    uint64_t dead[4] = {0};
    bough_net cut = *whole->net;
    dead[cycle.link[2] / 64] |= UINT64_C(1) << cycle.link[2] % 64;
    cut.dead = dead;
    bough_routing same = *whole;
    same.net = &cut;
    expect(&same, 0, 12 - 4); /* into it from host and ring, out of it to host and ring */
    bough_link_cycle_fini(&cycle);
    routing_free(whole);
}

/* ---- cubes by hand ---- */

static bough_net *cube(unsigned d) {
    bough_net *net;
    assert_int_equal(cube_create(d, &net, NULL), BOUGH_OK);
    return net;
}

/* Bits go down: a link of bit i is followed by those of the i lower bits, on 2^d nodes. */
static void bit_fixing_has_no_cycle(void **state) {
    (void)state;
    for (unsigned d = 1; d <= 6; d++) {
        bough_net *net = cube(d), copy = unranked(net);
        bough_routing *ranked = routing_make(net, "random"), *routing = routing_make(&copy, "random");
        expect(ranked, 0, 0);
        expect(routing, 0, (UINT64_C(1) << d) * d * (d - 1) / 2);
        bough_routing_destroy(ranked);
        bough_routing_destroy(routing);
        bough_net_destroy(net);
    }
}

/* Every minimal way: the links of a node are one group, those of the bits that are wrong are eligible. */
enum { CUBE_MAX = 4 };
static uint32_t minimal[1 << CUBE_MAX][1 << CUBE_MAX][CUBE_MAX]; /* node, wrong bits */
static uint64_t one_group(const bough_net *net, uint64_t link) {
    return link / net->hops_max;
}
static uint64_t own_node(const bough_net *net, uint64_t group) {
    (void)net;
    return group;
}
static bough_range all_links(const bough_net *net, uint64_t group) {
    return (bough_range){group * net->hops_max, net->hops_max};
}
static uint32_t one(const bough_net *net, uint64_t node) {
    (void)net;
    (void)node;
    return 1;
}
static uint64_t the_group(const bough_net *net, uint64_t node, uint32_t i) {
    (void)net;
    (void)i;
    return node;
}
static void every_minimal_way(const bough_net *net, uint64_t node, uint64_t address, bough_route *route) {
    uint64_t wrong = node ^ address;
    *route = (bough_route){.group = node, .list = minimal[node][wrong]};
    for (unsigned b = 0; b < net->hops_max; b++)
        if (wrong >> b & 1) minimal[node][wrong][route->count++] = (uint32_t)(node * net->hops_max + b);
    route->first = route->list[0];
}

/* The square: 0 to 3 by 1, 1 to 2 by 3, 3 to 0 by 2, 2 to 1 by 0 is a ring, and so the other way round. In a
 * cube of d bits a link is followed by all but its own bit. */
static void adaptive_cubes_wait_for_themselves(void **state) {
    (void)state;
    static const char *const specs[] = {"random", "hash"};
    for (unsigned d = 1; d <= CUBE_MAX; d++)
        for (size_t i = 0; i < COUNT(specs); i++) {
            bough_net *net = cube(d), copy = unranked(net);
            bough_net_ops ops = *net->ops;
            ops.link_group = one_group;
            ops.group_node = own_node;
            ops.group_links = all_links;
            ops.node_group_count = one;
            ops.node_group = the_group;
            ops.route = every_minimal_way;
            copy.ops = &ops;
            copy.groups = net->nodes;
            copy.group_max = d;
            bough_error error;
            if (bough_net_check(&copy, 4096, &error)) fail_msg("%s", error.reason);
            bough_routing *routing = routing_make(&copy, specs[i]);
            expect(routing, d > 1 ? 4 : 0, (UINT64_C(1) << d) * d * (d - 1));
            bough_routing_destroy(routing);
            bough_net_destroy(net);
        }
}

/* ---- the oracle: a matrix of all dependencies, and its closure ---- */

typedef struct matrix {
    uint64_t links, edges;
    uint8_t *edge, *reach; /* [a links + b] */
} matrix;

typedef struct oracle {
    const bough_routing *routing;
    matrix *m;
    uint8_t *done; /* per link: this flow's head has held it */
    bool keys;     /* any way the network leaves */
} oracle;

/* Heads of one flow from a node on, which they came to by link `held`; recursion, one pair at a time. */
static void hold(oracle *o, const bough_flow *flow, uint64_t node, uint64_t held) {
    const bough_net *net = o->routing->net;
    bough_route route;
    if (node == bough_address_node(net, flow->address)) return;
    if (held != BOUGH_NONE && !bough_is_switch(net, node)) return;
    if (o->keys)
        net->ops->route(net, node, flow->address, &route);
    else
        bough_route_at(o->routing, node, flow, &route);
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i);
        if (!bough_link_alive(net, link)) continue;
        if (held != BOUGH_NONE) o->m->edge[held * o->m->links + link] = 1;
        if (o->done[link]) continue;
        o->done[link] = 1;
        hold(o, flow, net->ops->link_end(net, link).node, link);
    }
}

static matrix matrix_of(const bough_routing *routing) {
    const bough_net *net = routing->net;
    uint64_t n = net->links;
    matrix m = {.links = n, .edge = calloc(n * n, 1), .reach = malloc(n * n)};
    oracle o = {routing, &m, calloc(n, 1), routing->kind->by_hash};
    assert_true(m.edge && m.reach && o.done);
    for (uint64_t s = 0; s < net->endpoints; s++)
        for (uint64_t a = 0; a < net->addresses; a++) {
            memset(o.done, 0, n);
            hold(&o, &(bough_flow){s, a, 0}, s, BOUGH_NONE);
        }
    free(o.done);
    memcpy(m.reach, m.edge, n * n);
    for (uint64_t k = 0; k < n; k++)
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t j = 0; m.reach[i * n + k] && j < n; j++) m.reach[i * n + j] |= m.reach[k * n + j];
    for (uint64_t i = 0; i < n * n; i++) m.edges += m.edge[i];
    return m;
}

/* The length of a shortest way from a back to a: powers of the matrix, a row at a time. */
static uint64_t way_back(const matrix *m, uint64_t a) {
    uint8_t *now = calloc(2 * m->links, 1), *next = now + m->links;
    uint64_t length = 0;
    now[a] = 1;
    do {
        memset(next, 0, m->links);
        for (uint64_t i = 0; i < m->links; i++)
            for (uint64_t j = 0; now[i] && j < m->links; j++) next[j] |= m->edge[i * m->links + j];
        memcpy(now, next, m->links);
        length++;
    } while (!now[a]);
    free(now);
    return length;
}

/* Returns whether there is a cycle. */
static bool agrees(const bough_routing *routing) {
    matrix m = matrix_of(routing);
    bough_link_cycle cycle = find(routing);
    bool cyclic = false;
    for (uint64_t l = 0; l < m.links; l++) cyclic |= m.reach[l * m.links + l];
    if (cyclic != (cycle.count > 0) || cycle.dependencies != m.edges)
        fail_msg("%s: cycle %d, %" PRIu64 " dependencies; found %" PRIu64 ", %" PRIu64, routing->spec, cyclic,
                 m.edges, cycle.count, cycle.dependencies);
    for (uint64_t i = 0; i < cycle.count; i++)
        assert_true(m.edge[cycle.link[i] * m.links + cycle.link[(i + 1) % cycle.count]]);
    if (cyclic) assert_int_equal(way_back(&m, cycle.link[0]), cycle.count);
    bough_link_cycle_fini(&cycle);
    free(m.edge);
    free(m.reach);
    return cyclic;
}

/* A ring of switches with cords, a host or two at each; lines of text as tests/support wants them. */
typedef struct drawn {
    char text[80][96];
    const char *line[81];
    unsigned count, switches, hosts, ports[8]; /* ports in use */
} drawn;

static void BOUGH_PRINTF(2, 3) add(drawn *d, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    assert_true(d->count < 80);
    vsnprintf(d->text[d->count], sizeof *d->text, format, arguments);
    va_end(arguments);
    d->line[d->count] = d->text[d->count];
    d->line[++d->count] = NULL;
}

static void draw_fabric(bough_stream *s, drawn *d) {
    *d = (drawn){.switches = 2 + (unsigned)bough_stream_below(s, 5)};
    for (unsigned i = 0; i < d->switches; i++) add(d, "S%u lid %u", i, i + 1);
    d->hosts = d->switches + (unsigned)bough_stream_below(s, 3);
    for (unsigned h = 0; h < d->hosts; h++) {
        unsigned at = h % d->switches;
        add(d, "H%u lid %u", h, 20 + h);
        add(d, "H%u:1 S%u:%u", h, at, ++d->ports[at]);
    }
    unsigned cords = (unsigned)bough_stream_below(s, 4);
    for (unsigned c = 0; c + 1 < d->switches + cords; c++) {
        unsigned a = c < d->switches ? c : (unsigned)bough_stream_below(s, d->switches);
        unsigned b = c + 1 < d->switches ? c + 1 : (unsigned)bough_stream_below(s, d->switches);
        if (a == b) continue;
        add(d, "S%u:%u S%u:%u", a, d->ports[a] + 1, b, d->ports[b] + 1);
        d->ports[a]++, d->ports[b]++;
    }
}

static void draw_tables(bough_stream *s, const drawn *d, drawn *t) {
    *t = (drawn){0};
    for (unsigned i = 0; i < d->switches; i++) {
        char row[96];
        int used = snprintf(row, sizeof row, "S%u", i);
        for (unsigned h = 0; h < d->hosts; h++) {
            if (bough_stream_below(s, 8) == 0) continue; /* no entry */
            unsigned port = 1 + (unsigned)bough_stream_below(s, d->ports[i]);
            used += snprintf(row + used, sizeof row - (size_t)used, " %u>%u", 20 + h, port);
        }
        add(t, "%s", row);
    }
}

static void random_tables_agree_with_the_matrix(void **state) {
    (void)state;
    bough_stream s = bough_stream_make(bough_key_make(1, 0), BOUGH_DRAW_TEST, 0, 0);
    unsigned cyclic = 0, trials = 400;
    for (unsigned i = 0; i < trials; i++) {
        drawn fabric, tables;
        draw_fabric(&s, &fabric);
        draw_tables(&s, &fabric, &tables);
        bough_routing *routing = fabric_routing(fabric.line, tables.line);
        cyclic += agrees(routing);
        routing_free(routing);
    }
    print_message("%u of %u random tables have a cycle\n", cyclic, trials);
    assert_in_range(cyclic, trials / 10, trials - trials / 10);
}

/* All minimal ways, by a pick or by a hash, some links dead. */
static void minimal_ways_agree_with_the_matrix(void **state) {
    (void)state;
    static const char *const specs[] = {"random", "least", "hash"};
    bough_stream s = bough_stream_make(bough_key_make(2, 0), BOUGH_DRAW_TEST, 0, 0);
    unsigned cyclic = 0;
    for (unsigned i = 0; i < 300; i++) {
        drawn fabric;
        uint64_t dead[4] = {0};
        draw_fabric(&s, &fabric);
        bough_net *net = fabric_net(fabric.line, NULL), copy = unranked(net);
        for (uint64_t l = 0; l < net->links && i % 2; l++)
            if (bough_stream_below(&s, 10) == 0) dead[l / 64] |= UINT64_C(1) << l % 64;
        copy.dead = i % 2 ? dead : NULL;
        bough_routing *routing = routing_make(&copy, specs[i % 3]);
        cyclic += agrees(routing);
        bough_routing_destroy(routing);
        bough_net_destroy(net);
    }
    print_message("%u of 300 have a cycle\n", cyclic);
    assert_in_range(cyclic, 15, 285);
}

/* Whatever the pair says: a link of the node that a number of (node, source, address) names. */
static void by_pair(const bough_routing *routing, uint64_t node, const bough_flow *flow, bough_route *route) {
    const bough_net *net = routing->net;
    uint32_t groups = net->ops->node_group_count(net, node);
    uint64_t word = (node * 31 + flow->source) * 17 + flow->address * 7 + *(const uint64_t *)routing->data;
    word = word * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    route->group = net->ops->node_group(net, node, (uint32_t)(word % groups));
    bough_range r = net->ops->group_links(net, route->group);
    *route = (bough_route){route->group, r.first + word / groups % r.count, NULL, 1};
}

/* To the last address by the last link there is: up from a leaf, from a root to the last leaf, and so on. */
static void last_of_all(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                        bough_route *route) {
    const bough_net *net = routing->net;
    if (flow->address + 1 < net->addresses) {
        net->ops->route(net, node, flow->address, route);
        return;
    }
    route->group = net->ops->node_group(net, node, net->ops->node_group_count(net, node) - 1);
    bough_range r = net->ops->group_links(net, route->group);
    *route = (bough_route){route->group, r.first + r.count - 1, NULL, 1};
}

/* A routing by the pair, drawn by *number (NULL: last_of_all), on a network whose ranks are not told. */
static bool by_pair_agrees(const bough_net *net, uint64_t *number) {
    static const bough_param none[] = {BOUGH_PARAMS_END};
    const bough_routing_kind kind = {
        .name = "pair", .params = none, .oblivious = true, .route = number ? by_pair : last_of_all};
    bough_net copy = unranked(net);
    bough_routing *routing;
    bough_spec spec;
    assert_int_equal(bough_spec_parse("pair", &spec, NULL), BOUGH_OK);
    assert_int_equal(bough_routing_make(&copy, &kind, &spec, &routing, NULL), BOUGH_OK);
    routing->data = number;
    bool cyclic = agrees(routing);
    bough_routing_destroy(routing);
    bough_spec_fini(&spec);
    return cyclic;
}

static void routes_by_pair_agree_with_the_matrix(void **state) {
    (void)state;
    bough_stream s = bough_stream_make(bough_key_make(3, 0), BOUGH_DRAW_TEST, 0, 0);
    unsigned cyclic = 0;
    for (uint64_t i = 0; i < 200; i++) {
        drawn fabric;
        draw_fabric(&s, &fabric);
        bough_net *net = fabric_net(fabric.line, NULL);
        cyclic += by_pair_agrees(net, &i);
        bough_net_destroy(net);
    }
    print_message("%u of 200 have a cycle\n", cyclic);
    assert_in_range(cyclic, 10, 190);
}

/* Switches of 80, 73 and 70 ports: their rows of bits take two words. In the last case links of the cycle are
 * in the second one, and such that are in none in the first one. */
static void wide_switches_agree_with_the_matrix(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=40x2,up=1x40");
    for (uint64_t i = 0; i < 2; i++) assert_true(by_pair_agrees(net, &i));
    static const char *const wider[] = {"xgft:down=70x2,up=1x3", "xgft:down=1x70,up=1x2"};
    for (size_t i = 0; i < COUNT(wider); i++) {
        bough_net *wide = net_make(wider[i]);
        assert_true(by_pair_agrees(wide, NULL));
        bough_net_destroy(wide);
    }
    bough_net copy = unranked(net);
    bough_routing *routing = routing_make(&copy, "random");
    assert_false(agrees(routing));
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

/* Trees whose ranks nobody is told of: smodk looks at the source, dmodk does not. */
static void trees_agree_with_the_matrix(void **state) {
    (void)state;
    static const char *const nets[] = {"fattree:n=8", "bft:n=16", "xgft:down=3x2,up=2x3,links=1x2"},
                             *const specs[] = {"random", "hash", "dmodk", "smodk"};
    for (size_t n = 0; n < COUNT(nets); n++)
        for (size_t i = 0; i < COUNT(specs); i++) {
            bough_net *net = net_make(nets[n]), copy = unranked(net);
            bough_routing *routing = routing_make(&copy, specs[i]);
            assert_false(agrees(routing));
            bough_routing_destroy(routing);
            bough_net_destroy(net);
        }
}

/* ---- recorded fabrics ---- */

static void opensm_tables_have_no_cycle(void **state) {
    (void)state;
    static const char *const recorded[][2] = {
        {"example:cluster.ibnetdiscover", "example:cluster.ftree.lfts.gz"},
        {"example:cluster.ibnetdiscover", "example:cluster.updn.lfts.gz"},
        {"fabrics/avakas.ports", "fabrics/avakas.ibroute.gz"},
        {"fabrics/psmn-x5.opensm.ibnetdiscover", "fabrics/psmn-x5.opensm-updn.lfts.gz"},
        {"fabrics/dgx-ndr.opensm.ibnetdiscover", "fabrics/dgx-ndr.opensm-updn.lfts.gz"},
        {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.ftree.lfts"},
        {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.lash.lfts"},
        {"ibsim/ft3-128.ibnetdiscover", "ibsim/ft3-128.updn.lfts.gz"},
        {"ibsim/ft3-128-cut5.ibnetdiscover", "ibsim/ft3-128-cut5.updn.lfts.gz"},
        {"ibsim/ft3-1024.ibnetdiscover.gz", "ibsim/ft3-1024.ftree.lfts.gz"},
    };
    for (size_t i = 0; i < COUNT(recorded); i++) {
        char *fabric = data_path(recorded[i][0]), *tables = data_path(recorded[i][1]);
        if (fabric && tables) {
            char *net = spec_of("ibnet", fabric), *lft = spec_of("lft", tables);
            bough_routing *routing = routing_make(net_make(net), lft);
            bough_link_cycle cycle = find(routing);
            if (cycle.count) fail_msg("%s: a cycle of %" PRIu64, recorded[i][1], cycle.count);
            assert_true(cycle.dependencies > routing->net->links / 2);
            if (i < 2) assert_false(agrees(routing));
            bough_link_cycle_fini(&cycle);
            routing_free(routing);
            free(net);
            free(lft);
        }
        free(fabric);
        free(tables);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_nodes_are_refused),
        cmocka_unit_test(ranks_answer_at_any_size),
        cmocka_unit_test(what_does_not_fit_is_said),
        cmocka_unit_test(big_switches_are_counted),
        cmocka_unit_test(one_switch_has_no_dependencies_but_through_it),
        cmocka_unit_test(a_ring_of_four_waits_for_itself),
        cmocka_unit_test(the_shorter_way_waits_too),
        cmocka_unit_test(a_table_that_turns_in_a_loop_waits_for_itself),
        cmocka_unit_test(heads_count_as_far_as_they_get),
        cmocka_unit_test(dead_links_hold_nobody),
        cmocka_unit_test(bit_fixing_has_no_cycle),
        cmocka_unit_test(adaptive_cubes_wait_for_themselves),
        cmocka_unit_test(random_tables_agree_with_the_matrix),
        cmocka_unit_test(minimal_ways_agree_with_the_matrix),
        cmocka_unit_test(routes_by_pair_agree_with_the_matrix),
        cmocka_unit_test(wide_switches_agree_with_the_matrix),
        cmocka_unit_test(trees_agree_with_the_matrix),
        cmocka_unit_test(opensm_tables_have_no_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
