#include "base/memory/memory.h"
#include "fabric/counters/counters_internal.h"
#include "network/physical/physical.h"

#include <math.h>
#include <stdlib.h>

typedef struct links {
    const bough_net *net;
    const counter_files *files;
    bough_counters *counters;
    uint8_t *seen; /* [ports of the fabric]: a link of the network starts there */
    bough_error *error;
} links;

static bough_link_count rise(const links *s, uint32_t port, bough_counter counter, double *value) {
    const counter_files *f = s->files;
    *value = NAN;
    if (port == BOUGH_NO_INDEX) return BOUGH_LINK_NOT_BEFORE;
    return counter_rise(f->before.port ? &f->before.port[port] : NULL, &f->after.port[port], counter, value);
}

/* ---- traffic ---- */

/* Of what is known at the two ends the one that says more: a count, then why there is none. */
static int rank_of(bough_link_count count) {
    static const int rank[] = {[BOUGH_LINK_COUNTED] = 3,
                               [BOUGH_LINK_NOT_BEFORE] = 0,
                               [BOUGH_LINK_NOT_AFTER] = 1,
                               [BOUGH_LINK_RESET] = 2,
                               [BOUGH_LINK_SATURATED] = 2};
    return rank[count];
}

static void count_link(links *s, uint64_t link, uint32_t from, uint32_t to) {
    bough_counters *c = s->counters;
    double sent, received;
    bough_link_count count = rise(s, from, BOUGH_COUNTER_XMIT_DATA, &sent);
    if (count != BOUGH_LINK_COUNTED) {
        const bough_link_count other = rise(s, to, BOUGH_COUNTER_RCV_DATA, &received);
        if (rank_of(other) > rank_of(count)) count = other;
        sent = received;
    }
    c->state[link] = (uint8_t)count;
    c->count[count]++;
    c->links++;
    if (count == BOUGH_LINK_COUNTED) c->total += c->bytes[link] = sent;
    rise(s, from, BOUGH_COUNTER_XMIT_WAIT, &c->wait[link]);
}

/* ---- errors ---- */

/* Counts the errors of a port; false: it has none. */
static bool count_errors(const links *s, uint32_t port, uint64_t error[BOUGH_COUNTERS], bool *at_least) {
    bool any = false;
    for (int c = BOUGH_COUNTER_FIRST_ERROR; c < BOUGH_COUNTERS; c++) {
        double value;
        const bough_link_count count = rise(s, port, (bough_counter)c, &value);
        if (!(value > 0)) continue;
        error[c] = value < 0x1p63 ? (uint64_t)value : INT64_MAX;
        *at_least = *at_least || count != BOUGH_LINK_COUNTED;
        any = true;
    }
    return any;
}

static bool is_harmless(const bough_counted_cable *cable) {
    for (int end = 0; end < 2; end++)
        for (int c = BOUGH_COUNTER_FIRST_ERROR; c < BOUGH_COUNTERS; c++)
            if (cable->error[end][c] && c != BOUGH_COUNTER_RCV_SWITCH_RELAY) return false;
    return true;
}

static bough_status count_cable(links *s, uint64_t link, uint32_t from, uint32_t to) {
    bough_counters *c = s->counters;
    bough_counted_cable cable = {.link = link, .predicted = NAN, .measured = NAN};
    const bool here = count_errors(s, from, cable.error[0], &cable.at_least[0]);
    const bool there = count_errors(s, to, cable.error[1], &cable.at_least[1]);
    if (!here && !there) return BOUGH_OK;
    cable.harmless = is_harmless(&cable);
    bough_status status = arena_grow(c->memory, &c->cable, c->cables + 1, sizeof *c->cable, s->error);
    if (!status) c->cable[c->cables++] = cable;
    return status;
}

static void count_others(links *s) {
    for (uint32_t p = 0; p < s->net->fabric->port_count; p++) {
        uint64_t error[BOUGH_COUNTERS] = {0};
        bool at_least = false;
        if (!s->seen[p] && count_errors(s, p, error, &at_least)) s->counters->other_errors++;
    }
}

bough_status counter_links_find(const bough_net *net, const counter_files *files, bough_counters *counters,
                                bough_error *error) {
    const bough_fabric *f = net->fabric;
    links s = {.net = net, .files = files, .counters = counters, .error = error};
    const bough_array array[] = {{&counters->state, net->links, sizeof *counters->state},
                                 {&counters->bytes, net->links, sizeof *counters->bytes},
                                 {&counters->wait, net->links, sizeof *counters->wait},
                                 {&s.seen, f->port_count, sizeof *s.seen}};
    bough_status status = arena_alloc_all(counters->memory, array, 4, error);
    for (uint64_t l = 0; l < net->links && !status; l++) {
        const uint32_t from = bough_net_fabric_port(net, l), to = f->port[from].peer;
        const uint64_t twin = bough_link_twin(net, l);
        counters->bytes[l] = counters->wait[l] = NAN;
        s.seen[from] = 1;
        if (to != BOUGH_NO_INDEX) s.seen[to] = 1;
        if (!bough_link_alive(net, l)) continue;
        count_link(&s, l, from, to);
        if (twin == BOUGH_NONE || l < twin || !bough_link_alive(net, twin))
            status = count_cable(&s, l, from, to);
    }
    if (!status) count_others(&s);
    return status;
}

/* ---- the order of cables ---- */

static double sum_of(const double *value, uint64_t a, uint64_t b) {
    return value[a] + (b == BOUGH_NONE ? 0 : value[b]);
}

static double known_first(double a) {
    return isnan(a) ? -1 : a;
}

/* The worst that a cable has done: 4: it went down; 3: it was trained again; 2: it lost data; 1: symbols were
 * wrong. A slow one is worse than all others, as it has lost lanes or speed. */
static int badness(const bough_counted_cable *cable) {
    int worst = 0;
    for (int end = 0; end < 2; end++)
        for (int c = BOUGH_COUNTER_FIRST_ERROR; c < BOUGH_COUNTERS; c++) {
            const int bad = c == BOUGH_COUNTER_LINK_DOWNED           ? 4
                            : c == BOUGH_COUNTER_LINK_ERROR_RECOVERY ? 3
                            : c == BOUGH_COUNTER_SYMBOL_ERRORS       ? 1
                            : c == BOUGH_COUNTER_RCV_SWITCH_RELAY    ? 0
                                                                     : 2;
            if (cable->error[end][c] && bad > worst) worst = bad;
        }
    return worst + (cable->nominal ? 5 : 0);
}

static double total_of(const bough_counted_cable *cable) {
    double sum = 0;
    for (int end = 0; end < 2; end++)
        for (int c = BOUGH_COUNTER_FIRST_ERROR; c < BOUGH_COUNTERS; c++) sum += (double)cable->error[end][c];
    return sum;
}

/* By state, then by errors, then by what a job would send over it. */
static int the_worst_first(const void *a, const void *b) {
    const bough_counted_cable *x = a, *y = b;
    const double key[][2] = {{badness(x), badness(y)},
                             {total_of(x), total_of(y)},
                             {known_first(x->predicted), known_first(y->predicted)}};
    for (int k = 0; k < 3; k++)
        if (key[k][0] != key[k][1]) return key[k][0] > key[k][1] ? -1 : 1;
    return (x->link > y->link) - (x->link < y->link);
}

void counter_cables_rank(const bough_net *net, const bough_link_rates *rates, bough_counters *counters) {
    const double *load = counters->fit[counters->best].load;
    double all = 0;
    for (uint64_t l = 0; l < net->links; l++)
        if (bough_link_alive(net, l)) all += load[l];
    for (size_t i = 0; i < counters->cables; i++) {
        bough_counted_cable *c = &counters->cable[i];
        const uint64_t twin = bough_link_twin(net, c->link),
                       nominal = bough_link_nominal(net, rates, c->link);
        c->nominal = nominal > bough_net_link_rate(net, c->link) ? nominal : 0;
        c->predicted = all > 0 ? sum_of(load, c->link, twin) / all : NAN;
        c->measured = counters->total > 0 ? sum_of(counters->bytes, c->link, twin) / counters->total : NAN;
    }
    if (counters->cables) qsort(counters->cable, counters->cables, sizeof *counters->cable, the_worst_first);
}
