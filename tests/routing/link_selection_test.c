/* Routings without tables: who takes which link. Statistical tests have fixed seeds; their limits are 99.9 %
 * quantiles of chi-square. */
#include "network/faults/faults.h"
#include "routing/routing.h"
#include "support/faulty_nets.h"
#include "support/specs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static double chi_square(const uint64_t *count, size_t cells, double total) {
    double sum = 0, expected = total / (double)cells;
    for (size_t i = 0; i < cells; i++) sum += pow((double)count[i] - expected, 2) / expected;
    return sum;
}

/* The 99.9 % quantile (Wilson and Hilferty; within 1 % of the tables from 3 degrees of freedom on). */
static double limit(size_t cells) {
    double v = (double)cells - 1, c = 2 / (9 * v);
    return v * pow(1 - c + 3.0902 * sqrt(c), 3) * 1.01;
}

static void wrong_routings_are_refused(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=8");
    routing_refused(net, "randon", BOUGH_INVALID, "did you mean 'random'");
    routing_refused(net, "zzz", BOUGH_INVALID, "no routing 'zzz'");
    routing_refused(net, "random:5", BOUGH_INVALID, "has no parameters");
    routing_refused(net, "hash:key=-1", BOUGH_INVALID, "key must lie between 0 and");
    routing_refused(net, "hash:seed=1", BOUGH_INVALID, "no parameter 'seed'");
    routing_refused(net, "lft", BOUGH_UNSUPPORTED, "imported fabric");
    bough_net_destroy(net);
}

static void the_default_is_free(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=8");
    bough_routing *r = routing_make(net, NULL);
    assert_string_equal(r->spec, "free");
    bough_routing_destroy(r);
    r = routing_make(net, "ecmp:key=0");
    assert_string_equal(r->spec, "hash");
    bough_routing_destroy(r);
    bough_routing_destroy(NULL);
    bough_net_destroy(net);
}

static void only_choices_make_a_routing_adaptive(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing;
        bool deterministic;
    } cases[] = {
        {"fattree:n=8", "random", false}, {"fattree:n=8", "first", false},
        {"fattree:n=8", "least", false},  {"fattree:n=8", "hash", true},
        {"fattree:n=8", "dmodk", true},   {"fattree:n=8", "smodk", true},
        {"fattree:n=2", "random", true},  {"kary:k=1,levels=3", "random", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_net *net = net_make(cases[i].net);
        bough_routing *r = routing_make(net, cases[i].routing);
        assert_int_equal(bough_routing_deterministic(r), cases[i].deterministic);
        bough_routing_destroy(r);
        bough_net_destroy(net);
    }
}

/* ---- picks among free links ---- */

static const uint64_t links[8] = {10, 11, 12, 13, 14, 15, 16, 17};

static void a_single_free_link_is_taken(void **state) {
    (void)state;
    static const char *const names[] = {"free", "random", "first", "least", "hash", "dmodk"};
    const uint32_t load[1] = {7};
    bough_net *net = net_make("fattree:n=8");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bough_routing *r = routing_make(net, names[i]);
        bough_choice c = {.key = bough_key_make(1, 0), .group = 3, .count = 1, .free = links, .load = load};
        for (c.occasion = 0; c.occasion < 20; c.occasion++) assert_int_equal(bough_select_free(r, &c), 0);
        bough_routing_destroy(r);
    }
    bough_net_destroy(net);
}

static void first_takes_the_first(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=8");
    bough_routing *r = routing_make(net, "first");
    bough_choice c = {.key = bough_key_make(1, 0), .free = links};
    for (c.count = 1; c.count <= 8; c.count++) assert_int_equal(bough_select_free(r, &c), 0);
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

static void least_takes_the_least_loaded(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=8");
    bough_routing *r = routing_make(net, "least");
    assert_true(r->kind->wants_load);
    static const uint32_t alone[5] = {4, 2, 9, 1, 3}, tied[5] = {2, 1, 5, 1, 1};
    bough_choice c = {.key = bough_key_make(1, 0), .count = 5, .free = links, .load = alone};
    assert_int_equal(bough_select_free(r, &c), 3);
    c.load = tied;
    uint64_t count[5] = {0};
    for (c.occasion = 0; c.occasion < 30000; c.occasion++) count[bough_select_free(r, &c)]++;
    assert_int_equal(count[0] + count[2], 0);
    const uint64_t of_tied[3] = {count[1], count[3], count[4]};
    assert_true(chi_square(of_tied, 3, 30000) < limit(3));
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* Over occasions, groups and trials, with every number of free links and of requests served before. */
static void free_is_uniform(void **state) {
    (void)state;
    enum { DRAWS = 20000 };
    bough_net *net = net_make("fattree:n=8");
    bough_routing *r = routing_make(net, "free");
    for (int over = 0; over < 3; over++)
        for (uint32_t free = 2; free <= 8; free++)
            for (uint32_t served = 0; served < 4; served++) {
                uint64_t count[8] = {0};
                for (uint64_t i = 0; i < DRAWS; i++) {
                    bough_choice c = {.key = bough_key_make(1, over == 2 ? i : 0),
                                      .group = over == 1 ? i : 5,
                                      .occasion = over == 0 ? i : 6,
                                      .served = served,
                                      .count = free,
                                      .free = links};
                    uint32_t k = bough_select_free(r, &c);
                    assert_true(k < free);
                    count[k]++;
                }
                assert_true(chi_square(count, free, DRAWS) < limit(free));
            }
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* strumpen2005: the message on port a takes the coin's face, the one on port b the other. So each alone sees
 * a fair coin, and it does not matter for the outcome which of the two is served first. */
static void two_requests_share_one_coin(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=8");
    bough_routing *r = routing_make(net, "free");
    uint64_t faces[2] = {0};
    for (uint64_t occasion = 0; occasion < 10000; occasion++) {
        bough_choice c = {
            .key = bough_key_make(2, 0), .group = 9, .occasion = occasion, .count = 2, .free = links};
        uint32_t a = bough_select_free(r, &c);
        c.port = 1;
        uint32_t b = bough_select_free(r, &c);
        assert_int_equal(a, bough_bit(c.key, BOUGH_DRAW_PICK_BIT, 9, occasion));
        assert_int_equal(a + b, 1); /* opposite links, so whoever comes second finds its own free */
        faces[a]++;
        c.served = 1;
        c.count = 1;
        assert_int_equal(bough_select_free(r, &c), 0);
    }
    assert_true(chi_square(faces, 2, 10000) < 10.83);
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* Of all links of the group, for each message and node anew; other routings leave the route as it is. */
static void random_draws_among_all(void **state) {
    (void)state;
    enum { DRAWS = 20000 };
    bough_net *net = net_make("xgft:down=4x4,up=1x1,links=1x4");
    bough_routing *random = routing_make(net, "random"), *free = routing_make(net, "free");
    const bough_key key = bough_key_make(1, 0);
    for (int over = 0; over < 2; over++) {
        uint64_t count[4] = {0};
        for (uint64_t i = 0; i < DRAWS; i++) {
            bough_route route = {.first = 100, .count = 4};
            bough_route_draw(random, key, over ? i : 7, over ? 7 : i, &route);
            assert_int_equal(route.count, 1);
            count[route.first - 100]++;
        }
        assert_true(chi_square(count, 4, DRAWS) < limit(4));
    }
    bough_route route = {.first = 100, .count = 4};
    bough_route_draw(free, key, 0, 0, &route);
    assert_int_equal(route.count, 4);
    bough_routing_destroy(random);
    bough_routing_destroy(free);
    bough_net_destroy(net);
}

/* ---- the order of simultaneous requests ---- */

static void every_order_is_a_permutation(void **state) {
    (void)state;
    for (uint32_t count = 0; count <= 40; count++)
        for (uint64_t occasion = 0; occasion < 50; occasion++) {
            uint32_t order[41], again[41];
            uint64_t seen = 0;
            order[count] = 0xabcdef;
            bough_arbitration_order(bough_key_make(1, 0), 7, occasion, count, order);
            bough_arbitration_order(bough_key_make(1, 0), 7, occasion, count, again);
            for (uint32_t i = 0; i < count; i++) {
                assert_true(order[i] < count);
                assert_int_equal(order[i], again[i]);
                seen |= UINT64_C(1) << order[i];
            }
            assert_true(seen == (UINT64_C(1) << count) - 1);
            assert_int_equal(order[count], 0xabcdef);
        }
}

/* All k! orders are equally likely. */
static void all_orders_are_equally_likely(void **state) {
    (void)state;
    static const uint32_t factorial[] = {1, 1, 2, 6, 24, 120};
    for (uint32_t count = 2; count <= 5; count++) {
        uint64_t seen[120] = {0}, draws = 600 * factorial[count];
        for (uint64_t occasion = 0; occasion < draws; occasion++) {
            uint32_t order[5], rank = 0;
            bough_arbitration_order(bough_key_make(3, 0), 1, occasion, count, order);
            for (uint32_t i = 0; i < count; i++) { /* Lehmer code */
                uint32_t smaller = 0;
                for (uint32_t k = i + 1; k < count; k++) smaller += order[k] < order[i];
                rank = rank * (count - i) + smaller;
            }
            seen[rank]++;
        }
        assert_true(chi_square(seen, factorial[count], (double)draws) < limit(factorial[count]));
    }
}

/* ---- hash ---- */

static int path_of(const bough_routing *r, uint64_t source, uint64_t address, uint64_t key, uint64_t *path) {
    bough_flow flow = {source, address, key};
    return bough_path(r, &flow, path, 64);
}

static void a_flow_keeps_its_path(void **state) {
    (void)state;
    bough_net *net = net_make("kary:k=4,levels=3");
    bough_routing *r = routing_make(net, "hash");
    for (uint64_t s = 0; s < 64; s++) {
        uint64_t once[64], twice[64], t = (s + 37) % 64;
        int length = path_of(r, s, t, 5, once); /* whatever the number of the message */
        assert_true(length > 0 && length <= 6);
        assert_int_equal(path_of(r, s, t, 6, twice), length);
        assert_memory_equal(once, twice, (size_t)length * sizeof *once);
        assert_true(net->ops->link_end(net, once[length - 1]).node == t);
    }
    assert_int_equal(path_of(r, 9, 9, 0, (uint64_t[64]){0}), 0); /* nowhere to go */
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

static void a_path_longer_than_the_limit_is_a_loop(void **state) {
    (void)state;
    bough_net *net = net_make("kary:k=4,levels=3");
    bough_routing *r = routing_make(net, "hash");
    uint64_t path[64];
    bough_flow flow = {0, 63, 0};
    assert_int_equal(bough_path(r, &flow, path, 6), 6);
    assert_int_equal(bough_path(r, &flow, path, 5), -1);
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* The two choices on the way up of a flow across the roots of kary:k=16,levels=3, as one number below 256. */
static unsigned choices_of(const bough_routing *r, uint64_t source, uint64_t address, uint64_t key) {
    uint64_t path[64];
    unsigned choice[2];
    assert_int_equal(path_of(r, source, address, key, path), 6);
    for (int h = 0; h < 2; h++) {
        uint64_t group = r->net->ops->link_group(r->net, path[h + 1]);
        choice[h] = (unsigned)(path[h + 1] - r->net->ops->group_links(r->net, group).first);
    }
    return choice[0] * 16 + choice[1];
}

/* Whatever varies - the hosts of a switch, the destination, the routing's key - all 256 ways up come out
 * evenly: so the choices of two switches on a path are independent too. */
static void hash_spreads_whatever_varies(void **state) {
    (void)state;
    enum { FLOWS = 3840 };
    uint64_t count[3][256] = {{0}};
    bough_net *net = net_make("kary:k=16,levels=3");
    bough_routing *r = routing_make(net, "hash:key=1");
    for (uint64_t i = 0; i < FLOWS; i++) {
        count[0][choices_of(r, i % 16, 2000 + i / 16, 0)]++;
        count[1][choices_of(r, 3, 256 + i, 0)]++;
        char spec[40];
        snprintf(spec, sizeof spec, "hash:key=%u", (unsigned)i);
        bough_routing *other = routing_make(net, spec);
        count[2][choices_of(other, 3, 2000, 0)]++;
        bough_routing_destroy(other);
    }
    for (int what = 0; what < 3; what++)
        if (!(chi_square(count[what], 256, FLOWS) < limit(256)))
            fail_msg("case %d: chi-square %g", what, chi_square(count[what], 256, FLOWS));
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* ---- D-mod-K and S-mod-K ---- */

/* Trees of full bandwidth: as many cables up as down at every switch, so that every shift can be free of
 * conflicts. */
static const char *const full_trees[] = {
    "fattree:n=2",
    "fattree:n=8",
    "fattree:n=32",
    "fattree:n=64",
    "kary:k=3,levels=3",
    "kary:k=4,levels=3",
    "kary:k=5,levels=2",
    "xgft:down=4x4,up=1x2,links=1x2",
    "xgft:down=4x4,up=1x1,links=1x4",
    "xgft:down=4x4x4,up=1x4x2,links=1x1x2",
    "xgft:down=4x4x2,up=1x2x4,links=1x2x2",
    "xgft:down=6x4x3,up=1x3x8,links=1x2x1",
    "xgft:down=16x16,up=1x8,links=1x2",
    "clos:radix=8,hosts=32",
    "clos:radix=8,hosts=128",
};

static void shifts_load_no_link_twice(const char *routing) {
    for (size_t i = 0; i < sizeof full_trees / sizeof *full_trees; i++) {
        bough_net *net = net_make(full_trees[i]);
        bough_routing *r = routing_make(net, routing);
        uint32_t *used = calloc(net->links, sizeof *used); /* the last shift that went over a link */
        assert_non_null(used);
        uint64_t n = net->endpoints, path[64];
        for (uint64_t k = 1; k < n; k++)
            for (uint64_t s = 0; s < n; s++) {
                int length = path_of(r, s, (s + k) % n, 0, path);
                assert_true(length > 0);
                for (int h = 0; h < length; h++) {
                    if (used[path[h]] == k) {
                        char name[200];
                        fail_msg("%s on %s: shift %u loads %s twice", routing, full_trees[i], (unsigned)k,
                                 bough_link_name(net, path[h], name, sizeof name));
                    }
                    used[path[h]] = (uint32_t)k;
                }
            }
        free(used);
        bough_routing_destroy(r);
        bough_net_destroy(net);
    }
}

static void dmodk_gives_every_shift_its_own_links(void **state) {
    (void)state;
    shifts_load_no_link_twice("dmodk");
}

static void smodk_gives_every_shift_its_own_links(void **state) {
    (void)state;
    shifts_load_no_link_twice("smodk");
}

/* The address alone names the path from a switch on; under S-mod-K the source names the way up. */
static void what_is_the_same_under_modk(void **state) {
    (void)state;
    bough_net *net = net_make("kary:k=4,levels=3");
    bough_routing *d = routing_make(net, "dmodk"), *m = routing_make(net, "smodk");
    uint64_t a[64], b[64];
    for (uint64_t t = 16; t < 64; t++) {
        assert_int_equal(path_of(d, 0, t, 0, a), 6);
        assert_int_equal(path_of(d, 1, t, 9, b), 6); /* another host of the same switch, another flow */
        assert_memory_equal(a + 1, b + 1, 5 * sizeof *a);
        assert_int_equal(path_of(m, 5, t, 0, a), 6 - 2 * (t / 16 == 0));
        assert_int_equal(path_of(m, 5, 63, 0, b), 6);
        assert_memory_equal(a, b, 3 * sizeof *a);
    }
    /* by hand: at switch level 1 host 6's digit is 6 mod 4 = 2, at level 2 6 / 4 mod 4 = 1 */
    assert_int_equal(path_of(d, 63, 6, 0, a), 6);
    for (int h = 1; h <= 2; h++) {
        uint64_t first = net->ops->group_links(net, net->ops->link_group(net, a[h])).first;
        assert_int_equal(a[h] - first, h == 1 ? 2 : 1);
    }
    bough_routing_destroy(d);
    bough_routing_destroy(m);
    bough_net_destroy(net);
}

/* A test of the test: with `hash` some shift does load a link twice, so the count above can fail. */
static void hash_has_no_such_luck(void **state) {
    (void)state;
    bough_net *net = net_make("kary:k=4,levels=3");
    bough_routing *r = routing_make(net, "hash");
    uint32_t load[1000] = {0}, most = 0;
    assert_true(net->links < 1000);
    uint64_t path[64];
    for (uint64_t s = 0; s < 64; s++) {
        int length = path_of(r, s, (s + 16) % 64, 0, path);
        for (int h = 0; h < length; h++)
            if (++load[path[h]] > most) most = load[path[h]];
    }
    assert_true(most > 1);
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* ---- dead links ---- */

typedef struct wounded {
    bough_net *whole, *net; /* net: without the links that are dead */
    uint64_t *dead;
} wounded;

static wounded wound(const char *spec) {
    wounded w = {.whole = net_make(spec)};
    w.dead = calloc(w.whole->links / 64 + 1, sizeof *w.dead);
    assert_non_null(w.dead);
    return w;
}
static void kill_link(wounded *w, uint64_t link) {
    w->dead[link / 64] |= UINT64_C(1) << link % 64;
}
static void cut(wounded *w) {
    w->net = net_without(w->whole, (fault_bits){.dead = w->dead});
}
static void wounded_free(wounded *w) {
    bough_net_destroy(w->net);
    bough_net_destroy(w->whole);
    free(w->dead);
}

static const char *const oblivious[] = {"hash", "dmodk", "smodk"};

/* Where none is dead, an empty set of dead links changes nothing. */
static void no_dead_links_change_nothing(void **state) {
    (void)state;
    wounded w = wound("xgft:down=4x4,up=1x2,links=1x2");
    cut(&w);
    for (int k = 0; k < 3; k++) {
        bough_routing *r = routing_make(w.whole, oblivious[k]), *q = routing_make(w.net, oblivious[k]);
        for (uint64_t s = 0; s < 16; s++)
            for (uint64_t t = 0; t < 16; t++) {
                uint64_t a[64], b[64];
                int length = path_of(r, s, t, 3, a);
                assert_int_equal(path_of(q, s, t, 3, b), length);
                assert_memory_equal(a, b, (size_t)length * sizeof *a);
            }
        bough_routing_destroy(r);
        bough_routing_destroy(q);
    }
    wounded_free(&w);
}

/* On random dead links: what a pick names is eligible and alive; it names nothing only where all are dead;
 * D-mod-K moves only the flows of dead links. */
static void picks_name_only_survivors(void **state) {
    (void)state;
    static const char *const nets[] = {"fattree:n=64", "kary:k=4,levels=3", "bft:n=64",
                                       "xgft:down=4x4,up=1x2,links=1x3"};
    bough_stream s = bough_stream_make(bough_key_make(11, 0), BOUGH_DRAW_TEST, 0, 0);
    uint64_t moved = 0, none = 0;
    for (size_t n = 0; n < sizeof nets / sizeof *nets; n++) {
        wounded w = wound(nets[n]);
        for (uint64_t l = 0; l < w.whole->links; l++)
            if (bough_stream_below(&s, 3) == 0) kill_link(&w, l);
        cut(&w);
        for (int k = 0; k < 3; k++) {
            bough_routing *before = routing_make(w.whole, oblivious[k]),
                          *after = routing_make(w.net, oblivious[k]);
            for (uint64_t v = 0; v < w.net->nodes; v++)
                for (uint64_t t = 0; t < w.net->endpoints; t++) {
                    bough_route all, was, is;
                    bough_flow flow = {v < w.net->endpoints ? v : 5, t, v};
                    uint32_t alive = 0;
                    if (v == t) continue;
                    w.whole->ops->route(w.whole, v, t, &all);
                    for (uint32_t i = 0; i < all.count; i++)
                        alive += bough_link_alive(w.net, bough_route_link(&all, i));
                    bough_route_at(before, v, &flow, &was);
                    bough_route_at(after, v, &flow, &is);
                    assert_int_equal(is.count, alive > 0);
                    none += alive == 0;
                    if (!alive) continue;
                    uint64_t link = bough_route_link(&is, 0), old = bough_route_link(&was, 0);
                    assert_int_equal(is.group, all.group);
                    assert_in_range(link, all.first, all.first + all.count - 1);
                    assert_true(bough_link_alive(w.net, link));
                    if (k > 0 && bough_link_alive(w.net, old)) assert_int_equal(link, old);
                    moved += link != old;
                }
            bough_routing_destroy(before);
            bough_routing_destroy(after);
        }
        wounded_free(&w);
    }
    assert_true(moved > 1000 && none > 1000);
}

/* The survivors of a group of 8, two of them dead, share the flows of a hash evenly. */
static void a_hash_spreads_over_survivors(void **state) {
    (void)state;
    wounded w = wound("kary:k=8,levels=2");
    uint64_t count[8] = {0}, node = w.whole->endpoints;
    bough_route route;
    bough_flow flow = {0, 63, 0};
    w.whole->ops->route(w.whole, node, 63, &route);
    uint64_t first = route.first;
    assert_int_equal(route.count, 8);
    kill_link(&w, first);
    kill_link(&w, first + 5);
    cut(&w);
    bough_routing *r = routing_make(w.net, "hash");
    for (flow.source = 0; flow.source < 6000; flow.source++) { /* a hash asks nobody whether it exists */
        bough_route_at(r, node, &flow, &route);
        assert_int_equal(route.count, 1);
        count[bough_route_link(&route, 0) - first]++;
    }
    assert_int_equal(count[0] + count[5], 0);
    count[0] = count[6];
    count[5] = count[7];
    assert_true(chi_square(count, 6, 6000) < limit(6));
    bough_routing_destroy(r);
    wounded_free(&w);
}

/* Of 8 links 2 and 5 are dead; 0 1 3 4 6 7 are left, and digits 2 and 5 name the third and the last. */
static void the_digit_of_a_dead_link_names_a_survivor(void **state) {
    (void)state;
    static const uint64_t want[] = {0, 1, 3, 3, 4, 7, 6, 7};
    wounded w = wound("kary:k=8,levels=2");
    uint64_t node = w.whole->endpoints;
    bough_route route;
    w.whole->ops->route(w.whole, node, 63, &route);
    uint64_t first = route.first;
    kill_link(&w, first + 2);
    kill_link(&w, first + 5);
    cut(&w);
    bough_routing *r = routing_make(w.net, "dmodk");
    for (uint64_t t = 8; t < 64; t++) {
        bough_route_at(r, node, &(bough_flow){0, t, 0}, &route);
        assert_int_equal(bough_route_link(&route, 0) - first, want[t % 8]);
    }
    bough_routing_destroy(r);
    wounded_free(&w);
}

/* A fabric's routes are lists; a flow's path then has no dead link, or there is none. */
static void lists_have_survivors_too(void **state) {
    (void)state;
    wounded w = wound("ibnet:" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover");
    uint64_t arrived = 0;
    for (uint64_t l = 0; l < w.whole->links; l++)
        if (l % 4 == 1 && bough_link_direction(w.whole, l) > 0 && bough_link_level(w.whole, l) > 0)
            kill_link(&w, l);
    cut(&w);
    bough_routing *r = routing_make(w.net, "hash");
    for (uint64_t s = 0; s < w.net->endpoints; s++)
        for (uint64_t t = 0; t < w.net->endpoints; t++) {
            uint64_t path[64];
            int length = path_of(r, s, t, s, path);
            for (int i = 0; i < length; i++) assert_true(bough_link_alive(w.net, path[i]));
            arrived += length > 0;
        }
    assert_int_equal(arrived, w.net->endpoints * (w.net->endpoints - 1));
    bough_routing_destroy(r);
    wounded_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_routings_are_refused),
        cmocka_unit_test(the_default_is_free),
        cmocka_unit_test(only_choices_make_a_routing_adaptive),
        cmocka_unit_test(a_single_free_link_is_taken),
        cmocka_unit_test(first_takes_the_first),
        cmocka_unit_test(least_takes_the_least_loaded),
        cmocka_unit_test(free_is_uniform),
        cmocka_unit_test(random_draws_among_all),
        cmocka_unit_test(two_requests_share_one_coin),
        cmocka_unit_test(every_order_is_a_permutation),
        cmocka_unit_test(all_orders_are_equally_likely),
        cmocka_unit_test(a_flow_keeps_its_path),
        cmocka_unit_test(a_path_longer_than_the_limit_is_a_loop),
        cmocka_unit_test(hash_spreads_whatever_varies),
        cmocka_unit_test(dmodk_gives_every_shift_its_own_links),
        cmocka_unit_test(smodk_gives_every_shift_its_own_links),
        cmocka_unit_test(what_is_the_same_under_modk),
        cmocka_unit_test(hash_has_no_such_luck),
        cmocka_unit_test(no_dead_links_change_nothing),
        cmocka_unit_test(picks_name_only_survivors),
        cmocka_unit_test(a_hash_spreads_over_survivors),
        cmocka_unit_test(the_digit_of_a_dead_link_names_a_survivor),
        cmocka_unit_test(lists_have_survivors_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
