/* A worm and a packet stepper (tests/support) on a family of the library, on one that the library does not
 * know, and on a real fabric with its tables: the same public face carries all three, and no stepper knows
 * where it runs. */
#include "base/statistics.h"
#include "method/method.h"
#include "support/packet_stepper.h"
#include "support/places.h"
#include "support/worm_stepper.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define FABRIC   "ibnet:" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover"
#define TABLES   "lft:" SOURCE_DIR "/examples/fabric/cluster.ftree.lfts.gz"

static const struct {
    const char *net, *routing; /* net "cube:D": the test family */
} places[] = {
    {"fattree:n=16", "random"},
    {"fattree:n=16", "least"},
    {"fattree:n=16", "dmodk"},
    {"fattree:n=16", "hash"},
    {"xgft:down=4x4,up=1x2,links=1x2", "random"},
    {"bft:n=64", "random"},
    {"cube:4", "random"},
    {"cube:5", "first"},
    {FABRIC, "random"},
    {FABRIC, TABLES},
};

/* ---- sources of the tests' own ---- */

/* Messages with times, in order of time; delivered() counts, and makes the next message of a chain ready. */
typedef struct feed {
    bough_source base;
    bough_message *message;
    uint64_t *delivered; /* per id: 1 + the time it was reported at */
    uint32_t count, ready, next;
    bool chained; /* message i + 1 is ready when i is in, and starts in that cycle */
    bool trouble;
} feed;

static uint64_t feed_next_time(bough_source *source) {
    feed *f = (feed *)source;
    return f->next < f->ready ? f->message[f->next].time : BOUGH_NONE;
}
static uint32_t feed_pop(bough_source *source, uint64_t now, bough_message *out, uint32_t capacity) {
    feed *f = (feed *)source;
    uint32_t got = 0;
    while (got < capacity && f->next < f->ready && f->message[f->next].time <= now)
        out[got++] = f->message[f->next++];
    return got;
}
static void feed_delivered(bough_source *source, uint32_t id, uint64_t time) {
    feed *f = (feed *)source;
    f->trouble |= id >= f->next || f->delivered[id];
    f->delivered[id] = time + 1;
    if (f->chained && f->ready < f->count) f->message[f->ready++].time = time;
}

static feed feed_make(uint32_t count) {
    feed f = {.base = {feed_next_time, feed_pop, feed_delivered, NULL}, .count = count, .ready = count};
    f.message = calloc(count + 1, sizeof *f.message);
    f.delivered = calloc(count + 1, sizeof *f.delivered);
    assert_true(f.message && f.delivered);
    return f;
}
/* From the start once more. */
static void again(feed *f) {
    f->next = 0;
    memset(f->delivered, 0, f->count * sizeof *f->delivered);
}
static void feed_fini(feed *f) {
    free(f->message);
    free(f->delivered);
}
static void feed_put(const bough_net *net, feed *f, uint32_t id, uint64_t time, uint64_t source,
                     uint64_t target) {
    f->message[id] =
        (bough_message){time, 1, (uint32_t)source, (uint32_t)bough_endpoint_address(net, target), id};
}

/* A Poisson stream: `rate` messages a cycle and endpoint, uniform destinations, each offered in the cycle
 * after it is born. */
static feed poisson(const bough_net *net, double rate, uint32_t count, bough_key key) {
    feed f = feed_make(count);
    bough_stream stream = bough_stream_make(key, BOUGH_DRAW_ARRIVAL, 0, 0);
    double time = 0;
    for (uint32_t i = 0; i < count; i++) {
        time -= log(1 - bough_unit(bough_stream_next(&stream))) / (rate * (double)net->endpoints);
        uint64_t source = bough_stream_below(&stream, net->endpoints);
        uint64_t target = bough_stream_below(&stream, net->endpoints - 1);
        feed_put(net, &f, i, (uint64_t)ceil(time), source, target + (target >= source));
    }
    return f;
}

/* The messages of one of the library's batches. */
static feed batch(const bough_net *net, const char *spec, bough_key key) {
    bough_traffic *traffic;
    bough_batch b;
    bough_error error = {0};
    if (bough_traffic_create(net, spec, &traffic, &error)) fail_msg("%s: %s", spec, error.reason);
    assert_int_equal(bough_batch_read(traffic, key, &b, NULL), BOUGH_OK);
    feed f = feed_make((uint32_t)b.count);
    for (uint32_t i = 0; i < b.count; i++) f.message[i] = (bough_message){0, 1, b.source[i], b.address[i], i};
    bough_batch_fini(&b);
    bough_traffic_destroy(traffic);
    return f;
}

/* Links of a minimal route, from what is known of the place and not from its routes. */
static uint32_t distance(const place *p, uint64_t s, uint64_t t) {
    const bough_net *net = p->net;
    if (bough_is_switch(net, s)) return (uint32_t)__builtin_popcountll(s ^ t);
    uint32_t hops = 2; /* trees: to the lowest common subtree and back; on the fabric too */
    for (unsigned l = 1; net->ops->subtree(net, l, s) != net->ops->subtree(net, l, t); l++) hops += 2;
    return hops;
}

static const uint64_t lengths[] = {1, 2, 5, 40};

/* ---- worms ---- */

static void check_worms(const place *p, const feed *f, const worm_result *r, uint64_t flits) {
    uint64_t crossings = 0;
    assert_false(f->trouble);
    assert_int_equal(r->count, f->count);
    for (uint32_t i = 0; i < r->count; i++) {
        const worm_fate *w = &r->fate[i];
        uint32_t d = distance(p, w->source, bough_address_node(p->net, w->address));
        assert_true(w->arrived);
        assert_int_equal(f->delivered[i], w->delivered + 1);
        assert_int_equal(w->hops, d);
        assert_true(w->delivered - w->offered >= flits + d - 1);
        crossings += flits * d;
    }
    assert_int_equal(r->crossings, crossings);
}

static void lone_worms_take_f_plus_d_minus_1(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        uint64_t n = p.net->endpoints, step = n > 64 ? 7 : 1;
        for (uint64_t s = 0; s < n; s += step)
            for (uint64_t t = 0; t < n; t += step) {
                if (s == t) continue;
                uint64_t flits = lengths[(s + t) % COUNT(lengths)];
                feed f = feed_make(1);
                worm_result r;
                feed_put(p.net, &f, 0, 3 + s, s, t);
                worm_step(p.routing, &f.base, flits, 1, 1000, bough_key_make(s, t), &r);
                check_worms(&p, &f, &r, flits);
                assert_int_equal(r.fate[0].delivered, 3 + s + flits + distance(&p, s, t) - 1);
                free(r.fate);
                feed_fini(&f);
            }
        place_free(&p);
    }
}

/* On four leaves: the channel into leaf 2, crossed in cycle a by a head of F flits, can be entered again in a
 * + F. */
static void two_worms_by_hand(void **state) {
    (void)state;
    place p = place_make("fattree:n=4", "random");
    for (size_t i = 0; i < COUNT(lengths); i++) {
        uint64_t F = lengths[i];
        for (uint64_t k = 0; k < 20; k++) {
            worm_result r;
            feed f = feed_make(2); /* 0 and 1 meet there in cycle 3 */
            feed_put(p.net, &f, 0, 0, 0, 2);
            feed_put(p.net, &f, 1, 0, 1, 2);
            worm_step(p.routing, &f.base, F, 2, 1000, bough_key_make(4, k), &r);
            check_worms(&p, &f, &r, F);
            uint64_t first = r.fate[0].delivered, second = r.fate[1].delivered;
            assert_int_equal(first < second ? first : second, F + 3);
            assert_int_equal(first < second ? second : first, 2 * F + 3);
            free(r.fate);
            feed_put(p.net, &f, 1, 0, 3, 2); /* 3 is there in cycle 1 */
            again(&f);
            worm_step(p.routing, &f.base, F, 2, 1000, bough_key_make(4, k), &r);
            check_worms(&p, &f, &r, F);
            assert_int_equal(r.fate[1].delivered, F + 1);
            assert_int_equal(r.fate[0].delivered, (F < 2 ? 3 : 1 + F) + F);
            free(r.fate);
            feed_fini(&f);
        }
    }
    place_free(&p);
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* When the last of many to endpoint 0 is in, if its one channel passes the nearest first and then never
 * waits: a head can be there in cycle d - 1 (packets: step d), and holds it for F cycles. */
static uint64_t end_of_incast(const place *p, const feed *f, uint64_t flits) {
    uint32_t d[128];
    uint64_t end = 0;
    assert_true(f->count <= COUNT(d));
    for (uint32_t i = 0; i < f->count; i++) d[i] = distance(p, f->message[i].source, 0);
    qsort(d, f->count, sizeof *d, ascending);
    for (uint32_t i = 0; i < f->count; i++) end = (end > d[i] - 1 ? end : d[i] - 1) + flits;
    return end;
}

static bool is_tree(const place *p) {
    return p->net->ops->node_roles(p->net, 0) == BOUGH_ENDPOINT;
}

/* Many to one: while one worm leaves the last buffer the next one fills it. */
static void the_last_channel_never_idles(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        for (size_t k = 0; k < COUNT(lengths); k++) {
            worm_result r;
            packet_result q;
            uint64_t last = 0;
            bough_key key = bough_key_make(1, k);
            feed f = batch(p.net, "incast", key);
            worm_step(p.routing, &f.base, lengths[k], f.count, 1000000, key, &r);
            check_worms(&p, &f, &r, lengths[k]);
            for (uint32_t j = 0; j < r.count; j++)
                if (r.fate[j].delivered > last) last = r.fate[j].delivered;
            if (is_tree(&p))
                assert_int_equal(last, end_of_incast(&p, &f, lengths[k]));
            else /* half of a cube's nodes come by one of its channels */
                assert_true(last >= lengths[k] << (p.net->hops_max - 1));
            again(&f);
            packet_step(p.routing, &f.base, f.count, 1000000, key, &q);
            if (is_tree(&p)) assert_int_equal(q.steps, end_of_incast(&p, &f, 1));
            free(q.fate);
            free(r.fate);
            feed_fini(&f);
        }
        place_free(&p);
    }
}

/* A message that waits for the delivery of the one before it. */
static void chains_take_their_time(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        uint64_t end = 0, steps = 0;
        worm_result r;
        packet_result q;
        feed f = feed_make(30);
        for (uint32_t k = 0; k < 30; k++) {
            uint64_t s = k * 5 % p.net->endpoints, t = (s + k + 1) % p.net->endpoints;
            if (s == t) t = (t + 1) % p.net->endpoints;
            feed_put(p.net, &f, k, 0, s, t);
            end += 7 + distance(&p, s, t) - 1;
            steps += distance(&p, s, t);
        }
        f.chained = true;
        f.ready = 1;
        worm_step(p.routing, &f.base, 7, 30, 10000, bough_key_make(2, i), &r);
        check_worms(&p, &f, &r, 7);
        assert_int_equal(r.fate[29].delivered, end);
        f.ready = 1;
        again(&f);
        packet_step(p.routing, &f.base, f.count, 10000, bough_key_make(2, i), &q);
        assert_int_equal(q.steps, steps);
        assert_int_equal(q.queue_max, 1);
        free(q.fate);
        free(r.fate);
        feed_fini(&f);
        place_free(&p);
    }
}

static const char *const batches[] = {"randperm", "shift:k=1", "uniform", "tornado",
                                      "bitrev",   "transpose", "bitcomp"};

static bool takes(const place *p, const char *traffic) {
    return strncmp(traffic, "bit", 3) != 0 && strcmp(traffic, "transpose") != 0
               ? true
               : (p->net->endpoints & (p->net->endpoints - 1)) == 0;
}

static void worms_of_batches_arrive(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        for (size_t b = 0; b < COUNT(batches); b++)
            for (size_t k = 0; k < COUNT(lengths) && takes(&p, batches[b]); k++) {
                bough_key key = bough_key_make(3, k);
                worm_result r;
                feed f = batch(p.net, batches[b], key);
                worm_step(p.routing, &f.base, lengths[k], f.count, 1000000, key, &r);
                check_worms(&p, &f, &r, lengths[k]);
                free(r.fate);
                feed_fini(&f);
            }
        place_free(&p);
    }
}

/* Up to a fifth of what the endpoints could inject, everything arrives, and no more than a drain after the
 * last. */
static void worms_of_streams_arrive(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        bool differs = false; /* by the order of those that come together, if by nothing else */
        for (uint64_t k = 0; k < 4; k++) {
            bough_key key = bough_key_make(5, k);
            uint64_t flits = lengths[k];
            worm_result r, same, other;
            feed f = poisson(p.net, 0.2 / (double)flits, 1500, key);
            worm_step(p.routing, &f.base, flits, f.count, 10000000, key, &r);
            check_worms(&p, &f, &r, flits);
            again(&f);
            worm_step(p.routing, &f.base, flits, f.count, 10000000, key, &same);
            assert_int_equal(same.cycles, r.cycles);
            assert_memory_equal(same.fate, r.fate, f.count * sizeof *r.fate);
            again(&f);
            worm_step(p.routing, &f.base, flits, f.count, 10000000, bough_key_make(6, k), &other);
            differs |= memcmp(other.fate, r.fate, f.count * sizeof *r.fate) != 0;
            free(r.fate);
            free(same.fate);
            free(other.fate);
            feed_fini(&f);
        }
        assert_true(differs);
        place_free(&p);
    }
}

/* Figures of an independent program for the same rules; load: share of the model's saturation (Eq. 26) in
 * flits a cycle and processor. Six fixed seeds each; the means may differ by 3.29 standard deviations of
 * their difference (99.9 %). */
static void worms_agree_with_an_independent_program(void **state) {
    (void)state;
    static const struct {
        const char *net;
        uint64_t flits;
        double saturation, load, latency, half_width;
    } want[] = {{"bft:n=64", 16, 0.159858, 0.5, 24.944, 0.022},
                {"bft:n=64", 32, 0.159858, 0.8, 60.490, 0.098},
                {"bft:n=1024", 32, 0.03909, 0.5, 47.970, 0.034},
                {"bft:n=1024", 32, 0.03909, 0.9, 67.307, 0.094}};
    for (size_t i = 0; i < COUNT(want); i++) {
        place p = place_make(want[i].net, "free");
        bough_stats stats = {0};
        for (uint64_t k = 0; k < 6; k++) {
            bough_key key = bough_key_make(7, k);
            const uint32_t count = 12000, warm = 3000;
            worm_result r;
            double sum = 0, flits = (double)want[i].flits;
            feed f = poisson(p.net, want[i].load * want[i].saturation / flits, count, key);
            worm_step(p.routing, &f.base, want[i].flits, count, 10000000, key, &r);
            check_worms(&p, &f, &r, want[i].flits);
            for (uint32_t j = warm; j < count; j++) sum += (double)(r.fate[j].delivered - r.fate[j].offered);
            bough_stats_add(&stats, sum / (count - warm));
            free(r.fate);
            feed_fini(&f);
        }
        double ci = bough_stats_ci95(&stats), sd = ci / bough_student_975(5);
        print_message("%s, %" PRIu64 " flits, load %.1f: latency %.3f +- %.3f (page %.3f +- %.3f)\n",
                      want[i].net, want[i].flits, want[i].load, stats.mean, ci, want[i].latency,
                      want[i].half_width);
        assert_true(fabs(stats.mean - want[i].latency) <= 6.869 * hypot(sd, want[i].half_width / 1.96));
        place_free(&p);
    }
}

/* ---- packets ---- */

static void check_packets(const place *p, const feed *f, const packet_result *r) {
    uint64_t crossings = 0, last = 0;
    assert_false(f->trouble);
    assert_int_equal(r->count, f->count);
    for (uint32_t i = 0; i < r->count; i++) {
        const packet_fate *q = &r->fate[i];
        uint32_t d = distance(p, q->source, bough_address_node(p->net, q->address));
        assert_true(q->arrived);
        assert_int_equal(f->delivered[i], q->delivered + 1);
        assert_int_equal(q->hops, d);
        assert_true(q->delivered >= q->offered + d);
        if (q->delivered > last) last = q->delivered;
        crossings += d;
    }
    assert_int_equal(r->crossings, crossings);
    assert_int_equal(r->steps, last);
}

static void lone_packets_take_d_steps(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        uint64_t n = p.net->endpoints, step = n > 64 ? 7 : 1;
        for (uint64_t s = 0; s < n; s += step)
            for (uint64_t t = 0; t < n; t += step) {
                if (s == t) continue;
                feed f = feed_make(1);
                packet_result r;
                feed_put(p.net, &f, 0, 2 * t, s, t);
                packet_step(p.routing, &f.base, f.count, 1000, bough_key_make(s, t), &r);
                check_packets(&p, &f, &r);
                assert_int_equal(r.fate[0].delivered, 2 * t + distance(&p, s, t));
                assert_int_equal(r.queue_max, 1);
                free(r.fate);
                feed_fini(&f);
            }
        place_free(&p);
    }
}

/* Bit reversal and transpose under bit fixing: 2^(m/2-1) + m/2 steps, queues up to max(1, 2^(m/2-2)); m = d,
 * or d - 1 where d is odd. */
static void cubes_take_exactly_so_many_steps(void **state) {
    (void)state;
    static const char *const traffic[] = {"bitrev", "transpose"};
    for (unsigned d = 4; d <= 10; d++)
        for (size_t i = 0; i < COUNT(traffic); i++) {
            char spec[16];
            snprintf(spec, sizeof spec, "cube:%u", d);
            place p = place_make(spec, NULL);
            packet_result r;
            unsigned half = d / 2;
            feed f = batch(p.net, traffic[i], bough_key_make(1, 0));
            packet_step(p.routing, &f.base, f.count, 100000, bough_key_make(1, 0), &r);
            check_packets(&p, &f, &r);
            assert_int_equal(r.steps, (1u << (half - 1)) + half);
            assert_int_equal(r.queue_max, 1u << (half - 2));
            free(r.fate);
            feed_fini(&f);
            place_free(&p);
        }
}

/* Random permutations of 256 nodes; 99.9 % as above. */
static void random_permutations_of_a_cube(void **state) {
    (void)state;
    static const struct {
        const char *routing;
        double steps, half_width;
    } want[] = {
        {"random", 7.90, 0.12}, {"valiant:phase2=sync", 16.58, 0.28}, {"valiant:phase2=async", 13.94, 0.18}};
    for (size_t i = 0; i < COUNT(want); i++) {
        bough_stats stats = {0};
        place p = place_make("cube:8", want[i].routing);
        for (uint64_t k = 0; k < 100; k++) {
            packet_result r;
            feed f = batch(p.net, "randperm", bough_key_make(9, k));
            packet_step(p.routing, &f.base, f.count, 100000, bough_key_make(9, k), &r);
            if (i == 0) check_packets(&p, &f, &r);
            for (uint32_t j = 0; j < r.count; j++) assert_true(r.fate[j].arrived && f.delivered[j]);
            bough_stats_add(&stats, (double)r.steps);
            free(r.fate);
            feed_fini(&f);
        }
        double ci = bough_stats_ci95(&stats);
        print_message("cube:8, randperm, %s: %.3f +- %.3f steps (page %.2f +- %.2f)\n", want[i].routing,
                      stats.mean, ci, want[i].steps, want[i].half_width);
        assert_true(fabs(stats.mean - want[i].steps) <= 3.29 / 1.96 * hypot(ci, want[i].half_width));
        place_free(&p);
    }
}

static void packets_by_hand(void **state) {
    (void)state;
    packet_result r;
    place p = place_make("cube:2", NULL); /* 0 and 2 to 3; 0 comes by 2, where 2's own packet went first */
    feed f = feed_make(2);
    feed_put(p.net, &f, 0, 1, 0, 3);
    feed_put(p.net, &f, 1, 1, 2, 3);
    packet_step(p.routing, &f.base, f.count, 1000, bough_key_make(1, 0), &r);
    assert_int_equal(r.fate[0].delivered, 3);
    assert_int_equal(r.fate[1].delivered, 2);
    free(r.fate);
    again(&f);
    f.message[0].time = 0; /* now they come to the queue of 2 together: the smaller id goes first */
    packet_step(p.routing, &f.base, f.count, 1000, bough_key_make(1, 0), &r);
    assert_int_equal(r.fate[0].delivered, 2);
    assert_int_equal(r.fate[1].delivered, 3);
    assert_int_equal(r.queue_max, 2);
    free(r.fate);
    feed_fini(&f);
    place_free(&p);

    p = place_make("cube:3",
                   NULL); /* 2 and 4 to 1: they come to 0 in one step, 4's packet by a higher link */
    f = feed_make(2);
    feed_put(p.net, &f, 0, 0, 4, 1);
    feed_put(p.net, &f, 1, 0, 2, 1);
    packet_step(p.routing, &f.base, f.count, 1000, bough_key_make(1, 0), &r);
    assert_int_equal(r.fate[0].delivered, 2);
    assert_int_equal(r.fate[1].delivered, 3);
    free(r.fate);
    feed_fini(&f);
    place_free(&p);
}

static void packets_of_batches_and_streams_arrive(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        place p = place_make(places[i].net, places[i].routing);
        for (size_t b = 0; b <= COUNT(batches); b++) {
            if (b < COUNT(batches) && !takes(&p, batches[b])) continue;
            bough_key key = bough_key_make(3, b);
            packet_result r, same;
            feed f = b < COUNT(batches) ? batch(p.net, batches[b], key) : poisson(p.net, 0.3, 5000, key);
            packet_step(p.routing, &f.base, f.count, 1000000, key, &r);
            check_packets(&p, &f, &r);
            again(&f);
            packet_step(p.routing, &f.base, f.count, 1000000, key, &same);
            assert_memory_equal(same.fate, r.fate, f.count * sizeof *r.fate);
            free(r.fate);
            free(same.fate);
            feed_fini(&f);
        }
        place_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lone_worms_take_f_plus_d_minus_1),
        cmocka_unit_test(two_worms_by_hand),
        cmocka_unit_test(the_last_channel_never_idles),
        cmocka_unit_test(chains_take_their_time),
        cmocka_unit_test(worms_of_batches_arrive),
        cmocka_unit_test(worms_of_streams_arrive),
        cmocka_unit_test(worms_agree_with_an_independent_program),
        cmocka_unit_test(lone_packets_take_d_steps),
        cmocka_unit_test(cubes_take_exactly_so_many_steps),
        cmocka_unit_test(random_permutations_of_a_cube),
        cmocka_unit_test(packets_by_hand),
        cmocka_unit_test(packets_of_batches_and_streams_arrive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
