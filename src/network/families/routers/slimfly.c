/* The slim fly of McKay, Miller and Siran's graphs: routers (s, x, y) with s of 0, 1 and x, y below a prime
 * q. (0, x, y) and (0, x, z) are connected if y - z is in a set A, (1, x, y) and (1, x, z) if it is in a set
 * B, and (0, x, y) with (1, m, c) if y = m x + c. No two routers are more than two cables apart. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/families/network_families.h"
#include "network/families/routers/router_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { Q_MAX = 251 };

typedef struct slimfly {
    router_graph graph;
    uint32_t q, degree;       /* degree: of a router within its line, as many as A has members */
    uint8_t member[2][Q_MAX]; /* of A and of B, ascending */
    uint8_t place[2][Q_MAX];  /* 1 + the place of a number in them; 0: it is not a member */
} slimfly;

typedef struct position {
    uint32_t s, x, y;
} position;

static const slimfly *shape_of(const router_graph *graph) {
    return (const slimfly *)graph;
}

static position position_of(const slimfly *f, uint64_t router) {
    return (position){(uint32_t)(router / f->q / f->q), (uint32_t)(router / f->q % f->q),
                      (uint32_t)(router % f->q)};
}

static uint64_t router_at(const slimfly *f, position p) {
    return ((uint64_t)p.s * f->q + p.x) * f->q + p.y;
}

/* The router of the other half with this x that is connected to p. */
static position across(const slimfly *f, position p, uint32_t x) {
    const uint32_t product = p.s ? p.x * x % f->q : x * p.x % f->q;
    return (position){!p.s, x, p.s ? (product + p.y) % f->q : (p.y + f->q - product) % f->q};
}

/* Ports: of the members of the set, then of the lines of the other half. */
static router_end neighbour(const router_graph *graph, uint64_t router, uint32_t port) {
    const slimfly *f = shape_of(graph);
    position p = position_of(f, router);
    if (port >= f->degree) return (router_end){router_at(f, across(f, p, port - f->degree)), f->degree + p.x};
    const uint32_t step = f->member[p.s][port];
    p.y = (p.y + step) % f->q;
    return (router_end){router_at(f, p), f->place[p.s][f->q - step] - 1u};
}

/* The port to a router that is connected; UINT32_MAX: it is not. */
static uint32_t direct(const slimfly *f, position from, position to) {
    if (from.s != to.s) return across(f, from, to.x).y == to.y ? f->degree + to.x : UINT32_MAX;
    if (from.x != to.x) return UINT32_MAX;
    return f->place[from.s][(to.y + f->q - from.y) % f->q] - 1u;
}

static uint32_t next(const router_graph *graph, uint64_t router, uint64_t target) {
    const slimfly *f = shape_of(graph);
    const position to = position_of(f, target);
    const uint32_t port = direct(f, position_of(f, router), to);
    if (port != UINT32_MAX) return port;
    for (uint32_t i = 0; i < graph->ports; i++)
        if (direct(f, position_of(f, neighbour(graph, router, i).router), to) != UINT32_MAX) return i;
    return 0; /* not reached: the diameter is 2 */
}

static void name(const router_graph *graph, uint64_t router, char *buffer, size_t size) {
    const position p = position_of(shape_of(graph), router);
    snprintf(buffer, size, "r%" PRIu32 ".%" PRIu32 ".%" PRIu32, p.s, p.x, p.y);
}

/* ---- the sets ---- */

static uint32_t power(uint32_t base, uint32_t exponent, uint32_t q) {
    uint32_t result = 1;
    for (; exponent; exponent--) result = result * base % q;
    return result;
}

static bool is_prime(uint32_t q) {
    for (uint32_t d = 2; d * d <= q; d++)
        if (q % d == 0) return false;
    return q > 2;
}

/* A number whose powers are all numbers but 0. */
static uint32_t primitive_root(uint32_t q) {
    for (uint32_t root = 2;; root++) {
        uint32_t value = root, period = 1;
        for (; value != 1; period++) value = value * root % q;
        if (period == q - 1) return root;
    }
}

/* A has even powers up to the middle, then odd ones if -1 is none; B is A times the root. */
static void make_sets(slimfly *f) {
    const uint32_t q = f->q, root = primitive_root(q), w = (q + 1) / 4;
    for (uint32_t i = 0; i < f->degree; i++) {
        const uint32_t exponent = q % 4 == 1 || i < w ? 2 * i : 2 * i - 1;
        const uint32_t a = power(root, exponent, q);
        f->place[0][a] = f->place[1][a * root % q] = 1;
    }
    for (int s = 0; s < 2; s++)
        for (uint32_t value = 1, count = 0; value < q; value++)
            if (f->place[s][value]) {
                f->member[s][count++] = (uint8_t)value;
                f->place[s][value] = (uint8_t)count;
            }
}

enum { P_Q, P_P };

static const bough_param params[] = {
    [P_Q] = {"q", "a prime from 3 on: there are 2 q^2 routers", BOUGH_INT, "5", 3, Q_MAX, .echo = true},
    [P_P] = {"p", "endpoints of a router; default: half its cables, rounded up", BOUGH_INT, "", 1, 4096,
             .echo = true},
    BOUGH_PARAMS_END,
};

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    const uint32_t q = (uint32_t)args->value[P_Q].integer;
    slimfly *f;
    if (!is_prime(q))
        return bough_fail(error, BOUGH_INVALID, NULL, "slimfly: q=%" PRIu32 " is not an odd prime", q);
    bough_status status = bough_alloc(&f, 1, sizeof *f, error);
    if (status) return status;
    f->q = q;
    f->degree = q % 4 == 1 ? (q - 1) / 2 : (q + 1) / 2;
    make_sets(f);
    const uint32_t ports = f->degree + q;
    f->graph = (router_graph){.routers = 2 * (uint64_t)q * q,
                              .endpoints =
                                  args->value[P_P].set ? (uint32_t)args->value[P_P].integer : (ports + 1) / 2,
                              .ports = ports,
                              .diameter = 2,
                              .neighbour = neighbour,
                              .next = next,
                              .name = name};
    return router_graph_fill(&f->graph, net, error);
}

const bough_family bough_family_slimfly = {
    .name = "slimfly",
    .summary = "slim fly: routers that are at most two cables apart; minimal routes",
    .source =
        "Besta, Hoefler: Slim fly: a cost effective low-diameter network topology, 2014; McKay, Miller, "
        "Siran: A note on large graphs of diameter two and given maximum degree, 1998",
    .params = params,
    .make = make,
};
