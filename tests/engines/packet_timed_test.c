/* Packets in time: messages alone by hand, the steps of the other engine, and random ones against a slow
 * program. */
#include "engines/packet/packet_timed.h"
#include "loads/pair_survey.h"
#include "network/faults/faults.h"
#include "network/physical/physical.h"
#include "traffic/schedules/workload.h"

#include "support/fabrics.h"
#include "support/goal_files.h"
#include "support/listed.h"
#include "support/loggops_oracle.h"
#include "support/packet_time_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bough_error error;

static bough_physical *physical_make(const char *spec) {
    bough_physical *p;
    if (bough_physical_create(spec, &p, &error)) fail_msg("%s: %s", spec, error.reason);
    return p;
}

static packet_timed_options options_for(const bough_routing *routing, uint64_t packet) {
    packet_timed_options o = {.packet = packet, .unit = 1};
    if (bough_routing_survey(routing, &o.hops, &error)) fail_msg("%s", error.reason);
    return o;
}

static packet_timed *make(const bough_routing *routing, const packet_timed_options *o) {
    packet_timed *e = NULL;
    if (packet_timed_check(routing, o, &error) || packet_timed_make(routing, o, &e, &error))
        fail_msg("%s", error.reason);
    return e;
}

static void run(packet_timed *e, bough_source *source, uint64_t key) {
    packet_timed_input input = {source, bough_key_make(key, 0), NULL, 0};
    if (packet_timed_run(e, &input, &error)) fail_msg("%s", error.reason);
}

/* ---- one message ---- */

static listed one_message(const bough_net *net, uint32_t from, uint32_t to, uint64_t bytes) {
    listed l = listed_make(1);
    l.message[0] = (bough_message){
        .time = 77, .size = bytes, .source = from, .address = (uint32_t)bough_endpoint_address(net, to)};
    return l;
}

/* Endpoint 0 to 1, from start to arrival. */
static uint64_t alone(const bough_routing *routing, uint64_t packet, uint64_t bytes) {
    packet_timed_options o = options_for(routing, packet);
    packet_timed *e = make(routing, &o);
    listed l = one_message(routing->net, 0, 1, bytes);
    run(e, &l.base, 1);
    assert_int_equal(packet_timed_result(e)->arrived, 1);
    assert_int_equal(l.told[0], packet_timed_result(e)->end + 1);
    assert_int_equal(packet_timed_times(e)[0], packet_timed_result(e)->end - 77);
    uint64_t time = packet_timed_times(e)[0];
    packet_timed_destroy(e);
    listed_fini(&l);
    return time;
}

/* The hosts are the nodes whose names begin with h. */
static bough_net *fabric_of(const char *name, const char *text) {
    char spec[300];
    snprintf(spec, sizeof spec, "ibnet:file=\"%s\",hosts=^h", temporary_file(name, text, 0));
    return net_make(spec);
}

/* A chain of switches between two hosts, with a rate for every cable. */
static bough_net *chain(const char *const *rate, unsigned links) {
    char text[1000] = "node,port,node,port,rate\n";
    size_t length = strlen(text);
    for (unsigned i = 0; i < links; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%u,%s,%s%u,%s,%s\n", i ? "s" : "h",
                                   i, i ? "2" : "1", i + 1 < links ? "s" : "h", i + 1, "1", rate[i]);
    return fabric_of("chain.csv", text);
}

/* Max-plus: packet k leaves link i when it and packet k - 1 have arrived there, and its time has passed. */
static uint64_t max_plus(const bough_physical *p, const uint64_t *rate, unsigned links, uint64_t packet,
                         uint64_t bytes) {
    uint64_t left[8] = {0}, packets = bytes > packet ? (bytes + packet - 1) / packet : 1, at = 0;
    for (uint64_t k = 0; k < packets; k++) {
        uint64_t size = (k + 1 < packets ? packet : bytes - k * packet) + p->header;
        at = 0;
        for (unsigned i = 0; i < links; i++) {
            uint64_t start = at > left[i] ? at : left[i];
            left[i] = start + bough_physical_time(size, rate[i]);
            at = left[i] + p->delay + (i + 1 < links ? p->switch_delay : 0);
        }
    }
    return at;
}

static void alone_over_mixed_rates(void **state) {
    (void)state;
    static const char *const rates[][4] = {{"100Gb/s", "25Gb/s", "10Gb/s", "100Gb/s"},
                                           {"10Gb/s", "100Gb/s", "25Gb/s", "40Gb/s"},
                                           {"25Gb/s", "25Gb/s", "25Gb/s", "25Gb/s"}};
    static const uint64_t in_bits[][4] = {{100000000000, 25000000000, 10000000000, 100000000000},
                                          {10000000000, 100000000000, 25000000000, 40000000000},
                                          {25000000000, 25000000000, 25000000000, 25000000000}};
    static const uint64_t bytes[] = {0, 1, 1000, 1001, 4096, 99999};
    for (size_t r = 0; r < 3; r++)
        for (unsigned links = 2; links <= 4; links++) {
            bough_net *net = chain(rates[r], links);
            bough_physical *p = physical_make("ndr");
            bough_net_set_physical(net, p);
            bough_routing *routing = routing_make(net, "updn");
            for (size_t b = 0; b < 6; b++)
                assert_int_equal(alone(routing, 1000, bytes[b]),
                                 max_plus(p, in_bits[r], links, 1000, bytes[b]));
            bough_routing_destroy(routing);
            bough_net_destroy(net);
            bough_physical_destroy(p);
        }
}

/* 2 links of 100 Gb/s and 100 ns: 4096 B take 327680 ps, 904 B 72320 ps. */
static void alone_by_hand(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=4,up=1");
    bough_routing *routing = routing_make(net, "dmodk");
    assert_int_equal(alone(routing, 4096, 0), 200000);
    assert_int_equal(alone(routing, 4096, 4096), 2 * 327680 + 200000);
    assert_int_equal(alone(routing, 4096, 5000), 327680 + 327680 + 72320 + 200000); /* full, full, rest */
    assert_int_equal(alone(routing, 4096, 100000), 8000000 + 327680 + 200000);
    bough_routing_destroy(routing);
    bough_physical *p = physical_make("default:header=4B,switch=50ns,delay=7ns");
    bough_net_set_physical(net, p);
    routing = routing_make(net, "dmodk");
    assert_int_equal(alone(routing, 4096, 5000), 2 * 328000 + 72640 + 14000 + 50000);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
    bough_physical_destroy(p);
}

/* A packet of 1000 B takes 586510.26 ps at 13.64 Gb/s: a hundred take 58651026 (58651026.39), not 58651000.
 */
static void roundings_do_not_add_up(void **state) {
    (void)state;
    static const char *const rates[] = {"13.64Gb/s", "200Gb/s"};
    bough_net *net = chain(rates, 2);
    bough_routing *routing = routing_make(net, "updn");
    assert_int_equal(alone(routing, 1000, 100000), 58651026 + 40000 + 200000);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

static void refusals(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=4,up=1");
    bough_routing *routing = routing_make(net, "dmodk");
    packet_timed_options o = options_for(routing, UINT64_C(1) << 40);
    o.rate = 1000000;
    assert_int_equal(packet_timed_check(routing, &o, &error), BOUGH_INVALID);
    assert_string_equal(error.reason,
                        "packet: a packet of 1099511627776 bytes takes more than 18 minutes on a "
                        "link of 1000000 bit/s");
    o = options_for(routing, 1);
    packet_timed *e = make(routing, &o);
    listed l = one_message(net, 0, 1, UINT32_MAX);
    packet_timed_input input = {&l.base, bough_key_make(1, 0), NULL, 0};
    assert_int_equal(packet_timed_run(e, &input, &error), BOUGH_FAILED);
    assert_string_equal(error.reason, "a message of 2^32 packets or more");
    listed_again(&l);
    l.message[0].size = 10;
    l.message[0].time = PACKET_TIME_MAX + 1;
    assert_int_equal(packet_timed_run(e, &input, &error), BOUGH_FAILED);
    assert_non_null(strstr(error.reason, "more than 53 days"));
    listed_again(&l);
    l.message[0].time = 5; /* what failed leaves nothing behind */
    run(e, &l.base, 1);
    assert_int_equal(packet_timed_result(e)->arrived, 1);
    listed_fini(&l);
    packet_timed_destroy(e);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

/* ---- steps ---- */

/* Packets of one byte at 8 Gb/s without delays take a step of 1000 ps per link: the other engine. */
static void steps_of_the_other_engine(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing;
    } on[] = {{"xgft:down=4x4,up=1x2", "dmodk"}, {"cube:n=16", "bitfix"}, {"fattree:n=16", "first"}};
    bough_physical *p = physical_make("ideal:rate=8Gb/s");
    for (size_t i = 0; i < sizeof on / sizeof *on; i++)
        for (unsigned queue = PACKET_FIFO; queue <= PACKET_FARTHEST; queue++) {
            bough_net *net = net_make(on[i].net);
            bough_net_set_physical(net, p);
            bough_routing *routing = routing_make(net, on[i].routing);
            packet_timed_options o = options_for(routing, 1);
            o.queue = (packet_discipline)queue;
            const packet_options in_steps = {.queue = o.queue, .hops = o.hops};
            packet_timed *timed = make(routing, &o);
            sim_engine *steps;
            assert_int_equal(packet_make(routing, &in_steps, &steps, &error), BOUGH_OK);
            bough_key key = bough_key_make(5, i);
            listed l = listed_poisson(net, 0.6, 300, 5, key);
            sim_advance all = {.until = UINT64_MAX, .want = UINT64_MAX};
            steps->ops->start(steps, key, &l.base);
            assert_int_equal(steps->ops->advance(steps, &all, &error), BOUGH_OK);
            assert_int_equal(all.count, 300);
            uint64_t *told = malloc(300 * sizeof *told);
            assert_non_null(told);
            memcpy(told, l.told, 300 * sizeof *told);
            for (uint32_t m = 0; m < 300; m++) l.message[m].time *= 1000;
            listed_again(&l);
            run(timed, &l.base, 5);
            for (uint32_t m = 0; m < 300; m++) assert_int_equal(l.told[m] - 1, 1000 * (told[m] - 1));
            free(told);
            listed_fini(&l);
            steps->ops->destroy(steps);
            packet_timed_destroy(timed);
            bough_routing_destroy(routing);
            bough_net_destroy(net);
        }
    bough_physical_destroy(p);
}

/* ---- at random ---- */

static uint32_t draw(bough_stream *dice, uint32_t below) {
    return (uint32_t)bough_stream_below(dice, below);
}

/* Two levels of switches, with cables of any rate. */
static bough_net *random_fabric(bough_stream *dice) {
    static const char *const rate[] = {"10Gb/s", "25Gb/s", "100Gb/s", "13.64Gb/s", "200Gb/s"};
    char text[8000] = "node,port,node,port,rate\n";
    size_t length = strlen(text);
    unsigned leaves = 1 + draw(dice, 3), spines = 1 + draw(dice, 2), hosts = 2 + draw(dice, 3);
    for (unsigned leaf = 0; leaf < leaves; leaf++) {
        unsigned port = 1;
        for (unsigned h = 0; h < hosts; h++)
            length += (size_t)snprintf(text + length, sizeof text - length, "leaf%u,%u,h%u,1,%s\n", leaf,
                                       port++, leaf * hosts + h, rate[draw(dice, 5)]);
        for (unsigned s = 0; s < spines; s++)
            for (unsigned c = 0; c <= draw(dice, 2); c++)
                length += (size_t)snprintf(text + length, sizeof text - length, "leaf%u,%u,spine%u,%u,%s\n",
                                           leaf, port++, s, 2 * leaf + c + 1, rate[draw(dice, 5)]);
    }
    return fabric_of("random.csv", text);
}

/* A random schedule in GOAL. */
static const char *random_goal(bough_stream *dice, uint32_t ranks, uint64_t seed) {
    random_schedule how = {.ranks = ranks,
                           .messages = 3 + draw(dice, 25),
                           .cpus = 1 + draw(dice, 2),
                           .nics = 1 + draw(dice, 2),
                           .starts = draw(dice, 2),
                           .wildcards = draw(dice, 4) == 0};
    bough_schedule *s = schedule_random(&how, seed);
    const char *path = goal_file(s);
    bough_schedule_destroy(s);
    return path;
}

static bough_net *random_net(bough_stream *dice, const char **routing) {
    static const struct {
        const char *net, *routing;
    } of[] = {{"xgft:down=3x2,up=1x2", "dmodk"},       {"xgft:down=2x2x2,up=1x2x2", "least"},
              {"xgft:down=4,up=1", "dmodk"},           {"cube:n=8", "bitfix"},
              {"cube:n=8", "valiant:phase2=async"},    {"xgft:down=2x3,up=2x2", "random"},
              {"fattree:n=8", "valiant:phase2=async"}, {"kary:k=2,levels=3", "hash"},
              {"cube:n=16", "bitfix:order=random"}};
    static const char *const on_fabric[] = {"updn", "minhop", "hash", "random", "least", "first"};
    uint32_t which = draw(dice, 16);
    if (which < 9) {
        *routing = of[which].routing;
        return net_make(of[which].net);
    }
    *routing = on_fabric[draw(dice, 6)];
    return random_fabric(dice);
}

static int by_value(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void same_results(packet_timed *e, const time_oracle_result *want, const bough_net *net,
                         uint64_t seed) {
    const packet_timed_totals *have = packet_timed_result(e);
    const uint64_t pairs[][2] = {{have->end, want->end},
                                 {have->arrived, want->arrived},
                                 {have->hops, want->hops},
                                 {have->crossings, want->crossings},
                                 {have->queue_max, want->queue_max},
                                 {have->wait_max, want->wait_max},
                                 {(uint64_t)have->wait, (uint64_t)want->wait}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] != pairs[i][1])
            fail_msg("seed %lu, figure %zu: %lu, not %lu", (unsigned long)seed, i, (unsigned long)pairs[i][0],
                     (unsigned long)pairs[i][1]);
    for (uint64_t l = 0; l < net->links; l++) assert_int_equal(packet_timed_busy(e, l), want->busy[l]);
    if (!have->arrived) return;
    qsort(packet_timed_times(e), have->arrived, sizeof(uint64_t), by_value);
    qsort(want->taken, want->arrived, sizeof(uint64_t), by_value);
    for (uint64_t i = 0; i < have->arrived; i++) assert_int_equal(packet_timed_times(e)[i], want->taken[i]);
}

static const char *const settings[] = {"default",
                                       "ndr",
                                       "ideal",
                                       "ethernet400",
                                       "hdr:delay=0ps",
                                       "ideal:delay=1ps,switch=2ps",
                                       "default:host_rate=50Gb/s"};

/* Messages at random times. */
static void random_messages(const bough_routing *routing, const packet_timed_options *o, bough_stream *dice,
                            uint64_t seed) {
    const bough_net *net = routing->net;
    bough_key key = bough_key_make(seed, 0);
    listed l = listed_poisson(net, 0.3, 1 + draw(dice, 60), 1 + draw(dice, 5 * (uint32_t)o->packet), key);
    uint64_t spread = (uint64_t)1 << draw(dice, 24); /* all at once, or far apart */
    for (uint32_t i = 0; i < l.count; i++) l.message[i].time *= spread;
    for (uint32_t i = 0; i < l.count && draw(dice, 2); i++) l.message[i].size = o->packet; /* many ties */
    time_oracle_result want;
    packet_timed *e = make(routing, o);
    time_oracle_run(routing, o, &l.base, key, &want);
    for (int twice = 0; twice < 2; twice++) { /* what a trial leaves behind does not matter */
        uint64_t *told = calloc(l.count, sizeof *told);
        assert_non_null(told);
        memcpy(told, l.told, l.count * sizeof *told);
        listed_again(&l);
        run(e, &l.base, seed);
        assert_false(l.trouble);
        assert_memory_equal(told, l.told, l.count * sizeof *told);
        same_results(e, &want, net, seed);
        free(told);
    }
    packet_timed_destroy(e);
    time_oracle_fini(&want);
    listed_fini(&l);
}

static uint32_t hung;

/* The ends of all ranks. */
static void random_ranks(const bough_routing *routing, const packet_timed_options *o, bough_stream *dice,
                         uint64_t seed) {
    const bough_net *net = routing->net;
    static const char *const hosts[] = {"", ",o=0ps,g=0ps", ",S=999,o=10ps", ",o=1ns,O=1ps,g=5ns"};
    uint32_t ranks = 2 + draw(dice, (uint32_t)net->endpoints - 1);
    bough_key key = bough_key_make(seed, 0);
    const bough_clock clock = {1, 1};
    char spec[400];
    snprintf(spec, sizeof spec, "goal:file=\"%s\"%s%s", random_goal(dice, ranks, seed), hosts[draw(dice, 4)],
             draw(dice, 3) ? "" : ",gpus=2");
    bough_traffic *t = traffic_make(net, spec);
    bough_source *slow, *fast;
    bough_source_report left[2];
    time_oracle_result want;
    packet_timed *e = make(routing, o);
    assert_int_equal(bough_traffic_open(t, key, &clock, &slow, &error), BOUGH_OK);
    assert_int_equal(bough_traffic_open(t, key, &clock, &fast, &error), BOUGH_OK);
    time_oracle_run(routing, o, slow, key, &want);
    run(e, fast, seed);
    same_results(e, &want, net, seed);
    slow->report(slow, &left[0]);
    fast->report(fast, &left[1]);
    assert_int_equal(left[0].end, left[1].end);
    assert_int_equal(left[0].left, left[1].left);
    hung += left[0].left > 0;
    for (uint32_t r = 0; r < ranks; r++)
        assert_int_equal(ranks_end_of(workload_ranks(slow), r), ranks_end_of(workload_ranks(fast), r));
    slow->close(slow);
    fast->close(fast);
    packet_timed_destroy(e);
    time_oracle_fini(&want);
    bough_traffic_destroy(t);
}

static void against_oracle(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1000, 4096, 50, 10000};
    for (uint64_t seed = 0; seed < 1500; seed++) {
        bough_stream dice = bough_stream_make(bough_key_make(seed, 0), BOUGH_DRAW_TEST, 2, 0);
        const char *spec;
        bough_net *net = random_net(&dice, &spec);
        bough_physical *p = physical_make(settings[draw(&dice, 7)]);
        bough_net_set_physical(net, p);
        bough_routing *routing = routing_make(net, spec);
        packet_timed_options o = options_for(routing, sizes[draw(&dice, 4)]);
        o.queue = draw(&dice, 2) ? PACKET_FIFO : (packet_discipline)draw(&dice, 4);
        if (draw(&dice, 8) == 0) o.rate = 40000000000;
        if (seed % 3 == 0) o.half = net->ops->link_twin != NULL;
        if (o.packet > 50 && draw(&dice, 2))
            random_ranks(routing, &o, &dice, seed);
        else
            random_messages(routing, &o, &dice, seed);
        bough_routing_destroy(routing);
        bough_net_destroy(net);
        bough_physical_destroy(p);
    }
    assert_true(hung > 0 && hung < 400);
}

/* The same on networks that lack links: of several links of a group, those that are left. */
static void with_dead_links(void **state) {
    (void)state;
    static const char *const routings[] = {"random", "least", "hash", "dmodk"};
    for (uint64_t seed = 0; seed < 100; seed++) {
        bough_stream dice = bough_stream_make(bough_key_make(seed, 0), BOUGH_DRAW_TEST, 3, 0);
        bough_net *whole = net_make("xgft:down=4x4,up=1x4,links=1x2"), *net;
        if (bough_net_with_faults(whole, "links:share=10%,mode=rerouted", &net, &error))
            fail_msg("%s", error.reason);
        bough_routing *routing;
        packet_timed_options o = {.packet = 1000, .unit = 1, .queue = (packet_discipline)draw(&dice, 4)};
        if (bough_routing_create(net, routings[draw(&dice, 4)], &routing, &error) == BOUGH_OK) {
            if (bough_routing_survey(routing, &o.hops, &error) == BOUGH_OK)
                random_messages(routing, &o, &dice, seed);
            bough_routing_destroy(routing);
        }
        bough_net_destroy(net);
        bough_net_destroy(whole);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals),
        cmocka_unit_test(alone_by_hand),
        cmocka_unit_test(alone_over_mixed_rates),
        cmocka_unit_test(roundings_do_not_add_up),
        cmocka_unit_test(steps_of_the_other_engine),
        cmocka_unit_test(against_oracle),
        cmocka_unit_test(with_dead_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
