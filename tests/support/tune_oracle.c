#include "support/tune_oracle.h"

#include "fabric/check/check_routing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 32, LINKS = 128, OPTIONS = 8 };

typedef struct entry {
    uint64_t option[OPTIONS];
    unsigned count, at;
} entry;

static const bough_net *of;
static double scale[LINKS];
static entry table[NODES][NODES]; /* [destination][node] */

static unsigned distance(uint64_t from, uint64_t to, unsigned limit) {
    if (from == to) return 0;
    if (limit == 0) return 99;
    unsigned least = 99;
    for (uint64_t l = 0; l < of->links; l++) {
        const uint64_t next = of->ops->link_end(of, l).node;
        if (bough_link_start(of, l) != from || !bough_link_alive(of, l)) continue;
        if (next < of->endpoints && next != to) continue;
        const unsigned rest = distance(next, to, limit - 1);
        if (rest + 1 < least) least = rest + 1;
    }
    return least;
}

static void list_options(uint64_t to, uint64_t from) {
    entry *e = &table[to][from];
    const unsigned all = distance(from, to, 5);
    e->count = e->at = 0;
    for (uint64_t l = 0; l < of->links && from != to && all < 99; l++) {
        const uint64_t next = of->ops->link_end(of, l).node;
        if (bough_link_start(of, l) != from || !bough_link_alive(of, l)) continue;
        if (next < of->endpoints && next != to) continue;
        if (distance(next, to, 4) + 1 != all) continue;
        assert_true(e->count < OPTIONS);
        e->option[e->count++] = l;
    }
}

/* Adds a flow to the loads; false: there is no path. */
static bool follow(uint64_t from, uint64_t to, double *load) {
    while (from != to) {
        const entry *e = &table[to][from];
        if (!e->count) return false;
        load[e->option[e->at]] += scale[e->option[e->at]];
        from = of->ops->link_end(of, e->option[e->at]).node;
    }
    return true;
}

static double largest(const double *load) {
    double most = 0;
    for (uint64_t l = 0; l < of->links; l++) most = fmax(most, load[l]);
    return most;
}

static void measure(tune_oracle *best) {
    const uint64_t n = of->endpoints;
    double all[LINKS] = {0}, sum = 0, worst = 0;
    for (uint64_t k = 1; k < n; k++) {
        double load[LINKS] = {0};
        for (uint64_t e = 0; e < n; e++) {
            follow(e, (e + k) % n, load);
            follow(e, (e + k) % n, all);
        }
        sum += largest(load);
        worst = fmax(worst, largest(load));
    }
    best->alltoall = fmin(best->alltoall, largest(all));
    best->shifts = fmin(best->shifts, sum / (double)(n - 1));
    best->worst_shift = fmin(best->worst_shift, worst);
    best->tables++;
}

/* The next table; false: that was the last. */
static bool advance(void) {
    for (uint64_t d = 0; d < of->endpoints; d++)
        for (uint64_t s = of->endpoints; s < of->nodes; s++) {
            entry *e = &table[d][s];
            if (e->count < 2) continue;
            if (++e->at < e->count) return true;
            e->at = 0;
        }
    return false;
}

tune_oracle tune_oracle_best(const bough_net *net, uint64_t limit) {
    tune_oracle best = {INFINITY, INFINITY, INFINITY, 0};
    bough_link_rates rates;
    arena memory = {0};
    bough_error error;
    of = net;
    assert_true(net->nodes <= NODES && net->links <= LINKS);
    assert_int_equal(bough_link_rates_find(net, &memory, &rates, &error), BOUGH_OK);
    for (uint64_t l = 0; l < net->links; l++)
        scale[l] = rates.equal ? 1 : (double)rates.nominal / (double)bough_net_link_rate(net, l);
    arena_fini(&memory);
    for (uint64_t d = 0; d < net->endpoints; d++)
        for (uint64_t s = 0; s < net->nodes; s++) list_options(d, s);
    do {
        assert_true(best.tables < limit);
        measure(&best);
    } while (advance());
    return best;
}
