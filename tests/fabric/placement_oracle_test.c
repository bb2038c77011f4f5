/* Placements of small fabrics with links of different rates, against all subsets of the hosts and loads that
 * are counted message by message. */
#include "fabric/check/check.h"
#include "formats/fabrics/fabric.h"

#include "base/text/text.h"
#include "support/own_directory.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LEAVES = 4, SPINES = 2, HOSTS = 10, LINKS = 64 };

static unsigned leaf_of(unsigned host) {
    return host * LEAVES / HOSTS;
}

static uint32_t state_of_draws;
static uint32_t draw(uint32_t below) {
    state_of_draws = state_of_draws * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(state_of_draws >> 8) * below >> 24);
}

static void add_edge(bough_text *t, const char *from, const char *to, unsigned gbit) {
    bough_text_printf(t, "%s{\"source\": \"%s\", \"target\": \"%s\", \"rate\": \"%uGbit/s\"}",
                      strstr(t->data, "source") ? ", " : "", from, to, gbit);
}

/* Two spines; a leaf has a cable to each, or none at all. */
static void write_fabric(const char *path, bool alone) {
    static const unsigned rates[] = {10, 25, 40};
    bough_text t = {0};
    char a[16], b[16];
    bough_text_put(&t, "{\"nodes\": [");
    for (unsigned i = 0; i < HOSTS; i++) bough_text_printf(&t, "{\"id\": \"h%u\", \"kind\": \"host\"}, ", i);
    for (unsigned i = 0; i < LEAVES; i++)
        bough_text_printf(&t, "{\"id\": \"leaf%u\", \"kind\": \"switch\"}, ", i);
    bough_text_put(&t, "{\"id\": \"top0\", \"kind\": \"switch\"}, {\"id\": \"top1\", \"kind\": \"switch\"}], "
                       "\"edges\": [");
    for (unsigned i = 0; i < HOSTS; i++) {
        snprintf(a, sizeof a, "h%u", i);
        snprintf(b, sizeof b, "leaf%u", leaf_of(i));
        add_edge(&t, a, b, rates[draw(3)]);
    }
    for (unsigned i = 0; i < LEAVES * SPINES; i++) {
        snprintf(a, sizeof a, "leaf%u", i / SPINES);
        snprintf(b, sizeof b, "top%u", i % SPINES);
        if (!alone || i / SPINES != LEAVES - 1) add_edge(&t, a, b, rates[draw(3)]);
    }
    bough_text_put(&t, "]}");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fwrite(t.data, 1, t.length, f);
    fclose(f);
    bough_text_fini(&t);
}

typedef struct outcome {
    double time, ratio, lost;
    unsigned leaves, limits;
} outcome;

/* All-to-all of the hosts whose bits are set. */
static outcome judge(const bough_routing *routing, unsigned set) {
    const bough_net *net = routing->net;
    double load[LINKS] = {0}, hosts = 0;
    outcome o = {0};
    unsigned leaves = 0;
    for (unsigned i = 0; i < HOSTS; i++) {
        if (set >> i & 1) leaves |= 1U << leaf_of(i);
        for (unsigned k = 0; k < HOSTS; k++) {
            const bough_flow flow = {i, bough_endpoint_address(net, k), 0};
            uint64_t path[8], hops = 0, at = i;
            if (i == k || !(set >> i & 1) || !(set >> k & 1)) continue;
            while (at != k && hops < 8 && (path[hops] = bough_next_link(routing, at, &flow)) != BOUGH_NONE)
                at = net->ops->link_end(net, path[hops++]).node;
            o.lost += at != k;
            for (uint64_t h = 0; h < hops; h++) load[path[h]]++;
        }
    }
    for (uint64_t l = 0; l < net->links; l++) {
        const double time = load[l] / (double)bough_net_link_rate(net, l);
        o.time = fmax(o.time, time);
        if (bough_link_start(net, l) < HOSTS || net->ops->link_end(net, l).node < HOSTS)
            hosts = fmax(hosts, time);
    }
    for (uint64_t l = 0; l < net->links; l++)
        o.limits += load[l] / (double)bough_net_link_rate(net, l) >= o.time * (1 - 1e-9) && load[l] > 0;
    o.ratio = hosts > 0 ? o.time / hosts : 1;
    o.leaves = (unsigned)__builtin_popcount(leaves);
    return o;
}

/* Whether x is better: fewer messages lost, then less time, then fewer leaves. */
static bool is_better(outcome x, outcome y) {
    if (x.lost != y.lost) return x.lost < y.lost;
    if (fabs(x.time - y.time) > 1e-9 * y.time) return x.time < y.time;
    return x.leaves < y.leaves;
}

static outcome best_of_all(const bough_routing *routing, unsigned wanted) {
    outcome best = {.lost = INFINITY};
    for (unsigned set = 0; set < 1U << HOSTS; set++) {
        if ((unsigned)__builtin_popcount(set) != wanted) continue;
        const outcome o = judge(routing, set);
        if (is_better(o, best)) best = o;
    }
    return best;
}

static unsigned set_of(const char *list) {
    unsigned set = 0, first, last;
    assert_int_equal(*list, 'h');
    if (!strchr(list, '[')) return 1U << strtoul(list + 1, NULL, 10);
    for (const char *at = list + 1; *at && *at != ']'; at = strpbrk(at + 1, ",]")) {
        const int read = sscanf(at + 1, "%u-%u", &first, &last);
        for (unsigned i = first; i <= (read == 2 ? last : first); i++) set |= 1U << i;
    }
    return set;
}

static void is_same(const bough_placed *placed, outcome o, const bough_net *net, const char *what) {
    const double time =
        placed->link == BOUGH_NONE ? 0 : placed->load / (double)bough_net_link_rate(net, placed->link);
    if (fabs(time - o.time) > 1e-9 * o.time || fabs(placed->ratio - o.ratio) > 1e-9 ||
        placed->lost != o.lost || placed->leaves != o.leaves || placed->limits != o.limits)
        fail_msg("%s, %s: time %g and %g, ratio %g and %g, lost %g and %g, leaves %" PRIu64 " and %u, "
                 "limits %" PRIu64 " and %u",
                 what, placed->hosts, time, o.time, placed->ratio, o.ratio, placed->lost, o.lost,
                 placed->leaves, o.leaves, placed->limits, o.limits);
}

static void compare(const char *network, unsigned wanted, unsigned asked) {
    static const char *const routing[] = {"minhop"};
    char place[64] = "", *end = place;
    bough_check_question q = {.network = network, .routing = routing, .routings = 1, .seed = 1, .threads = 1};
    bough_check_report *report;
    bough_error error = {0};
    for (unsigned i = 0; i < HOSTS && asked; i++)
        if (asked >> i & 1) end += sprintf(end, "%sh%u", *place ? "," : "", i);
    if (!asked) sprintf(place, "%u", wanted);
    q.place = place;
    if (bough_check(&q, &report, &error)) fail_msg("%s: %s: %s", place, error.place, error.reason);
    const bough_check_placement *p = &report->placement[0];
    const bough_routing *r = report->part[0].routing;
    assert_true(report->net->links <= LINKS);
    if (asked) {
        is_same(&p->asked, judge(r, asked), report->net, "asked");
        assert_int_equal(set_of(p->asked.hosts), asked);
    } else {
        const outcome best = best_of_all(r, wanted);
        is_same(&p->best, judge(r, set_of(p->best.hosts)), report->net, "best");
        assert_true(p->exact || p->ideal);
        if (is_better(best, judge(r, set_of(p->best.hosts)))) fail_msg("%s hosts: not the best", place);
    }
    bough_check_report_destroy(report);
}

static void placements_are_the_best(void **state) {
    (void)state;
    static const unsigned asked[] = {0x3, 0x208, 0x155, 0x3c7, 0x3ff};
    for (unsigned i = 0; i < 12; i++) {
        state_of_draws = i;
        write_fabric("fabric.json", i % 3 == 2);
        for (unsigned wanted = 1; wanted <= HOSTS; wanted++) compare("ibnet:file=fabric.json", wanted, 0);
        for (unsigned k = 0; k < sizeof asked / sizeof *asked; k++)
            compare("ibnet:file=fabric.json", 0, asked[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(placements_are_the_best, own_directory_enter, own_directory_leave)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
